#include "sim/code_object.hpp"

#include <algorithm>

#include "isa/file.hpp"
#include "sim/metadata.hpp"

namespace zyfa {
namespace {

constexpr uint64_t kDescriptorBytes = 64, kEntryAlign = 256;  // AMDGPUUsage "Kernel Descriptor"

template <class T>
T load(ByteSpan bytes, size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

KernelDescriptor read_descriptor(ByteSpan b) {
    return {load<uint32_t>(b, 0x00), load<uint32_t>(b, 0x04), load<uint32_t>(b, 0x08),
            load<int64_t>(b, 0x10),  load<uint32_t>(b, 0x30), load<uint32_t>(b, 0x34),
            load<uint32_t>(b, 0x2c), load<uint16_t>(b, 0x38), load<uint16_t>(b, 0x3a)};
}

uint32_t find_entry(const Elf& elf, const KernelMetadata& meta, uint64_t descriptor_address,
                    int64_t entry_offset, const ElfSection& text) {
    const uint64_t entry = descriptor_address + uint64_t(entry_offset);
    if (entry < text.address || entry - text.address >= text.bytes.size())
        elf.input.fail(Exit::usage, "{}: entry {:#x} is not in .text ({:#x}, {} bytes)",
                       meta.symbol, entry, text.address, text.bytes.size());
    if (entry % kEntryAlign)
        elf.input.fail(Exit::usage, "{}: entry {:#x} is not 256-byte aligned", meta.symbol, entry);
    return uint32_t(entry - text.address);
}

struct Notes {
    std::vector<Finding>& list;
    const KernelInfo& kernel;
    template <class... A>
    void add(fmt::format_string<A...> text, A&&... a) {
        Finding f;
        f.rule = "METADATA";
        f.severity = Severity::note;
        f.address = kernel.entry;
        f.text = kernel.name;
        f.message = fmt::format(text, std::forward<A>(a)...);
        list.push_back(std::move(f));
    }
};

void cross_check(const KernelMetadata& m, const KernelInfo& k, Notes notes) {
    const KernelDescriptor& d = k.descriptor;
    if (d.kernarg_bytes != m.kernarg_bytes)
        notes.add("kernel argument size: descriptor {}, metadata {}; the metadata is taken",
                  d.kernarg_bytes, m.kernarg_bytes);
    if (d.lds_bytes != m.lds_bytes)
        notes.add("LDS bytes: descriptor {}, metadata {}; the descriptor is taken", d.lds_bytes,
                  m.lds_bytes);
    if (d.scratch_bytes != m.scratch_bytes)
        notes.add("scratch bytes: descriptor {}, metadata {}; the descriptor is taken",
                  d.scratch_bytes, m.scratch_bytes);
    const unsigned total = k.register_words();
    if (m.vgprs > total)
        notes.add("metadata claims {} vector registers, the descriptor allocates {}", m.vgprs,
                  total);
    else if ((m.vgprs + 7) / 8 * 8 < total)
        notes.add("the descriptor allocates {} vector registers, metadata claims only {}", total,
                  m.vgprs);
    if (m.agprs && *m.agprs > k.agprs)
        notes.add("metadata claims {} accumulation registers, the descriptor leaves {}", *m.agprs,
                  k.agprs);
    if (k.accum_offset() > total)
        notes.add("accum_offset {} is past the {} vector registers allocated", k.accum_offset(),
                  total);
    if (m.max_flat_workgroup_size > 1024)
        notes.add("max_flat_workgroup_size {} is over 1024", m.max_flat_workgroup_size);
    if (k.preload_words())
        notes.add(
            "{} kernel argument words are preloaded into SGPRs; gfx950 has been seen to start "
            "waves with stale ones (ROCm/rocm-systems#10146)",
            k.preload_words());
}

KernelInfo make_kernel(const Elf& elf, const KernelMetadata& meta, const ElfSection& text,
                       std::vector<Finding>& notes) {
    const ElfSymbol* symbol = elf.symbol(meta.symbol);
    if (!symbol) elf.input.fail(Exit::usage, "no symbol {} for kernel {}", meta.symbol, meta.name);
    const ByteSpan bytes = elf.at_address(symbol->value, kDescriptorBytes);
    if (bytes.empty())
        elf.input.fail(Exit::usage, "kernel descriptor {} at {:#x} is not in a loaded section",
                       meta.symbol, symbol->value);
    KernelInfo k;
    k.name = meta.name;
    k.symbol = meta.symbol;
    k.descriptor = read_descriptor(bytes);
    k.entry = find_entry(elf, meta, symbol->value, k.descriptor.entry_offset, text);
    k.arguments = meta.arguments;
    k.kernarg_bytes = meta.kernarg_bytes;
    k.lds_bytes = k.descriptor.lds_bytes;
    k.scratch_bytes = k.descriptor.scratch_bytes;
    k.sgprs = meta.sgprs;
    k.vgprs = std::min(k.accum_offset(), k.register_words());
    k.agprs = k.register_words() - k.vgprs;
    k.dynamic_stack = meta.dynamic_stack || (k.descriptor.properties >> 11 & 1);
    k.max_flat_workgroup_size = meta.max_flat_workgroup_size;
    k.required_workgroup = meta.required_workgroup;
    cross_check(meta, k, {notes, k});
    return k;
}

}  // namespace

const KernelInfo& CodeObject::kernel(std::string_view wanted) const {
    if (wanted.empty() && kernels.size() == 1) return kernels.front();
    std::string names;
    for (const KernelInfo& k : kernels) {
        if (k.name == wanted || k.symbol == wanted) return k;
        names += (names.empty() ? "" : ", ") + k.name;
    }
    if (wanted.empty())
        throw Error(
            fmt::format("{}: has {} kernels, name one of: {}", name, kernels.size(), names));
    throw Error(fmt::format("{}: no kernel '{}'; it has: {}", name, wanted, names));
}

KernelSetup setup_of(const CodeObject& object, const KernelInfo& k) {
    // Kernel code properties, bits 0..6, in the order of the SGPRs.
    enum : uint16_t {
        buffer = 1,
        dispatch = 2,
        queue = 4,
        kernarg = 8,
        id = 16,
        flat = 32,
        size = 64
    };
    // The assembler puts code for old firmware before the entry of kernels with preloaded
    // arguments: it loads them and jumps 256 bytes ahead, where new firmware starts (AMDGPUUsage,
    // "Preloaded Kernel Arguments").
    constexpr uint32_t kPreloadEntry = 256;
    // What a call through a pointer may need (LLVM: -amdgpu-assume-external-call-stack-size).
    constexpr uint32_t kDynamicStack = 16384;
    const InputName input{object.name};
    const KernelDescriptor& d = k.descriptor;
    const uint16_t flags = d.properties;
    if (flags & buffer)
        input.fail(
            Exit::unsupported,
            "{} asks for a private segment buffer in user SGPRs (properties {:#06x}); gfx950 "
            "scratch is reached by scratch_* and flat_*",
            k.name, flags);
    KernelSetup s;
    s.name = k.name;
    s.entry = k.entry;
    s.lds_bytes = k.lds_bytes;
    s.kernarg_bytes = k.kernarg_bytes;
    s.vgprs = k.vgprs;
    s.agprs = k.agprs;
    s.sgprs = k.scalar_words();
    s.dispatch_ptr = flags & dispatch;
    s.queue_ptr = flags & queue;
    s.kernarg_ptr = flags & kernarg;
    s.dispatch_id = flags & id;
    s.flat_scratch_init = flags & flat;
    s.private_segment_size = flags & size;
    s.preload_words = k.preload_words();
    s.preload_offset = k.preload_offset();
    if (s.preload_words) s.entry += kPreloadEntry;
    s.user_sgprs = k.user_sgprs();
    s.workgroup_id = {k.workgroup_id(0), k.workgroup_id(1), k.workgroup_id(2)};
    s.workgroup_info = (d.rsrc2 >> 10) & 1;
    s.workitem_dims = k.workitem_id_dims();
    s.scratch_bytes = k.scratch_bytes + (k.dynamic_stack ? kDynamicStack : 0);
    s.round32 = k.float_mode() & 3;
    s.round16 = (k.float_mode() >> 2) & 3;
    s.denorm32 = (k.float_mode() >> 4) & 3;
    s.denorm16 = (k.float_mode() >> 6) & 3;
    s.dx10_clamp = k.dx10_clamp();
    s.ieee = k.ieee_mode();
    s.fp16_ovfl = k.fp16_overflow();
    return s;
}

void fill_hidden_arguments(const KernelInfo& k, std::array<uint32_t, 3> grid,
                           std::array<uint32_t, 3> workgroup, uint32_t dynamic_lds,
                           std::vector<uint8_t>& kernarg) {
    kernarg.resize(std::max<size_t>(kernarg.size(), k.kernarg_bytes));
    const uint64_t dims = workgroup[2] * grid[2] > 1 ? 3 : workgroup[1] * grid[1] > 1 ? 2 : 1;
    for (const KernelArgument& a : k.arguments) {
        const unsigned axis = a.kind.empty() ? 0 : unsigned(a.kind.back() - 'x');
        const auto is = [&](std::string_view kind) {
            return a.kind.starts_with(kind) && a.kind.size() == kind.size() + 1 && axis < 3;
        };
        uint64_t value = 0;
        if (!a.kind.starts_with("hidden_")) continue;
        if (is("hidden_block_count_")) value = grid[axis];
        else if (is("hidden_group_size_")) value = workgroup[axis];
        else if (a.kind == "hidden_grid_dims") value = dims;
        else if (a.kind == "hidden_dynamic_lds_size") value = dynamic_lds;
        std::memcpy(kernarg.data() + a.offset, &value, std::min<size_t>(a.size, sizeof value));
    }
}

namespace {

CodeImage make_image(const Elf& elf, const ElfSection& text) {
    constexpr uint64_t kMostBytes = uint64_t(1) << 30;
    CodeImage image;
    image.text = text.address;
    uint64_t end = 0;
    for (const ElfSection& s : elf.sections)
        if (s.is_loaded()) {
            if (s.address > kMostBytes || s.size > kMostBytes)
                elf.input.fail(Exit::unsupported, "section {} lies at {:#x}, {} bytes", s.name,
                               s.address, s.size);
            end = std::max(end, s.address + s.size);
        }
    image.bytes.resize(end);
    for (const ElfSection& s : elf.sections)
        if (s.is_loaded() && !s.bytes.empty())
            std::copy(s.bytes.begin(), s.bytes.end(), image.bytes.begin() + ptrdiff_t(s.address));
    for (const ElfPointer& p : read_pointers(elf)) {
        if (p.place > end || end - p.place < 8)
            elf.input.fail(Exit::usage, "a relocation at {:#x} is outside the image", p.place);
        image.pointers.emplace_back(p.place, p.target);
    }
    return image;
}

}  // namespace

CodeObject parse_code_object(std::span<const uint8_t> file, std::string name) {
    const Elf elf = read_elf(file, name);
    const ElfSection* text = elf.section(".text");
    if (!text || text->bytes.empty()) elf.input.fail(Exit::usage, "has no code (.text)");
    if (text->bytes.size() % 4)
        elf.input.fail(Exit::usage, ".text has {} bytes, not whole 4-byte words",
                       text->bytes.size());
    CodeObject object;
    object.name = std::move(name);
    object.target = elf.target;
    object.text.assign(text->bytes.begin(), text->bytes.end());
    object.text_address = text->address;
    object.image = std::make_shared<const CodeImage>(make_image(elf, *text));
    for (const KernelMetadata& meta : read_metadata(elf))
        object.kernels.push_back(make_kernel(elf, meta, *text, object.notes));
    return object;
}

CodeObject load_code_object(std::span<const uint8_t> file, std::string name) {
    CodeObject object = parse_code_object(file, std::move(name));
    object.code = decode(object.text);
    return object;
}

CodeObject load_code_object(const std::string& path) {
    return load_code_object(read_file(path), path);
}

}  // namespace zyfa
