#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/error.hpp"
#include "reference/attention.hpp"

namespace zyfa {
namespace {

constexpr uint64_t kNanSpread = 128;  // keys that one pass of a kernel may share

struct Place {  // of one row in storage, and what it sees
    uint64_t b, row, visible, k_first, keys;
};

Place place_of(const Attention& a, const RowId& id) {
    const bool varlen = !a.cu_q.empty();
    Place p{};
    p.b = varlen ? 0 : id.batch;
    p.row = id.row + (varlen ? uint64_t(a.cu_q[id.batch]) : 0);
    p.k_first = varlen ? uint64_t(a.cu_k[id.batch]) : 0;
    p.keys = varlen ? uint64_t(a.cu_k[id.batch + 1]) - p.k_first : a.k.shape[1];
    const uint64_t queries =
        varlen ? uint64_t(a.cu_q[id.batch + 1] - a.cu_q[id.batch]) : a.q.shape[1];
    const int64_t last = int64_t(id.row) + int64_t(p.keys) - int64_t(queries) + 1;
    p.visible = a.causal ? uint64_t(std::clamp<int64_t>(last, 0, int64_t(p.keys))) : p.keys;
    return p;
}

bool nan_of_masked_value(const Attention& a, const RowId& id, const Place& p, uint64_t channel) {
    if (p.visible == 0) return false;
    const uint64_t tile_end = (p.visible + kNanSpread - 1) / kNanSpread * kNanSpread;
    const uint64_t head = id.head / (a.q.shape[2] / a.k.shape[2]);
    for (uint64_t j = p.visible; j < std::min(tile_end, p.keys); ++j)
        if (std::isnan(a.v.at(p.b, p.k_first + j, head, channel))) return true;
    return false;
}

std::string text(const std::array<uint64_t, 4>& s) {
    return fmt::format("[{}, {}, {}, {}]", s[0], s[1], s[2], s[3]);
}

bool same_special(double got, double want) {
    return std::isnan(want) ? std::isnan(got) : got == want;
}

void check_output(const Attention& a, const TensorView& o, const TensorView* lse) {
    const std::array<uint64_t, 4> wanted{a.q.shape[0], a.q.shape[1], a.q.shape[2], a.v.shape[3]};
    if (o.shape != wanted)
        throw Error(fmt::format("o has shape {}, expected {}", text(o.shape), text(wanted)));
    const std::array<uint64_t, 4> lse_wanted{wanted[0], wanted[1], wanted[2], 1};
    if (lse && lse->shape != lse_wanted)
        throw Error(fmt::format("lse has shape {}, expected {} (batch, row, head, 1)",
                                text(lse->shape), text(lse_wanted)));
}

}  // namespace

AttentionError compare(const Attention& a, const AttentionRows& reference, const TensorView& o,
                       const TensorView* lse) {
    check_output(a, o, lse);
    AttentionError e;
    e.rows_checked = reference.rows.size();
    e.rows_in_all = reference.rows_in_all;
    e.lse_checked = lse != nullptr;
    double error2 = 0, reference2 = 0, output2 = 0, dot = 0, row_errors = 0;
    uint64_t rows_with_error = 0;
    uint64_t elements = 0;  // that are in the figures
    auto mismatch = [&](uint64_t& count, std::string& first, const RowId& id,
                        const std::string& what, double got, double want) {
        if (count++ == 0)
            first = fmt::format("{}[batch {}, row {}, head {}] = {}, expected {}", what, id.batch,
                                id.row, id.head, got, want);
    };
    auto largest = [](double& so_far, double value) { so_far = std::fmax(so_far, value); };
    for (uint64_t i = 0; i < reference.rows.size(); ++i) {
        const RowId& id = reference.rows[i];
        const Place p = place_of(a, id);
        double row_error2 = 0, row_reference2 = 0;
        bool clean = true;
        for (uint64_t c = 0; c < reference.channels; ++c) {
            const double want = reference.o[i * reference.channels + c];
            const double got = o.at(p.b, p.row, id.head, c);
            const bool exact = !std::isfinite(want) || p.visible == 0;
            if (exact || !std::isfinite(got)) {
                if (same_special(got, want)) continue;
                clean = false;
                if (std::isnan(got) && std::isfinite(want) && nan_of_masked_value(a, id, p, c))
                    ++e.excused;
                else
                    mismatch(e.mismatches, e.first_mismatch, id, fmt::format("channel {} of o", c),
                             got, want);
                continue;
            }
            row_error2 += (got - want) * (got - want);
            row_reference2 += want * want;
            output2 += got * got;
            dot += got * want;
            largest(e.max_abs_err, std::abs(got - want));
            ++elements;
        }
        error2 += row_error2;
        reference2 += row_reference2;
        if (clean && (row_reference2 > 0 || row_error2 > 0)) {  // infinite if it should be zero
            row_errors += std::sqrt(row_error2 / row_reference2);
            ++rows_with_error;
        }
        if (!lse) continue;
        const double want = reference.lse[i], got = lse->at(p.b, p.row, id.head, 0);
        if (!std::isfinite(want) || !std::isfinite(got)) {
            if (!same_special(got, want))
                mismatch(e.lse_mismatches, e.first_lse_mismatch, id, "lse", got, want);
        } else {
            largest(e.lse_max_abs_err, std::abs(got - want));
        }
    }
    if (rows_with_error) e.row_rel_err_mean = row_errors / double(rows_with_error);
    if (elements) e.frobenius_rel_err = error2 > 0 ? std::sqrt(error2 / reference2) : 0;
    if (reference2 > 0) e.cosine = output2 > 0 ? dot / std::sqrt(output2 * reference2) : 0;
    return e;
}

}  // namespace zyfa
