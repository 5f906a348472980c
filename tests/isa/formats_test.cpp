// Every code of every format against arithmetic that shares nothing with isa/formats.hpp: ldexp
// for decoding, exhaustive nearest-neighbour search in double for encoding.
#include "isa/formats.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace zyfa;

namespace {

// The value of a code by the text of the OCP documents. NaN and infinity are listed by hand.
double value_of(Format f, unsigned code) {
    const auto plain = [&](int e_bits, int m_bits, int bias) {
        const int m = int(code & ((1u << m_bits) - 1)),
                  e = int(code >> m_bits & ((1u << e_bits) - 1));
        const double sign = code >> (e_bits + m_bits) & 1 ? -1 : 1;
        if (e == 0) return sign * std::ldexp(double(m), 1 - bias - m_bits);
        return sign * std::ldexp(double(m + (1 << m_bits)), e - bias - m_bits);
    };
    switch (f) {
        case Format::e4m3: return (code & 0x7f) == 0x7f ? NAN : plain(4, 3, 7);
        case Format::e5m2:
            if ((code & 0x7f) > 0x7c) return NAN;
            if ((code & 0x7f) == 0x7c) return code & 0x80 ? -INFINITY : INFINITY;
            return plain(5, 2, 15);
        case Format::e2m3: return plain(2, 3, 1);
        case Format::e3m2: return plain(3, 2, 3);
        case Format::e2m1: return plain(2, 1, 1);
    }
    return NAN;
}

// Nearest finite code, ties to the even code, by looking at all of them. -1: overflow.
int nearest(Format f, double x, double first_overflow) {
    if (std::abs(x) >= first_overflow) return -1;
    const unsigned sign = std::signbit(x) ? 1u << (info(f).bits() - 1) : 0;
    int best = -1;
    double best_distance = INFINITY;
    for (unsigned magnitude = 0; magnitude < 1u << (info(f).bits() - 1); ++magnitude) {
        const double v = value_of(f, magnitude);
        if (!std::isfinite(v)) continue;
        const double distance = std::abs(v - std::abs(x));
        if (distance < best_distance || (distance == best_distance && !(magnitude & 1)))
            best = int(magnitude | sign), best_distance = distance;
    }
    return best;
}

bool same(float a, double b) {
    return std::isnan(b) ? std::isnan(a) : double(a) == b && std::signbit(a) == std::signbit(b);
}

// Interesting floats around a format: all values, all midpoints, their neighbours, random ones.
std::vector<float> probes(Format f) {
    std::vector<float> out{0.f, -0.f, 1e-38f, -1e-45f, 1e30f, -1e30f, 3.4e38f};
    const unsigned half = 1u << (info(f).bits() - 1);
    for (unsigned code = 0; code < half; ++code) {
        const double a = value_of(f, code), b = value_of(f, code + 1);
        for (double x : {a, (a + b) / 2}) {
            if (!std::isfinite(x)) continue;
            const float y = float(x);
            for (float z : {y, std::nextafter(y, 1e30f), std::nextafter(y, -1e30f)})
                out.push_back(z), out.push_back(-z);
        }
    }
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        const double mantissa = 1 + double(random()) / 4294967296.0;
        const double x = std::ldexp(mantissa, int(random() % 40) - 22);
        out.push_back(float(random() & 1 ? -x : x));
    }
    return out;
}

}  // namespace

TEST_CASE("every code decodes to the value of the OCP text", "[isa][formats]") {
    for (unsigned n = 0; n < kFormats; ++n) {
        const Format f = Format(n);
        for (unsigned code = 0; code < 1u << info(f).bits(); ++code) {
            CAPTURE(info(f).name, code);
            REQUIRE(same(to_float(f, uint8_t(code)), value_of(f, code)));
        }
    }
}

TEST_CASE("encoding picks the nearest value and the even one of a tie", "[isa][formats]") {
    // First magnitude that overflows: half a step above the largest value. That midpoint itself
    // belongs to the even neighbour: 448 = 0x7e is even, 57344 = 0x7b odd.
    const double e4m3_limit = std::nextafter(464.0, 1e9), e5m2_limit = 61440.0;
    for (float x : probes(Format::e4m3)) {
        CAPTURE(x);
        const int code = nearest(Format::e4m3, x, e4m3_limit);
        const int sign = std::signbit(x) ? 0x80 : 0;
        REQUIRE(int(float_to_e4m3(x)) == (code < 0 ? 0x7f | sign : code));
        REQUIRE(int(float_to_e4m3_saturating(x)) == (code < 0 ? 0x7e | sign : code));
    }
    for (float x : probes(Format::e5m2)) {
        CAPTURE(x);
        const int code = nearest(Format::e5m2, x, e5m2_limit);
        const int sign = std::signbit(x) ? 0x80 : 0;
        REQUIRE(int(float_to_e5m2(x)) == (code < 0 ? 0x7c | sign : code));
        REQUIRE(int(float_to_e5m2_saturating(x)) == (code < 0 ? 0x7b | sign : code));
    }
    for (float x : probes(Format::e2m3))
        REQUIRE(int(float_to_e2m3(x)) == nearest(Format::e2m3, std::clamp(x, -7.5f, 7.5f), 99));
    for (float x : probes(Format::e3m2))
        REQUIRE(int(float_to_e3m2(x)) == nearest(Format::e3m2, std::clamp(x, -28.f, 28.f), 99));
    for (float x : probes(Format::e2m1))
        REQUIRE(int(float_to_e2m1(x)) == nearest(Format::e2m1, std::clamp(x, -6.f, 6.f), 99));
}

TEST_CASE("infinity and NaN have their own codes", "[isa][formats]") {
    const float inf = INFINITY, nan = std::bit_cast<float>(0x7fc00000u);
    REQUIRE(float_to_e4m3(inf) == 0x7f);
    REQUIRE(float_to_e4m3(-inf) == 0xff);
    REQUIRE(float_to_e4m3_saturating(inf) == 0x7e);
    REQUIRE(float_to_e4m3_saturating(-inf) == 0xfe);
    REQUIRE(float_to_e4m3(nan) == 0x7f);
    REQUIRE(float_to_e4m3(-nan) == 0xff);
    REQUIRE(float_to_e4m3_saturating(-nan) == 0xff);
    REQUIRE(float_to_e5m2(inf) == 0x7c);
    REQUIRE(float_to_e5m2_saturating(-inf) == 0xfb);
    REQUIRE(std::isnan(e5m2_to_float(float_to_e5m2(nan))));
    REQUIRE(float_to_e2m1(-inf) == 0xf);
    REQUIRE(float_to_e4m3(0.01f) == 0x05);  // subnormal: 5 * 2^-9
}

TEST_CASE("bf16 rounds to nearest even", "[isa][formats]") {
    for (uint32_t code = 0; code < 0x10000; ++code) {
        const float v = bf16_to_float(uint16_t(code));
        if (std::isnan(v)) {
            REQUIRE(std::isnan(bf16_to_float(float_to_bf16(v))));
            continue;
        }
        REQUIRE(float_to_bf16(v) == code);
        if (std::isinf(v) || (code & 0x7fff) == 0x7f7f) continue;
        const float above = bf16_to_float(uint16_t(code + 1));
        if (std::isinf(above)) continue;
        const float middle = float((double(v) + double(above)) / 2);
        REQUIRE(float_to_bf16(middle) == (code & 1 ? code + 1 : code));
        REQUIRE(float_to_bf16(std::nextafter(middle, v)) == code);
        REQUIRE(float_to_bf16(std::nextafter(middle, above)) == code + 1);
    }
    REQUIRE(float_to_bf16(std::bit_cast<float>(0x7f7f8000u)) == 0x7f80);  // tie at the top
    REQUIRE(float_to_bf16(std::bit_cast<float>(0x7f800001u)) == 0x7fc0);  // NaN never becomes inf
}

TEST_CASE("f16 agrees with the host's conversions", "[isa][formats]") {
    for (uint32_t code = 0; code < 0x10000; ++code) {
        const auto host = std::bit_cast<_Float16>(uint16_t(code));
        const float v = f16_to_float(uint16_t(code));
        CAPTURE(code);
        if (std::isnan(v)) {
            REQUIRE((code & 0x7fff) > 0x7c00);
            REQUIRE(float_to_f16(v) == (code | 0x200));
            continue;
        }
        REQUIRE(same(v, double(float(host))));
        REQUIRE(float_to_f16(v) == code);
        if ((code & 0x7fff) >= 0x7bff) continue;
        const float above = f16_to_float(uint16_t(code + 1)), middle = (v + above) / 2;
        for (float x : {middle, std::nextafter(middle, v), std::nextafter(middle, above)})
            REQUIRE(float_to_f16(x) == std::bit_cast<uint16_t>(_Float16(x)));
    }
    REQUIRE(float_to_f16(65519.f) == 0x7bff);
    REQUIRE(float_to_f16(65520.f) == 0x7c00);
    REQUIRE(float_to_f16(-1e9f) == 0xfc00);
}

TEST_CASE("E8M0 is a power of two per code", "[isa][formats]") {
    for (int code = 0; code < 255; ++code) {
        REQUIRE(double(e8m0_to_float(uint8_t(code))) == std::ldexp(1.0, code - 127));
        REQUIRE(e8m0_of_exponent(code - 127) == code);
    }
    REQUIRE(std::isnan(e8m0_to_float(0xff)));
    REQUIRE(e8m0_of_exponent(500) == 254);
    REQUIRE(e8m0_of_exponent(-500) == 0);
}
