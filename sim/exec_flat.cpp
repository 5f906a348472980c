// Flat and scratch memory, and the narrow forms of global memory. Scratch is private to a lane:
// lane l's bytes stand together here; how the hardware swizzles them is not visible through
// scratch_* and flat_*. Address of scratch_*: vaddr + saddr + offset, 32 bits, from 0. Sources:
// CDNA3 ISA "FLAT, Scratch and Global"; LLVM AMDGPUUsage "Flat Scratch", architected (certain).
#include "sim/vmem.hpp"

namespace zyfa::sim {

void take_flat(Wave& w, const Step& s, Flight& f, const Ref& address) {
    f.space = Space::flat;
    f.base = s.mods().offset;
    f.limit = ~uint64_t(0);
    const uint32_t* low = w.vector[address.index].word;
    const uint32_t* high = w.vector[address.index + 1].word;
    for (unsigned l = 0; l < kLanes; ++l) f.address[l] = low[l] | uint64_t(high[l]) << 32;
}

void take_scratch(Wave& w, const Step& s, Flight& f, const Ref& address, const Ref& base) {
    f.space = Space::scratch;
    f.base = 0;
    f.limit = ~uint64_t(0);
    const uint32_t scalar = s.mods().offset + (base.kind == Ref::Kind::scalar ? w.read(base) : 0);
    const bool has_vector = address.kind == Ref::Kind::vector;
    for (unsigned l = 0; l < kLanes; ++l)
        f.address[l] = scalar + (has_vector ? w.vector[address.index].word[l] : 0);
}

// The wave's place in lgkmcnt: nothing to be done when it comes back.
void count_flat(Wave& w) {
    static const Step kNothing{};
    Flight& f = issue(w, kNothing, w.lds);
    f.arrive = [](Wave&, const Flight&) {};
}

static void watch_lds(Wave& w, const Flight& f, unsigned lane, uint32_t address, unsigned bytes,
                      Access access) {
    Lds& lds = w.group->lds;
    for (uint32_t word = address / 4; word < (address + bytes + 3) / 4; ++word) {
        const Lds::Clash c =
            access == Access::load    ? lds.record_read(word, w.number, f.epoch, w.epoch, f.step)
            : access == Access::store ? lds.record_write(word, w.number, f.epoch, w.epoch, f.step)
                                      : lds.record_atomic(word, w.number, f.epoch, w.epoch, f.step);
        if (c.step && w.group->options->races)
            w.note("LDS-RACE", Severity::error, *f.step, c.step,
                   fmt::format("meets an access of wave {}; no barrier orders the two", c.wave),
                   int(lane), word * 4);
    }
}

uint8_t* aperture_bytes(Wave& w, const Flight& f, unsigned lane, uint64_t address, unsigned bytes,
                        Access access, bool& other) {
    const uint64_t upper = address >> 32;
    const uint32_t offset = uint32_t(address);
    Lds& lds = w.group->lds;
    const uint32_t per_lane = uint32_t(w.scratch.size() / kLanes);
    if (f.space == Space::flat && upper == kSharedAperture >> 32) {
        if (uint64_t(offset) + bytes <= lds.size()) {
            watch_lds(w, f, lane, offset, bytes, access);
            return lds.bytes.data() + offset;
        }
        w.note("OUT-OF-BOUNDS", Severity::error, *f.step, nullptr,
               fmt::format("{} bytes at LDS address {} of {} bytes", bytes, offset, lds.size()),
               int(lane), address);
        return nullptr;
    }
    if (f.space == Space::scratch || upper == kPrivateAperture >> 32) {
        if (uint64_t(offset) + bytes <= per_lane)
            return w.scratch.data() + size_t(lane) * per_lane + offset;
        w.note("OUT-OF-BOUNDS", Severity::error, *f.step, nullptr,
               fmt::format("{} bytes at scratch address {} of {} bytes", bytes, offset, per_lane),
               int(lane), address);
        return nullptr;
    }
    other = true;
    return nullptr;
}

// clang-format off
template <> void execute<Op::global_load_sbyte>(Wave& w, const Step& s) { global_load<1, 1, Rest::sign>(w, s); }
template <> void execute<Op::global_load_ushort>(Wave& w, const Step& s) { global_load<1, 2>(w, s); }
template <> void execute<Op::global_load_sshort>(Wave& w, const Step& s) { global_load<1, 2, Rest::sign>(w, s); }
template <> void execute<Op::global_load_dwordx3>(Wave& w, const Step& s) { global_load<3>(w, s); }
template <> void execute<Op::global_load_ubyte_d16>(Wave& w, const Step& s) { global_load<1, 1, Rest::low>(w, s); }
template <> void execute<Op::global_load_ubyte_d16_hi>(Wave& w, const Step& s) { global_load<1, 1, Rest::high>(w, s); }
template <> void execute<Op::global_load_sbyte_d16>(Wave& w, const Step& s) { global_load<1, 1, Rest::sign_low>(w, s); }
template <> void execute<Op::global_load_sbyte_d16_hi>(Wave& w, const Step& s) { global_load<1, 1, Rest::sign_high>(w, s); }
template <> void execute<Op::global_load_short_d16>(Wave& w, const Step& s) { global_load<1, 2, Rest::low>(w, s); }
template <> void execute<Op::global_load_short_d16_hi>(Wave& w, const Step& s) { global_load<1, 2, Rest::high>(w, s); }
template <> void execute<Op::global_store_byte>(Wave& w, const Step& s) { global_store<1, 1>(w, s); }
template <> void execute<Op::global_store_byte_d16_hi>(Wave& w, const Step& s) { global_store<1, 1, true>(w, s); }
template <> void execute<Op::global_store_short>(Wave& w, const Step& s) { global_store<1, 2>(w, s); }
template <> void execute<Op::global_store_short_d16_hi>(Wave& w, const Step& s) { global_store<1, 2, true>(w, s); }
template <> void execute<Op::global_store_dwordx3>(Wave& w, const Step& s) { global_store<3>(w, s); }
template <> void execute<Op::flat_load_ubyte>(Wave& w, const Step& s) { flat_load<1, 1>(w, s); }
template <> void execute<Op::flat_load_sbyte>(Wave& w, const Step& s) { flat_load<1, 1, Rest::sign>(w, s); }
template <> void execute<Op::flat_load_ushort>(Wave& w, const Step& s) { flat_load<1, 2>(w, s); }
template <> void execute<Op::flat_load_sshort>(Wave& w, const Step& s) { flat_load<1, 2, Rest::sign>(w, s); }
template <> void execute<Op::flat_load_dword>(Wave& w, const Step& s) { flat_load<1>(w, s); }
template <> void execute<Op::flat_load_dwordx2>(Wave& w, const Step& s) { flat_load<2>(w, s); }
template <> void execute<Op::flat_load_dwordx3>(Wave& w, const Step& s) { flat_load<3>(w, s); }
template <> void execute<Op::flat_load_dwordx4>(Wave& w, const Step& s) { flat_load<4>(w, s); }
template <> void execute<Op::flat_load_ubyte_d16>(Wave& w, const Step& s) { flat_load<1, 1, Rest::low>(w, s); }
template <> void execute<Op::flat_load_ubyte_d16_hi>(Wave& w, const Step& s) { flat_load<1, 1, Rest::high>(w, s); }
template <> void execute<Op::flat_load_sbyte_d16>(Wave& w, const Step& s) { flat_load<1, 1, Rest::sign_low>(w, s); }
template <> void execute<Op::flat_load_sbyte_d16_hi>(Wave& w, const Step& s) { flat_load<1, 1, Rest::sign_high>(w, s); }
template <> void execute<Op::flat_load_short_d16>(Wave& w, const Step& s) { flat_load<1, 2, Rest::low>(w, s); }
template <> void execute<Op::flat_load_short_d16_hi>(Wave& w, const Step& s) { flat_load<1, 2, Rest::high>(w, s); }
template <> void execute<Op::flat_store_byte>(Wave& w, const Step& s) { flat_store<1, 1>(w, s); }
template <> void execute<Op::flat_store_byte_d16_hi>(Wave& w, const Step& s) { flat_store<1, 1, true>(w, s); }
template <> void execute<Op::flat_store_short>(Wave& w, const Step& s) { flat_store<1, 2>(w, s); }
template <> void execute<Op::flat_store_short_d16_hi>(Wave& w, const Step& s) { flat_store<1, 2, true>(w, s); }
template <> void execute<Op::flat_store_dword>(Wave& w, const Step& s) { flat_store<1>(w, s); }
template <> void execute<Op::flat_store_dwordx2>(Wave& w, const Step& s) { flat_store<2>(w, s); }
template <> void execute<Op::flat_store_dwordx3>(Wave& w, const Step& s) { flat_store<3>(w, s); }
template <> void execute<Op::flat_store_dwordx4>(Wave& w, const Step& s) { flat_store<4>(w, s); }
template <> void execute<Op::scratch_load_ubyte>(Wave& w, const Step& s) { scratch_load<1, 1>(w, s); }
template <> void execute<Op::scratch_load_sbyte>(Wave& w, const Step& s) { scratch_load<1, 1, Rest::sign>(w, s); }
template <> void execute<Op::scratch_load_ushort>(Wave& w, const Step& s) { scratch_load<1, 2>(w, s); }
template <> void execute<Op::scratch_load_sshort>(Wave& w, const Step& s) { scratch_load<1, 2, Rest::sign>(w, s); }
template <> void execute<Op::scratch_load_dword>(Wave& w, const Step& s) { scratch_load<1>(w, s); }
template <> void execute<Op::scratch_load_dwordx2>(Wave& w, const Step& s) { scratch_load<2>(w, s); }
template <> void execute<Op::scratch_load_dwordx3>(Wave& w, const Step& s) { scratch_load<3>(w, s); }
template <> void execute<Op::scratch_load_dwordx4>(Wave& w, const Step& s) { scratch_load<4>(w, s); }
template <> void execute<Op::scratch_load_ubyte_d16>(Wave& w, const Step& s) { scratch_load<1, 1, Rest::low>(w, s); }
template <> void execute<Op::scratch_load_ubyte_d16_hi>(Wave& w, const Step& s) { scratch_load<1, 1, Rest::high>(w, s); }
template <> void execute<Op::scratch_load_sbyte_d16>(Wave& w, const Step& s) { scratch_load<1, 1, Rest::sign_low>(w, s); }
template <> void execute<Op::scratch_load_sbyte_d16_hi>(Wave& w, const Step& s) { scratch_load<1, 1, Rest::sign_high>(w, s); }
template <> void execute<Op::scratch_load_short_d16>(Wave& w, const Step& s) { scratch_load<1, 2, Rest::low>(w, s); }
template <> void execute<Op::scratch_load_short_d16_hi>(Wave& w, const Step& s) { scratch_load<1, 2, Rest::high>(w, s); }
template <> void execute<Op::scratch_store_byte>(Wave& w, const Step& s) { scratch_store<1, 1>(w, s); }
template <> void execute<Op::scratch_store_byte_d16_hi>(Wave& w, const Step& s) { scratch_store<1, 1, true>(w, s); }
template <> void execute<Op::scratch_store_short>(Wave& w, const Step& s) { scratch_store<1, 2>(w, s); }
template <> void execute<Op::scratch_store_short_d16_hi>(Wave& w, const Step& s) { scratch_store<1, 2, true>(w, s); }
template <> void execute<Op::scratch_store_dword>(Wave& w, const Step& s) { scratch_store<1>(w, s); }
template <> void execute<Op::scratch_store_dwordx2>(Wave& w, const Step& s) { scratch_store<2>(w, s); }
template <> void execute<Op::scratch_store_dwordx3>(Wave& w, const Step& s) { scratch_store<3>(w, s); }
template <> void execute<Op::scratch_store_dwordx4>(Wave& w, const Step& s) { scratch_store<4>(w, s); }
// clang-format on

}  // namespace zyfa::sim
