#include <catch2/catch.hpp>
#include <cmath>

#include "isa/formats.hpp"
#include "tests/kernels/call.hpp"

using namespace zyfa;
using test::Call;
using test::Outcome;

namespace {

const char* const kKernels[] = {"fp8_d128_causal", "fp8_d128_full"};

// 0.03: e4m3 rounds P with a relative step of 2^-4, uniformly distributed, 2.5 % for a row where
// one key dominates; the other errors (bf16 output 2^-9, fp32 sums) vanish beside it.
// 1e-5: LSE is made in fp32 from an unrounded row sum; 8 or so roundings of numbers up to 16.
void check_bounds(const Outcome& r) {
    CHECK_FALSE(r.error.frobenius_rel_err > 0.03);  // NaN where all rows are masked
    CHECK_FALSE(r.error.lse_max_abs_err > 1e-5);
    CHECK(r.error.mismatches == 0);
    CHECK(r.error.lse_mismatches == 0);
    CHECK(r.broken_guards.empty());
    for (const Finding& f : r.result.findings)
        FAIL_CHECK(f.rule << " " << f.text << " / " << f.other << ": " << f.message);
}

void set(Prepared& p, const char* buffer, uint64_t at, uint8_t value) {
    uint64_t address = p.memory.address_of(buffer) + at;
    p.memory.write(address, std::span(&value, 1));
}
void fill(Prepared& p, const char* buffer, uint64_t at, uint64_t count, uint8_t value) {
    for (uint64_t n = 0; n < count; ++n) set(p, buffer, at + n, value);
}

}  // namespace

TEST_CASE("any lengths, any head ratio: within the error of e4m3's P, no finding", "[kernels]") {
    auto kernel = GENERATE(from_range(std::begin(kKernels), std::end(kKernels)));
    auto [sq, sk] = GENERATE(table<uint64_t, uint64_t>({
        {1, 1},
        {5, 2},
        {63, 64},
        {64, 63},
        {257, 1},
        {256, 128},
        {300, 333},
        {1, 512},
        {4, 0},
    }));
    auto [b, h, hk] = GENERATE(table<uint64_t, uint64_t, uint64_t>({{1, 4, 2}, {3, 7, 1}}));
    CAPTURE(kernel, b, h, hk, sq, sk);
    Call call{.kernel = kernel, .b = b, .h = h, .hk = hk, .sq = sq, .sk = sk, .seed = sq + sk};
    check_bounds(test::run(call));
}

TEST_CASE("bits do not depend on interleaving, arrival times, poison or threads", "[kernels]") {
    auto kernel = GENERATE(from_range(std::begin(kKernels), std::end(kKernels)));
    Call call{.kernel = kernel, .h = 2, .hk = 1, .sq = 300, .sk = 333};
    Outcome first = test::run(call);
    for (uint64_t seed : {0, 1, 2, 99}) {
        Options options;
        options.seed = seed;
        options.threads = seed % 2 + 1;
        Outcome again = test::run(call, options);
        CAPTURE(seed);
        CHECK(again.o == first.o);
        CHECK(again.lse == first.lse);
        CHECK(again.result.findings.empty());
    }
}

TEST_CASE("all three accumulator models stay within the bounds", "[kernels]") {
    auto model = GENERATE(Accumulate::exact, Accumulate::cdna3, Accumulate::fma);
    Options options;
    options.accumulate = model;
    check_bounds(test::run({.h = 2, .sq = 130, .sk = 257}, options));
}

TEST_CASE("a row that sees no key is 0 with LSE -inf", "[kernels]") {
    Call call{.sq = 300, .sk = 44};  // causal: the first 256 rows lie above the diagonal
    Outcome r = test::run(call);
    check_bounds(r);
    for (uint64_t row : {0, 100, 255}) {
        CHECK(r.lse_at(call, 0, 0, row) == -INFINITY);
        for (uint64_t c = 0; c < 128; ++c) CHECK(r.at(call, 0, row, 0, c) == 0.0f);
    }
    CHECK(std::isfinite(r.lse_at(call, 0, 0, 256)));
}

TEST_CASE("layout does not change the result", "[kernels]") {
    Call call{.kernel = "fp8_d128_full", .b = 2, .h = 2, .hk = 1, .sq = 70, .sk = 100};
    Outcome plain = test::run(call);
    call.row_gap = {128, 256, 16, 48};  // k: every third token of a larger buffer, o: gaps
    Outcome gapped = test::run(call);
    check_bounds(gapped);
    for (uint64_t row = 0; row < call.sq; ++row)
        for (uint64_t c = 0; c < 128; c += 7)
            CHECK(gapped.at(call, 1, row, 1, c) == plain.at({.h = 2, .sq = 70}, 1, row, 1, c));
    CHECK(gapped.lse == plain.lse);
    // What lies between the rows of o is not touched: poison is all ones.
    for (uint64_t n = 256; n < 256 + 48; ++n) CHECK(gapped.o[2 * n] == 0xff);
}

TEST_CASE("without LSE nothing is written for it", "[kernels]") {
    check_bounds(test::run({.sq = 65, .sk = 65, .want_lse = false}));
}

TEST_CASE("descales and softmax scale: any finite value", "[kernels]") {
    auto scale = GENERATE(0.0, -0.1, 0.5);
    auto kernel = GENERATE(from_range(std::begin(kKernels), std::end(kKernels)));
    CAPTURE(scale, kernel);
    Call call{.kernel = kernel, .sq = 65, .sk = 129, .scale = scale, .descale = {0.5, 0.25, 3}};
    check_bounds(test::run(call));
}

TEST_CASE("huge scores: one key takes all, nothing overflows", "[kernels]") {
    // 128 products of 448 * 448 times 0.5: scores up to 1.3e7
    Call call{.kernel = "fp8_d128_full", .sq = 33, .sk = 65, .scale = 0.5, .spread = 200};
    Outcome r = test::run(call);
    CHECK(r.error.mismatches == 0);
    CHECK(r.error.frobenius_rel_err <= 0.03);
    CHECK(r.result.findings.empty());
}

TEST_CASE("equal scores give the mean of V, exactly to bf16", "[kernels]") {
    Call call{.kernel = "fp8_d128_full", .sq = 3, .sk = 100};
    Outcome r = test::run(call, {}, [&](Prepared& p) {
        fill(p, "q", 0, 3 * 128, 0);
        fill(p, "v", 0, 100 * 128, 0x38);  // 1.0
    });
    for (uint64_t c = 0; c < 128; ++c) CHECK(r.at(call, 0, 2, 0, c) == 1.0f);
    CHECK(r.lse_at(call, 0, 0, 0) == Approx(std::log(100.0)).margin(1e-6));
}

TEST_CASE("one key: output is that row of V, LSE its score", "[kernels]") {
    Call call{.sq = 1, .sk = 1};
    Outcome r = test::run(call, {}, [](Prepared& p) {
        for (uint64_t c = 0; c < 128; ++c) set(p, "v", c, float_to_e4m3(float(c % 16) / 8));
    });
    for (uint64_t c = 0; c < 128; ++c) CHECK(r.at(call, 0, 0, 0, c) == float(c % 16) / 8);
    check_bounds(r);
}

TEST_CASE("a NaN in Q, or in a visible K or V, reaches its rows and no others", "[kernels]") {
    Call call{.kernel = "fp8_d128_causal", .sq = 64, .sk = 64};
    auto code = GENERATE(uint8_t(0x7f), uint8_t(0xff));
    SECTION("Q") {
        Outcome r = test::run(call, {}, [&](Prepared& p) { set(p, "q", 10 * 128 + 5, code); });
        for (uint64_t row = 0; row < 64; ++row) {
            CHECK(std::isnan(r.at(call, 0, row, 0, 0)) == (row == 10));
            CHECK(std::isnan(r.lse_at(call, 0, 0, row)) == (row == 10));
        }
    }
    SECTION("K") {
        Outcome r = test::run(call, {}, [&](Prepared& p) { set(p, "k", 40 * 128 + 99, code); });
        for (uint64_t row = 0; row < 64; ++row)
            CHECK(std::isnan(r.at(call, 0, row, 0, 3)) == (row >= 40));
    }
    SECTION("V") {
        Outcome r = test::run(call, {}, [&](Prepared& p) { set(p, "v", 40 * 128 + 99, code); });
        for (uint64_t row = 40; row < 64; ++row) CHECK(std::isnan(r.at(call, 0, row, 0, 99)));
        CHECK(r.error.mismatches == 0);  // rows before may take it: the same tile of keys
    }
}

TEST_CASE("keys past the end are never seen, whatever lies there", "[kernels]") {
    // Two batch entries in one buffer: behind the last key of the first lies the second, all NaN.
    Call call{.kernel = "fp8_d128_full", .b = 2, .sq = 40, .sk = 70};
    Outcome r = test::run(call, {}, [](Prepared& p) {
        fill(p, "k", 70 * 128, 70 * 128, 0x7f);
        fill(p, "v", 70 * 128, 70 * 128, 0x7f);
    });
    for (uint64_t row = 0; row < 40; ++row) {
        CHECK(std::isfinite(r.at(call, 0, row, 0, 0)));
        CHECK(std::isnan(r.at(call, 1, row, 0, 0)));
    }
}
