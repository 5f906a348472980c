// Conversions with a scale, stochastic conversions, and the small helpers around them. Expected
// values are searched for among all codes of the format, decoded here in double.
#include <catch2/catch.hpp>

#include <cmath>

#include "isa/random.hpp"
#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

struct Small {
    const char* name;
    unsigned bits, mantissa;
    double largest;
    uint32_t overflow;  // code of what is too large
};
constexpr Small kSmall[] = {{"fp8", 8, 3, 448, 0x7f},
                            {"bf8", 8, 2, 57344, 0x7c},
                            {"fp6", 6, 3, 7.5, 0x1f},
                            {"bf6", 6, 2, 28, 0x1f},
                            {"fp4", 4, 1, 6, 0x07}};

double value(const Small& s, uint32_t code) {
    const uint32_t magnitude = code & ((1u << (s.bits - 1)) - 1), field = magnitude >> s.mantissa;
    const unsigned exponent_bits = s.bits - 1 - s.mantissa;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double fraction = double(magnitude & ((1u << s.mantissa) - 1)) / (1 << s.mantissa);
    const double x =
        field ? std::ldexp(1 + fraction, int(field) - bias) : std::ldexp(fraction, 1 - bias);
    return code >> (s.bits - 1) ? -x : x;
}
// Codes below the largest finite value grow with it.
uint32_t last_code(const Small& s) {
    uint32_t code = 0;
    while (value(s, code) < s.largest) ++code;
    return code;
}
// The code just below |x| (or equal), and whether x is exact.
std::pair<uint32_t, bool> below(const Small& s, double x) {
    uint32_t code = 0;
    while (code < last_code(s) && value(s, code + 1) <= std::fabs(x)) ++code;
    return {code, value(s, code) == std::fabs(x)};
}
uint32_t nearest(const Small& s, double x) {
    auto [code, exact] = below(s, x);
    const uint32_t sign = std::signbit(x) ? 1u << (s.bits - 1) : 0;
    if (exact) return sign | code;
    // One step further than the largest, as if the format went on.
    const double low = value(s, code);
    const double step = code < last_code(s) ? value(s, code + 1) - low : low - value(s, code - 1);
    const double middle = low + step / 2;
    const bool up = std::fabs(x) > middle || (std::fabs(x) == middle && code % 2);
    if (up && code == last_code(s)) return sign | s.overflow;
    return sign | (code + up);
}

struct Wide {
    const char* name;
    unsigned bits, mantissa;
};
constexpr Wide kWide[] = {{"f32", 32, 23}, {"f16", 16, 10}, {"bf16", 16, 7}};
uint32_t wide_code(const Wide& w, double x) {  // x is representable
    const uint32_t bits = std::bit_cast<uint32_t>(float(x));
    if (w.bits == 32) return bits;
    if (w.mantissa == 7) return bits >> 16;
    if (x == 0) return bits >> 16 & 0x8000;
    return (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff);
}
double random_wide(const Wide& w, Random& random) {
    const double fraction = 1 + double(random.below(1u << w.mantissa)) / (1u << w.mantissa);
    const double x = std::ldexp(fraction, int(random.below(20)) - 12);
    return random.below(2) ? -x : x;
}
uint32_t bits_at(const Lab& lab, unsigned first, unsigned lane, unsigned bit, unsigned bits) {
    uint32_t out = 0;
    for (unsigned n = 0; n < bits; ++n)
        out |= (lab.lane(first + (bit + n) / 32, lane) >> (bit + n) % 32 & 1) << n;
    return out;
}
std::string range(unsigned first, unsigned n) {
    return n == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + n - 1);
}
void put(Lab& lab, unsigned first, unsigned lane, unsigned bit, unsigned bits, uint32_t code) {
    for (unsigned n = 0; n < bits; ++n)
        if (code >> n & 1) lab.vgprs[first + (bit + n) / 32][lane] |= 1u << (bit + n) % 32;
}

constexpr unsigned kD = 4, kA = 40, kB = 80, kRandom = 100, kScale = 101;
constexpr uint32_t kOld = 0xa5c3961e;

}  // namespace

TEST_CASE("conversions to small formats divide by the scale and round", "[sim][scale]") {
    unsigned rows = 0;
    for (const Small& to : kSmall)
        for (const Wide& from : kWide)
            for (const char* count_name : {"", "pk_", "pk32_", "2xpk16_"})
                for (bool random : {false, true}) {
                    const auto op_name =
                        fmt::format("v_cvt_scalef32_{}{}{}_{}", random ? "sr_" : "", count_name,
                                    to.name, from.name);
                    const auto op = std::find_if(std::begin(kOps), std::end(kOps),
                                                 [&](auto& row) { return row.name == op_name; });
                    if (op == std::end(kOps)) continue;
                    ++rows;
                    CAPTURE(op_name);
                    Random numbers(rows);
                    const std::string_view n = count_name;
                    const unsigned count = n.empty() ? 1 : n == "pk_" ? 2 : 32;
                    const unsigned result = count * to.bits, words = (result + 31) / 32;
                    const bool two = op->columns[2].words == op->columns[1].words &&
                                     op->operand_count == 4 && !random;
                    Lab lab;
                    for (unsigned w = 0; w < words; ++w) lab.set(kD + w, kOld);
                    for (unsigned w = 0; w < 32; ++w) lab.set(kA + w, 0u);
                    for (unsigned w = 0; w < 16; ++w) lab.set(kB + w, 0u);
                    const int exponent = int(numbers.below(9)) - 4;
                    // Only the exponent of the scale counts.
                    lab.set(kScale, std::ldexp(1.75f, exponent));
                    const bool top = numbers.below(2);
                    lab.set(kRandom, top ? 0xffffffffu : 0u);
                    std::vector<double> in(64 * count);
                    for (unsigned lane = 0; lane < 64; ++lane)
                        for (unsigned e = 0; e < count; ++e) {
                            const double x = random_wide(from, numbers);
                            in[lane * count + e] = x;
                            put(lab, two && e % 2 ? kB : kA, lane, (two ? e / 2 : e) * from.bits,
                                from.bits, wide_code(from, x));
                        }
                    const unsigned part = result == 8    ? unsigned(numbers.below(4)) * 8
                                          : result == 16 ? unsigned(numbers.below(2)) * 16
                                                         : 0;
                    std::string select;
                    if (result == 8)
                        select = fmt::format(" op_sel:[0,0,{},{}]", part / 8 & 1, part / 16);
                    if (result == 16)
                        select = fmt::format(" op_sel:[0,0,{}{}]",
                                             op->operand_count == 4 ? "0," : "", part / 16);
                    std::string line = fmt::format("{} {}, {}", op_name, range(kD, words),
                                                   range(kA, op->columns[1].words));
                    if (two) line += ", " + range(kB, op->columns[2].words);
                    if (random) line += ", " + range(kRandom, 1);
                    for (unsigned w = 0; w < words; ++w) lab.watch.push_back(kD + w);
                    lab.exec = ~uint64_t(1);
                    lab.run(line + ", " + range(kScale, 1) + select);
                    CHECK(lab.lane(kD, 0) == kOld);
                    for (unsigned lane = 1; lane < 64; ++lane) {
                        for (unsigned e = 0; e < count; ++e) {
                            const double x = std::ldexp(in[lane * count + e], -exponent);
                            const uint32_t got =
                                bits_at(lab, kD, lane, part + e * to.bits, to.bits);
                            CAPTURE(lane, e, x, got);
                            if (!random) {
                                REQUIRE(got == nearest(to, x));
                                continue;
                            }
                            const auto [low, exact] = below(to, x);
                            const uint32_t sign = x < 0 ? 1u << (to.bits - 1) : 0;
                            const uint32_t up = low == last_code(to) ? to.overflow : low + 1;
                            const bool either =
                                got == (sign | low) || (!exact && got == (sign | up));
                            REQUIRE(either);
                            if (!top) REQUIRE(got == (sign | low));
                        }
                        if (result < 32) {
                            const uint32_t mask = ((1u << result) - 1) << part;
                            REQUIRE((lab.lane(kD, lane) & ~mask) == (kOld & ~mask));
                        }
                    }
                }
    CHECK(rows == 12 + 6 + 12);  // fp8 and bf8; fp4; fp6 and bf6
}

TEST_CASE("conversions from small formats multiply by the scale", "[sim][scale]") {
    unsigned rows = 0;
    for (const Small& from : kSmall)
        for (const Wide& to : kWide)
            for (const char* count_name : {"", "pk_", "pk32_"}) {
                const auto op_name =
                    fmt::format("v_cvt_scalef32_{}{}_{}", count_name, to.name, from.name);
                const auto op = std::find_if(std::begin(kOps), std::end(kOps),
                                             [&](auto& row) { return row.name == op_name; });
                if (op == std::end(kOps)) continue;
                ++rows;
                CAPTURE(op_name);
                Random numbers(rows);
                const std::string_view n = count_name;
                const unsigned count = n.empty() ? 1 : n == "pk_" ? 2 : 32;
                const unsigned source = count * from.bits, words = (count * to.bits + 31) / 32;
                Lab lab;
                for (unsigned w = 0; w < words; ++w) lab.set(kD + w, kOld);
                for (unsigned w = 0; w < 6; ++w) lab.set(kA + w, 0u);
                const int exponent = int(numbers.below(7)) - 3;
                lab.set(kScale, std::ldexp(1.25f, exponent));
                const unsigned skip = source == 8    ? unsigned(numbers.below(4)) * 8
                                      : source == 16 ? unsigned(numbers.below(2)) * 16
                                                     : 0;
                std::vector<double> in(64 * count);
                for (unsigned lane = 0; lane < 64; ++lane)
                    for (unsigned e = 0; e < count; ++e) {
                        uint32_t code = uint32_t(numbers.below(last_code(from) + 1));
                        if (numbers.below(2)) code |= 1u << (from.bits - 1);
                        in[lane * count + e] = value(from, code);
                        put(lab, kA, lane, skip + e * from.bits, from.bits, code);
                    }
                const bool half = count == 1 && to.bits == 16;  // the last entry picks it
                const unsigned part = half ? unsigned(numbers.below(2)) : 0;
                std::string select;
                if (source == 8) select = fmt::format("{},{},", skip / 8 & 1, skip / 16);
                if (source == 16) select = fmt::format("{},0,", skip / 16);
                if (!select.empty()) select = fmt::format(" op_sel:[{}{}]", select, part);
                for (unsigned w = 0; w < words; ++w) lab.watch.push_back(kD + w);
                lab.run(fmt::format("{} {}, {}, {}{}", op_name, range(kD, words),
                                    range(kA, op->columns[1].words), range(kScale, 1), select));
                for (unsigned lane = 0; lane < 64; ++lane) {
                    for (unsigned e = 0; e < count; ++e) {
                        const double x = std::ldexp(in[lane * count + e], exponent);
                        const uint32_t got =
                            bits_at(lab, kD, lane, 16 * part + e * to.bits, to.bits);
                        CAPTURE(lane, e, x);
                        // All are normal and exact, but for large bf8 in f16.
                        if (std::fabs(x) >= 65520 && to.mantissa == 10)
                            REQUIRE((got & 0x7fff) == 0x7c00);
                        else if (to.mantissa != 10 || std::fabs(x) >= 0x1p-14 || x == 0)
                            REQUIRE(got == (wide_code(to, x) |
                                            (std::signbit(x) ? 1u << (to.bits - 1) : 0)));
                    }
                    if (half)
                        REQUIRE((lab.lane(kD, lane) >> (part ? 0 : 16) & 0xffff) ==
                                (kOld >> (part ? 0 : 16) & 0xffff));
                }
            }
    CHECK(rows == 4 + 9 + 6);
}

TEST_CASE("stochastic rounding of f32: the top random bits are added below the cut",
          "[sim][scale]") {
    struct Row {
        const char* line;
        float x;
        uint32_t random, result;
    };
    const Row row = GENERATE(values<Row>({
        {"v_cvt_sr_bf16_f32 v3, v1, v2", 1.0f + 0x1p-8f, 0x7fff0000, 0xa5c33f80},
        {"v_cvt_sr_bf16_f32 v3, v1, v2", 1.0f + 0x1p-8f, 0x80000000, 0xa5c33f81},
        {"v_cvt_sr_bf16_f32 v3, v1, v2 op_sel:[0,0,1]", -1.0f, 0xffffffff, 0xbf80961e},
        {"v_cvt_sr_f16_f32 v3, v1, v2", 1.0f + 0x1p-11f, 0x7fffffff, 0xa5c33c00},
        {"v_cvt_sr_f16_f32 v3, v1, v2", 1.0f + 0x1p-11f, 0x80000000, 0xa5c33c01},
        {"v_cvt_sr_fp8_f32 v3, v1, v2 op_sel:[0,0,1,0]", 1.0625f, 0x80000000, 0xa5c3391e},
        {"v_cvt_sr_fp8_f32 v3, v1, v2 op_sel:[0,0,0,1]", 1.0625f, 0x7fffffff, 0xa538961e},
        {"v_cvt_sr_bf8_f32 v3, v1, v2 op_sel:[0,0,1,1]", -1.125f, 0x80000000, 0xbdc3961e},
    }));
    CAPTURE(row.line, row.x, row.random);
    Lab lab;
    lab.set(1, row.x);
    lab.set(2, row.random);
    lab.set(3, kOld);
    lab.watch = {3};
    lab.run(row.line);
    CHECK(lab.lane(3, 17) == row.result);
}

TEST_CASE("shifts into clamped bytes, random steps, bytes to floats", "[sim][scale]") {
    struct Row {
        const char* line;
        uint32_t a, b, c, result;
    };
    const Row row = GENERATE(values<Row>({
        {"v_ashr_pk_u8_i32 v4, v1, v2, v3", 0x1234, uint32_t(-5), 4, 0xa5c300ff},
        {"v_ashr_pk_u8_i32 v4, v1, v2, v3", 0x7f0, 0x30, 36, 0xa5c3037f},  // 36 & 31 = 4
        {"v_ashr_pk_i8_i32 v4, v1, v2, v3", uint32_t(-3000), 3000, 4, 0xa5c37f80},
        {"v_ashr_pk_i8_i32 v4, v1, v2, v3 op_sel:[0,0,0,1]", uint32_t(-32), 16, 4, 0x01fe961e},
        {"v_prng_b32 v4, v1", 0x80000001, 0, 0, 2 ^ 197},
        {"v_prng_b32 v4, v1", 0x40000001, 0, 0, 0x80000002},
        {"v_cvt_f32_fp8 v4, v1", 0xffffff38, 0, 0, 0x3f800000},
        {"v_cvt_f32_bf8 v4, v1", 0xffffffbe, 0, 0, 0xbfc00000},
        {"v_cvt_f32_bf8 v4, v1", 0x7c, 0, 0, 0x7f800000},
        {"v_cvt_f32_bf8 v4, v1", 0x01, 0, 0, 0x37800000},
        {"v_accvgpr_write_b32 a1, v1\ns_nop 1\nv_accvgpr_mov_b32 a2, a1\ns_nop 1\n"
         "v_accvgpr_read_b32 v4, a2",
         77, 0, 0, 77},
    }));
    CAPTURE(row.line, row.a, row.b, row.c);
    Lab lab;
    lab.set(1, row.a);
    lab.set(2, row.b);
    lab.set(3, row.c);
    lab.set(4, kOld);
    lab.watch = {4};
    lab.run(row.line);
    CHECK(lab.lane(4, 33) == row.result);
}
