// f32 rows that compilers use: fused forms that accumulate or carry a literal, division, fractions,
// conversions, dot products. Source: CDNA3 ISA, pseudo-code (vendor text).
#include <cmath>

#include "isa/formats.hpp"
#include "sim/vector.hpp"

namespace zyfa::sim {
namespace {

constexpr uint32_t kQuiet = 0x00400000;
bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
int exponent(float x) { return int(u32(x) >> 23 & 0xff); }
bool is_denormal(float x) { return x != 0 && std::fabs(x) < 0x1p-126f; }

template <unsigned N, class F>
void each(Wave& w, const Step& s, F f) {
    Sources a(w, s, 1, N, true);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l)
        d.word[l] = f(a.in[0][l], a.in[N > 1 ? 1 : 0][l], a.in[N > 2 ? 2 : 0][l], l);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <class F>
void to_word(Wave& w, const Step& s, F f) {
    Sources a(w, s, 1, 1, true);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = f(f32(a.in[0][l]));
    w.write_lanes(s.ref[0], 0, d, a.active);
}

ZYFA_CLONES void fused(uint32_t* __restrict d, const uint32_t* a, const uint32_t* b,
                       const uint32_t* c) {
    for (unsigned l = 0; l < kLanes; ++l) d[l] = u32(std::fma(f32(a[l]), f32(b[l]), f32(c[l])));
}

float fract(float x) {
    const float d = x - std::floor(x);
    return d >= 1.0f ? 0x1.fffffep-1f : d;
}
float turn(float x, double (*f)(double)) {
    const double y = x;
    return std::isfinite(x) ? float(f(2 * M_PI * (y - std::rint(y)))) : f32(0x7fc00000);
}
uint32_t frexp_exponent(float x) {
    int e = 0;
    if (std::isfinite(x) && x != 0) std::frexp(x, &e);
    return uint32_t(e);
}
uint32_t saturated(double x) {
    if (x != x) return 0;
    return uint32_t(int32_t(std::min(std::max(x, -2147483648.0), 2147483647.0)));
}

// value, denominator, numerator. Sets the lane's bit where v_div_fmas has to scale back.
float div_scale(float s0, float s1, float s2, bool& flag) {
    flag = false;
    if (s2 == 0 || s1 == 0) return f32(0x7fc00000);
    const auto up = [&] { return std::ldexp(s0, 64); };
    if (exponent(s2) - exponent(s1) >= 96) {
        flag = true;
        return s0 == s1 ? up() : s0;
    }
    if (is_denormal(s1)) return up();
    // The text's other cases ask for a denormal double 1 / S1, which no f32 has.
    const bool quotient = is_denormal(s2 / s1);
    if (quotient) {
        flag = true;
        return s0 == s2 ? up() : s0;
    }
    return exponent(s2) <= 23 ? up() : s0;
}
// quotient, denominator, numerator
uint32_t div_fixup(uint32_t q, uint32_t d, uint32_t n) {
    const uint32_t sign = (d ^ n) & 0x80000000, x = d & 0x7fffffff, y = n & 0x7fffffff;
    constexpr uint32_t kInfinity = 0x7f800000;
    if (is_nan(n)) return n | kQuiet;
    if (is_nan(d)) return d | kQuiet;
    if ((x == 0 && y == 0) || (x == kInfinity && y == kInfinity)) return 0xffc00000;
    if (x == 0 || y == kInfinity) return sign | kInfinity;
    if (x == kInfinity || y == 0) return sign;
    if (exponent(f32(n)) - exponent(f32(d)) < -150) return sign | 1;
    return sign | (q & 0x7fffffff);
}

void accumulate(Wave& w, const Step& s) {
    Sources a(w, s, 1, 2, true);
    Lanes c = w.vector[s.ref[0].index], d;
    if (w.mode.flush32)
        for (uint32_t& x : c.word) x = x & 0x7f800000 ? x : x & 0x80000000;
    fused(d.word, a.in[0], a.in[1], c.word);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
void fused3(Wave& w, const Step& s) {
    Sources a(w, s, 1, 3, true);
    Lanes d;
    fused(d.word, a.in[0], a.in[1], a.in[2]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

// Two products of halves onto a sum; each step rounds (products are exact).
template <class Decode>
void dot2(Wave& w, const Step& s, const Ref& sum, bool sum_last, Decode decode) {
    const Mods& m = s.mods();
    Lanes room[3], d;
    const uint32_t* in[3];
    for (unsigned n : {0, 1}) in[n] = w.lanes(s.ref[n + 1], 0, room[n]);
    in[2] = w.lanes(sum, 0, room[2]);
    const auto pick = [&](unsigned n, unsigned l, unsigned half) {
        const unsigned select = (half ? m.op_sel_hi : m.op_sel) >> n & 1;
        const bool flip = (half ? m.neg_hi : m.neg_lo) >> n & 1;
        const unsigned shift = info(s.op).is_dot() ? 16 * select : 16 * half;
        const float x = decode(uint16_t(in[n][l] >> shift));
        return flip ? -x : x;
    };
    for (unsigned l = 0; l < kLanes; ++l) {
        float c = f32(in[2][l]);
        float t = sum_last ? 0.0f : c;
        for (unsigned half : {0, 1}) t = std::fma(pick(0, l, half), pick(1, l, half), t);
        d.word[l] = u32(sum_last ? t + c : t);
    }
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, w.exec());
}

}  // namespace

// clang-format off
template <> void execute<Op::v_fmac_f32>(Wave& w, const Step& s) { accumulate(w, s); }
template <> void execute<Op::v_fmaak_f32>(Wave& w, const Step& s) { fused3(w, s); }
template <> void execute<Op::v_fmamk_f32>(Wave& w, const Step& s) { fused3(w, s); }
template <> void execute<Op::v_dot2_f32_f16>(Wave& w, const Step& s) { dot2(w, s, s.ref[3], false, f16_to_float); }
template <> void execute<Op::v_dot2c_f32_f16>(Wave& w, const Step& s) { dot2(w, s, s.ref[0], false, f16_to_float); }
template <> void execute<Op::v_dot2_f32_bf16>(Wave& w, const Step& s) { dot2(w, s, s.ref[3], true, bf16_to_float); }
template <> void execute<Op::v_dot2c_f32_bf16>(Wave& w, const Step& s) { dot2(w, s, s.ref[0], false, bf16_to_float); }
template <> void execute<Op::v_frexp_exp_i32_f32>(Wave& w, const Step& s) { to_word(w, s, frexp_exponent); }
template <> void execute<Op::v_cvt_rpi_i32_f32>(Wave& w, const Step& s) { to_word(w, s, [](float x) { return saturated(std::floor(double(x) + 0.5)); }); }
template <> void execute<Op::v_cvt_flr_i32_f32>(Wave& w, const Step& s) { to_word(w, s, [](float x) { return saturated(std::floor(x)); }); }
// clang-format on

#define F32(op, count, ...)                                                        \
    template <>                                                                    \
    void execute<Op::op>(Wave & w, const Step& s) {                                \
        each<count>(w, s, [&](uint32_t a, uint32_t b, uint32_t c, unsigned lane) { \
            return (void(a), void(b), void(c), void(lane), __VA_ARGS__);           \
        });                                                                        \
    }
F32(v_ceil_f32, 1, u32(std::ceil(f32(a))))
F32(v_trunc_f32, 1, u32(std::trunc(f32(a))))
F32(v_fract_f32, 1, u32(fract(f32(a))))
F32(v_sin_f32, 1, u32(turn(f32(a), std::sin)))
F32(v_cos_f32, 1, u32(turn(f32(a), std::cos)))
F32(v_mul_legacy_f32, 2, f32(a) == 0 || f32(b) == 0 ? 0u : u32(f32(a) * f32(b)))
F32(v_div_fixup_f32, 3, div_fixup(a, b, c))
// The CDNA3 text scales by 2^32 here, which cannot undo v_div_scale's 2^64; RDNA's text has 2^64 up
// or down by the exponent of the quotient (inferred).
F32(v_div_fmas_f32, 3,
    u32(std::fma(f32(a), f32(b), f32(c)) * (!(w.scalar64(kVcc) >> lane & 1) ? 1.0f
                                            : exponent(f32(c)) > 127        ? 0x1p64f
                                                                            : 0x1p-64f)))
template <>
void execute<Op::v_minimum3_f32>(Wave& w, const Step& s) {
    const auto smaller = [](uint32_t a, uint32_t b) {
        if (is_nan(a)) return a | kQuiet;
        if (is_nan(b)) return b | kQuiet;
        if (f32(a) == 0 && f32(b) == 0) return a | b;
        return f32(a) < f32(b) ? a : b;
    };
    each<3>(w, s, [&](uint32_t a, uint32_t b, uint32_t c, unsigned) {
        return smaller(smaller(a, b), c);
    });
}
template <>
void execute<Op::v_frexp_mant_f32>(Wave& w, const Step& s) {
    each<1>(w, s, [](uint32_t a, uint32_t, uint32_t, unsigned) {
        int e;
        return std::isfinite(f32(a)) ? u32(std::frexp(f32(a), &e)) : a;
    });
}
template <>
void execute<Op::v_div_scale_f32>(Wave& w, const Step& s) {
    Sources a(w, s, 2, 3, true);
    Lanes d;
    uint64_t flags = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        bool flag;
        d.word[l] = u32(div_scale(f32(a.in[0][l]), f32(a.in[1][l]), f32(a.in[2][l]), flag));
        flags |= uint64_t(flag) << l;
    }
    w.write_lanes(s.ref[0], 0, d, w.exec());
    w.write64(s.ref[1], flags & w.exec());
}

static void byte_to_float(Wave& w, const Step& s, unsigned byte) {
    Sources a(w, s, 1, 1, false);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = u32(float(a.in[0][l] >> 8 * byte & 0xff));
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
// clang-format off
template <> void execute<Op::v_cvt_f32_ubyte0>(Wave& w, const Step& s) { byte_to_float(w, s, 0); }
template <> void execute<Op::v_cvt_f32_ubyte1>(Wave& w, const Step& s) { byte_to_float(w, s, 1); }
template <> void execute<Op::v_cvt_f32_ubyte2>(Wave& w, const Step& s) { byte_to_float(w, s, 2); }
template <> void execute<Op::v_cvt_f32_ubyte3>(Wave& w, const Step& s) { byte_to_float(w, s, 3); }
// clang-format on
template <>
void execute<Op::v_cvt_f32_bf16>(Wave& w, const Step& s) {
    Sources a(w, s, 1, 1, false);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t x = a.in[0][l] << 16;
        x = (x & (s.ref[1].abs ? 0x7fffffff : ~0u)) ^ (s.ref[1].neg ? 0x80000000 : 0);
        d.word[l] = x;
    }
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

}  // namespace zyfa::sim
