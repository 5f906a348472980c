// Integer rows that compilers use: 16-bit, packed 16-bit, 64-bit, bit counts, sums of differences,
// dot products. 16-bit results: rows that came with gfx9 keep the other half of their destination,
// older ones clear it (LLVM zeroesHigh16BitsOfDest; certain). Source: CDNA3 ISA (vendor text).
#include <algorithm>
#include <bit>

#include "sim/wide.hpp"

namespace zyfa::sim {
namespace {

template <unsigned N, class F>
void each(Wave& w, const Step& s, F f) {
    Sources a(w, s, 1, N, false);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l)
        d.word[l] = f(a.in[0][l], a.in[N > 1 ? 1 : 0][l], a.in[N > 2 ? 2 : 0][l]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

bool keeps_half(Op op) {
    return op == Op::v_mad_u16 || op == Op::v_mad_i16 || op == Op::v_min3_i16 ||
           op == Op::v_min3_u16 || op == Op::v_max3_i16 || op == Op::v_max3_u16 ||
           op == Op::v_med3_i16 || op == Op::v_med3_u16 || op == Op::v_bitop3_b16 ||
           op == Op::v_add_i16 || op == Op::v_sub_i16;
}
// op_sel: one bit for each source, then one for the destination.
template <unsigned N, class F>
void each16(Wave& w, const Step& s, F f) {
    Sources a(w, s, 1, N, false);
    const unsigned select = s.mods().op_sel;
    const uint32_t* old = w.vector[s.ref[0].index].word;
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) {
        uint16_t x[3] = {};
        for (unsigned n = 0; n < N; ++n) x[n] = uint16_t(a.in[n][l] >> 16 * (select >> n & 1));
        const uint32_t y = uint16_t(f(x[0], x[1], x[2]));
        d.word[l] = !keeps_half(s.op) ? y
                    : select >> N & 1 ? (old[l] & 0xffff) | y << 16
                                      : (old[l] & 0xffff0000) | y;
    }
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <unsigned N, class F>
void packed(Wave& w, const Step& s, F f) {
    const Mods& m = s.mods();
    Sources a(w, s, 1, N, false);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t out = 0;
        for (unsigned half : {0, 1}) {
            const unsigned select = half ? m.op_sel_hi : m.op_sel;
            uint16_t x[3] = {};
            for (unsigned n = 0; n < N; ++n) x[n] = uint16_t(a.in[n][l] >> 16 * (select >> n & 1));
            out |= uint32_t(uint16_t(f(x[0], x[1], x[2]))) << 16 * half;
        }
        d.word[l] = out;
    }
    w.write_lanes(s.ref[0], 0, d, a.active);
}

uint32_t first_unlike_sign(uint32_t a) {
    const uint32_t x = a ^ uint32_t(int32_t(a) >> 31);
    return x ? uint32_t(std::countl_zero(x)) : ~0u;
}
uint32_t reverse(uint32_t a) {
    uint32_t r = 0;
    for (unsigned n = 0; n < 32; ++n) r |= (a >> n & 1) << (31 - n);
    return r;
}
int32_t s24(uint32_t x) { return int32_t(x << 8) >> 8; }
uint32_t differences(uint32_t a, uint32_t b, unsigned bits, bool skip_zero) {
    uint32_t sum = 0;
    for (unsigned n = 0; n < 32; n += bits) {
        const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1, x = a >> n & mask,
                       y = b >> n & mask;
        if (!skip_zero || y) sum += x > y ? x - y : y - x;
    }
    return sum;
}
uint32_t average(uint32_t a, uint32_t b, uint32_t up) {
    uint32_t out = 0;
    for (unsigned n = 0; n < 32; n += 8)
        out |= (((a >> n & 0xff) + (b >> n & 0xff) + (up >> n & 1)) >> 1) << n;
    return out;
}
uint32_t dot(uint32_t a, uint32_t b, uint32_t sum, unsigned bits, bool is_signed) {
    for (unsigned n = 0; n < 32; n += bits) {
        const unsigned up = 32 - bits;
        const uint32_t x = a << (up - n), y = b << (up - n);
        sum +=
            is_signed ? uint32_t((int32_t(x) >> up) * (int32_t(y) >> up)) : (x >> up) * (y >> up);
    }
    return sum;
}
template <class T>
T median(T a, T b, T c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
uint32_t truth(uint32_t a, uint32_t b, uint32_t c, unsigned table) {
    uint32_t d = 0;
    for (unsigned n = 0; n < 8; ++n)
        if (table >> n & 1) d |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    return d;
}

}  // namespace

using I = int32_t;
using H = int16_t;
#define INT(op, count, ...)                                            \
    template <>                                                        \
    void execute<Op::op>(Wave & w, const Step& s) {                    \
        each<count>(w, s, [&](uint32_t a, uint32_t b, uint32_t c) {    \
            return uint32_t((void(a), void(b), void(c), __VA_ARGS__)); \
        });                                                            \
    }
#define INT16(op, count, ...)                                         \
    template <>                                                       \
    void execute<Op::op>(Wave & w, const Step& s) {                   \
        each16<count>(w, s, [&](uint16_t a, uint16_t b, uint16_t c) { \
            return (void(a), void(b), void(c), __VA_ARGS__);          \
        });                                                           \
    }
#define PACKED(op, count, ...)                                       \
    template <>                                                      \
    void execute<Op::op>(Wave & w, const Step& s) {                  \
        packed<count>(w, s, [](uint16_t a, uint16_t b, uint16_t c) { \
            return (void(a), void(b), void(c), __VA_ARGS__);         \
        });                                                          \
    }
// clang-format off
INT(v_bfrev_b32, 1, reverse(a))
INT(v_ffbh_u32, 1, a ? std::countl_zero(a) : -1)
INT(v_ffbh_i32, 1, first_unlike_sign(a))
INT(v_ffbl_b32, 1, a ? std::countr_zero(a) : -1)
INT(v_bcnt_u32_b32, 2, uint32_t(std::popcount(a)) + b)
INT(v_xnor_b32, 2, ~(a ^ b))
INT(v_bfm_b32, 2, ((1u << (a & 31)) - 1) << (b & 31))
INT(v_mul_hi_i32, 2, int64_t(I(a)) * I(b) >> 32)
INT(v_mul_hi_u32_u24, 2, uint64_t(a & 0xffffff) * (b & 0xffffff) >> 32)
INT(v_mul_hi_i32_i24, 2, int64_t(s24(a)) * s24(b) >> 32)
INT(v_mad_i32_i24, 3, uint32_t(int64_t(s24(a)) * s24(b)) + c)
INT(v_min3_i32, 3, std::min({I(a), I(b), I(c)}))
INT(v_min3_u32, 3, std::min({a, b, c}))
INT(v_max3_i32, 3, std::max({I(a), I(b), I(c)}))
INT(v_max3_u32, 3, std::max({a, b, c}))
INT(v_med3_i32, 3, median(I(a), I(b), I(c)))
INT(v_med3_u32, 3, median(a, b, c))
INT(v_sad_u8, 3, differences(a, b, 8, false) + c)
INT(v_sad_hi_u8, 3, (differences(a, b, 8, false) << 16) + c)
INT(v_sad_u16, 3, differences(a, b, 16, false) + c)
INT(v_sad_u32, 3, differences(a, b, 32, false) + c)
INT(v_msad_u8, 3, differences(a, b, 8, true) + c)
INT(v_lerp_u8, 3, average(a, b, c))
INT(v_alignbyte_b32, 3, (uint64_t(a) << 32 | b) >> 8 * (c & 3))
INT(v_bitop3_b32, 3, truth(a, b, c, s.mods().bitop3))
INT(v_dot4_i32_i8, 3, dot(a, b, c, 8, true))
INT(v_dot4_u32_u8, 3, dot(a, b, c, 8, false))
INT(v_dot8_i32_i4, 3, dot(a, b, c, 4, true))
INT(v_dot8_u32_u4, 3, dot(a, b, c, 4, false))
INT(v_dot2_i32_i16, 3, dot(a, b, c, 16, true))
INT(v_dot2_u32_u16, 3, dot(a, b, c, 16, false))
INT(v_cvt_pk_u16_u32, 2, std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16)
INT(v_cvt_pk_i16_i32, 2, uint16_t(std::clamp(I(a), -32768, 32767)) | uint32_t(std::clamp(I(b), -32768, 32767)) << 16)
INT16(v_add_u16, 2, a + b)
INT16(v_sub_u16, 2, a - b)
INT16(v_subrev_u16, 2, b - a)
INT16(v_add_i16, 2, a + b)
INT16(v_sub_i16, 2, a - b)
INT16(v_mul_lo_u16, 2, uint32_t(a) * b)
INT16(v_lshlrev_b16, 2, b << (a & 15))
INT16(v_lshrrev_b16, 2, b >> (a & 15))
INT16(v_ashrrev_i16, 2, H(b) >> (a & 15))
INT16(v_max_u16, 2, std::max(a, b))
INT16(v_min_u16, 2, std::min(a, b))
INT16(v_max_i16, 2, std::max(H(a), H(b)))
INT16(v_min_i16, 2, std::min(H(a), H(b)))
INT16(v_mad_u16, 3, uint32_t(a) * b + c)
INT16(v_mad_i16, 3, uint32_t(a) * b + c)
INT16(v_mad_legacy_u16, 3, uint32_t(a) * b + c)
INT16(v_mad_legacy_i16, 3, uint32_t(a) * b + c)
INT16(v_min3_i16, 3, std::min({H(a), H(b), H(c)}))
INT16(v_min3_u16, 3, std::min({a, b, c}))
INT16(v_max3_i16, 3, std::max({H(a), H(b), H(c)}))
INT16(v_max3_u16, 3, std::max({a, b, c}))
INT16(v_med3_i16, 3, median(H(a), H(b), H(c)))
INT16(v_med3_u16, 3, median(a, b, c))
INT16(v_bitop3_b16, 3, truth(a, b, c, s.mods().bitop3))
PACKED(v_pk_add_u16, 2, a + b)
PACKED(v_pk_sub_u16, 2, a - b)
PACKED(v_pk_add_i16, 2, a + b)
PACKED(v_pk_sub_i16, 2, a - b)
PACKED(v_pk_mul_lo_u16, 2, uint32_t(a) * b)
PACKED(v_pk_lshlrev_b16, 2, b << (a & 15))
PACKED(v_pk_lshrrev_b16, 2, b >> (a & 15))
PACKED(v_pk_ashrrev_i16, 2, H(b) >> (a & 15))
PACKED(v_pk_max_u16, 2, std::max(a, b))
PACKED(v_pk_min_u16, 2, std::min(a, b))
PACKED(v_pk_max_i16, 2, std::max(H(a), H(b)))
PACKED(v_pk_min_i16, 2, std::min(H(a), H(b)))
PACKED(v_pk_mad_u16, 3, uint32_t(a) * b + c)
PACKED(v_pk_mad_i16, 3, uint32_t(a) * b + c)
// clang-format on

template <>
void execute<Op::v_swap_b32>(Wave& w, const Step& s) {
    const Lanes a = w.vector[s.ref[0].index], b = w.vector[s.ref[1].index];
    w.write_lanes(s.ref[0], 0, b, w.exec());
    w.write_lanes(s.ref[1], 0, a, w.exec());
}

// d, borrow out, a, b[, borrow in]: b - a
static void reversed_subtract(Wave& w, const Step& s, uint64_t borrow_in) {
    Sources a(w, s, 2, 2, false);
    Lanes d;
    uint64_t borrow = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        const uint64_t in = borrow_in >> l & 1, x = a.in[1][l], y = a.in[0][l] + in;
        d.word[l] = uint32_t(x - y);
        borrow |= uint64_t(y > x) << l;
    }
    w.write_lanes(s.ref[0], 0, d, a.active);
    w.write64(s.ref[1], borrow & a.active);
}
template <>
void execute<Op::v_subrev_co_u32>(Wave& w, const Step& s) {
    reversed_subtract(w, s, 0);
}
template <>
void execute<Op::v_subbrev_co_u32>(Wave& w, const Step& s) {
    reversed_subtract(w, s, w.read64(s.ref[4]));
}

// 65 bits of a product and a sum: the last one is the carry.
template <class T>
static void multiply_add(Wave& w, const Step& s) {
    using Sum = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    using Wider = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    Sources a(w, s, 2, 2, false);
    const Wide c(w, s, 4, false);
    uint64_t d[kLanes], carry = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        const Sum sum = Sum(Wider(T(a.in[0][l])) * Wider(T(a.in[1][l]))) + Sum(Wider(c.bits[l]));
        d[l] = uint64_t(sum);
        carry |= uint64_t(sum >> 64 & 1) << l;
    }
    write_wide(w, s.ref[0], d, w.exec());
    w.write64(s.ref[1], carry & w.exec());
}
template <>
void execute<Op::v_mad_u64_u32>(Wave& w, const Step& s) {
    multiply_add<uint32_t>(w, s);
}
template <>
void execute<Op::v_mad_i64_i32>(Wave& w, const Step& s) {
    multiply_add<int32_t>(w, s);
}

template <class F>
static void shift64(Wave& w, const Step& s, F f) {
    Lanes room;
    const uint32_t* by = w.lanes(s.ref[1], 0, room);
    const Wide a(w, s, 2, false);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = f(a.bits[l], by[l] & 63);
    write_wide(w, s.ref[0], d, w.exec());
}
template <>
void execute<Op::v_lshlrev_b64>(Wave& w, const Step& s) {
    shift64(w, s, [](uint64_t x, unsigned n) { return x << n; });
}
template <>
void execute<Op::v_lshrrev_b64>(Wave& w, const Step& s) {
    shift64(w, s, [](uint64_t x, unsigned n) { return x >> n; });
}
template <>
void execute<Op::v_ashrrev_i64>(Wave& w, const Step& s) {
    shift64(w, s, [](uint64_t x, unsigned n) { return uint64_t(int64_t(x) >> n); });
}
template <>
void execute<Op::v_lshl_add_u64>(Wave& w, const Step& s) {
    Lanes room;
    const Wide a(w, s, 1, false), c(w, s, 3, false);
    const uint32_t* by = w.lanes(s.ref[2], 0, room);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = (a.bits[l] << (by[l] & 7)) + c.bits[l];
    write_wide(w, s.ref[0], d, w.exec());
}

// The low result is a half of the first source, the high one a half of the second.
template <>
void execute<Op::v_pk_mov_b32>(Wave& w, const Step& s) {
    Lanes room[2], d[2];
    for (unsigned n : {0, 1})
        std::memcpy(d[n].word, w.lanes(s.ref[n + 1], s.mods().op_sel >> n & 1, room[n]),
                    sizeof d[n].word);
    for (unsigned n : {0, 1}) w.write_lanes(s.ref[0], n, d[n], w.exec());
}

}  // namespace zyfa::sim
