// FP8 prefill attention for head dim 128: e4m3 Q, K, V with descales, bf16 out, LSE.
#pragma once

#include "kernels/recipes.hpp"

namespace zyfa {

Program fp8_d128(const Recipe&, const Schedule&);

}  // namespace zyfa
