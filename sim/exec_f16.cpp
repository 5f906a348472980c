// f16 arithmetic, scalar and packed, and the mixed f16/f32 rows. Sums and products are made exactly
// (or rounded to odd) in double and rounded once by MODE. Rows that came with gfx9 keep the other
// half of their destination, older ones clear it (LLVM zeroesHigh16BitsOfDest; certain).
// Source: CDNA3 ISA, pseudo-code (vendor text).
#include "sim/wide.hpp"

namespace zyfa::sim {

uint16_t round_to_f16(double x, const Mode& mode) {
    const auto bits = std::bit_cast<uint64_t>(x);
    const auto sign = uint16_t(bits >> 48 & 0x8000);
    if (x != x) return uint16_t(sign | 0x7e00 | (bits >> 42 & 0x1ff));
    const double a = std::fabs(x);
    if (a == 0) return sign;
    if (std::isinf(a)) return sign | 0x7c00;
    const int e = std::max(std::ilogb(a), -14);
    uint32_t code;
    bool overflow = e > 15;
    if (!overflow) {
        const double q = std::ldexp(a, 10 - e), whole = std::floor(q), rest = q - whole;
        auto n = uint32_t(whole);
        switch (mode.round16) {
            case 0: n += rest > 0.5 || (rest == 0.5 && n & 1); break;
            case 1: n += rest > 0 && !sign; break;
            case 2: n += rest > 0 && sign; break;
            default: break;
        }
        code = (uint32_t(e + 14) << 10) + n;
        overflow = code >= 0x7c00;
    }
    if (overflow) {
        const bool to_infinity =
            mode.round16 == 0 || (mode.round16 == 1 && !sign) || (mode.round16 == 2 && sign);
        code = to_infinity && !mode.fp16_ovfl ? 0x7c00 : 0x7bff;
    }
    if (mode.flush_out16 && code < 0x400) code = 0;
    return uint16_t(sign | code);
}

namespace {

// a * b + c of f16 values, rounded to odd in double, so that one more rounding is right.
double fma_odd(double a, double b, double c) {
    const double p = a * b, sum = p + c;
    if (!std::isfinite(sum)) return sum;
    const double t = sum - p, error = (p - (sum - t)) + (c - t);
    if (error == 0) return sum;
    auto bits = std::bit_cast<uint64_t>(sum);
    if ((error < 0) != (sum < 0)) --bits;
    return std::bit_cast<double>(bits | 1);
}

bool is_nan(uint16_t x) { return (x & 0x7fff) > 0x7c00; }
bool is_signaling(uint16_t x) { return is_nan(x) && !(x & 0x200); }
uint16_t extreme(uint16_t a, uint16_t b, bool larger, bool ieee) {
    if (ieee && is_signaling(a)) return a | 0x200;
    if (ieee && is_signaling(b)) return b | 0x200;
    if (is_nan(a)) return b;
    if (is_nan(b)) return a;
    const float x = f16_to_float(a), y = f16_to_float(b);
    if (x == 0 && y == 0) return larger ? a & b : a | b;
    return (x > y) == larger ? a : b;
}
uint16_t extreme_or_nan(uint16_t a, uint16_t b, bool larger) {
    return is_nan(a) ? a | 0x200 : is_nan(b) ? b | 0x200 : extreme(a, b, larger, false);
}
uint16_t middle(uint16_t a, uint16_t b, uint16_t c, bool ieee) {
    const uint16_t low = extreme(a, b, false, ieee), high = extreme(a, b, true, ieee);
    if (is_nan(a) || is_nan(b) || is_nan(c)) return extreme(low, c, false, ieee);
    return extreme(low, extreme(high, c, false, ieee), true, ieee);
}

uint16_t clamped(uint16_t x, const Mode& mode) {
    if (is_nan(x)) return mode.dx10_clamp ? 0 : x;
    return x & 0x8000 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}

// Where the destination row keeps its other half, op_sel's last bit says which half is written.
bool keeps_half(Op op) {
    return op == Op::v_fma_f16 || op == Op::v_div_fixup_f16 || op == Op::v_min3_f16 ||
           op == Op::v_max3_f16 || op == Op::v_med3_f16 || op == Op::v_fma_mixlo_f16 ||
           op == Op::v_fma_mixhi_f16;
}
void write_half(Wave& w, const Step& s, uint16_t* d, bool high) {
    const Mods& m = s.mods();
    if (m.omod) w.refuse(s, "output modifier on f16 is not simulated");
    const uint32_t* old = w.vector[s.ref[0].index].word;
    Lanes out;
    for (unsigned l = 0; l < kLanes; ++l) {
        const uint32_t x = m.clamp ? clamped(d[l], w.mode) : d[l];
        if (!keeps_half(s.op)) out.word[l] = x;
        else out.word[l] = high ? (old[l] & 0xffff) | x << 16 : (old[l] & 0xffff0000) | x;
    }
    w.write_lanes(s.ref[0], 0, out, w.exec());
}

template <unsigned N, class F>
void each(Wave& w, const Step& s, F f) {
    const Halves a(w, s, 1, 0), b(w, s, N > 1 ? 2 : 1, 1), c(w, s, N > 2 ? 3 : 1, 2);
    uint16_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = f(a.bits[l], b.bits[l], c.bits[l]);
    write_half(w, s, d, N == 3 && s.mods().op_sel >> 3 & 1);
}
template <unsigned N, class F>
void arithmetic(Wave& w, const Step& s, F f) {
    each<N>(w, s, [&](uint16_t a, uint16_t b, uint16_t c) {
        return round_to_f16(f(f16_to_float(a), f16_to_float(b), f16_to_float(c)), w.mode);
    });
}

double turn(double x, double (*f)(double)) {
    return std::isfinite(x) ? f(2 * M_PI * (x - std::rint(x))) : std::nan("");
}
double fract(double x) {
    const double d = x - std::floor(x);
    return d >= 1.0 ? 0x1.ffcp-1 : d;
}

}  // namespace

#define F16(op, count, ...)                                                                      \
    template <>                                                                                  \
    void execute<Op::op>(Wave & w, const Step& s) {                                              \
        arithmetic<count>(                                                                       \
            w, s, [](double a, double b, double c) { return (void(b), void(c), __VA_ARGS__); }); \
    }
#define F16_BITS(op, count, ...)                                    \
    template <>                                                     \
    void execute<Op::op>(Wave & w, const Step& s) {                 \
        const bool ieee = w.mode.ieee;                              \
        each<count>(w, s, [&](uint16_t a, uint16_t b, uint16_t c) { \
            return uint16_t((void(ieee), void(c), __VA_ARGS__));    \
        });                                                         \
    }
F16(v_add_f16, 2, a + b)
F16(v_sub_f16, 2, a - b)
F16(v_subrev_f16, 2, b - a)
F16(v_mul_f16, 2, a* b)
F16(v_fma_f16, 3, fma_odd(a, b, c))
F16(v_floor_f16, 1, std::floor(a))
F16(v_ceil_f16, 1, std::ceil(a))
F16(v_trunc_f16, 1, std::trunc(a))
F16(v_rndne_f16, 1, std::nearbyint(a))
F16(v_fract_f16, 1, fract(a))
F16(v_rcp_f16, 1, 1.0 / a)
F16(v_rsq_f16, 1, 1.0 / std::sqrt(a))
F16(v_sqrt_f16, 1, std::sqrt(a))
F16(v_exp_f16, 1, std::exp2(a))
F16(v_log_f16, 1, std::log2(a))
F16(v_sin_f16, 1, turn(a, std::sin))
F16(v_cos_f16, 1, turn(a, std::cos))
F16_BITS(v_max_f16, 2, extreme(a, b, true, ieee))
F16_BITS(v_min_f16, 2, extreme(a, b, false, ieee))
F16_BITS(v_max3_f16, 3, extreme(extreme(a, b, true, ieee), c, true, ieee))
F16_BITS(v_min3_f16, 3, extreme(extreme(a, b, false, ieee), c, false, ieee))
F16_BITS(v_med3_f16, 3, middle(a, b, c, ieee))

template <>
void execute<Op::v_frexp_mant_f16>(Wave& w, const Step& s) {
    arithmetic<1>(w, s, [](double a, double, double) {
        int e;
        return std::isfinite(a) ? std::frexp(a, &e) : a;
    });
}
template <>
void execute<Op::v_div_fixup_f16>(Wave& w, const Step& s) {
    each<3>(w, s, [](uint16_t q, uint16_t d, uint16_t n) -> uint16_t {
        const uint16_t sign = (d ^ n) & 0x8000, x = d & 0x7fff, y = n & 0x7fff;
        if (is_nan(n)) return n | 0x200;
        if (is_nan(d)) return d | 0x200;
        if ((x == 0 && y == 0) || (x == 0x7c00 && y == 0x7c00)) return 0xfe00;
        if (x == 0 || y == 0x7c00) return sign | 0x7c00;
        if (x == 0x7c00 || y == 0) return sign;
        return uint16_t(sign | (q & 0x7fff));
    });
}
template <>
void execute<Op::v_fmac_f16>(Wave& w, const Step& s) {
    const Halves a(w, s, 1, 0), b(w, s, 2, 1), c(w, s, 0, 2, false);
    uint16_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
        d[l] = round_to_f16(fma_odd(a.value(l), b.value(l), c.value(l)), w.mode);
    write_half(w, s, d, false);
}
template <>
void execute<Op::v_ldexp_f16>(Wave& w, const Step& s) {
    const Halves a(w, s, 1, 0);
    Lanes room;
    const uint32_t* by = w.lanes(s.ref[2], 0, room);
    uint16_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
        d[l] = round_to_f16(
            std::ldexp(double(a.value(l)), std::clamp<int>(int16_t(by[l]), -100, 100)), w.mode);
    write_half(w, s, d, false);
}

// --- conversions ---
template <>
void execute<Op::v_cvt_f16_f32>(Wave& w, const Step& s) {
    const Sources a(w, s, 1, 1, true);
    uint16_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = round_to_f16(f32(a.in[0][l]), w.mode);
    write_half(w, s, d, false);
}
template <>
void execute<Op::v_cvt_f32_f16>(Wave& w, const Step& s) {
    const Halves a(w, s, 1, 0);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = u32(a.value(l));
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, w.exec());
}
static void pair_of(Wave& w, const Step& s, unsigned round) {
    const Sources a(w, s, 1, 2, true);
    Mode mode = w.mode;
    mode.round16 = uint8_t(round);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l)
        d.word[l] = round_to_f16(f32(a.in[0][l]), mode) |
                    uint32_t(round_to_f16(f32(a.in[1][l]), mode)) << 16;
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <>
void execute<Op::v_cvt_pkrtz_f16_f32>(Wave& w, const Step& s) {
    pair_of(w, s, 3);
}
template <>
void execute<Op::v_cvt_pk_f16_f32>(Wave& w, const Step& s) {
    pair_of(w, s, 0);
}
template <>
void execute<Op::v_pack_b32_f16>(Wave& w, const Step& s) {
    const Halves a(w, s, 1, 0), b(w, s, 2, 1);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = a.bits[l] | uint32_t(b.bits[l]) << 16;
    w.write_lanes(s.ref[0], 0, d, w.exec());
}
template <class F>
static void to_word(Wave& w, const Step& s, F f) {
    const Halves a(w, s, 1, 0);
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = uint16_t(f(a.value(l)));
    w.write_lanes(s.ref[0], 0, d, w.exec());
}
template <>
void execute<Op::v_cvt_i16_f16>(Wave& w, const Step& s) {
    to_word(w, s, [](float x) { return x != x ? 0 : int(std::clamp(x, -32768.0f, 32767.0f)); });
}
template <>
void execute<Op::v_cvt_u16_f16>(Wave& w, const Step& s) {
    to_word(w, s, [](float x) { return x > 0 ? int(std::min(x, 65535.0f)) : 0; });
}
template <>
void execute<Op::v_frexp_exp_i16_f16>(Wave& w, const Step& s) {
    to_word(w, s, [](float x) {
        int e = 0;
        if (std::isfinite(x) && x != 0) std::frexp(x, &e);
        return e;
    });
}
template <class T>
static void from_integer(Wave& w, const Step& s) {
    Lanes room;
    const uint32_t* in = w.lanes(s.ref[1], 0, room);
    uint16_t d[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) d[l] = round_to_f16(double(T(in[l])), w.mode);
    write_half(w, s, d, false);
}
template <>
void execute<Op::v_cvt_f16_i16>(Wave& w, const Step& s) {
    from_integer<int16_t>(w, s);
}
template <>
void execute<Op::v_cvt_f16_u16>(Wave& w, const Step& s) {
    from_integer<uint16_t>(w, s);
}

// --- packed ---
// One half of a source: op_sel for the low result, op_sel_hi for the high one.
static uint16_t pick(const uint32_t* in, unsigned lane, const Wave& w, const Mods& m, unsigned n,
                     unsigned half) {
    const unsigned select = (half ? m.op_sel_hi : m.op_sel) >> n & 1;
    const unsigned flip = (half ? m.neg_hi : m.neg_lo) >> n & 1;
    auto x = uint16_t((in[lane] >> 16 * select) ^ (flip ? 0x8000 : 0));
    if (w.mode.flush16 && !(x & 0x7c00)) x &= 0x8000;
    return x;
}
template <unsigned N, class F>
static void packed(Wave& w, const Step& s, F f) {
    const Mods& m = s.mods();
    Lanes room[3], d;
    const uint32_t* in[3];
    for (unsigned n = 0; n < 3; ++n) in[n] = w.lanes(s.ref[n < N ? n + 1 : 1], 0, room[n]);
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t out = 0;
        for (unsigned half : {0, 1}) {
            uint16_t x[3] = {};
            for (unsigned n = 0; n < N; ++n) x[n] = pick(in[n], l, w, m, n, half);
            const uint16_t y = f(x[0], x[1], x[2]);
            out |= uint32_t(m.clamp ? clamped(y, w.mode) : y) << 16 * half;
        }
        d.word[l] = out;
    }
    w.write_lanes(s.ref[0], 0, d, w.exec());
}
#define PACKED(op, count, ...)                                                          \
    template <>                                                                         \
    void execute<Op::op>(Wave & w, const Step& s) {                                     \
        packed<count>(w, s, [&](uint16_t x, uint16_t y, uint16_t z) {                   \
            const double a = f16_to_float(x), b = f16_to_float(y), c = f16_to_float(z); \
            return (void(c), round_to_f16(__VA_ARGS__, w.mode));                        \
        });                                                                             \
    }
#define PACKED_BITS(op, count, ...)                                   \
    template <>                                                       \
    void execute<Op::op>(Wave & w, const Step& s) {                   \
        packed<count>(w, s, [&](uint16_t a, uint16_t b, uint16_t c) { \
            return uint16_t((void(c), __VA_ARGS__));                  \
        });                                                           \
    }
PACKED(v_pk_add_f16, 2, a + b)
PACKED(v_pk_mul_f16, 2, a* b)
PACKED(v_pk_fma_f16, 3, fma_odd(a, b, c))
PACKED_BITS(v_pk_max_f16, 2, extreme(a, b, true, w.mode.ieee))
PACKED_BITS(v_pk_min_f16, 2, extreme(a, b, false, w.mode.ieee))
PACKED_BITS(v_pk_maximum3_f16, 3, extreme_or_nan(extreme_or_nan(a, b, true), c, true))
PACKED_BITS(v_pk_minimum3_f16, 3, extreme_or_nan(extreme_or_nan(a, b, false), c, false))

// --- f16 or f32 sources, by op_sel_hi ---
static void mixed(Wave& w, const Step& s, Lanes& d) {
    const Mods& m = s.mods();
    float x[3][kLanes];
    for (unsigned n = 0; n < 3; ++n) {
        if (m.op_sel_hi >> n & 1) {
            const Halves a(w, s, n + 1, n);
            for (unsigned l = 0; l < kLanes; ++l) x[n][l] = a.value(l);
        } else {
            const Sources a(w, s, n + 1, 1, true);
            for (unsigned l = 0; l < kLanes; ++l) x[n][l] = f32(a.in[0][l]);
        }
    }
    for (unsigned l = 0; l < kLanes; ++l) d.word[l] = u32(std::fma(x[0][l], x[1][l], x[2][l]));
}
template <>
void execute<Op::v_fma_mix_f32>(Wave& w, const Step& s) {
    Lanes d;
    mixed(w, s, d);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, w.exec());
}
static void mixed_half(Wave& w, const Step& s, bool high) {
    Lanes d;
    mixed(w, s, d);
    uint16_t half[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) half[l] = round_to_f16(f32(d.word[l]), w.mode);
    write_half(w, s, half, high);
}
template <>
void execute<Op::v_fma_mixlo_f16>(Wave& w, const Step& s) {
    mixed_half(w, s, false);
}
template <>
void execute<Op::v_fma_mixhi_f16>(Wave& w, const Step& s) {
    mixed_half(w, s, true);
}

}  // namespace zyfa::sim
