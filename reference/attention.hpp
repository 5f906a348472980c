// Attention in double precision on the very bytes that a kernel gets: what a kernel is measured
// against. Written as the formula reads, with no tile, no running maximum, no layout of a kernel.
// Contract: fully masked row = zeros and LSE -inf; causal is aligned bottom right; LSE is the
// natural logarithm; a NaN in Q or in a visible K or V makes the row NaN.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/dtype.hpp"

namespace zyfa {

// A view of device bytes as [batch, row, head, channel]; strides count elements.
struct TensorView {
    DType type = DType::f32;
    std::span<const uint8_t> bytes;
    std::array<uint64_t, 4> shape{};  // b, s, h, d; varlen: b = 1, s = all rows
    std::array<uint64_t, 4> strides{};
    uint64_t index(uint64_t b, uint64_t s, uint64_t h, uint64_t d) const {
        return b * strides[0] + s * strides[1] + h * strides[2] + d * strides[3];
    }
    double at(uint64_t b, uint64_t s, uint64_t h, uint64_t d) const {
        return read_element(type, bytes.data(), index(b, s, h, d));
    }
};
TensorView contiguous_view(DType, std::span<const uint8_t>, std::array<uint64_t, 4> shape);

// Scales that multiply a tensor, e8m0 or f32. An axis of the view has length 1 (one scale for all),
// or the tensor's length, or on `axis` one entry for each `block` elements.
struct BlockScale {
    TensorView view;
    unsigned axis = 3;  // 1 = rows, 3 = channels
    uint64_t block = 1;
};

struct Attention {
    TensorView q, k, v;
    double scale = 1;
    bool causal = false;
    std::array<double, 3> descale{1, 1, 1};             // of q, k, v
    std::array<std::optional<BlockScale>, 3> scales{};  // of q, k, v
    std::vector<int64_t> cu_q, cu_k;                    // both or none: first rows, then the end
};

struct RowId {
    uint32_t batch, head;
    uint64_t row;  // within its sequence
};

struct AttentionRows {
    std::vector<RowId> rows;
    uint64_t channels = 0;
    std::vector<double> o;    // rows x channels
    std::vector<double> lse;  // rows
    uint64_t rows_in_all = 0;
};

// All rows, or if there are more than max_rows a fixed choice spread evenly over them (first and
// last row of the whole are always among them). Error (Exit::unsupported or usage) on shapes that
// do not fit each other, with the reason.
AttentionRows attend(const Attention&, uint64_t max_rows = ~0ull, unsigned threads = 0);

// Output of a kernel against the above. `lse` is a view like the others (d = 1) with the strides of
// its layout, or null.
struct AttentionError {
    // NaN: there was nothing to compare, as no row is finite on both sides, or none there at all.
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double row_rel_err_mean = kNone;   // mean over rows of |o - ref| / |ref| (2-norms)
    double frobenius_rel_err = kNone;  // the same of all rows together
    double max_abs_err = kNone;
    double cosine = kNone;
    double lse_max_abs_err = kNone;  // over rows with a finite LSE
    uint64_t rows_checked = 0, rows_in_all = 0;
    bool lse_checked = false;
    // Elements, and LSE values, that are NaN or infinite where the reference is not, or the other
    // way round, or not exactly zero in a fully masked row. They are in no figure above.
    uint64_t mismatches = 0, lse_mismatches = 0;
    // NaN where the reference is finite, allowed: a NaN of V at a masked key of the same 128 keys.
    uint64_t excused = 0;
    std::string first_mismatch;  // "channel 5 of o[batch 0, row 3, head 1] = nan, expected 0.25"
    std::string first_lse_mismatch;  // "lse[batch 0, row 3, head 1] = inf, expected 2.5"
};
AttentionError compare(const Attention&, const AttentionRows&, const TensorView& o,
                       const TensorView* lse);

}  // namespace zyfa
