#include "sim/start.hpp"

#include <algorithm>

#include "sim/arrival.hpp"

namespace zyfa {

uint64_t load_image(const CodeImage& image, Memory& memory) {
    const uint64_t address = memory.allocate("code object", image.bytes.size(), 4096);
    memory.write(address, image.bytes);
    for (const auto& [place, byte] : image.pointers) {
        const uint64_t value = address + byte;
        memory.write(address + place, {reinterpret_cast<const uint8_t*>(&value), sizeof value});
    }
    return address;
}

namespace sim {

unsigned threads_of(const Launch& l) { return l.workgroup[0] * l.workgroup[1] * l.workgroup[2]; }

void check_launch(const Launch& l) {
    const KernelSetup& k = l.setup;
    auto refuse = [&](const std::string& why) {
        throw Error(fmt::format("kernel {}: {}", k.name, why), Exit::unsupported);
    };
    for (unsigned n : {0, 1, 2})
        if (l.grid[n] == 0 || l.workgroup[n] == 0)
            throw Error(fmt::format("kernel {}: an empty grid or workgroup", k.name));
    uint64_t threads = uint64_t(l.workgroup[0]) * l.workgroup[1] * l.workgroup[2];
    if (threads > 1024)
        refuse(fmt::format("{} threads in a workgroup; 1024 is the limit", threads));
    if (uint64_t(k.lds_bytes) + l.dynamic_lds > 163840)
        refuse(fmt::format("{} bytes of LDS; 163840 is the limit", k.lds_bytes + l.dynamic_lds));
    if (k.scratch_bytes > kMaxScratchBytes)
        refuse(fmt::format("{} bytes of scratch for each thread; {} is the limit", k.scratch_bytes,
                           kMaxScratchBytes));
    if (l.kernarg.size() < k.kernarg_bytes)
        throw Error(fmt::format("kernel {}: {} bytes of arguments, it reads {}", k.name,
                                l.kernarg.size(), k.kernarg_bytes));
    if (k.preload_words && (k.preload_offset + k.preload_words) * 4 > l.kernarg.size())
        throw Error(fmt::format("kernel {}: preloads arguments past their end", k.name));
}

Mode start_mode(const KernelSetup& k) {
    return Mode(k.round32 | k.round16 << 2 | k.denorm32 << 4 | k.denorm16 << 6 | k.dx10_clamp << 8 |
                k.ieee << 9 | k.fp16_ovfl << 23);
}

namespace {

template <class T>
void put(std::vector<uint8_t>& bytes, size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// hsa_kernel_dispatch_packet_t
std::vector<uint8_t> packet(const Launch& l, uint64_t kernarg) {
    std::vector<uint8_t> p(64);
    const unsigned dims = l.grid[2] * l.workgroup[2] > 1   ? 3
                          : l.grid[1] * l.workgroup[1] > 1 ? 2
                                                           : 1;
    put(p, 0, uint16_t(2));  // type: kernel dispatch
    put(p, 2, uint16_t(dims));
    for (unsigned n : {0, 1, 2}) {
        put(p, 4 + 2 * n, uint16_t(l.workgroup[n]));
        put(p, 12 + 4 * n, uint32_t(l.grid[n] * l.workgroup[n]));
    }
    put(p, 24, l.setup.scratch_bytes);
    put(p, 28, l.setup.lds_bytes + l.dynamic_lds);
    put(p, 40, kernarg);
    return p;
}

// amd_queue_t, as far as compiled code reads it: the upper words of the apertures.
std::vector<uint8_t> queue() {
    std::vector<uint8_t> q(256);
    put(q, 0x40, uint32_t(kSharedAperture >> 32));
    put(q, 0x44, uint32_t(kPrivateAperture >> 32));
    return q;
}

}  // namespace

LaunchMemory::LaunchMemory(const Launch& l, Memory& memory) : memory_(memory) {
    const auto place = [&](const char* name, const std::vector<uint8_t>& bytes) {
        const uint64_t address = memory.allocate(name, bytes.size(), 256, 256);
        memory.write(address, bytes);
        return address;
    };
    kernarg_ = place("kernel arguments", l.kernarg);
    if (l.setup.dispatch_ptr) packet_ = place("dispatch packet", packet(l, kernarg_));
    if (l.setup.queue_ptr) queue_ = place("queue", queue());
    if (!l.image) return;
    uint64_t image = l.image_address;
    if (!image) image = image_ = load_image(*l.image, memory);
    code_ = image + l.image->text;
}

LaunchMemory::~LaunchMemory() {
    for (uint64_t address : {kernarg_, packet_, queue_, image_})
        if (address) memory_.release(address);
}

void LaunchMemory::give(Group& g) const {
    g.kernarg_address = kernarg_;
    g.packet_address = packet_;
    g.queue_address = queue_;
    g.code_address = code_;
}

static void mark_written(Wave& w, unsigned bit) { w.written[bit / 64] |= uint64_t(1) << bit % 64; }

static void start_scalars(Wave& w, const Group& g) {
    const Launch& l = *g.launch;
    const KernelSetup& k = l.setup;
    unsigned next = 0;
    auto give = [&](uint32_t value) {
        mark_written(w, kScalarBit + next);
        w.scalar[next++] = value;
    };
    auto give64 = [&](bool wanted, uint64_t value) {
        if (!wanted) return;
        give(uint32_t(value));
        give(uint32_t(value >> 32));
    };
    give64(k.dispatch_ptr, g.packet_address);
    give64(k.queue_ptr, g.queue_address);
    give64(k.kernarg_ptr, g.kernarg_address);
    give64(k.dispatch_id, 0);
    give64(k.flat_scratch_init, 0);
    if (k.private_segment_size) give(k.scratch_bytes);
    for (unsigned n = 0; n < k.preload_words; ++n) {
        uint32_t value;
        std::memcpy(&value, l.kernarg.data() + 4 * (k.preload_offset + n), 4);
        give(value);
    }
    next = std::max(next, k.user_sgprs);
    for (unsigned n : {0, 1, 2})
        if (k.workgroup_id[n]) give(g.id[n]);
    if (k.workgroup_info) give((threads_of(l) + kLanes - 1) / kLanes);
}

void start_wave(Wave& w, Group& g, unsigned number) {
    const Launch& l = *g.launch;
    const KernelSetup& k = l.setup;
    uint32_t poison = g.options->seed & 1 ? 0xffffffff : kPoison;
    for (Lanes& v : w.vector) std::fill_n(v.word, kLanes, poison);
    w.scalar.fill(poison);
    w.pending = {};
    w.written = {};
    w.loads.clear();
    w.lds.clear();
    w.scalars.clear();
    w.dma_in_flight = 0;
    w.loads_overlap = false;
    w.scc = false;
    w.state = State::running;
    w.number = uint16_t(number);
    w.epoch = 0;
    w.instructions = w.slots = w.matrix_free = 0;
    w.group = &g;
    w.pc = g.code->at[k.entry / 4];

    w.set_mode(g.mode.bits);
    w.scratch.resize(size_t(k.scratch_bytes) * kLanes);
    for (size_t n = 0; n + 4 <= w.scratch.size(); n += 4)
        std::memcpy(w.scratch.data() + n, &poison, 4);
    start_scalars(w, g);

    unsigned first = number * kLanes, live = std::min(kLanes, threads_of(l) - first);
    uint64_t exec = live == kLanes ? kAllLanes : (uint64_t(1) << live) - 1;
    w.scalar[kExec] = uint32_t(exec);
    w.scalar[kExec + 1] = uint32_t(exec >> 32);
    mark_written(w, kScalarBit + kExec);
    mark_written(w, kScalarBit + kExec + 1);
    for (unsigned lane = 0; lane < live; ++lane) {
        unsigned id = first + lane, x = id % l.workgroup[0],
                 y = id / l.workgroup[0] % l.workgroup[1];
        unsigned z = id / l.workgroup[0] / l.workgroup[1];
        w.vector[0].word[lane] =
            x | (k.workitem_dims > 1 ? y << 10 : 0) | (k.workitem_dims > 2 ? z << 20 : 0);
    }
    mark_written(w, 0);
}

}  // namespace sim
}  // namespace zyfa
