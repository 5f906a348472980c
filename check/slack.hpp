// How much weaker a wait could be. A value that is touched only behind another, sufficient wait
// does not count. Direct-to-LDS loads, LDS writes and reads before a barrier are taken as needed:
// what other waves read is not visible here.
#pragma once

#include <optional>

#include "check/flow.hpp"
#include "isa/counters.hpp"

namespace zyfa {

// `before` is the state in front of step `i` of `block`; nothing if it is no wait or has no slack.
std::optional<Finding> wait_slack(const Flowgraph&, unsigned block, unsigned i,
                                  const Counters& before);

}  // namespace zyfa
