#include "reference/attention.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "reference/rows.hpp"

namespace zyfa {
namespace {

constexpr unsigned kRowsAtOnce = 4;  // share one pass over the keys
constexpr uint64_t kKeysAtOnce = 256;
constexpr double kInf = std::numeric_limits<double>::infinity();

void decode_row(const Attention& a, unsigned tensor, uint64_t b, uint64_t s, uint64_t h,
                double* out) {
    const TensorView& t = tensor == 0 ? a.q : tensor == 1 ? a.k : a.v;
    const uint64_t channels = t.shape[3];
    read_elements(t.type, t.bytes.data(), t.index(b, s, h, 0), int64_t(t.strides[3]), channels,
                  out);
    const auto& scales = a.scales[tensor];
    for (uint64_t c = 0; c < channels; ++c) {
        out[c] *= a.descale[tensor];
        if (scales) out[c] *= block_scale(*scales, {b, s, h, c});
    }
}

struct KeysAndValues {
    uint64_t keys, channels, value_channels;
    std::vector<double> k;  // [channel][key]
    std::vector<double> v;  // [key][channel]
};

KeysAndValues decode_head(const Attention& a, uint64_t batch, uint64_t head) {
    const Sequence seq = sequence(a, batch);
    KeysAndValues kv{seq.k_rows, a.k.shape[3], a.v.shape[3], {}, {}};
    kv.k.resize(kv.keys * kv.channels);
    kv.v.resize(kv.keys * kv.value_channels);
    std::vector<double> row(kv.channels);
    const uint64_t b = storage_batch(a, batch);
    for (uint64_t j = 0; j < kv.keys; ++j) {
        decode_row(a, 1, b, seq.k_first + j, head, row.data());
        for (uint64_t c = 0; c < kv.channels; ++c) kv.k[c * kv.keys + j] = row[c];
        decode_row(a, 2, b, seq.k_first + j, head, &kv.v[j * kv.value_channels]);
    }
    return kv;
}

// ---- a few rows of one head ----

struct RowGroup {
    unsigned count = 0;
    std::array<uint64_t, kRowsAtOnce> visible{};
    std::vector<double> q, scores;  // [row][channel], [row][key]
};

void score(const KeysAndValues& kv, double scale, RowGroup& g) {
    const uint64_t keys = *std::max_element(g.visible.begin(), g.visible.end());
    double sums[kRowsAtOnce][kKeysAtOnce];
    for (uint64_t first = 0; first < keys; first += kKeysAtOnce) {
        const uint64_t n = std::min(kKeysAtOnce, keys - first);
        for (auto& row : sums) std::fill_n(row, n, 0.0);
        for (uint64_t c = 0; c < kv.channels; ++c) {
            const double* __restrict k = &kv.k[c * kv.keys + first];
            const double q0 = g.q[c], q1 = g.q[kv.channels + c], q2 = g.q[2 * kv.channels + c],
                         q3 = g.q[3 * kv.channels + c];
            for (uint64_t j = 0; j < n; ++j) {
                sums[0][j] += q0 * k[j];
                sums[1][j] += q1 * k[j];
                sums[2][j] += q2 * k[j];
                sums[3][j] += q3 * k[j];
            }
        }
        for (unsigned r = 0; r < g.count; ++r)
            for (uint64_t j = 0; j < n; ++j) g.scores[r * kv.keys + first + j] = sums[r][j] * scale;
    }
}

// Turns one row of scores into probabilities, not yet divided by their sum.
struct RowSum {
    double sum, lse;
};
RowSum softmax(double* s, uint64_t visible) {
    double most = -kInf;
    for (uint64_t j = 0; j < visible; ++j) most = std::isnan(s[j]) ? s[j] : std::max(most, s[j]);
    double sum = 0;
    for (uint64_t j = 0; j < visible; ++j) sum += s[j] = std::exp(s[j] - most);
    return {sum, visible ? most + std::log(sum) : -kInf};
}

void weigh(const KeysAndValues& kv, const RowGroup& g, double* const* o) {
    constexpr uint64_t kTile = 64;
    const uint64_t keys = *std::max_element(g.visible.begin(), g.visible.end());
    for (uint64_t first = 0; first < keys; first += kTile)
        for (unsigned r = 0; r < g.count; ++r)
            for (uint64_t j = first; j < std::min(first + kTile, g.visible[r]); ++j) {
                const double p = g.scores[r * kv.keys + j];
                const double* __restrict v = &kv.v[j * kv.value_channels];
                double* __restrict out = o[r];
                for (uint64_t c = 0; c < kv.value_channels; ++c) out[c] += p * v[c];
            }
}

void attend_group(const Attention& a, const KeysAndValues& kv, AttentionRows& result,
                  uint64_t first, unsigned count, RowGroup& g) {
    g.count = count;
    g.visible.fill(0);
    g.q.assign(kRowsAtOnce * kv.channels, 0);
    g.scores.resize(kRowsAtOnce * kv.keys);
    double* o[kRowsAtOnce];
    for (unsigned r = 0; r < count; ++r) {
        const RowId& id = result.rows[first + r];
        const Sequence seq = sequence(a, id.batch);
        g.visible[r] = seq.visible(id.row, a.causal);
        decode_row(a, 0, storage_batch(a, id.batch), seq.q_first + id.row, id.head,
                   g.q.data() + r * kv.channels);
        o[r] = result.o.data() + (first + r) * result.channels;
    }
    score(kv, a.scale, g);
    double sums[kRowsAtOnce];
    for (unsigned r = 0; r < count; ++r) {
        const RowSum sum = softmax(g.scores.data() + r * kv.keys, g.visible[r]);
        sums[r] = sum.sum;
        result.lse[first + r] = sum.lse;
    }
    weigh(kv, g, o);
    for (unsigned r = 0; r < count; ++r)
        if (g.visible[r])
            for (uint64_t c = 0; c < result.channels; ++c) o[r][c] /= sums[r];
}

void attend_head(const Attention& a, AttentionRows& result, uint64_t first, uint64_t end,
                 unsigned threads) {
    const RowId& id = result.rows[first];
    const KeysAndValues kv = decode_head(a, id.batch, id.head / (a.q.shape[2] / a.k.shape[2]));
    std::atomic<uint64_t> next{first};
    auto work = [&] {
        RowGroup group;
        for (;;) {
            const uint64_t at = next.fetch_add(kRowsAtOnce);
            if (at >= end) return;
            attend_group(a, kv, result, at, unsigned(std::min<uint64_t>(kRowsAtOnce, end - at)),
                         group);
        }
    };
    std::vector<std::jthread> pool;
    for (unsigned t = 1; t < threads && t * kRowsAtOnce < end - first; ++t) pool.emplace_back(work);
    work();
}

}  // namespace

TensorView contiguous_view(DType type, std::span<const uint8_t> bytes, std::array<uint64_t, 4> s) {
    return {type, bytes, s, {s[1] * s[2] * s[3], s[2] * s[3], s[3], 1}};
}

AttentionRows attend(const Attention& a, uint64_t max_rows, unsigned threads) {
    check_shapes(a);
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    AttentionRows result;
    result.channels = a.v.shape[3];
    result.rows = choose_rows(a, max_rows, result.rows_in_all);
    result.o.assign(result.rows.size() * result.channels, 0);
    result.lse.assign(result.rows.size(), -kInf);
    const uint64_t group = a.q.shape[2] / a.k.shape[2];
    for (uint64_t first = 0, end; first < result.rows.size(); first = end) {
        auto same = [&](const RowId& r) {
            return r.batch == result.rows[first].batch &&
                   r.head / group == result.rows[first].head / group;
        };
        for (end = first + 1; end < result.rows.size() && same(result.rows[end]);) ++end;
        attend_head(a, result, first, end, threads);
    }
    return result;
}

}  // namespace zyfa
