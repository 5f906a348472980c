#include "kernels/recipes.hpp"

#include "kernels/fp8_d128.hpp"

namespace zyfa {
namespace {

constexpr Recipe kRecipes[] = {
    {"fp8_d128_causal", "FP8 prefill attention, head dim 128, causal bottom-right", "e4m3", 128,
     128, true, "lean", fp8_d128},
    {"fp8_d128_full", "FP8 prefill attention, head dim 128, no mask", "e4m3", 128, 128, false,
     "lean", fp8_d128},
};

}  // namespace

std::span<const Recipe> recipes() { return kRecipes; }

const Recipe* find_recipe(std::string_view id) {
    for (const Recipe& r : kRecipes)
        if (r.id == id) return &r;
    return nullptr;
}

}  // namespace zyfa
