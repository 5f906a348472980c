// One call of an attention kernel with whatever strides, scales and bytes a test wants, made
// through a launch file, so that the same call can be written down and replayed.
#pragma once

#include <functional>
#include <string>

#include "tools/attention_check.hpp"

namespace zyfa::test {

struct Call {
    std::string kernel = "fp8_d128_causal";
    uint64_t b = 1, h = 1, hk = 1, sq = 1, sk = 1;
    double scale = 0.08838834764831845;  // 1/sqrt(128)
    std::array<double, 3> descale{1, 1, 1};
    // Elements between rows beyond the contiguous ones, by tensor q, k, v, o.
    std::array<uint64_t, 4> row_gap{};
    bool want_lse = true;
    double spread = 1;  // standard deviation of q and k
    uint64_t seed = 1;
    bool causal() const { return kernel.starts_with("fp8_d128_causal"); }
    std::string json() const;
};

struct Outcome {
    Result result;
    AttentionError error;
    std::vector<uint8_t> o, lse;
    std::vector<std::string> broken_guards;
    // Element of o as float, contiguous layout.
    float at(const Call&, uint64_t batch, uint64_t row, uint64_t head, uint64_t channel) const;
    float lse_at(const Call&, uint64_t batch, uint64_t head, uint64_t row) const;
};

const Bytes& code_object_of(const std::string& kernel);  // built once
// `edit` may change the inputs before the run.
Outcome run(const Call&, const Options& = {}, const std::function<void(Prepared&)>& edit = {},
            const Bytes* code_object = nullptr);

}  // namespace zyfa::test
