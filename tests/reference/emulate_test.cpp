// The formulas of shipped kernels without the kernels: each must be close to softmax, and not so
// close that it would be softmax.
#include "reference/emulate.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "isa/random.hpp"

using namespace zyfa;

namespace {

struct Inputs {
    std::vector<uint8_t> q, k, v;
    Attention attention;
};

std::vector<uint8_t> random_elements(DType type, uint64_t count, double spread, uint64_t seed) {
    std::vector<uint8_t> bytes(dtype_bytes(type, count));
    Random random(seed);
    for (uint64_t i = 0; i < count; ++i)
        write_element(type, bytes.data(), i, spread * random.normal());
    return bytes;
}

Inputs inputs(DType type, uint64_t rows, uint64_t keys, uint64_t d, bool causal) {
    Inputs in;
    const double spread = type == DType::i8 ? 30 : 1;
    const DType v_type = type == DType::bf16 ? DType::bf16 : DType::e4m3;
    in.q = random_elements(type, rows * d, spread, 1);
    in.k = random_elements(type, keys * d, spread, 2);
    in.v = random_elements(v_type, keys * d, 1, 3);
    in.attention.q = contiguous_view(type, in.q, {1, rows, 1, d});
    in.attention.k = contiguous_view(type, in.k, {1, keys, 1, d});
    in.attention.v = contiguous_view(v_type, in.v, {1, keys, 1, d});
    in.attention.scale = 1 / std::sqrt(double(d)) / (spread * spread);
    in.attention.causal = causal;
    return in;
}

double distance(const AttentionRows& a, const AttentionRows& b) {
    double error = 0, norm = 0;
    for (size_t i = 0; i < a.o.size(); ++i) {
        error += (a.o[i] - b.o[i]) * (a.o[i] - b.o[i]);
        norm += b.o[i] * b.o[i];
    }
    return std::sqrt(error / norm);
}

}  // namespace

TEST_CASE("the formulas of shipped kernels are near softmax, but not it", "[reference][emulate]") {
    struct Case {
        const char* name;
        DType type;
        uint64_t d;
        bool causal;
        double least, most;  // P in 8 bits: 2^-4 relative at most; bits as 2^x: 6 % at most
    };
    const auto c = GENERATE(Case{"aiter_v3_fp8", DType::e4m3, 128, false, 0.01, 0.03},
                            Case{"aiter_v3_fp8", DType::e4m3, 128, true, 0.01, 0.03},
                            Case{"aiter_v3_fp8_hd256", DType::e4m3, 256, true, 0.01, 0.03},
                            Case{"aiter_v3_bf16", DType::bf16, 128, true, 0.001, 0.004},
                            Case{"aiter_mla_fp8", DType::e4m3, 192, true, 0.01, 0.03},
                            Case{"aiter_v4_fp8", DType::e4m3, 128, false, 0.02, 0.05},
                            Case{"aiter_v4_i8fp8", DType::i8, 128, false, 0.02, 0.04});
    CAPTURE(c.name, c.causal);
    const Inputs in = inputs(c.type, 70, 333, c.d, c.causal);
    const AttentionRows softmax = attend(in.attention),
                        model = emulate(in.attention, *find_formula(c.name));
    REQUIRE(model.rows.size() == 70);
    const double error = distance(model, softmax);
    CHECK(error > c.least);
    CHECK(error < c.most);
}

TEST_CASE("a formula gives the same rows whichever are asked for", "[reference][emulate]") {
    const Inputs in = inputs(DType::e4m3, 300, 200, 256, true);
    const Formula& formula = *find_formula("aiter_v3_fp8_hd256");
    const AttentionRows all = emulate(in.attention, formula, ~0ull, 1),
                        some = emulate(in.attention, formula, 7, 3);
    REQUIRE(some.rows.size() == 7);
    for (size_t i = 0; i < 7; ++i)
        for (uint64_t c = 0; c < 256; ++c)
            REQUIRE(some.o[i * 256 + c] == all.o[some.rows[i].row * 256 + c]);
}

TEST_CASE("a formula that is not known is not found", "[reference][emulate]") {
    REQUIRE(find_formula("aiter_v5") == nullptr);
    for (const Formula& f : formulas()) REQUIRE(find_formula(f.name) == &f);
}
