// What a kernel's code uses against what its descriptor and metadata grant: registers, LDS, kernel
// arguments. And what takes more than waits and registers to see: barriers on paths that part, and
// the order of LDS accesses between waves (check/lds_order.hpp). Only where numbers are known
// (check/values.hpp, check/lanes.hpp); elsewhere no finding is no proof.
#pragma once

#include <array>

#include "check/check.hpp"

namespace zyfa {

struct Grant {
    uint32_t entry = 0;  // byte offset in the code
    // v0.. and a0.. lie in one file of `registers`, a0 at `accum_offset`.
    unsigned registers = 512, accum_offset = 256, sgprs = 102;
    uint32_t lds_bytes = 0, kernarg_bytes = 0;
    int kernarg_sgpr = -1;                // s[n:n+1] holds the address of the arguments at entry
    bool whole_waves = false;             // all 64 lanes of a wave start
    std::array<uint32_t, 3> workgroup{};  // work items; zeros: not known
    bool pedantic = false;                // notes on top: what is not checked
};

std::vector<Finding> check_grant(std::span<const Decoded> code, const Grant&);
std::span<const Rule> grant_rules();

}  // namespace zyfa
