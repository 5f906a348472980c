// Whether LDS is read before it is filled, or filled while it is still read, by any two waves of a
// workgroup: on machine code alone, across barriers and loops, for waves that run the same
// instructions, also when some stand barriers behind the others.
//
// Time is counted in barriers. Of each LDS access a wave knows whether its latest run may still be
// under way (isa/counters.hpp) and, if not, how many barriers it has passed since it waited for it.
// A wave that runs the same code and stands d barriers behind has finished that access for sure
// once this wave has passed 1 + d barriers since its own; conflicting accesses need that much.
// Which bytes a wave touches follows from the work-item ids (check/lanes.hpp). An access whose
// addresses are not known, or that only other waves run, is not looked at.
#pragma once

#include "check/check.hpp"

namespace zyfa {

struct LdsOrder {
    uint32_t entry = 0;                   // byte offset in the code
    std::array<uint32_t, 3> workgroup{};  // work items
};

std::vector<Finding> check_lds_order(std::span<const Decoded> code, const LdsOrder&);
std::span<const Rule> lds_order_rules();

// LDS accesses that the check above follows, of all that any wave reaches.
struct LdsCoverage {
    unsigned followed = 0, all = 0;
};
LdsCoverage lds_coverage(std::span<const Decoded> code, const LdsOrder&);

}  // namespace zyfa
