// Conversions. To fp8, bf8, bf16: to nearest even whatever MODE says (vendor pseudo-code); OCP
// e4m3 has no infinity, so what does not fit becomes NaN (inferred for MODE.FP16_OVFL = 0), e5m2
// becomes infinity (hardware-checked in tinygrad's tests).
#include <cmath>

#include "sim/narrow.hpp"
#include "sim/vector.hpp"

namespace zyfa::sim {

static inline uint32_t to_e4m3(uint32_t a) {
    uint32_t x = a & 0x7fffffff, sign = a >> 24 & 0x80;
    uint32_t normal = ((x + 0x7ffff + (x >> 20 & 1)) >> 20) - (120 << 3);
    uint32_t small = u32(f32(x) + 0x1p14f) - u32(0x1p14f);  // one unit of 2^14 is 2^-9
    uint32_t code = x < 0x3c800000 ? small : normal;        // 2^-6
    return sign | (((x >= 0x7f800000) | (code > 0x7f)) ? 0x7f : code);
}
static inline uint32_t to_e5m2(uint32_t a) {
    uint32_t x = a & 0x7fffffff, sign = a >> 24 & 0x80;
    uint32_t normal = ((x + 0xfffff + (x >> 21 & 1)) >> 21) - (112 << 2);
    uint32_t small = u32(f32(x) + 0x1p7f) - u32(0x1p7f);  // one unit of 2^7 is 2^-16
    uint32_t code = x < 0x38800000 ? small : normal;      // 2^-14
    code = ((code > 0x7c) | (x >= 0x7f800000)) ? 0x7c : code;
    return sign | (x > 0x7f800000 ? 0x7f : code);
}
static inline uint32_t to_bf16(uint32_t a) {
    bool nan = (a & 0x7fffffff) > 0x7f800000;
    return nan ? a >> 16 | 0x40 : (a + 0x7fff + (a >> 16 & 1)) >> 16;
}
static inline uint32_t to_u32(uint32_t a) {  // truncates, clamps; NaN gives 0
    float x = f32(a);
    double y = x >= 0x1p32f ? 4294967295.0 : x > 0.0f ? double(x) : 0.0;
    return uint32_t(uint64_t(y));
}
static inline uint32_t to_i32(uint32_t a) {
    float x = f32(a);
    double y = x >= 0x1p31f    ? 2147483647.0
               : x <= -0x1p31f ? -2147483648.0
               : x == x        ? double(x)
                               : 0.0;
    return uint32_t(int32_t(y));
}
// Rounding to nearest even is inferred (AITER's constants need it), so is NaN to 0.
static inline uint32_t to_u8(uint32_t a) {
    float x = f32(a);
    x = x > 0.0f ? (x < 255.0f ? x : 255.0f) : 0.0f;
    return u32(x + 0x1p23f) & 0xff;
}

BODY1(v_cvt_f32_u32, u32(float(a)))
BODY1(v_cvt_f32_i32, u32(float(int32_t(a))))
BODY1(v_cvt_u32_f32, to_u32(a))
BODY1(v_cvt_i32_f32, to_i32(a))
BODY2(v_cvt_pk_bf16_f32, to_bf16(a) | to_bf16(b) << 16)
BODY2(v_cvt_pk_fp8_f32, to_e4m3(a) | to_e4m3(b) << 8)
BODY2(v_cvt_pk_bf8_f32, to_e5m2(a) | to_e5m2(b) << 8)
BODY3(v_cvt_pk_u8_f32, (c & ~(0xffu << 8 * (b & 3))) | to_u8(a) << 8 * (b & 3))

// clang-format off
template <> void execute<Op::v_cvt_f32_u32>(Wave& w, const Step& s) {
    Sources a(w, s, 1, 1, false);
    Lanes d;
    lanes_v_cvt_f32_u32(d.word, a.in[0]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <> void execute<Op::v_cvt_f32_i32>(Wave& w, const Step& s) {
    Sources a(w, s, 1, 1, false);
    Lanes d;
    lanes_v_cvt_f32_i32(d.word, a.in[0]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
// clang-format on

static void to_integer(Wave& w, const Step& s, Body1 body) {
    Sources a(w, s, 1, 1, true);
    Lanes d;
    body(d.word, a.in[0]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <>
void execute<Op::v_cvt_u32_f32>(Wave& w, const Step& s) {
    to_integer(w, s, lanes_v_cvt_u32_f32);
}
template <>
void execute<Op::v_cvt_i32_f32>(Wave& w, const Step& s) {
    to_integer(w, s, lanes_v_cvt_i32_f32);
}

template <>
void execute<Op::v_cvt_pk_bf16_f32>(Wave& w, const Step& s) {
    Sources a(w, s, 1, 2, true);
    Lanes d;
    lanes_v_cvt_pk_bf16_f32(d.word, a.in[0], a.in[1]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

ZYFA_CLONES static void put_half(uint32_t* d, const uint32_t* old, bool high) {
    if (high)
        for (unsigned l = 0; l < kLanes; ++l) d[l] = d[l] << 16 | (old[l] & 0xffff);
    else
        for (unsigned l = 0; l < kLanes; ++l) d[l] = d[l] | (old[l] & 0xffff0000);
}
// op_sel's third entry names the half of the destination; the other half stays.
static void to_half(Wave& w, const Step& s, Body2 body) {
    Sources a(w, s, 1, 2, true);
    Lanes d;
    body(d.word, a.in[0], a.in[1]);
    put_half(d.word, w.vector[s.ref[0].index].word, s.mods().op_sel & 4);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <>
void execute<Op::v_cvt_pk_fp8_f32>(Wave& w, const Step& s) {
    to_half(w, s, lanes_v_cvt_pk_fp8_f32);
}
template <>
void execute<Op::v_cvt_pk_bf8_f32>(Wave& w, const Step& s) {
    to_half(w, s, lanes_v_cvt_pk_bf8_f32);
}

// Stochastic: a byte or a half of the destination, the rest stays.
template <unsigned Bits, class Round>
static void stochastic_part(Wave& w, const Step& s, Round round) {
    Sources random(w, s, 2, 1, false);
    Sources a(w, s, 1, 1, true);
    unsigned first = 8u * written_part(s.from->inst).first;
    constexpr uint32_t kMask = (1u << Bits) - 1;
    Lanes d = w.vector[s.ref[0].index];
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t code = round(f32(a.in[0][l]), random.in[0][l]) & kMask;
        d.word[l] = (d.word[l] & ~(kMask << first)) | code << first;
    }
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static uint32_t stochastic_bf16(float x, uint32_t random) {
    uint32_t a = u32(x);
    if ((a & 0x7fffffff) >= 0x7f800000) return to_bf16(a);
    return (a + (random >> 16)) >> 16;
}
template <>
void execute<Op::v_cvt_sr_fp8_f32>(Wave& w, const Step& s) {
    stochastic_part<8>(w, s, [](float x, uint32_t r) { return stochastic(Format::e4m3, x, r); });
}
template <>
void execute<Op::v_cvt_sr_bf8_f32>(Wave& w, const Step& s) {
    stochastic_part<8>(w, s, [](float x, uint32_t r) { return stochastic(Format::e5m2, x, r); });
}
template <>
void execute<Op::v_cvt_sr_f16_f32>(Wave& w, const Step& s) {
    stochastic_part<16>(w, s, [](float x, uint32_t r) { return stochastic(kF16Info, x, r); });
}
template <>
void execute<Op::v_cvt_sr_bf16_f32>(Wave& w, const Step& s) {
    stochastic_part<16>(w, s, stochastic_bf16);
}

// Two numbers, shifted right and clamped to bytes, into a half of the destination.
static void shift_and_pack(Wave& w, const Step& s, int32_t least, int32_t most) {
    Sources a(w, s, 1, 3, false);
    unsigned first = 8u * written_part(s.from->inst).first;
    Lanes d = w.vector[s.ref[0].index];
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t pair = 0;
        for (unsigned n : {0, 1}) {
            int32_t x = int32_t(a.in[n][l]) >> (a.in[2][l] & 31);
            pair |= (uint32_t(x < least ? least : x > most ? most : x) & 0xff) << 8 * n;
        }
        d.word[l] = (d.word[l] & ~(0xffffu << first)) | pair << first;
    }
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <>
void execute<Op::v_ashr_pk_u8_i32>(Wave& w, const Step& s) {
    shift_and_pack(w, s, 0, 255);
}
template <>
void execute<Op::v_ashr_pk_i8_i32>(Wave& w, const Step& s) {
    shift_and_pack(w, s, -128, 127);
}

template <>
void execute<Op::v_cvt_pk_u8_f32>(Wave& w, const Step& s) {
    Sources rest(w, s, 2, 2, false);
    Sources a(w, s, 1, 1, true);
    Lanes d;
    lanes_v_cvt_pk_u8_f32(d.word, a.in[0], rest.in[0], rest.in[1]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

static inline uint32_t from_e4m3(uint32_t code) {
    uint32_t x = code & 0x7f;
    uint32_t normal = (x << 20) + (120u << 23), small = u32(float(int32_t(x)) * 0x1p-9f);
    uint32_t value = x == 0x7f ? 0x7fc00000 : x < 8 ? small : normal;
    return value | (code & 0x80) << 24;
}
// bf8 is the upper byte of an f16.
static inline uint32_t from_e5m2(uint32_t code) {
    uint32_t x = code & 0x7f;
    uint32_t normal = (x << 21) + (112u << 23), small = u32(float(int32_t(x)) * 0x1p-16f);
    uint32_t value = x > 0x7c ? 0x7fc00000 : x == 0x7c ? 0x7f800000 : x < 4 ? small : normal;
    return value | (code & 0x80) << 24;
}
BODY1(first_fp8, from_e4m3(a & 0xff))
BODY1(second_fp8, from_e4m3(a >> 8 & 0xff))
BODY1(first_bf8, from_e5m2(a & 0xff))
BODY1(second_bf8, from_e5m2(a >> 8 & 0xff))
static void from_bytes(Wave& w, const Step& s, Body1 first, Body1 second) {
    Sources a(w, s, 1, 1, false);
    Lanes word, low, high;
    unsigned shift = s.mods().op_sel & 1 ? 16 : 0;
    for (unsigned l = 0; l < kLanes; ++l) word.word[l] = a.in[0][l] >> shift;
    first(low.word, word.word);
    second(high.word, word.word);
    w.write_lanes(s.ref[0], 0, low, a.active);
    w.write_lanes(s.ref[0], 1, high, a.active);
}
template <>
void execute<Op::v_cvt_pk_f32_fp8>(Wave& w, const Step& s) {
    from_bytes(w, s, lanes_first_fp8, lanes_second_fp8);
}
template <>
void execute<Op::v_cvt_pk_f32_bf8>(Wave& w, const Step& s) {
    from_bytes(w, s, lanes_first_bf8, lanes_second_bf8);
}
static void from_byte(Wave& w, const Step& s, Body1 body) {
    Sources a(w, s, 1, 1, false);
    Lanes d;
    body(d.word, a.in[0]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <>
void execute<Op::v_cvt_f32_fp8>(Wave& w, const Step& s) {
    from_byte(w, s, lanes_first_fp8);
}
template <>
void execute<Op::v_cvt_f32_bf8>(Wave& w, const Step& s) {
    from_byte(w, s, lanes_first_bf8);
}

}  // namespace zyfa::sim
