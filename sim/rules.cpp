#include "sim/rules.hpp"

#include <algorithm>

namespace zyfa {

// clang-format off
static constexpr SimRule kRules[] = {
    {"BARRIER", Severity::error, Trust::vendor_text, "waves of a workgroup end after different numbers of barriers", "CDNA4 ISA, S_BARRIER"},
    {"DMA-AT-END", Severity::error, Trust::inferred, "a wave ends while its loads into LDS are in flight", "LDS is given away when the workgroup ends"},
    {"ENDLESS", Severity::error, Trust::certain, "a wave runs past --max-instructions", "the limit given"},
    {"GUARD", Severity::error, Trust::certain, "guard bytes around a buffer have changed", "the bytes themselves"},
    {"KERNARG-SIZE", Severity::error, Trust::certain, "the launch gives more or fewer bytes of arguments than the metadata says", "AMDGPUUsage, .kernarg_segment_size"},
    {"LDS-RACE", Severity::error, Trust::vendor_text, "two waves use one LDS word, one of them writes, no wait and barrier order them", "CDNA4 ISA, S_BARRIER and S_WAITCNT"},
    {"MISALIGNED", Severity::error, Trust::vendor_text, "an address is not a multiple of what the access needs", "CDNA4 ISA, 9.1.9 and LDS; a warning for device memory"},
    {"OUT-OF-BOUNDS", Severity::error, Trust::certain, "an access outside every allocation, LDS or the kernel arguments", "the allocations of the launch"},
    {"PAST-END", Severity::error, Trust::certain, "execution runs past the end of the code", "the code object"},
    {"UNINIT-LDS", Severity::warning, Trust::certain, "LDS bytes are read that nothing has written", "AMDGPUUsage: LDS starts undefined"},
    {"UNINIT-MEMORY", Severity::warning, Trust::certain, "device memory is read that nothing has written (buffers filled with poison)", "the launch: such a buffer is the kernel's to write"},
    {"UNINIT-SGPR", Severity::warning, Trust::certain, "a scalar register is read that nothing has written", "AMDGPUUsage, initial kernel state"},
    {"UNINIT-VGPR", Severity::warning, Trust::certain, "a vector register is read that nothing has written", "AMDGPUUsage, initial kernel state"},
    {"USE-AFTER-FREE", Severity::error, Trust::certain, "an access inside an allocation that was released", "the allocations of the launch"},
    {"WAIT-DMA", Severity::error, Trust::vendor_text, "LDS is read while this wave's own load into it is in flight", "CDNA4 ISA, S_WAITCNT: vmcnt"},
    {"WAIT-LDS", Severity::error, Trust::vendor_text, "the result of an LDS read is used, or its bytes are overwritten, before a wait covers it", "CDNA4 ISA, S_WAITCNT: lgkmcnt"},
    {"WAIT-SMEM", Severity::error, Trust::vendor_text, "the result of a scalar load is used before lgkmcnt(0)", "CDNA4 ISA: scalar loads return in any order"},
    {"WAIT-TIME", Severity::warning, Trust::inferred, "no wait covers an LDS read, but it is older than LDS takes", "AITER v3 fp8 relies on it; latency of isa/machines"},
    {"WAIT-VMEM", Severity::error, Trust::vendor_text, "the result of a load from memory is used before a wait covers it", "CDNA4 ISA, S_WAITCNT: vmcnt"},
};
// clang-format on

std::span<const SimRule> sim_rules() { return kRules; }

const SimRule* find_sim_rule(std::string_view name) {
    const auto at = std::find_if(std::begin(kRules), std::end(kRules),
                                 [&](const SimRule& r) { return r.name == name; });
    return at == std::end(kRules) ? nullptr : at;
}

}  // namespace zyfa
