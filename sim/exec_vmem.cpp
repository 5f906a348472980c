// Buffer and global memory instructions, with the forms that write LDS directly.
// Raw buffers: dword out of range when voffset + offset >= num_records - soffset (gfx9 documents;
// AITER's tails depend on the soffset part). Out of range: loads give 0, stores vanish. LDS address
// of a direct load: M0 + offset + lane * size (CDNA3/4 ISA 9.1.9; AITER).
#include <algorithm>

#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"
#include "sim/vmem.hpp"

namespace zyfa::sim {

void take_buffer(Wave& w, const Step& s, Flight& f, const Ref& address, const Ref& resource,
                 const Ref& soffset) {
    const Mods& m = s.mods();
    uint32_t word1 = w.read(resource, 1), records = w.read(resource, 2);
    if (m.idxen) w.refuse(s, "indexed buffer addresses (idxen) are not simulated");
    if (word1 >> 16)
        w.refuse(s,
                 fmt::format("buffer descriptor with stride or swizzle (word 1 = {:#x})", word1));
    uint32_t scalar = w.read(soffset);
    f.base = (w.read(resource) | uint64_t(word1 & 0xffff) << 32) + scalar;
    f.limit = records > scalar ? records - scalar : 0;
    for (unsigned l = 0; l < kLanes; ++l) f.address[l] = m.offset;
    if (m.offen) {
        Lanes room;
        const uint32_t* offset = w.lanes(address, 0, room);
        for (unsigned l = 0; l < kLanes; ++l) f.address[l] += offset[l];
    }
}
void take_global(Wave& w, const Step& s, Flight& f, const Ref& address, const Ref& base) {
    bool has_base = base.kind == Ref::Kind::scalar;
    f.base = int64_t(int32_t(s.mods().offset)) + (has_base ? w.read64(base) : 0);
    f.limit = ~uint64_t(0);
    Lanes low_room, high_room;
    const uint32_t* low = w.lanes(address, 0, low_room);
    const uint32_t* high = address.words == 2 ? w.lanes(address, 1, high_room) : nullptr;
    for (unsigned l = 0; l < kLanes; ++l)
        f.address[l] = low[l] | (high ? uint64_t(high[l]) << 32 : 0);
}

void check_alignment(Wave& w, const Flight& f, unsigned bytes) {
    for (unsigned l = 0; l < kLanes; ++l)
        if ((f.exec >> l & 1) && ((f.base + f.address[l]) & (bytes - 1)) && f.address[l] < f.limit)
            return w.note(
                "MISALIGNED", Severity::warning, *f.step, nullptr,
                fmt::format("address {:#x} is not a multiple of {}", f.base + f.address[l], bytes),
                int(l), f.base + f.address[l]);
}

// --- loads that write LDS ---
static uint64_t lds_start(const Wave& w, const Step& s) {
    return uint64_t(w.scalar[kM0]) + s.mods().offset;
}
template <unsigned Words, unsigned Bytes, bool Signed>
static void direct_arrives(Wave& w, const Flight& f) {
    Lds& lds = w.group->lds;
    Reach reach{w, f, Access::load};
    --w.dma_in_flight;
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        uint64_t to = f.lds + l * 4 * Words;
        if (to + 4 * Words > lds.size()) continue;
        for (unsigned n = 0; n < Words; ++n) {
            bool zero;
            uint32_t value = 0, word = uint32_t(to / 4 + n);
            if (const uint8_t* from = reach(l, 4 * n, Bytes, zero))
                std::memcpy(&value, from, Bytes);
            else if (!zero) value = kPoison;
            if constexpr (Signed)
                value = uint32_t(int32_t(value << (32 - 8 * Bytes)) >> (32 - 8 * Bytes));
            std::memcpy(lds.bytes.data() + to + 4 * n, &value, 4);
            if (lds.flight_step[word] == f.step && lds.flight_wave[word] == w.number)
                lds.flight_wave[word] = Lds::kNobody;
            Lds::Clash c = lds.record_write(word, w.number, f.epoch, w.epoch, f.step);
            if (c.step && w.group->options->races)
                w.note("LDS-RACE", Severity::error, *f.step, c.step,
                       fmt::format("writes what wave {} uses; no barrier orders the two", c.wave),
                       int(l), to + 4 * n);
        }
    }
}
// LDS reads of this wave that are not back yet and whose bytes the load overwrites.
static void check_reads(Wave& w, const Step& s, uint64_t first, uint64_t end) {
    for (unsigned n = 0; n < w.lds.size(); ++n) {
        const Flight& read = w.lds[n];
        if (!read.step->from) continue;  // a flat access, counted here as well
        const Inst& inst = read.step->from->inst;
        if (inst.info().rate == Rate::lds_write || inst.op == Op::ds_bpermute_b32) continue;
        unsigned bytes = read.step->ref[0].words * 4;
        for (unsigned l = 0; l < kLanes; ++l)
            if ((read.exec >> l & 1) && read.address[l] < end && read.address[l] + bytes > first)
                return w.note("WAIT-LDS", Severity::error, s, read.step,
                              "fills LDS bytes that a read of this wave may still be reading",
                              int(l), read.address[l]);
    }
}
// A byte or short fills a word of its own (ROCm's direct-to-LDS tests, rocm-libraries PR 5084); a
// signed one extended (inferred from its name).
template <unsigned Words, unsigned Bytes = 4, bool Signed = false>
static void direct_load(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = direct_arrives<Words, Bytes, Signed>;
    if (s.from->inst.info().is_global()) take_global(w, s, f, s.ref[0], s.ref[1]);
    else take_buffer(w, s, f, s.ref[0], s.ref[1], s.ref[2]);
    // 16-byte direct loads ignore low address bits.
    check_alignment(w, f, Words == 3 ? 4 : Words * Bytes);
    Lds& lds = w.group->lds;
    uint64_t start = lds_start(w, s);
    f.lds = start;
    ++w.dma_in_flight;
    if (start & 3) w.refuse(s, fmt::format("LDS address {} is not a multiple of 4", start));
    if (!w.lds.empty()) check_reads(w, s, start, start + kLanes * 4 * Words);
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        uint64_t to = start + l * 4 * Words;
        if (to + 4 * Words > lds.size()) {
            w.note("OUT-OF-BOUNDS", Severity::error, s, nullptr,
                   fmt::format("writes {} bytes at LDS address {} of {} bytes", 4 * Words, to,
                               lds.size()),
                   int(l), to);
            continue;
        }
        std::fill_n(lds.flight_wave.begin() + to / 4, Words, uint8_t(w.number));
        std::fill_n(lds.flight_step.begin() + to / 4, Words, &s);
    }
}

// clang-format off
template <> void execute<Op::buffer_load_ubyte>(Wave& w, const Step& s) { buffer_load<1, 1>(w, s); }
template <> void execute<Op::buffer_load_ushort>(Wave& w, const Step& s) { buffer_load<1, 2>(w, s); }
template <> void execute<Op::buffer_load_dword>(Wave& w, const Step& s) { buffer_load<1>(w, s); }
template <> void execute<Op::buffer_load_dwordx2>(Wave& w, const Step& s) { buffer_load<2>(w, s); }
template <> void execute<Op::buffer_load_dwordx3>(Wave& w, const Step& s) { buffer_load<3>(w, s); }
template <> void execute<Op::buffer_load_dwordx4>(Wave& w, const Step& s) { buffer_load<4>(w, s); }
template <> void execute<Op::buffer_load_ubyte_lds>(Wave& w, const Step& s) { direct_load<1, 1>(w, s); }
template <> void execute<Op::buffer_load_sbyte_lds>(Wave& w, const Step& s) { direct_load<1, 1, true>(w, s); }
template <> void execute<Op::buffer_load_ushort_lds>(Wave& w, const Step& s) { direct_load<1, 2>(w, s); }
template <> void execute<Op::buffer_load_sshort_lds>(Wave& w, const Step& s) { direct_load<1, 2, true>(w, s); }
template <> void execute<Op::buffer_load_dwordx3_lds>(Wave& w, const Step& s) { direct_load<3>(w, s); }
template <> void execute<Op::buffer_load_dword_lds>(Wave& w, const Step& s) { direct_load<1>(w, s); }
template <> void execute<Op::buffer_load_dwordx4_lds>(Wave& w, const Step& s) { direct_load<4>(w, s); }
template <> void execute<Op::buffer_load_sbyte>(Wave& w, const Step& s) { buffer_load<1, 1, Rest::sign>(w, s); }
template <> void execute<Op::buffer_load_sshort>(Wave& w, const Step& s) { buffer_load<1, 2, Rest::sign>(w, s); }
template <> void execute<Op::buffer_load_ubyte_d16>(Wave& w, const Step& s) { buffer_load<1, 1, Rest::low>(w, s); }
template <> void execute<Op::buffer_load_ubyte_d16_hi>(Wave& w, const Step& s) { buffer_load<1, 1, Rest::high>(w, s); }
template <> void execute<Op::buffer_load_sbyte_d16>(Wave& w, const Step& s) { buffer_load<1, 1, Rest::sign_low>(w, s); }
template <> void execute<Op::buffer_load_sbyte_d16_hi>(Wave& w, const Step& s) { buffer_load<1, 1, Rest::sign_high>(w, s); }
template <> void execute<Op::buffer_load_short_d16>(Wave& w, const Step& s) { buffer_load<1, 2, Rest::low>(w, s); }
template <> void execute<Op::buffer_load_short_d16_hi>(Wave& w, const Step& s) { buffer_load<1, 2, Rest::high>(w, s); }
template <> void execute<Op::buffer_store_byte_d16_hi>(Wave& w, const Step& s) { buffer_store<1, 1, true>(w, s); }
template <> void execute<Op::buffer_store_short_d16_hi>(Wave& w, const Step& s) { buffer_store<1, 2, true>(w, s); }
template <> void execute<Op::buffer_store_byte>(Wave& w, const Step& s) { buffer_store<1, 1>(w, s); }
template <> void execute<Op::buffer_store_short>(Wave& w, const Step& s) { buffer_store<1, 2>(w, s); }
template <> void execute<Op::buffer_store_dword>(Wave& w, const Step& s) { buffer_store<1>(w, s); }
template <> void execute<Op::buffer_store_dwordx2>(Wave& w, const Step& s) { buffer_store<2>(w, s); }
template <> void execute<Op::buffer_store_dwordx3>(Wave& w, const Step& s) { buffer_store<3>(w, s); }
template <> void execute<Op::buffer_store_dwordx4>(Wave& w, const Step& s) { buffer_store<4>(w, s); }
template <> void execute<Op::global_load_ubyte>(Wave& w, const Step& s) { global_load<1, 1>(w, s); }
template <> void execute<Op::global_load_dword>(Wave& w, const Step& s) { global_load<1>(w, s); }
template <> void execute<Op::global_load_dwordx2>(Wave& w, const Step& s) { global_load<2>(w, s); }
template <> void execute<Op::global_load_dwordx4>(Wave& w, const Step& s) { global_load<4>(w, s); }
template <> void execute<Op::global_load_lds_ubyte>(Wave& w, const Step& s) { direct_load<1, 1>(w, s); }
template <> void execute<Op::global_load_lds_sbyte>(Wave& w, const Step& s) { direct_load<1, 1, true>(w, s); }
template <> void execute<Op::global_load_lds_ushort>(Wave& w, const Step& s) { direct_load<1, 2>(w, s); }
template <> void execute<Op::global_load_lds_sshort>(Wave& w, const Step& s) { direct_load<1, 2, true>(w, s); }
template <> void execute<Op::global_load_lds_dwordx3>(Wave& w, const Step& s) { direct_load<3>(w, s); }
template <> void execute<Op::global_load_lds_dword>(Wave& w, const Step& s) { direct_load<1>(w, s); }
template <> void execute<Op::global_load_lds_dwordx4>(Wave& w, const Step& s) { direct_load<4>(w, s); }
template <> void execute<Op::global_store_dword>(Wave& w, const Step& s) { global_store<1>(w, s); }
template <> void execute<Op::global_store_dwordx2>(Wave& w, const Step& s) { global_store<2>(w, s); }
template <> void execute<Op::global_store_dwordx4>(Wave& w, const Step& s) { global_store<4>(w, s); }
// clang-format on

}  // namespace zyfa::sim
