// Rounding of a float into a small format as the conversion instructions do it.
#pragma once

#include <cmath>

#include "isa/formats.hpp"

namespace zyfa::sim {

// Vendor pseudo-code of v_prng_b32.
constexpr uint32_t next_random(uint32_t x) { return x << 1 ^ (x >> 31 ? 197u : 0u); }

// x * 2^exponent; 128 stands for the exponent field 255 of a scale.
inline float scaled(float x, int exponent) {
    if (exponent == 128 || exponent == -128) return std::numeric_limits<float>::quiet_NaN();
    return float(std::ldexp(double(x), exponent));
}

// To nearest even. What is too large: NaN, or infinity if the format has one, or the largest
// number if it has neither.
constexpr uint32_t nearest(Format f, float x) {
    return detail::encode(info(f), x, detail::Overflow::special);
}

// Up if the dropped part plus the top bits of `random` carry. The pseudo-code of v_cvt_sr_fp8_f32
// adds random[31:12] to the mantissa, so the top bits are the ones that count; it then rounds to
// nearest, which would round up too often, so here the sum is cut (trust: guess).
constexpr uint32_t stochastic(const FormatInfo& f, float x, uint32_t random) {
    const uint32_t u = std::bit_cast<uint32_t>(x), magnitude = u & 0x7fffffff;
    if (magnitude >= 0x7f800000) return detail::encode(f, x, detail::Overflow::special);
    if (magnitude < 0x00800000) return u >> 31 ? f.sign_bit() : 0;
    const int exponent = int(magnitude >> 23) - 127;
    const uint64_t significand = (magnitude & 0x7fffff) | 0x800000;
    const int below = std::max(0, f.min_exponent() - exponent);
    const int shift = 23 - f.mantissa_bits + below;
    const uint64_t add = shift > 31 ? 0 : random >> (32 - shift);
    const uint32_t kept = shift > 31 ? 0 : uint32_t((significand + add) >> shift);
    const uint32_t code =
        (uint32_t(std::max(0, exponent - f.min_exponent())) << f.mantissa_bits) + kept;
    const uint32_t sign = u >> 31 ? f.sign_bit() : 0;
    if (code <= f.max_code) return sign | code;
    return sign | (f.inf_code ? f.inf_code : f.nan_code ? f.nan_code : f.max_code);
}
constexpr uint32_t stochastic(Format f, float x, uint32_t random) {
    return stochastic(info(f), x, random);
}

}  // namespace zyfa::sim
