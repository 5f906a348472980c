#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "isa/error.hpp"
#include "isa/formats.hpp"
#include "isa/random.hpp"
#include "reference/activations.hpp"
#include "reference/quantise.hpp"

using namespace zyfa;

namespace {

// Mean share of attention that key 0 gets, and mean over rows of the deviation of scores.
struct Shape {
    double sink = 0, deviation = 0;
};
Shape shape_of(const AttentionData& d) {
    Shape result;
    const uint64_t n = d.shape.sq, first = n / 2;
    for (uint64_t i = first; i < n; i += 8) {
        std::vector<double> s;
        for (uint64_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (uint64_t c = 0; c < d.shape.d; ++c)
                sum += double(d.q[i * d.shape.d + c]) * d.k[j * d.shape.d + c];
            s.push_back(sum * d.scale);
        }
        double total = 0, mean = 0, square = 0;
        for (double x : s) total += std::exp(x - s[0]);
        for (size_t j = 1; j < s.size(); ++j) mean += s[j] / double(s.size() - 1);
        for (size_t j = 1; j < s.size(); ++j)
            square += (s[j] - mean) * (s[j] - mean) / double(s.size() - 1);
        result.sink += 1 / total;
        result.deviation += std::sqrt(square);
    }
    const double rows = double((n - first + 7) / 8);
    return {result.sink / rows, result.deviation / rows};
}

InputShape square(uint64_t n, Family f) {
    InputShape s;
    s.sq = s.sk = n;
    s.d = f == Family::mla ? 192 : 128;
    return s;
}

double root_mean_square(const std::vector<float>& values) {
    double sum = 0;
    for (float x : values) sum += double(x) * x;
    return std::sqrt(sum / double(values.size()));
}

}  // namespace

TEST_CASE("random numbers are those of the published algorithms", "[isa][random]") {
    // splitmix64(0) begins e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f, f88bb8a8724c81ec;
    // xoshiro256** gives rotl(s1 * 5, 7) * 9 of them first.
    REQUIRE(Random(0).bits() == std::rotl(0x6e789e6aa1b965f4ull * 5, 7) * 9);
    Random random(5);
    double sum = 0, sum2 = 0, sum4 = 0;
    constexpr int n = 200000;
    for (int i = 0; i < n; ++i) {
        const double x = random.normal();
        sum += x;
        sum2 += x * x;
        sum4 += x * x * x * x;
    }
    // five standard errors of each moment
    REQUIRE(std::abs(sum / n) < 5 / std::sqrt(double(n)));
    REQUIRE(std::abs(sum2 / n - 1) < 5 * std::sqrt(2.0 / n));
    REQUIRE(std::abs(sum4 / n - 3) < 5 * std::sqrt(96.0 / n));
}

TEST_CASE("LLM-like inputs have a sink, the wanted spread and outlier channels", "[reference]") {
    const Family f = GENERATE(Family::mistral, Family::qwen, Family::mla);
    const AttentionData d = generate(f, square(512, f), 1);
    const Shape s = shape_of(d);
    CAPTURE(int(f), s.sink, s.deviation);
    REQUIRE(s.sink > 0.2);
    REQUIRE(s.sink < 0.9);
    REQUIRE(s.deviation > 1.2);
    REQUIRE(s.deviation < 3.2);
    double largest = 0;
    for (uint64_t c = 0; c < d.shape.d; ++c) {
        double sum = 0;
        for (uint64_t j = 0; j < d.shape.sk; ++j)
            sum += double(d.k[j * d.shape.d + c]) * d.k[j * d.shape.d + c];
        largest = std::max(largest, std::sqrt(sum / double(d.shape.sk)));
    }
    REQUIRE(largest > 2 * root_mean_square(d.k));
    for (float x : d.k) REQUIRE(bf16_to_float(float_to_bf16(x)) == x);
}

TEST_CASE("the same seed gives the same input, another seed another", "[reference]") {
    const Family f = GENERATE(Family::gaussian, Family::mistral, Family::qwen, Family::mla);
    InputShape s = square(40, f);
    s.b = 2, s.hq = 4, s.hk = 2, s.sq = 17;
    const AttentionData a = generate(f, s, 7), b = generate(f, s, 7), c = generate(f, s, 8);
    REQUIRE(a.q == b.q);
    REQUIRE(a.k == b.k);
    REQUIRE(a.v == b.v);
    REQUIRE(a.k != c.k);
    REQUIRE(a.q.size() == 2 * 17 * 4 * s.d);
    for (float x : a.q) REQUIRE(std::isfinite(x));
    s.hk = 3;
    REQUIRE_THROWS_AS(generate(f, s, 7), Error);
    if (f == Family::gaussian) return;
    s.hk = 2, s.d = 64;
    REQUIRE_THROWS_AS(generate(f, s, 7), Error);
}

TEST_CASE("per-tensor e4m3 puts the largest magnitude at 448 and zero at zero", "[reference]") {
    const QuantisedTensor t = quantise_e4m3(std::vector<float>{0.5f, -3.5f, 1.75f, 0, -0.f});
    REQUIRE(t.descale == 3.5f / 448);
    REQUIRE(t.codes == std::vector<uint8_t>{0x68, 0xfe, 0x76, 0x00, 0x80});
    const QuantisedTensor zero = quantise_e4m3(std::vector<float>{0, 0});
    REQUIRE(zero.descale == 1);
    REQUIRE(zero.codes == std::vector<uint8_t>{0, 0});
    const QuantisedTensor tiny = quantise_e4m3(std::vector<float>{1e-38f});
    REQUIRE(std::isfinite(e4m3_to_float(tiny.codes[0])));
}

TEST_CASE("what quantisation costs lies where e4m3 rounding puts it", "[reference]") {
    // Gaussian data: q, k and v each carry about 2.6 % relative rounding error (3 mantissa bits).
    InputShape s = square(300, Family::gaussian);
    const AttentionData d = generate(Family::gaussian, s, 3);
    const QuantisedData q = quantise_e4m3(d);
    const AttentionError e = quantisation_error(d, q, true);
    REQUIRE(e.mismatches == 0);
    REQUIRE(e.rows_checked == 300);
    REQUIRE(e.frobenius_rel_err > 0.025);
    REQUIRE(e.frobenius_rel_err < 0.06);
    REQUIRE(quantisation_error(d, q, true, 10).rows_checked == 10);
    AttentionData exact = d;  // what is representable costs nothing
    for (auto* t : {&exact.q, &exact.k, &exact.v})
        for (float& x : *t) x = std::nearbyint(x);
    for (auto* t : {&exact.q, &exact.k, &exact.v}) (*t)[0] = 7;  // 7 = 448 / 64
    const AttentionError none = quantisation_error(exact, quantise_e4m3(exact), true);
    REQUIRE(none.frobenius_rel_err < 1e-7);
}

TEST_CASE("recorded activations are what their description says", "[reference]") {
    const std::string folder = ZYFA_SOURCE_DIR "/data";
    const AttentionData d = load_activations(folder, "sink_s1024");
    REQUIRE(d.shape.sq == 1024);
    REQUIRE(d.shape.sk == 1024);
    REQUIRE(root_mean_square(d.q) == Approx(1.424).epsilon(1e-3));
    REQUIRE(root_mean_square(d.k) == Approx(1.432).epsilon(1e-3));
    REQUIRE(root_mean_square(d.v) == Approx(4.499).epsilon(1e-3));
    REQUIRE(shape_of(d).sink > 0.1);
    REQUIRE(load_activations(folder, "sink_s1024", 128, 128, 100).q.size() == 12800);
    REQUIRE_THROWS_WITH(load_activations(folder, "sink_s1024", 128, 128, 2000),
                        Catch::Contains("has 1024 rows, 2000 are wanted"));
    REQUIRE_THROWS_WITH(load_activations(folder, "absent"),
                        Catch::Contains("absent_q.bin: no such"));
}
