#include "sim/replay.hpp"

#include <algorithm>

#include "isa/error.hpp"
#include "isa/file.hpp"
#include "isa/random.hpp"
#include "sim/packing.hpp"

namespace zyfa {
namespace {

constexpr uint8_t kPoison = 0xff;  // a NaN in every float format that has one
constexpr uint64_t kAlign = 256;   // what hipMalloc guarantees at least

double next_value(const LaunchBuffer& b, uint64_t i, Random& random) {
    switch (b.init) {
        case Init::ones: return b.scale;
        case Init::normal: return b.scale * random.normal();
        case Init::uniform: return b.scale * (b.low + (b.high - b.low) * random.uniform());
        case Init::arange: return b.scale * double(i);
        case Init::values: return b.values[i];
        default: return 0;
    }
}

// Visits the elements in row-major order of the shape with their place in storage.
template <class Visit>
void each_element(const LaunchBuffer& b, Visit visit) {
    const uint64_t count = b.elements();
    std::vector<uint64_t> at(b.shape.size(), 0);
    uint64_t place = 0;
    for (uint64_t i = 0; i < count; ++i) {
        visit(i, place);
        for (size_t axis = b.shape.size(); axis-- > 0;) {
            place += b.strides[axis];
            if (++at[axis] < b.shape[axis]) break;
            place -= b.strides[axis] * b.shape[axis];
            at[axis] = 0;
        }
    }
}

bool has_gaps(const LaunchBuffer& b) { return dtype_bytes(b.dtype, b.elements()) != b.bytes; }

std::vector<uint8_t> file_bytes(const LaunchFile& launch, const LaunchBuffer& b) {
    const auto path = launch.resolve(b.file);
    auto bytes = read_file(path, std::max<uint64_t>(b.bytes, kMaxFileBytes));
    if (bytes.size() != b.bytes)
        throw Error(fmt::format("{}: $.buffers.{}.init: {} has {} bytes, the buffer {}",
                                launch.name, b.name, path.string(), bytes.size(), b.bytes));
    return bytes;
}

std::vector<uint8_t> packed_bytes(const LaunchFile& launch, const LaunchBuffer& b) {
    std::vector<const LaunchBuffer*> from;
    std::vector<std::vector<uint8_t>> bytes;
    for (const std::string& name : b.from) {
        from.push_back(launch.buffer(name));
        bytes.push_back(initial_bytes(launch, *from.back()));
    }
    auto packed = pack(b.layout, from, bytes);
    if (packed.size() < b.bytes) packed.resize(b.bytes);
    if (packed.size() != b.bytes)
        throw Error(
            fmt::format("{}: $.buffers.{}: {} makes {} bytes, more than the {} of the buffer",
                        launch.name, b.name, b.layout, packed.size(), b.bytes));
    return packed;
}

std::vector<uint8_t> kernarg_image(const LaunchFile& launch, const KernelInfo& kernel,
                                   const Memory& memory) {
    std::vector<uint8_t> image(launch.kernarg_bytes, 0);
    fill_hidden_arguments(kernel, launch.grid, launch.workgroup, launch.dynamic_lds, image);
    for (const KernargField& f : launch.kernarg) {
        uint64_t bits = f.bits;
        if (f.is_pointer) bits = f.buffer.empty() ? 0 : memory.address_of(f.buffer) + f.add;
        const unsigned bytes = f.is_pointer ? 8 : info(f.type).bits / 8;
        for (unsigned i = 0; i < bytes; ++i) image[f.offset + i] = uint8_t(bits >> (8 * i));
    }
    return image;
}

std::vector<Finding> kernarg_notes(const LaunchFile& launch, const KernelInfo& kernel) {
    if (launch.kernarg_bytes == kernel.kernarg_bytes) return {};
    Finding f;
    f.rule = "KERNARG-SIZE";
    f.severity = launch.kernarg_bytes < kernel.kernarg_bytes ? Severity::error : Severity::warning;
    f.address = kernel.entry;
    f.message = fmt::format("the launch gives {} bytes of arguments, the metadata of {} says {}",
                            launch.kernarg_bytes, kernel.name, kernel.kernarg_bytes);
    return {f};
}

void check_fit(const LaunchFile& launch, const KernelInfo& kernel) {
    const auto& w = launch.workgroup;
    const uint64_t threads = uint64_t(w[0]) * w[1] * w[2];
    if (threads > kernel.max_flat_workgroup_size)
        throw Error(fmt::format("{}: $.workgroup: {} threads, but {} takes at most {}", launch.name,
                                threads, kernel.name, kernel.max_flat_workgroup_size));
    const auto& wanted = kernel.required_workgroup;
    if (wanted[0] && w != wanted)
        throw Error(fmt::format("{}: $.workgroup: [{}, {}, {}], but {} requires [{}, {}, {}]",
                                launch.name, w[0], w[1], w[2], kernel.name, wanted[0], wanted[1],
                                wanted[2]));
}

}  // namespace

std::vector<uint8_t> initial_bytes(const LaunchFile& launch, const LaunchBuffer& b) {
    if (b.init == Init::file) return file_bytes(launch, b);
    if (b.init == Init::packed) return packed_bytes(launch, b);
    Random random(b.seed);
    std::vector<uint8_t> bytes(b.bytes, 0);
    if (b.init == Init::poison && b.seed) {
        for (uint8_t& byte : bytes) byte = uint8_t(random.bits());
        return bytes;
    }
    if (b.init == Init::poison || has_gaps(b)) std::fill(bytes.begin(), bytes.end(), kPoison);
    if (b.init == Init::poison) return bytes;
    each_element(b, [&](uint64_t i, uint64_t place) {
        write_element(b.dtype, bytes.data(), place, next_value(b, i, random));
    });
    return bytes;
}

Prepared prepare(const LaunchFile& launch, CodeObject object) {
    Prepared p;
    p.object = std::move(object);
    const KernelInfo& kernel = p.object.kernel(launch.kernel);
    check_fit(launch, kernel);
    p.notes = kernarg_notes(launch, kernel);
    for (const LaunchBuffer& b : launch.buffers) {
        const std::vector<uint8_t> bytes = initial_bytes(launch, b);
        const uint64_t address = p.memory.allocate(b.name, b.bytes, kAlign, b.guard);
        if (!bytes.empty()) p.memory.write(address, bytes);
        // With a seed poison stands for an input of random bytes.
        if (b.init == Init::poison && b.seed == 0) p.memory.forget(address);
    }
    p.launch.code = p.object.code;
    p.launch.setup = setup_of(p.object, kernel);
    p.launch.setup.kernarg_bytes = std::min(kernel.kernarg_bytes, launch.kernarg_bytes);
    p.launch.grid = launch.grid;
    p.launch.workgroup = launch.workgroup;
    p.launch.dynamic_lds = launch.dynamic_lds;
    p.launch.kernarg = kernarg_image(launch, kernel, p.memory);
    p.launch.image = p.object.image.get();
    p.launch.most_wave_instructions = 1'000'000'000;  // a quarter of an hour for one wave
    for (const LaunchBuffer& b : launch.buffers)
        if (b.released) p.memory.release(p.memory.address_of(b.name));
    return p;
}

Prepared prepare(const LaunchFile& launch) {
    return prepare(launch, load_code_object(launch.code_object_path().string()));
}

std::span<const uint8_t> buffer_bytes(const Prepared& p, const std::string& name) {
    const uint64_t address = p.memory.address_of(name);
    const auto& allocation = *p.memory.allocations().at(address);
    return {allocation.data(), allocation.bytes};
}

Result execute(Prepared& p, const Options& options) {
    Result result = run(p.launch, p.memory, options);
    const auto add = [&](Finding f) {
        if (!options.wanted || options.wanted(f.rule, f.address, ~0u))
            result.findings.push_back(std::move(f));
    };
    for (const Finding& f : p.notes) add(f);
    for (const std::string& name : p.memory.broken_guards()) {
        Finding f;
        f.rule = "GUARD";
        f.message = fmt::format("guard bytes around buffer {} have changed", name);
        add(std::move(f));
    }
    return result;
}

void dump(const LaunchFile& launch, const Prepared& p) {
    for (const auto& [name, file] : launch.dump)
        write_file(launch.resolve(file), buffer_bytes(p, name));
}

}  // namespace zyfa
