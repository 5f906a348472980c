// Small number formats: decode to float (exact) and encode from float (round to nearest even).
// No LLVM, no host rounding mode: integer arithmetic on the bits of the float.
// Sources: OCP 8-bit floating point 1.0 (e4m3 "fn" and e5m2), OCP microscaling formats 1.0 (e2m3,
// e3m2, e2m1, E8M0); trust: certain. What gfx950 instructions do beyond that (MODE.FP16_OVFL,
// flushing) belongs to the simulator, not here.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace zyfa {

// Matrix operand formats of the f8f6f4 instructions; the values are those of cbsz and blgp.
enum class Format : uint8_t { e4m3 = 0, e5m2 = 1, e2m3 = 2, e3m2 = 3, e2m1 = 4 };
inline constexpr unsigned kFormats = 5;

// Layout of a format: sign, exponent_bits, mantissa_bits from high to low. The magnitude code
// (everything below the sign) counts upward with the value, so that the largest finite value,
// infinity and NaN are places on that one scale.
struct FormatInfo {
    const char* name;
    uint8_t exponent_bits, mantissa_bits;
    uint32_t max_code;  // largest finite magnitude
    uint32_t inf_code;  // 0: the format has no infinity
    uint32_t nan_code;  // 0: the format has no NaN; e5m2 and f16: the canonical quiet one

    constexpr unsigned bits() const { return 1u + exponent_bits + mantissa_bits; }
    constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    constexpr int min_exponent() const { return 1 - bias(); }  // of the normal numbers
    constexpr uint32_t sign_bit() const { return 1u << (exponent_bits + mantissa_bits); }
};
inline constexpr FormatInfo kFormatInfo[kFormats] = {
    {"e4m3", 4, 3, 0x7e, 0, 0x7f}, {"e5m2", 5, 2, 0x7b, 0x7c, 0x7e}, {"e2m3", 2, 3, 0x1f, 0, 0},
    {"e3m2", 3, 2, 0x1f, 0, 0},    {"e2m1", 2, 1, 0x07, 0, 0},
};
inline constexpr FormatInfo kF16Info{"f16", 5, 10, 0x7bff, 0x7c00, 0x7e00};
constexpr const FormatInfo& info(Format f) { return kFormatInfo[unsigned(f)]; }

namespace detail {

constexpr float decode(const FormatInfo& f, uint32_t code) {
    const uint32_t sign = code & f.sign_bit() ? 0x80000000u : 0u;
    const uint32_t magnitude = code & (f.sign_bit() - 1);
    const bool nan = f.inf_code ? magnitude > f.inf_code : f.nan_code && magnitude == f.nan_code;
    if (nan) return std::bit_cast<float>(sign | 0x7fc00000u);
    if (f.inf_code && magnitude == f.inf_code) return std::bit_cast<float>(sign | 0x7f800000u);
    const int field = int(magnitude >> f.mantissa_bits);
    uint32_t mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
    int exponent = field - f.bias();
    if (field == 0) {
        if (mantissa == 0) return std::bit_cast<float>(sign);
        exponent = f.min_exponent();
        while (!(mantissa >> f.mantissa_bits)) mantissa <<= 1, --exponent;
        mantissa &= (1u << f.mantissa_bits) - 1;
    }
    return std::bit_cast<float>(sign | uint32_t(exponent + 127) << 23 |
                                mantissa << (23 - f.mantissa_bits));
}

// Magnitude code of |x| rounded to nearest even on an unbounded exponent scale: a result above
// max_code means overflow. x is finite. Exact for every format whose half smallest subnormal is
// a normal float, which holds for all formats here.
constexpr uint32_t round_magnitude(const FormatInfo& f, float x) {
    const uint32_t u = std::bit_cast<uint32_t>(x) & 0x7fffffffu;
    if (u < 0x00800000u) return 0;  // zero or float subnormal, below half of any subnormal here
    const int exponent = int(u >> 23) - 127;
    const uint32_t significand = (u & 0x7fffffu) | 0x800000u;
    const int below = std::max(0, f.min_exponent() - exponent);  // places lost as a subnormal
    const int shift = 23 - f.mantissa_bits + below;
    if (shift > 24) return 0;
    const uint32_t rest = significand & ((1u << shift) - 1), half = 1u << (shift - 1);
    uint32_t kept = significand >> shift;
    kept += rest > half || (rest == half && (kept & 1));
    return (uint32_t(std::max(0, exponent - f.min_exponent())) << f.mantissa_bits) + kept;
}

enum class Overflow { special, saturate };  // special: infinity if the format has it, else NaN

constexpr uint32_t encode(const FormatInfo& f, float x, Overflow mode) {
    const uint32_t u = std::bit_cast<uint32_t>(x);
    const uint32_t sign = u >> 31 ? f.sign_bit() : 0u;
    const bool saturate = mode == Overflow::saturate || (!f.inf_code && !f.nan_code);
    if ((u & 0x7fffffffu) > 0x7f800000u) return sign | (f.nan_code ? f.nan_code : f.max_code);
    const bool infinite = (u & 0x7fffffffu) == 0x7f800000u;
    const uint32_t code = infinite ? f.max_code + 1 : round_magnitude(f, x);
    if (code <= f.max_code) return sign | code;
    return sign | (saturate ? f.max_code : f.inf_code ? f.inf_code : f.nan_code);
}

template <Format F>
constexpr auto make_table() {
    std::array<float, 1u << info(F).bits()> table{};
    for (unsigned code = 0; code < table.size(); ++code) table[code] = decode(info(F), code);
    return table;
}

}  // namespace detail

inline constexpr auto kE4m3 = detail::make_table<Format::e4m3>();
inline constexpr auto kE5m2 = detail::make_table<Format::e5m2>();
inline constexpr auto kE2m3 = detail::make_table<Format::e2m3>();
inline constexpr auto kE3m2 = detail::make_table<Format::e3m2>();
inline constexpr auto kE2m1 = detail::make_table<Format::e2m1>();

// Codes of 6 and 4 bits stand in the low bits; bits above are ignored.
constexpr float e4m3_to_float(uint8_t code) { return kE4m3[code]; }
constexpr float e5m2_to_float(uint8_t code) { return kE5m2[code]; }
constexpr float e2m3_to_float(uint8_t code) { return kE2m3[code & 63]; }
constexpr float e3m2_to_float(uint8_t code) { return kE3m2[code & 63]; }
constexpr float e2m1_to_float(uint8_t code) { return kE2m1[code & 15]; }
constexpr float to_float(Format f, uint8_t code) {
    switch (f) {
        case Format::e4m3: return e4m3_to_float(code);
        case Format::e5m2: return e5m2_to_float(code);
        case Format::e2m3: return e2m3_to_float(code);
        case Format::e3m2: return e3m2_to_float(code);
        case Format::e2m1: return e2m1_to_float(code);
    }
    return std::numeric_limits<float>::quiet_NaN();
}

// NaN keeps its sign. Overflow and infinity: e4m3 gives NaN (0x7f, 0xff), e5m2 infinity.
constexpr uint8_t float_to_e4m3(float x) {
    return uint8_t(detail::encode(info(Format::e4m3), x, detail::Overflow::special));
}
constexpr uint8_t float_to_e5m2(float x) {
    return uint8_t(detail::encode(info(Format::e5m2), x, detail::Overflow::special));
}
// Overflow and infinity give the largest finite value (448, 57344); NaN stays NaN.
constexpr uint8_t float_to_e4m3_saturating(float x) {
    return uint8_t(detail::encode(info(Format::e4m3), x, detail::Overflow::saturate));
}
constexpr uint8_t float_to_e5m2_saturating(float x) {
    return uint8_t(detail::encode(info(Format::e5m2), x, detail::Overflow::saturate));
}
// These have neither infinity nor NaN: everything too large, NaN included, gives the largest
// value (7.5, 28, 6). OCP leaves NaN open; trust of that one choice: guess.
constexpr uint8_t float_to_e2m3(float x) {
    return uint8_t(detail::encode(info(Format::e2m3), x, detail::Overflow::saturate));
}
constexpr uint8_t float_to_e3m2(float x) {
    return uint8_t(detail::encode(info(Format::e3m2), x, detail::Overflow::saturate));
}
constexpr uint8_t float_to_e2m1(float x) {
    return uint8_t(detail::encode(info(Format::e2m1), x, detail::Overflow::saturate));
}
constexpr uint8_t from_float_saturating(Format f, float x) {
    return uint8_t(detail::encode(info(f), x, detail::Overflow::saturate));
}

constexpr float f16_to_float(uint16_t code) {
    const uint32_t magnitude = code & 0x7fffu;
    if (magnitude > kF16Info.inf_code)  // keep the payload, set the quiet bit
        return std::bit_cast<float>(uint32_t(code & 0x8000u) << 16 | 0x7fc00000u |
                                    (magnitude & 0x3ffu) << 13);
    return detail::decode(kF16Info, code);
}
constexpr uint16_t float_to_f16(float x) {
    const uint32_t u = std::bit_cast<uint32_t>(x);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return uint16_t((u >> 16 & 0x8000u) | kF16Info.nan_code | (u >> 13 & 0x3ffu));
    return uint16_t(detail::encode(kF16Info, x, detail::Overflow::special));
}

constexpr float bf16_to_float(uint16_t code) { return std::bit_cast<float>(uint32_t(code) << 16); }
constexpr uint16_t float_to_bf16(float x) {
    const uint32_t u = std::bit_cast<uint32_t>(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return uint16_t(u >> 16 | 0x40u);
    return uint16_t((u + 0x7fffu + (u >> 16 & 1)) >> 16);  // a carry out of the top is infinity
}

// E8M0 block scale: 2^(code - 127), 0xff is NaN. Code 0 is 2^-127, a float subnormal.
constexpr float e8m0_to_float(uint8_t code) {
    if (code == 0xff) return std::numeric_limits<float>::quiet_NaN();
    return std::bit_cast<float>(code ? uint32_t(code) << 23 : 0x00400000u);
}
// The code of 2^exponent, clamped to the range of the format (-127..127).
constexpr uint8_t e8m0_of_exponent(int exponent) {
    return uint8_t(std::clamp(exponent, -127, 127) + 127);
}

}  // namespace zyfa
