// A gfx950 code object: machine code, kernel descriptors and metadata, checked and decoded.
// Where descriptor and metadata disagree the metadata is taken for the kernel arguments (AITER's
// descriptors say 0 bytes), the descriptor for what the hardware is set up with; each disagreement
// is a note. Sources: AMDGPUUsage "Kernel Descriptor" and "Code Object V5 Metadata" (certain).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/finding.hpp"
#include "isa/llvm/mc.hpp"
#include "sim/run.hpp"

namespace zyfa {

struct KernelArgument {
    std::string name;
    uint32_t offset, size;  // bytes
    std::string kind;       // .value_kind: by_value, global_buffer, hidden_...
};

// The 64-byte descriptor <kernel>.kd as it stands in .rodata.
struct KernelDescriptor {
    uint32_t lds_bytes, scratch_bytes, kernarg_bytes;
    int64_t entry_offset;  // from the descriptor's own address
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties, preload;
};

struct KernelInfo {
    std::string name, symbol;  // symbol = name of the descriptor, "<name>.kd"
    std::vector<KernelArgument> arguments;
    uint32_t kernarg_bytes = 0;                 // metadata
    uint32_t lds_bytes = 0, scratch_bytes = 0;  // descriptor: what a launch allocates
    uint32_t sgprs = 0;                         // metadata
    uint32_t vgprs = 0, agprs = 0;  // per lane: v0.. up to accum_offset, then what is left
    bool dynamic_stack = false;     // calls whose depth the compiler does not know
    uint32_t max_flat_workgroup_size = 0;
    std::array<uint32_t, 3> required_workgroup{};  // zeros: any
    uint32_t entry = 0;                            // byte offset in text
    KernelDescriptor descriptor{};

    // Descriptor fields that a launch depends on.
    unsigned accum_offset() const { return ((descriptor.rsrc3 & 63) + 1) * 4; }
    unsigned register_words() const { return ((descriptor.rsrc1 & 63) + 1) * 8; }
    unsigned scalar_words() const {  // gfx9 counts in blocks of 8 and allocates 16 at a time
        const unsigned words = (((descriptor.rsrc1 >> 6) & 15) / 2 + 1) * 16;
        return words < 102 ? words : 102;
    }
    unsigned user_sgprs() const { return (descriptor.rsrc2 >> 1) & 31; }
    bool workgroup_id(unsigned axis) const { return (descriptor.rsrc2 >> (7 + axis)) & 1; }
    unsigned workitem_id_dims() const { return ((descriptor.rsrc2 >> 11) & 3) + 1; }
    bool kernarg_pointer() const { return (descriptor.properties >> 3) & 1; }
    unsigned preload_words() const { return descriptor.preload & 127; }
    // Bits 12..19 of rsrc1 are the first 8 bits of MODE: rounding, then denormals.
    unsigned float_mode() const { return (descriptor.rsrc1 >> 12) & 0xff; }
    bool dx10_clamp() const { return (descriptor.rsrc1 >> 21) & 1; }
    bool ieee_mode() const { return (descriptor.rsrc1 >> 23) & 1; }
    bool fp16_overflow() const { return (descriptor.rsrc1 >> 26) & 1; }
    unsigned preload_offset() const { return descriptor.preload >> 7; }
};

struct CodeObject {
    std::string name;    // of the file, for messages
    std::string target;  // "gfx950", "gfx950:xnack-"
    Bytes text;
    uint64_t text_address = 0;               // where .text is linked to
    std::shared_ptr<const CodeImage> image;  // of all loaded sections
    std::vector<Decoded> code;               // of all of text; empty after parse_code_object
    std::vector<KernelInfo> kernels;
    std::vector<Finding> notes;  // rule METADATA

    // The kernel of that name or symbol; the only one if `name` is empty. Error names what there
    // is.
    const KernelInfo& kernel(std::string_view name) const;
};

// Error: Exit::usage for what cannot be read, Exit::unsupported for what is for something else.
CodeObject load_code_object(std::span<const uint8_t> file, std::string name);
CodeObject load_code_object(const std::string& path);  // read_file, then the above

// The state its waves start in. Error (Exit::unsupported): a private segment buffer in user SGPRs,
// which gfx950 code has no use for.
KernelSetup setup_of(const CodeObject&, const KernelInfo&);

// Writes the hidden arguments that the metadata lists into a kernel argument image: block counts,
// group sizes, remainders (0: only whole workgroups), dimensions, dynamic LDS, queue. Hosts leave
// them out. Those that need services of a runtime (printf, heap, hostcall) stay 0.
// Source: LLVM AMDGPUUsage, "Code Object V5 Metadata", hidden value kinds (certain).
void fill_hidden_arguments(const KernelInfo&, std::array<uint32_t, 3> grid,
                           std::array<uint32_t, 3> workgroup, uint32_t dynamic_lds,
                           std::vector<uint8_t>& kernarg);

// All of it but the decoding of instructions.
CodeObject parse_code_object(std::span<const uint8_t> file, std::string name);

}  // namespace zyfa
