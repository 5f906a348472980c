// LDS accesses beyond plain words: bytes and halves, two places at once, 96 bits, atomics, lane
// exchange by ds_swizzle and ds_permute. Source: CDNA3 ISA, pseudo-code of DS_* (vendor text).
#include "sim/arrival.hpp"
#include "sim/atomic.hpp"
#include "sim/dispatch.hpp"
#include "sim/lds_access.hpp"
#include "sim/vmem.hpp"

namespace zyfa::sim {

// --- bytes and halves ---
template <unsigned Bytes, Rest P>
static void narrow_read_arrives(Wave& w, const Flight& f) {
    const Ref& to = f.step->ref[0];
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        uint32_t value = 0;
        if (const uint8_t* from = lane_bytes(w, f, l, Bytes)) {
            std::memcpy(&value, from, Bytes);
            watch_read(w, f, l, Bytes);
        }
        value = extended(value, Bytes, P);
        const uint32_t old = w.vector[to.index].word[l];
        if (P == Rest::low || P == Rest::sign_low) value = (old & 0xffff0000) | (value & 0xffff);
        if (P == Rest::high || P == Rest::sign_high) value = (old & 0xffff) | value << 16;
        d.word[l] = value;
    }
    w.write_lanes(to, 0, d, f.exec);
}
template <unsigned Bytes, Rest P>
static void narrow_read(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = narrow_read_arrives<Bytes, P>;
    take_addresses(w, s, f, s.ref[1], Bytes);
    check_flight(w, s, f, Bytes);
    poison<P>(w, s, f);
}
template <unsigned Bytes, bool High>
static void narrow_write_arrives(Wave& w, const Flight& f) {
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        uint8_t* to = lane_bytes(w, f, l, Bytes);
        if (!to) continue;
        const uint32_t value = f.data[0][l] >> (High ? 16 : 0);
        std::memcpy(to, &value, Bytes);
        watch_write(w, f, l, Bytes);
    }
}
template <unsigned Bytes, bool High>
static void narrow_write(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = narrow_write_arrives<Bytes, High>;
    take_addresses(w, s, f, s.ref[0], Bytes);
    take_data(w, f, s.ref[1], 1);
}

// --- two places: base + offset0 * unit, base + offset1 * unit ---
template <unsigned Words, unsigned Unit>
static uint64_t second_place(const Flight& f, unsigned lane) {
    const uint32_t offset = f.step->mods().offset;
    return uint32_t(f.address[lane] + (offset >> 8) * Unit - (offset & 0xff) * Unit);
}
template <unsigned Unit>
static void take_first_place(Wave& w, const Step& s, Flight& f, const Ref& address,
                             unsigned bytes) {
    Lanes room;
    const uint32_t* base = w.lanes(address, 0, room);
    for (unsigned l = 0; l < kLanes; ++l)
        f.address[l] = uint32_t(base[l] + (s.mods().offset & 0xff) * Unit);
    check_lds_alignment(w, s, f, bytes);
}
template <unsigned Words, unsigned Unit>
static void read2_arrives(Wave& w, const Flight& f) {
    Flight second = f;
    for (unsigned l = 0; l < kLanes; ++l) second.address[l] = second_place<Words, Unit>(f, l);
    Lanes d[2 * Words];
    for (unsigned half : {0, 1}) {
        const Flight& at = half ? second : f;
        for (unsigned l = 0; l < kLanes; ++l) {
            if (!(f.exec >> l & 1)) continue;
            uint32_t value[Words] = {};
            if (const uint8_t* from = lane_bytes(w, at, l, 4 * Words)) {
                std::memcpy(value, from, 4 * Words);
                watch_read(w, at, l, 4 * Words);
            }
            for (unsigned n = 0; n < Words; ++n) d[half * Words + n].word[l] = value[n];
        }
    }
    for (unsigned n = 0; n < 2 * Words; ++n) w.write_lanes(f.step->ref[0], n, d[n], f.exec);
}
template <unsigned Words, unsigned Unit>
static void read2(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = read2_arrives<Words, Unit>;
    take_first_place<Unit>(w, s, f, s.ref[1], 4 * Words);
    check_flight(w, s, f, 4 * Words);
    poison_destination(w, s, f.exec);
}
template <unsigned Words, unsigned Unit>
static void write2_arrives(Wave& w, const Flight& f) {
    Flight second = f;
    for (unsigned l = 0; l < kLanes; ++l) second.address[l] = second_place<Words, Unit>(f, l);
    for (unsigned half : {0, 1}) {
        const Flight& at = half ? second : f;
        for (unsigned l = 0; l < kLanes; ++l) {
            if (!(f.exec >> l & 1)) continue;
            uint8_t* to = lane_bytes(w, at, l, 4 * Words);
            if (!to) continue;
            for (unsigned n = 0; n < Words; ++n)
                std::memcpy(to + 4 * n, &f.data[half * Words + n][l], 4);
            watch_write(w, at, l, 4 * Words);
        }
    }
}
template <unsigned Words, unsigned Unit>
static void write2(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = write2_arrives<Words, Unit>;
    take_first_place<Unit>(w, s, f, s.ref[0], 4 * Words);
    for (unsigned half : {0, 1})
        for (unsigned n = 0; n < Words; ++n)
            std::memcpy(f.data[half * Words + n], w.vector[s.ref[1 + half].index + n].word,
                        sizeof f.data[n]);
}

// --- atomics ---
template <class T>
static T value_of(const Flight& f, unsigned word, unsigned lane) {
    if constexpr (sizeof(T) == 8)
        return f.data[word][lane] | uint64_t(f.data[word + 1][lane]) << 32;
    else return f.data[word][lane];
}
template <class T, Atomic Operation, bool Returns>
static void lds_atomic_arrives(Wave& w, const Flight& f) {
    constexpr unsigned kWords = sizeof(T) / 4;
    Lanes d[kWords];
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        T old = 0;
        if (uint8_t* at = lane_bytes(w, f, l, sizeof(T))) {
            // ds_cmpst has the value to compare with first.
            constexpr bool kCompares = Operation == Atomic::cmpswap;
            const T first = value_of<T>(f, 0, l);
            old = kCompares ? update<T>(at, Operation, value_of<T>(f, kWords, l), first)
                            : update<T>(at, Operation, first, T(0));
            watch_atomic(w, f, l, sizeof(T));
        }
        for (unsigned n = 0; n < kWords; ++n) d[n].word[l] = uint32_t(uint64_t(old) >> 32 * n);
    }
    if constexpr (Returns)
        for (unsigned n = 0; n < kWords; ++n) w.write_lanes(f.step->ref[0], n, d[n], f.exec);
}
template <class T, Atomic Operation, bool Returns>
static void lds_atomic(Wave& w, const Step& s) {
    constexpr unsigned kFirst = Returns ? 1 : 0, kWords = sizeof(T) / 4;
    Flight& f = issue(w, s, w.lds);
    f.arrive = lds_atomic_arrives<T, Operation, Returns>;
    take_addresses(w, s, f, s.ref[kFirst], sizeof(T));
    check_flight(w, s, f, sizeof(T));
    take_data(w, f, s.ref[kFirst + 1], kWords);
    if (Operation == Atomic::cmpswap)
        for (unsigned n = 0; n < kWords; ++n)
            std::memcpy(f.data[kWords + n], w.vector[s.ref[kFirst + 2].index + n].word,
                        sizeof f.data[n]);
    if (Returns) poison_destination(w, s, f.exec);
}

// --- lane exchange ---
static unsigned swizzle_lane(Wave& w, const Step& s, unsigned lane) {
    const unsigned code = s.mods().offset;
    if (code >= 0xe000) w.refuse(s, "ds_swizzle in FFT mode is not simulated");
    if (code >= 0xc000) {  // rotate by n within 32 lanes; bit 10: to the right
        const unsigned n = code >> 5 & 31, in = lane & 31;
        return (lane & 32) | ((code >> 10 & 1 ? in - n : in + n) & 31);
    }
    if (code & 0x8000) return (lane & ~3u) | (code >> 2 * (lane & 3) & 3);
    return (lane & 32) | ((((lane & 31) & (code & 31)) | (code >> 5 & 31)) ^ (code >> 10 & 31));
}
static void exchange_arrives(Wave& w, const Flight& f) {
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) {
        const unsigned from = unsigned(f.address[l]);
        d.word[l] = f.exec >> from & 1 ? f.data[0][from] : 0;
    }
    w.write_lanes(f.step->ref[0], 0, d, f.exec);
}
template <>
void execute<Op::ds_swizzle_b32>(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = exchange_arrives;
    for (unsigned l = 0; l < kLanes; ++l) f.address[l] = swizzle_lane(w, s, l);
    take_data(w, f, s.ref[1], 1);
    poison_destination(w, s, f.exec);
}
// Every lane sends; of several senders to one lane the highest wins, a lane without one gets 0.
template <>
void execute<Op::ds_permute_b32>(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = [](Wave& wave, const Flight& flight) {
        Lanes d{};
        for (unsigned l = 0; l < kLanes; ++l)
            if (flight.exec >> l & 1) d.word[flight.address[l] / 4 & 63] = flight.data[0][l];
        wave.write_lanes(flight.step->ref[0], 0, d, flight.exec);
    };
    for (unsigned l = 0; l < kLanes; ++l)
        f.address[l] = w.vector[s.ref[1].index].word[l] + s.mods().offset;
    take_data(w, f, s.ref[2], 1);
    poison_destination(w, s, f.exec);
}

// clang-format off
template <> void execute<Op::ds_read_u8>(Wave& w, const Step& s) { narrow_read<1, Rest::zero>(w, s); }
template <> void execute<Op::ds_read_i8>(Wave& w, const Step& s) { narrow_read<1, Rest::sign>(w, s); }
template <> void execute<Op::ds_read_u16>(Wave& w, const Step& s) { narrow_read<2, Rest::zero>(w, s); }
template <> void execute<Op::ds_read_i16>(Wave& w, const Step& s) { narrow_read<2, Rest::sign>(w, s); }
template <> void execute<Op::ds_read_u8_d16>(Wave& w, const Step& s) { narrow_read<1, Rest::low>(w, s); }
template <> void execute<Op::ds_read_u8_d16_hi>(Wave& w, const Step& s) { narrow_read<1, Rest::high>(w, s); }
template <> void execute<Op::ds_read_i8_d16>(Wave& w, const Step& s) { narrow_read<1, Rest::sign_low>(w, s); }
template <> void execute<Op::ds_read_i8_d16_hi>(Wave& w, const Step& s) { narrow_read<1, Rest::sign_high>(w, s); }
template <> void execute<Op::ds_read_u16_d16>(Wave& w, const Step& s) { narrow_read<2, Rest::low>(w, s); }
template <> void execute<Op::ds_read_u16_d16_hi>(Wave& w, const Step& s) { narrow_read<2, Rest::high>(w, s); }
template <> void execute<Op::ds_write_b8>(Wave& w, const Step& s) { narrow_write<1, false>(w, s); }
template <> void execute<Op::ds_write_b8_d16_hi>(Wave& w, const Step& s) { narrow_write<1, true>(w, s); }
template <> void execute<Op::ds_write_b16>(Wave& w, const Step& s) { narrow_write<2, false>(w, s); }
template <> void execute<Op::ds_write_b16_d16_hi>(Wave& w, const Step& s) { narrow_write<2, true>(w, s); }
template <> void execute<Op::ds_read2_b32>(Wave& w, const Step& s) { read2<1, 4>(w, s); }
template <> void execute<Op::ds_write2_b32>(Wave& w, const Step& s) { write2<1, 4>(w, s); }
template <> void execute<Op::ds_read2_b64>(Wave& w, const Step& s) { read2<2, 8>(w, s); }
template <> void execute<Op::ds_write2_b64>(Wave& w, const Step& s) { write2<2, 8>(w, s); }
template <> void execute<Op::ds_read2st64_b32>(Wave& w, const Step& s) { read2<1, 256>(w, s); }
template <> void execute<Op::ds_write2st64_b32>(Wave& w, const Step& s) { write2<1, 256>(w, s); }
template <> void execute<Op::ds_read2st64_b64>(Wave& w, const Step& s) { read2<2, 512>(w, s); }
template <> void execute<Op::ds_write2st64_b64>(Wave& w, const Step& s) { write2<2, 512>(w, s); }
template <> void execute<Op::ds_add_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::add, false>(w, s); }
template <> void execute<Op::ds_add_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::add, true>(w, s); }
template <> void execute<Op::ds_add_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::add, false>(w, s); }
template <> void execute<Op::ds_add_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::add, true>(w, s); }
template <> void execute<Op::ds_sub_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::sub, false>(w, s); }
template <> void execute<Op::ds_sub_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::sub, true>(w, s); }
template <> void execute<Op::ds_sub_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::sub, false>(w, s); }
template <> void execute<Op::ds_sub_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::sub, true>(w, s); }
template <> void execute<Op::ds_rsub_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::rsub, false>(w, s); }
template <> void execute<Op::ds_rsub_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::rsub, true>(w, s); }
template <> void execute<Op::ds_rsub_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::rsub, false>(w, s); }
template <> void execute<Op::ds_rsub_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::rsub, true>(w, s); }
template <> void execute<Op::ds_inc_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::inc, false>(w, s); }
template <> void execute<Op::ds_inc_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::inc, true>(w, s); }
template <> void execute<Op::ds_inc_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::inc, false>(w, s); }
template <> void execute<Op::ds_inc_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::inc, true>(w, s); }
template <> void execute<Op::ds_dec_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::dec, false>(w, s); }
template <> void execute<Op::ds_dec_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::dec, true>(w, s); }
template <> void execute<Op::ds_dec_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::dec, false>(w, s); }
template <> void execute<Op::ds_dec_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::dec, true>(w, s); }
template <> void execute<Op::ds_min_i32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::ds_min_rtn_i32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::ds_min_i64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::ds_min_rtn_i64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::ds_max_i32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::ds_max_rtn_i32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::ds_max_i64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::ds_max_rtn_i64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::ds_min_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::ds_min_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::ds_min_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::ds_min_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::ds_max_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::ds_max_rtn_u32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::ds_max_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::ds_max_rtn_u64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::ds_and_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::ds_and_rtn_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::ds_and_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::ds_and_rtn_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::ds_or_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::ds_or_rtn_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::ds_or_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::ds_or_rtn_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::ds_xor_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::ds_xor_rtn_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::ds_xor_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::ds_xor_rtn_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::ds_add_f32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::ds_add_rtn_f32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::ds_add_f64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::ds_add_rtn_f64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::ds_min_f32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::fmin, false>(w, s); }
template <> void execute<Op::ds_min_rtn_f32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::fmin, true>(w, s); }
template <> void execute<Op::ds_min_f64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::fmin, false>(w, s); }
template <> void execute<Op::ds_min_rtn_f64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::fmin, true>(w, s); }
template <> void execute<Op::ds_max_f32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::fmax, false>(w, s); }
template <> void execute<Op::ds_max_rtn_f32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::fmax, true>(w, s); }
template <> void execute<Op::ds_max_f64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::fmax, false>(w, s); }
template <> void execute<Op::ds_max_rtn_f64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::fmax, true>(w, s); }
template <> void execute<Op::ds_pk_add_f16>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::pk_f16, false>(w, s); }
template <> void execute<Op::ds_pk_add_rtn_f16>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::pk_f16, true>(w, s); }
template <> void execute<Op::ds_pk_add_bf16>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::pk_bf16, false>(w, s); }
template <> void execute<Op::ds_pk_add_rtn_bf16>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::pk_bf16, true>(w, s); }
template <> void execute<Op::ds_cmpst_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::cmpswap, false>(w, s); }
template <> void execute<Op::ds_cmpst_rtn_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::cmpswap, true>(w, s); }
template <> void execute<Op::ds_wrxchg_rtn_b32>(Wave& w, const Step& s) { lds_atomic<uint32_t, Atomic::swap, true>(w, s); }
template <> void execute<Op::ds_cmpst_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::cmpswap, false>(w, s); }
template <> void execute<Op::ds_cmpst_rtn_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::cmpswap, true>(w, s); }
template <> void execute<Op::ds_wrxchg_rtn_b64>(Wave& w, const Step& s) { lds_atomic<uint64_t, Atomic::swap, true>(w, s); }
// clang-format on

}  // namespace zyfa::sim
