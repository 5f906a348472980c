// Transcendental instructions: computed in double and rounded once to f32. The hardware is accurate
// to about 1 ulp and its bits are not public, so these rows are on the list of unproven results.
#include <cmath>

#include "sim/vector.hpp"

namespace zyfa::sim {

static inline double f64(uint64_t bits) { return std::bit_cast<double>(bits); }
static inline uint64_t u64(double value) { return std::bit_cast<uint64_t>(value); }

// 2^x: x = n + f, |f| <= 1/2, Taylor series of 2^f to degree 13 (next term below 2^-57).
static inline uint32_t exp2_bits(uint32_t a) {
    double x = f32(a);
    x = x < -200.0 ? -200.0 : x > 200.0 ? 200.0 : x;
    constexpr double kMagic = 0x1.8p52;
    double shifted = x + kMagic, f = x - (shifted - kMagic);
    constexpr double k = 0.69314718055994530942;
    double t = f * k, p = 1.0 / 6227020800.0;
    constexpr double kInverse[] = {1.0 / 479001600.0,
                                   1.0 / 39916800.0,
                                   1.0 / 3628800.0,
                                   1.0 / 362880.0,
                                   1.0 / 40320.0,
                                   1.0 / 5040.0,
                                   1.0 / 720.0,
                                   1.0 / 120.0,
                                   1.0 / 24.0,
                                   1.0 / 6.0,
                                   0.5,
                                   1.0,
                                   1.0};
    for (double c : kInverse) p = p * t + c;
    double scale = f64((u64(shifted) + 1023) << 52);
    uint32_t result = u32(float(p * scale));
    bool nan = (a & 0x7fffffff) > 0x7f800000;
    return nan ? a | 0x00400000 : result;
}

// log2(x): x = 2^e m, sqrt(1/2) < m <= sqrt(2), series of atanh((m - 1) / (m + 1)).
static inline uint32_t log2_bits(uint32_t a) {
    uint64_t bits = u64(double(f32(a)));
    double m = f64((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
    double e = f64(0x4330000000000000 | ((bits >> 52) & 0x7ff)) - 0x1p52 - 1023.0;
    bool high = m > 1.41421356237309504880;
    m = high ? m * 0.5 : m;
    e = high ? e + 1.0 : e;
    double s = (m - 1.0) / (m + 1.0), s2 = s * s;
    double p = 1.0 / 25;
    constexpr double kInverse[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                   1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    for (double c : kInverse) p = p * s2 + c;
    uint32_t result = u32(float(e + p * s * 2.88539008177792681472));
    uint32_t magnitude = a & 0x7fffffff;
    result = magnitude == 0 ? 0xff800000 : result;
    result = a == 0x7f800000 ? a : result;
    result = a > 0x80000000 ? 0x7fc00000 : result;
    return magnitude > 0x7f800000 ? a | 0x00400000 : result;
}

BODY1(v_exp_f32, exp2_bits(a))
BODY1(v_log_f32, log2_bits(a))
BODY1(v_rcp_f32, u32(1.0f / f32(a)))
BODY1(v_rsq_f32, u32(float(1.0 / std::sqrt(double(f32(a))))))
BODY1(v_sqrt_f32, u32(std::sqrt(f32(a))))

static void run1(Wave& w, const Step& s, Body1 body) {
    Sources a(w, s, 1, 1, true);
    Lanes d;
    body(d.word, a.in[0]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

// clang-format off
template <> void execute<Op::v_exp_f32>(Wave& w, const Step& s) { run1(w, s, lanes_v_exp_f32); }
template <> void execute<Op::v_log_f32>(Wave& w, const Step& s) { run1(w, s, lanes_v_log_f32); }
template <> void execute<Op::v_rcp_f32>(Wave& w, const Step& s) { run1(w, s, lanes_v_rcp_f32); }
template <> void execute<Op::v_rcp_iflag_f32>(Wave& w, const Step& s) { run1(w, s, lanes_v_rcp_f32); }
template <> void execute<Op::v_rsq_f32>(Wave& w, const Step& s) { run1(w, s, lanes_v_rsq_f32); }
template <> void execute<Op::v_sqrt_f32>(Wave& w, const Step& s) { run1(w, s, lanes_v_sqrt_f32); }
// clang-format on

}  // namespace zyfa::sim
