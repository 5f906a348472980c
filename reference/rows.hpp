// What the references share: which rows of which tensors an attention is made of.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "reference/attention.hpp"

namespace zyfa {

struct Sequence {
    uint64_t q_first, q_rows, k_first, k_rows;
    uint64_t visible(uint64_t row, bool causal) const {
        if (!causal) return k_rows;
        const int64_t last = int64_t(row) + int64_t(k_rows) - int64_t(q_rows) + 1;
        return uint64_t(std::clamp<int64_t>(last, 0, int64_t(k_rows)));
    }
};
Sequence sequence(const Attention&, uint64_t batch);
uint64_t batches(const Attention&);
// Where a batch stands in storage: varlen tensors have one batch.
uint64_t storage_batch(const Attention&, uint64_t batch);

// Error: shapes do not fit each other, with the reason.
void check_shapes(const Attention&);
// All rows, or max_rows of them spread evenly.
std::vector<RowId> choose_rows(const Attention&, uint64_t max_rows, uint64_t& in_all);

double block_scale(const BlockScale&, std::array<uint64_t, 4> at);

}  // namespace zyfa
