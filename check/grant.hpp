// What a kernel's code uses against what its descriptor and metadata grant: registers, LDS, kernel
// arguments. And what takes more than waits and registers to see: LDS that is read while a load
// still fills it, barriers on paths that part. Only where numbers are known (check/values.hpp), so
// most kernels give no finding and that is no proof.
#pragma once

#include "check/check.hpp"

namespace zyfa {

struct Grant {
    uint32_t entry = 0;  // byte offset in the code
    // v0.. and a0.. lie in one file of `registers`, a0 at `accum_offset`.
    unsigned registers = 512, accum_offset = 256, sgprs = 102;
    uint32_t lds_bytes = 0, kernarg_bytes = 0;
    int kernarg_sgpr = -1;     // s[n:n+1] holds the address of the arguments at entry
    bool whole_waves = false;  // all 64 lanes of a wave start
};

std::vector<Finding> check_grant(std::span<const Decoded> code, const Grant&);
std::span<const Rule> grant_rules();

}  // namespace zyfa
