// One self-contained HTML page with one or two recordings, one above the other: pipes, waves, LDS
// and memory over time, zoom, what each instruction waited for. No network, no build step.
#pragma once

#include <span>

#include "report/recording.hpp"

namespace zyfa {

// Same recordings, same bytes. Error: none, or more than two.
std::string timeline_page(std::span<const Recording>);

}  // namespace zyfa
