#include "reference/attention.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/error.hpp"
#include "isa/formats.hpp"
#include "isa/random.hpp"

using namespace zyfa;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
using Bytes = std::vector<uint8_t>;

Bytes random_f32(uint64_t n, uint64_t seed) {
    Random random(seed);
    Bytes bytes(4 * n);
    for (uint64_t i = 0; i < n; ++i) write_element(DType::f32, bytes.data(), i, random.normal());
    return bytes;
}

struct Problem {
    Bytes q, k, v;
    Attention a;
    Problem(uint64_t b, uint64_t sq, uint64_t sk, uint64_t hq, uint64_t hk, uint64_t d, uint64_t dv)
        : q(random_f32(b * sq * hq * d, 1)),
          k(random_f32(b * sk * hk * d, 2)),
          v(random_f32(b * sk * hk * dv, 3)) {
        a.q = contiguous_view(DType::f32, q, {b, sq, hq, d});
        a.k = contiguous_view(DType::f32, k, {b, sk, hk, d});
        a.v = contiguous_view(DType::f32, v, {b, sk, hk, dv});
        a.scale = 0.3;
    }
};

// The definition, element by element, with nothing shared with the code under test.
struct Plain {
    std::vector<double> o;
    double lse;
};
Plain plain(const Attention& a, uint64_t b, uint64_t h, uint64_t i) {
    const uint64_t sq = a.q.shape[1], sk = a.k.shape[1], d = a.q.shape[3], dv = a.v.shape[3];
    const uint64_t hk = h * a.k.shape[2] / a.q.shape[2];
    Plain r{std::vector<double>(dv, 0), -kInf};
    double sum = 0;
    for (uint64_t j = 0; j < sk; ++j) {
        if (a.causal && j + sq > i + sk) continue;
        double s = 0;
        for (uint64_t c = 0; c < d; ++c) s += a.q.at(b, i, h, c) * a.k.at(b, j, hk, c);
        const double p = std::exp(s * a.scale * a.descale[0] * a.descale[1]);
        sum += p;
        for (uint64_t c = 0; c < dv; ++c) r.o[c] += p * a.v.at(b, j, hk, c) * a.descale[2];
    }
    if (sum > 0)
        for (double& x : r.o) x /= sum;
    r.lse = std::log(sum);
    return r;
}

void require_plain(const Attention& a) {
    const AttentionRows rows = attend(a);
    REQUIRE(rows.rows.size() == a.q.shape[0] * a.q.shape[1] * a.q.shape[2]);
    for (size_t n = 0; n < rows.rows.size(); ++n) {
        const RowId& id = rows.rows[n];
        CAPTURE(id.batch, id.head, id.row);
        const Plain want = plain(a, id.batch, id.head, id.row);
        // ~1e3 double operations on values of order 10
        if (std::isinf(want.lse)) REQUIRE(rows.lse[n] == want.lse);
        else REQUIRE(rows.lse[n] == Approx(want.lse).margin(1e-12));
        for (size_t c = 0; c < want.o.size(); ++c)
            REQUIRE(rows.o[n * rows.channels + c] == Approx(want.o[c]).margin(1e-12));
    }
}

Bytes as_f32(const std::vector<double>& values) {
    Bytes bytes(4 * values.size());
    for (size_t i = 0; i < values.size(); ++i)
        write_element(DType::f32, bytes.data(), i, values[i]);
    return bytes;
}

// One head: rows are in storage order.
AttentionError against(const Problem& p, const AttentionRows& rows, const Bytes& o,
                       const Bytes& lse) {
    const uint64_t sq = p.a.q.shape[1];
    const TensorView lse_view = contiguous_view(DType::f32, lse, {1, sq, 1, 1});
    return compare(p.a, rows, contiguous_view(DType::f32, o, {1, sq, 1, rows.channels}), &lse_view);
}

}  // namespace

TEST_CASE("attention equals its definition for any lengths, heads and mask", "[reference]") {
    const auto [sq, sk] = GENERATE(table<int, int>(
        {{5, 2}, {2, 5}, {7, 7}, {1, 300}, {300, 1}, {33, 257}, {257, 33}, {4, 0}, {9, 519}}));
    const bool causal = GENERATE(false, true);
    CAPTURE(sq, sk, causal);
    Problem p(2, sq, sk, 6, 2, 8, 5);
    p.a.causal = causal;
    p.a.descale = {0.5, 2, 3};
    require_plain(p.a);
}

TEST_CASE("strides change where values are, not the result", "[reference]") {
    Problem p(2, 6, 9, 2, 2, 4, 4);
    const AttentionRows before = attend(p.a);
    // K copied to [b, h, s, d] with a row of 7 elements
    Bytes k(4 * 2 * 2 * 9 * 7);
    TensorView view{DType::f32, k, {2, 9, 2, 4}, {2 * 9 * 7, 7, 9 * 7, 1}};
    for (int b = 0; b < 2; ++b)
        for (int s = 0; s < 9; ++s)
            for (int h = 0; h < 2; ++h)
                for (int d = 0; d < 4; ++d)
                    write_element(DType::f32, k.data(), view.index(b, s, h, d),
                                  p.a.k.at(b, s, h, d));
    p.a.k = view;
    const AttentionRows after = attend(p.a);
    REQUIRE(before.o == after.o);
    REQUIRE(before.lse == after.lse);
}

TEST_CASE("varlen gives each sequence what it has alone", "[reference]") {
    Problem p(1, 30, 40, 2, 1, 8, 8);
    p.a.causal = true;
    p.a.cu_q = {0, 7, 7, 30};
    p.a.cu_k = {0, 5, 17, 40};
    const AttentionRows all = attend(p.a);
    REQUIRE(all.rows.size() == 60);
    size_t n = 0;
    for (size_t b = 0; b < 3; ++b) {
        Attention one = p.a;
        one.cu_q.clear();
        one.cu_k.clear();
        auto cut = [](TensorView& t, int64_t first, int64_t end) {
            t.bytes = t.bytes.subspan(4 * uint64_t(first) * t.strides[1]);
            t.shape[1] = uint64_t(end - first);
        };
        cut(one.q, p.a.cu_q[b], p.a.cu_q[b + 1]);
        cut(one.k, p.a.cu_k[b], p.a.cu_k[b + 1]);
        cut(one.v, p.a.cu_k[b], p.a.cu_k[b + 1]);
        const AttentionRows rows = attend(one);
        for (size_t i = 0; i < rows.rows.size(); ++i, ++n) {
            REQUIRE(all.rows[n].batch == b);
            REQUIRE(all.lse[n] == rows.lse[i]);
        }
    }
    REQUIRE(n == 60);
}

TEST_CASE("block scales multiply their blocks", "[reference]") {
    Problem p(1, 5, 70, 1, 1, 64, 3);
    const AttentionRows plain_rows = attend(p.a);
    Bytes k = p.k, scale{127, 129, 126, 128};  // e8m0: 1, 4, 1/2, 2 on [s blocks of 35, d blocks]
    for (int s = 0; s < 70; ++s)
        for (int d = 0; d < 64; ++d)
            write_element(DType::f32, k.data(), s * 64 + d,
                          p.a.k.at(0, s, 0, d) / e8m0_to_float(scale[d / 16]));
    p.a.k.bytes = k;
    p.a.scales[1] = BlockScale{contiguous_view(DType::e8m0, scale, {1, 1, 1, 4}), 3, 16};
    const AttentionRows scaled = attend(p.a);
    REQUIRE(scaled.o == plain_rows.o);  // powers of two: exact
    p.a.scales[1]->block = 32;
    REQUIRE_THROWS_WITH(attend(p.a), Catch::Contains("scales of k: axis 3 has 4 entries"));
}

TEST_CASE("shapes that do not fit are refused with both numbers", "[reference]") {
    Problem p(1, 4, 4, 7, 2, 8, 8);
    REQUIRE_THROWS_WITH(attend(p.a), Catch::Contains("7 query heads") && Catch::Contains("2 key"));
    Problem r(1, 4, 4, 1, 1, 8, 8);
    r.a.k.shape[3] = 4;
    REQUIRE_THROWS_WITH(attend(r.a), "q has 8 channels, k has 4");
    Problem s(1, 4, 4, 1, 1, 8, 8);
    s.a.v.bytes = s.a.v.bytes.first(100);
    REQUIRE_THROWS_WITH(attend(s.a), Catch::Contains("v: shape and strides reach past"));
}

TEST_CASE("a sample of rows has the values of the whole, ends included", "[reference]") {
    Problem p(2, 50, 20, 2, 1, 8, 8);
    const AttentionRows whole = attend(p.a), sample = attend(p.a, 31);
    REQUIRE(sample.rows.size() == 31);
    REQUIRE(sample.rows_in_all == 200);
    REQUIRE(sample.rows.front().row == 0);
    REQUIRE(sample.rows.back().row == 49);
    REQUIRE(sample.rows.back().batch == 1);
    for (size_t n = 0; n < 31; ++n) {
        const RowId& id = sample.rows[n];
        REQUIRE(sample.lse[n] == whole.lse[(id.batch * 2 + id.head) * 50 + id.row]);
    }
    REQUIRE(attend(p.a, 31, 1).o == sample.o);  // any number of threads
}

TEST_CASE("error figures are those of the formulas", "[reference]") {
    Problem p(1, 3, 4, 1, 1, 4, 2);
    AttentionRows rows = attend(p.a);
    rows.o = {3, 4, 0, 2, 1, 0};
    rows.lse = {1, 2, 3};
    const Bytes o = as_f32({3, 4.5, 1, 2, 1, 0}), lse = as_f32({1, 2.5, 3});
    const AttentionError e = against(p, rows, o, lse);
    REQUIRE(e.row_rel_err_mean == Approx((0.5 / 5 + 1.0 / 2 + 0) / 3));
    REQUIRE(e.frobenius_rel_err == Approx(std::sqrt((0.25 + 1) / (25 + 4 + 1))));
    REQUIRE(e.max_abs_err == 1);
    REQUIRE(e.cosine == Approx((9 + 18 + 4 + 1) / std::sqrt(30.0 * (9 + 20.25 + 1 + 4 + 1))));
    REQUIRE(e.lse_max_abs_err == 0.5);
    REQUIRE(e.rows_checked == 3);
    REQUIRE(e.mismatches + e.lse_mismatches == 0);
}

TEST_CASE("NaN, infinity and values in masked rows are mismatches, not figures", "[reference]") {
    Problem p(1, 3, 2, 1, 1, 4, 2);  // causal: row 0 sees nothing
    p.a.causal = true;
    const AttentionRows rows = attend(p.a);
    REQUIRE(rows.lse[0] == -kInf);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    auto with = [&](size_t at, double value, size_t lse_at, double lse_value) {
        std::vector<double> o = rows.o, lse = rows.lse;
        o[at] = value;
        lse[lse_at] = lse_value;
        return against(p, rows, as_f32(o), as_f32(lse));
    };
    const AttentionError clean = with(0, 0, 0, -kInf);
    REQUIRE(clean.mismatches + clean.lse_mismatches == 0);
    REQUIRE(clean.frobenius_rel_err < 1e-7);  // float rounding of the copy
    REQUIRE(with(0, 1e-30, 0, -kInf).mismatches == 1);
    REQUIRE(with(3, nan, 0, -kInf).mismatches == 1);
    REQUIRE(with(3, kInf, 0, -kInf).first_mismatch ==
            fmt::format("channel 1 of o[batch 0, row 1, head 0] = inf, expected {}", rows.o[3]));
    const AttentionError lse_wrong = with(0, 0, 0, -1);
    REQUIRE(lse_wrong.lse_mismatches == 1);
    REQUIRE(lse_wrong.first_mismatch.empty());
    REQUIRE(lse_wrong.first_lse_mismatch == "lse[batch 0, row 0, head 0] = -1, expected -inf");
    REQUIRE(with(0, 0, 1, -kInf).lse_mismatches == 1);
    REQUIRE(with(0, 0, 1, nan).lse_mismatches == 1);
}

TEST_CASE("figures of nothing are NaN, not perfect", "[reference]") {
    Problem p(1, 3, 4, 1, 1, 4, 2);
    const AttentionRows rows = attend(p.a);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const AttentionError e =
        against(p, rows, as_f32(std::vector<double>(6, nan)), as_f32(std::vector<double>(3, nan)));
    REQUIRE(e.mismatches == 6);
    REQUIRE(e.lse_mismatches == 3);
    for (double figure :
         {e.row_rel_err_mean, e.frobenius_rel_err, e.max_abs_err, e.cosine, e.lse_max_abs_err})
        REQUIRE(std::isnan(figure));
}

TEST_CASE("an output where the reference is exactly zero is infinitely wrong", "[reference]") {
    Problem p(1, 3, 4, 1, 1, 4, 2);
    AttentionRows rows = attend(p.a);
    rows.o = {3, 4, 0, 0, 1, 0};
    const AttentionError e = against(p, rows, as_f32({3, 4, 0, 0.5, 1, 0}), as_f32(rows.lse));
    REQUIRE(std::isinf(e.row_rel_err_mean));
    REQUIRE(e.frobenius_rel_err == Approx(0.5 / std::sqrt(26)));
}

TEST_CASE("a NaN reaches exactly the rows that see it", "[reference]") {
    Problem p(1, 8, 8, 1, 1, 4, 2);
    p.a.causal = true;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    SECTION("in K: the rows from it on, output and LSE") {
        write_element(DType::f32, p.k.data(), 5 * 4, nan);
        const AttentionRows rows = attend(p.a);
        for (int i = 0; i < 8; ++i) {
            REQUIRE(std::isnan(rows.o[2 * i]) == (i >= 5));
            REQUIRE(std::isnan(rows.lse[i]) == (i >= 5));
        }
    }
    SECTION("in V: its channel only, and a masked one is excused in the same 128 keys") {
        write_element(DType::f32, p.v.data(), 5 * 2 + 1, nan);
        const AttentionRows rows = attend(p.a);
        for (int i = 0; i < 8; ++i) {
            REQUIRE_FALSE(std::isnan(rows.o[2 * i]));
            REQUIRE(std::isnan(rows.o[2 * i + 1]) == (i >= 5));
        }
        std::vector<double> o = rows.o;
        o[1] = nan;
        AttentionError e = against(p, rows, as_f32(o), as_f32(rows.lse));
        REQUIRE(e.excused == 1);
        REQUIRE(e.mismatches == 0);
        o[0] = nan;
        e = against(p, rows, as_f32(o), as_f32(rows.lse));
        REQUIRE(e.mismatches == 1);
    }
}
