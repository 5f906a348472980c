// The NT_AMDGPU_METADATA note (MessagePack) of a code object.
#pragma once

#include <vector>

#include "sim/code_object.hpp"
#include "sim/elf.hpp"

namespace zyfa {

struct KernelMetadata {
    std::string name, symbol;
    std::vector<KernelArgument> arguments;
    uint32_t kernarg_bytes, lds_bytes, scratch_bytes, sgprs, vgprs, max_flat_workgroup_size;
    std::optional<uint32_t> agprs;
    bool dynamic_stack = false;
    std::array<uint32_t, 3> required_workgroup{};
};

// Error names the missing or wrong field.
std::vector<KernelMetadata> read_metadata(const Elf&);

}  // namespace zyfa
