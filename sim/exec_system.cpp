// What lies outside arithmetic: hardware registers, jumps to computed addresses, calls, register
// indexing, clocks, caches, scalar loads through a descriptor. Source: CDNA3 ISA (vendor text).
#include <algorithm>

#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"

namespace zyfa::sim {

// --- hardware registers ---
enum HardwareRegister : unsigned {
    kMode = 1,
    kStatus = 2,
    kTrapStatus = 3,
    kHwId = 4,
    kXccId = 20
};

static uint32_t hardware_register(Wave& w, const Step& s, unsigned number) {
    switch (number) {
        case kMode: return w.mode.bits;
        case kStatus:  // SCC 0, EXECZ 9, VCCZ 10
            return uint32_t(w.scc) | uint32_t(w.exec() == 0) << 9 |
                   uint32_t(w.scalar64(kVcc) == 0) << 10;
        case kTrapStatus: return 0;
        // Waves of a workgroup go to the SIMDs in turn, workgroups to the XCDs in turn (inferred).
        case kHwId: return w.number / 4u | (w.number & 3u) << 4;
        case kXccId: return uint32_t(w.group->index % 8);
        default: break;
    }
    w.refuse(s, fmt::format("hardware register {} is not simulated", number));
}
struct Field {
    unsigned number, first;
    uint32_t mask;
    explicit Field(uint32_t code)
        : number(code & 63), first(code >> 6 & 31), mask(~0u >> (31 - (code >> 11 & 31))) {}
};
template <>
void execute<Op::s_getreg_b32>(Wave& w, const Step& s) {
    const Field f(s.ref[1].constant[0]);
    w.write(s.ref[0], hardware_register(w, s, f.number) >> f.first & f.mask);
}
static void set_register(Wave& w, const Step& s, uint32_t value) {
    const Field f(s.ref[0].constant[0]);
    if (f.number != kMode)
        w.refuse(s, fmt::format("writing hardware register {} is not simulated", f.number));
    const uint32_t mask = f.mask << f.first;
    w.set_mode((w.mode.bits & ~mask) | (value << f.first & mask));
}
template <>
void execute<Op::s_setreg_b32>(Wave& w, const Step& s) {
    set_register(w, s, w.read(s.ref[1]));
}
template <>
void execute<Op::s_setreg_imm32_b32>(Wave& w, const Step& s) {
    set_register(w, s, s.ref[1].constant[0]);
}

// --- register indexing: M0 [7:0] the distance, [15:12] who is shifted (src0, 1, 2, dst) ---
static constexpr uint32_t kIndexing = 1u << 27;
template <>
void execute<Op::s_set_gpr_idx_on>(Wave& w, const Step& s) {
    w.scalar[kM0] = (w.scalar[kM0] & 0xffff0f00) | (w.read(s.ref[0]) & 0xff) |
                    (s.ref[1].constant[0] & 15) << 12;
    w.set_mode(w.mode.bits | kIndexing);
}
template <>
void execute<Op::s_set_gpr_idx_off>(Wave& w, const Step&) {
    w.set_mode(w.mode.bits & ~kIndexing);
}
template <>
void execute<Op::s_set_gpr_idx_idx>(Wave& w, const Step& s) {
    w.scalar[kM0] = (w.scalar[kM0] & ~0xffu) | (w.read(s.ref[0]) & 0xff);
}

// --- addresses of code ---
static uint64_t next_address(const Wave& w, const Step& s) {
    return w.group->code_address + s.from->address + s.from->bytes;
}
static void jump(Wave& w, const Step& s, uint64_t to) {
    const Code& code = *w.group->code;
    const uint64_t offset = to - w.group->code_address;
    const uint32_t step =
        offset / 4 < code.at.size() && offset % 4 == 0 ? code.at[offset / 4] : Code::kNone;
    if (step == Code::kNone)
        w.refuse(s, fmt::format("jump to {:#x}, where no instruction starts", to));
    w.pc = step;
}
template <>
void execute<Op::s_getpc_b64>(Wave& w, const Step& s) {
    w.write64(s.ref[0], next_address(w, s));
}
template <>
void execute<Op::s_setpc_b64>(Wave& w, const Step& s) {
    jump(w, s, w.read64(s.ref[0]));
}
template <>
void execute<Op::s_swappc_b64>(Wave& w, const Step& s) {
    const uint64_t to = w.read64(s.ref[1]);
    w.write64(s.ref[0], next_address(w, s));
    jump(w, s, to);
}
template <>
void execute<Op::s_call_b64>(Wave& w, const Step& s) {
    w.write64(s.ref[0], next_address(w, s));
    w.pc = s.target;
}

// --- caches and clocks ---
template <>
void execute<Op::s_dcache_inv>(Wave&, const Step&) {}
template <>
void execute<Op::s_dcache_wb>(Wave&, const Step&) {}
template <>
void execute<Op::s_icache_inv>(Wave&, const Step&) {}
template <>
void execute<Op::buffer_inv>(Wave&, const Step&) {}
template <>
void execute<Op::buffer_wbl2>(Wave&, const Step&) {}

// 100 MHz beside s_memtime's clock of about 2.1 GHz.
template <>
void execute<Op::s_memrealtime>(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.scalars);
    f.base = w.clock() / 21;
    f.arrive = [](Wave& wave, const Flight& flight) {
        wave.write64(flight.step->ref[0], flight.base);
    };
    for (unsigned n : {0, 1}) w.write(s.ref[0], kPoison, n);
}

// --- scalar loads through a buffer descriptor: words past num_records are 0 ---
static void buffer_arrives(Wave& w, const Flight& f) {
    const Step& s = *f.step;
    for (unsigned n = 0; n < s.ref[0].words; ++n) {
        uint32_t value = 0;
        const uint64_t offset = f.lds + 4 * n;
        if (offset + 4 <= f.limit) {
            const uint64_t address = (f.base + offset) & 0xffff'ffff'fffc;
            if (const uint8_t* from = w.group->memory->find(address, 4)) {
                std::memcpy(&value, from, 4);
            } else {
                value = kPoison;
                w.note("OUT-OF-BOUNDS", Severity::error, s, nullptr,
                       fmt::format("scalar load of 4 bytes at {:#x}: {}", address,
                                   w.group->memory->describe(address)),
                       -1, address);
            }
        }
        w.write(s.ref[0], value, n);
    }
}
static void buffer_load(Wave& w, const Step& s) {
    const uint32_t word1 = w.read(s.ref[1], 1), records = w.read(s.ref[1], 2);
    const uint32_t stride = word1 >> 16 & 0x3fff;
    const uint64_t base = w.read(s.ref[1]) | uint64_t(word1 & 0xffff) << 32;
    const uint64_t offset = uint64_t(w.read(s.ref[2])) + s.mods().offset;
    Flight& f = issue(w, s, w.scalars);
    f.base = base & ~uint64_t(3);
    f.lds = offset & ~uint64_t(3);
    f.limit = uint64_t(records) * std::max(stride, 1u);
    f.arrive = buffer_arrives;
    for (unsigned n = 0; n < s.ref[0].words; ++n) w.write(s.ref[0], kPoison, n);
}
// clang-format off
template <> void execute<Op::s_buffer_load_dword>(Wave& w, const Step& s) { buffer_load(w, s); }
template <> void execute<Op::s_buffer_load_dwordx2>(Wave& w, const Step& s) { buffer_load(w, s); }
template <> void execute<Op::s_buffer_load_dwordx4>(Wave& w, const Step& s) { buffer_load(w, s); }
template <> void execute<Op::s_buffer_load_dwordx8>(Wave& w, const Step& s) { buffer_load(w, s); }
template <> void execute<Op::s_buffer_load_dwordx16>(Wave& w, const Step& s) { buffer_load(w, s); }
// clang-format on

}  // namespace zyfa::sim
