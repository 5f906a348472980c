// Attention inputs to measure accuracy on. `gaussian` is what most papers use and flatters FP8;
// the LLM-like families imitate what trained models show: low-rank keys and queries with local
// structure, a few outlier channels in slow RoPE pairs, and an attention sink at key 0.
// The families are models of ours, tuned by published observations; they are no recorded data
// (reference/activations.hpp has that). A figure "on llm-like input" is the geometric mean over
// mistral, qwen and mla and over seeds 1 to 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zyfa {

enum class Family : uint8_t {
    gaussian,
    mistral,  // d 128, RoPE base 1e4, key outliers as constant offsets, strong sink
    qwen,     // d 128, RoPE base 1e6, queries and keys normalised, outliers as gains
    mla,      // d 192: 128 plain and 64 rotated channels; weaker outliers
};
std::optional<Family> find_family(std::string_view name);
inline constexpr Family kLlmFamilies[] = {Family::mistral, Family::qwen, Family::mla};

struct InputShape {
    uint64_t b = 1, hq = 1, hk = 1, sq = 1, sk = 1, d = 128, dv = 128;
};

struct AttentionData {  // [b, s, h, d] row-major; every value is a bf16
    InputShape shape;
    std::vector<float> q, k, v;
    double scale = 0;  // 1 / sqrt(d)
};
// Same arguments, same values, on any machine. Error (Exit::unsupported): a d that the family has
// not (mistral and qwen: 128, mla: 192), heads that do not divide.
AttentionData generate(Family, const InputShape&, uint64_t seed);

}  // namespace zyfa
