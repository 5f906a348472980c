// f64 arithmetic and conversions. The host's double is the hardware's; rounding follows MODE (the
// host is switched, exec_sdwa.cpp), denormals too. Source: CDNA3 ISA, pseudo-code (vendor text).
#include "sim/wide.hpp"

namespace zyfa::sim {
namespace {

constexpr uint64_t kQuiet = uint64_t(1) << 51;
bool is_signaling(uint64_t x) { return (x << 1) > 0xffe0000000000000 && !(x & kQuiet); }
uint64_t u64(double x) { return std::bit_cast<uint64_t>(x); }
double f64(uint64_t x) { return std::bit_cast<double>(x); }
bool is_denormal(double x) { return x != 0 && std::fabs(x) < 0x1p-1022; }
int exponent(double x) { return int(u64(x) >> 52 & 0x7ff); }

uint64_t extreme(uint64_t a, uint64_t b, bool larger, bool ieee) {
    const double x = f64(a), y = f64(b);
    if (ieee && is_signaling(a)) return a | kQuiet;
    if (ieee && is_signaling(b)) return b | kQuiet;
    if (x != x) return b;
    if (y != y) return a;
    if (x == 0 && y == 0) return larger ? a & b : a | b;
    return (x > y) == larger ? a : b;
}

template <class F>
void each1(Wave& w, const Step& s, F f) {
    const Wide a(w, s, 1, true);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = u64(f(a.f64(l)));
    finish_wide(w, s, d);
}
template <class F>
void each2(Wave& w, const Step& s, F f) {
    const Wide a(w, s, 1, true), b(w, s, 2, true);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = u64(f(a.f64(l), b.f64(l)));
    finish_wide(w, s, d);
}
template <class F>
void each3(Wave& w, const Step& s, const Wide& c, F f) {
    const Wide a(w, s, 1, true), b(w, s, 2, true);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = u64(f(l, a.f64(l), b.f64(l), c.f64(l)));
    finish_wide(w, s, d);
}
void each_extreme(Wave& w, const Step& s, bool larger) {
    const Wide a(w, s, 1, true), b(w, s, 2, true);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = extreme(a.bits[l], b.bits[l], larger, w.mode.ieee);
    finish_wide(w, s, d);
}
template <class F>
void to_word(Wave& w, const Step& s, bool is_float, F f) {
    const Wide a(w, s, 1, true);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = f(a.f64(l));
    if (is_float) finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, w.exec());
}
template <class F>
void from_word(Wave& w, const Step& s, bool is_float, F f) {
    const Sources a(w, s, 1, 1, is_float);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = u64(f(a.in[0][l]));
    finish_wide(w, s, d);
}

// Truncates and clamps; NaN gives 0.
uint32_t to_i32(double x) {
    return x != x ? 0
                  : uint32_t(int32_t(x >= 2147483647.0    ? 2147483647.0
                                     : x <= -2147483648.0 ? -2147483648.0
                                                          : x));
}
uint32_t to_u32(double x) { return x >= 4294967295.0 ? ~0u : x > 0 ? uint32_t(x) : 0; }

double fract(double x) {
    const double d = x - std::floor(x);
    return d >= 1.0 ? 0x1.fffffffffffffp-1 : d;
}
double mantissa(double x) {
    int e;
    return std::isfinite(x) ? std::frexp(x, &e) : x;
}
uint32_t frexp_exponent(double x) {
    int e = 0;
    if (std::isfinite(x) && x != 0) std::frexp(x, &e);
    return uint32_t(e);
}
double scaled(double x, uint32_t by) {
    const int n = int32_t(by);
    return std::ldexp(x, n < -5000 ? -5000 : n > 5000 ? 5000 : n);
}

// value, denominator, numerator. Sets the lane's bit where v_div_fmas has to scale back.
double div_scale(double s0, double s1, double s2, bool& flag) {
    flag = false;
    if (s2 == 0 || s1 == 0) return std::nan("");
    if (exponent(s2) - exponent(s1) >= 768) {
        flag = true;
        return s0 == s1 ? std::ldexp(s0, 128) : s0;
    }
    if (is_denormal(s1)) return std::ldexp(s0, 128);
    const bool inverse = is_denormal(1.0 / s1), quotient = is_denormal(s2 / s1);
    if (inverse && quotient) {
        flag = true;
        return s0 == s1 ? std::ldexp(s0, 128) : s0;
    }
    if (inverse) return std::ldexp(s0, -128);
    if (quotient) {
        flag = true;
        return s0 == s2 ? std::ldexp(s0, 128) : s0;
    }
    return exponent(s2) <= 53 ? std::ldexp(s0, 128) : s0;
}
// quotient, denominator, numerator
double div_fixup(double s0, double s1, double s2) {
    const bool negative = std::signbit(s1) != std::signbit(s2);
    const auto sign = [&](double x) { return negative ? -x : x; };
    if (s2 != s2) return f64(u64(s2) | kQuiet);
    if (s1 != s1) return f64(u64(s1) | kQuiet);
    if ((s1 == 0 && s2 == 0) || (std::isinf(s1) && std::isinf(s2))) return f64(0xfff8000000000000);
    if (s1 == 0 || std::isinf(s2)) return sign(HUGE_VAL);
    if (std::isinf(s1) || s2 == 0) return sign(0.0);
    if (exponent(s2) - exponent(s1) < -1075) return sign(0x1p-1074);
    return sign(std::fabs(s0));
}

}  // namespace

void finish_wide(Wave& w, const Step& s, uint64_t* bits) {
    static constexpr double kScale[] = {1, 2, 4, 0.5};
    const Mods& m = s.mods();
    if (m.omod && (!w.mode.flush_out16 || w.mode.ieee))
        w.refuse(s, "output modifier with denormals kept or IEEE mode has no defined result");
    for (unsigned l = 0; l < kLanes; ++l) {
        if (m.omod) bits[l] = u64(f64(bits[l]) * kScale[m.omod & 3]);
        if (w.mode.flush_out16 && is_denormal64(bits[l])) bits[l] &= uint64_t(1) << 63;
        if (!m.clamp) continue;
        const double x = f64(bits[l]);
        if (x != x && !w.mode.dx10_clamp) continue;
        bits[l] = u64(x > 0 ? (x < 1 ? x : 1.0) : 0.0);
    }
    write_wide(w, s.ref[0], bits, w.exec());
}

#define F64_1(op, ...)                                     \
    template <>                                            \
    void execute<Op::op>(Wave & w, const Step& s) {        \
        each1(w, s, [](double a) { return __VA_ARGS__; }); \
    }
#define F64_2(op, ...)                                               \
    template <>                                                      \
    void execute<Op::op>(Wave & w, const Step& s) {                  \
        each2(w, s, [](double a, double b) { return __VA_ARGS__; }); \
    }
F64_2(v_add_f64, a + b)
F64_2(v_mul_f64, a* b)
F64_1(v_floor_f64, std::floor(a))
F64_1(v_ceil_f64, std::ceil(a))
F64_1(v_trunc_f64, std::trunc(a))
F64_1(v_rndne_f64, std::nearbyint(a))
F64_1(v_fract_f64, fract(a))
F64_1(v_frexp_mant_f64, mantissa(a))
F64_1(v_rcp_f64, 1.0 / a)
F64_1(v_rsq_f64, 1.0 / std::sqrt(a))
F64_1(v_sqrt_f64, std::sqrt(a))

template <>
void execute<Op::v_max_f64>(Wave& w, const Step& s) {
    each_extreme(w, s, true);
}
template <>
void execute<Op::v_min_f64>(Wave& w, const Step& s) {
    each_extreme(w, s, false);
}
template <>
void execute<Op::v_fma_f64>(Wave& w, const Step& s) {
    each3(w, s, Wide(w, s, 3, true),
          [](unsigned, double a, double b, double c) { return std::fma(a, b, c); });
}
template <>
void execute<Op::v_fmac_f64>(Wave& w, const Step& s) {
    each3(w, s, Wide(w, s, 0, true),
          [](unsigned, double a, double b, double c) { return std::fma(a, b, c); });
}
template <>
void execute<Op::v_div_fmas_f64>(Wave& w, const Step& s) {
    const uint64_t vcc = w.scalar64(kVcc);
    each3(w, s, Wide(w, s, 3, true), [&](unsigned l, double a, double b, double c) {
        // As the f32 form: up or down by the exponent of the quotient (inferred).
        const double scale = exponent(c) > 1023 ? 0x1p128 : 0x1p-128;
        return std::fma(a, b, c) * (vcc >> l & 1 ? scale : 1.0);
    });
}
template <>
void execute<Op::v_div_fixup_f64>(Wave& w, const Step& s) {
    each3(w, s, Wide(w, s, 3, true),
          [](unsigned, double a, double b, double c) { return div_fixup(a, b, c); });
}
template <>
void execute<Op::v_div_scale_f64>(Wave& w, const Step& s) {
    const Wide a(w, s, 2, true), b(w, s, 3, true), c(w, s, 4, true);
    uint64_t d[kLanes], flags = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        bool flag;
        d[l] = u64(div_scale(a.f64(l), b.f64(l), c.f64(l), flag));
        flags |= uint64_t(flag) << l;
    }
    write_wide(w, s.ref[0], d, w.exec());
    w.write64(s.ref[1], flags & w.exec());
}
template <>
void execute<Op::v_ldexp_f64>(Wave& w, const Step& s) {
    const Wide a(w, s, 1, true);
    Lanes room;
    const uint32_t* by = w.lanes(s.ref[2], 0, room);
    uint64_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = u64(scaled(a.f64(l), by[l]));
    finish_wide(w, s, d);
}
template <>
void execute<Op::v_frexp_exp_i32_f64>(Wave& w, const Step& s) {
    to_word(w, s, false, frexp_exponent);
}
template <>
void execute<Op::v_cvt_i32_f64>(Wave& w, const Step& s) {
    to_word(w, s, false, to_i32);
}
template <>
void execute<Op::v_cvt_u32_f64>(Wave& w, const Step& s) {
    to_word(w, s, false, to_u32);
}
template <>
void execute<Op::v_cvt_f32_f64>(Wave& w, const Step& s) {
    to_word(w, s, true, [](double x) { return u32(float(x)); });
}
template <>
void execute<Op::v_cvt_f64_f32>(Wave& w, const Step& s) {
    from_word(w, s, true, [](uint32_t x) { return double(f32(x)); });
}
template <>
void execute<Op::v_cvt_f64_i32>(Wave& w, const Step& s) {
    from_word(w, s, false, [](uint32_t x) { return double(int32_t(x)); });
}
template <>
void execute<Op::v_cvt_f64_u32>(Wave& w, const Step& s) {
    from_word(w, s, false, [](uint32_t x) { return double(x); });
}

}  // namespace zyfa::sim
