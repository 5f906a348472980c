// One scale for a whole tensor, as callers of FP8 attention pass them: amax / 448. What the scales
// of our own pre-pass cost or save is measured against this.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/attention.hpp"
#include "reference/generate.hpp"

namespace zyfa {

struct QuantisedTensor {
    std::vector<uint8_t> codes;  // e4m3
    float descale = 1;           // value = code * descale; 1 for a tensor of zeros
};
QuantisedTensor quantise_e4m3(std::span<const float>);

struct QuantisedData {
    InputShape shape;
    QuantisedTensor q, k, v;
    double scale;
};
QuantisedData quantise_e4m3(const AttentionData&);

// Views into the data, which must outlive them.
Attention attention_of(const AttentionData&, bool causal);
Attention attention_of(const QuantisedData&, bool causal);

// What quantisation alone costs: exact attention on the quantised input against exact attention on
// the original. No kernel takes part.
AttentionError quantisation_error(const AttentionData&, const QuantisedData&, bool causal,
                                  uint64_t max_rows = 1 << 16);

}  // namespace zyfa
