#include "reference/emulate.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <tuple>

#include "reference/rows.hpp"
#include "reference/wave.hpp"

namespace zyfa {
namespace {

constexpr Formula kFormulas[] = {
    {"aiter_v3_fp8", "fmha_v3_fwd hd128 fp8: exact exponential, P in e4m3 up to 1", run_v3_fp8},
    {"aiter_v3_fp8_hd256",
     "fmha_v3_fwd hd256 fp8: exponential from float bits where a tile adds little",
     run_v3_fp8_hd256},
    {"aiter_v3_bf16", "fmha_v3_fwd bf16: exact exponential, P in bf16", run_v3_bf16},
    {"aiter_mla_fp8", "mla_pfl_qh192_vh128: as aiter_v3_fp8, 192 channels of q and k", run_mla_fp8},
    {"aiter_v4_fp8", "fmha_v4_fwd fp8 and f8f6: P from float bits, q rounded to e4m3 twice",
     run_v4_fp8},
    {"aiter_v4_lean_f32", "fmha_v4_fwd mxfp8: P from float bits", run_v4_mxfp8},
    {"aiter_v4_i8fp8", "fmha_v4_fwd i8fp8: P from float bits, integer scores", run_v4_i8fp8},
    {"aiter_v4_lean_byte", "fmha_v4_fwd mxfp6, mxfp4, f6f4: P from e4m3 bits", run_v4_lean_byte},
    {"aiter_v4_lean_byte_fp4", "fmha_v4_fwd f4f4: P from e4m3 bits, maximum at 56",
     run_v4_lean_byte_fp4},
};

// One row of q, k or v: elements times block scales that are powers of two.
void decode(const Attention& a, unsigned tensor, uint64_t b, uint64_t s, uint64_t h, float* out) {
    const TensorView& t = tensor == 0 ? a.q : tensor == 1 ? a.k : a.v;
    const auto& scale = a.scales[tensor];
    const bool scaled = scale && scale->view.type == DType::e8m0;
    for (uint64_t c = 0; c < t.shape[3]; ++c) {
        double x = t.at(b, s, h, c);
        if (scaled) x *= block_scale(*scale, {b, s, h, c});
        out[c] = float(x);
    }
}

Head decode_head(const Attention& a, uint64_t batch, uint64_t head) {
    const Sequence seq = sequence(a, batch);
    const uint64_t b = storage_batch(a, batch);
    Head h{b, head, seq.k_rows, a.k.shape[3], a.v.shape[3], {}, {}};
    h.k.resize(h.keys * h.channels);
    h.v.resize(h.keys * h.value_channels);
    for (uint64_t j = 0; j < h.keys; ++j) {
        decode(a, 1, b, seq.k_first + j, head, &h.k[j * h.channels]);
        decode(a, 2, b, seq.k_first + j, head, &h.v[j * h.value_channels]);
    }
    return h;
}

using WaveId = std::tuple<uint32_t, uint32_t, uint64_t>;  // batch, head, first row / 32

Wave decode_wave(const Attention& a, const WaveId& id) {
    const auto [batch, head, number] = id;
    const Sequence seq = sequence(a, batch);
    Wave w;
    w.head = head;
    w.first_row = number * kWaveRows;
    w.rows = seq.q_rows;
    w.q.assign(kWaveRows * a.q.shape[3], 0);
    for (unsigned r = 0; r < kWaveRows; ++r) {
        const uint64_t row = w.first_row + r;
        w.visible[r] = seq.visible(row, a.causal);
        w.o[r].assign(a.v.shape[3], 0);
        if (row < seq.q_rows)
            decode(a, 0, storage_batch(a, batch), seq.q_first + row, head, &w.q[r * a.q.shape[3]]);
    }
    return w;
}

}  // namespace

std::vector<float> channel_scales(const Attention& a, const Head& h) {
    const auto& scale = a.scales[2];
    if (!scale || scale->view.type == DType::e8m0) return {1};
    std::vector<float> all(h.value_channels);
    for (uint64_t c = 0; c < all.size(); ++c)
        all[c] = float(block_scale(*scale, {h.batch, 0, h.head, c}));
    return all;
}

std::span<const Formula> formulas() { return kFormulas; }

const Formula* find_formula(std::string_view name) {
    for (const Formula& f : kFormulas)
        if (f.name == name) return &f;
    return nullptr;
}

std::string formula_names() {
    std::string all;
    for (const Formula& f : kFormulas) all += (all.empty() ? "" : ", ") + std::string(f.name);
    return all;
}

AttentionRows emulate(const Attention& a, const Formula& formula, uint64_t max_rows,
                      unsigned threads) {
    check_shapes(a);
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    AttentionRows result;
    result.channels = a.v.shape[3];
    result.rows = choose_rows(a, max_rows, result.rows_in_all);
    result.o.assign(result.rows.size() * result.channels, 0);
    result.lse.assign(result.rows.size(), 0);
    std::map<WaveId, std::vector<uint64_t>> waves;  // to places in `rows`
    std::map<std::pair<uint32_t, uint32_t>, Head> heads;
    const uint64_t group = a.q.shape[2] / a.k.shape[2];
    for (uint64_t i = 0; i < result.rows.size(); ++i) {
        const RowId& id = result.rows[i];
        waves[{id.batch, id.head, id.row / kWaveRows}].push_back(i);
        const auto key = std::pair(id.batch, uint32_t(id.head / group));
        if (!heads.contains(key)) heads.emplace(key, decode_head(a, key.first, key.second));
    }
    const std::vector<std::pair<WaveId, std::vector<uint64_t>>> list(waves.begin(), waves.end());
    std::atomic<size_t> next{0};
    auto work = [&] {
        for (size_t n; (n = next.fetch_add(1)) < list.size();) {
            const auto& [id, places] = list[n];
            Wave w = decode_wave(a, id);
            formula.run(a, heads.at({std::get<0>(id), uint32_t(std::get<1>(id) / group)}), w);
            for (uint64_t i : places) {
                const unsigned r = unsigned(result.rows[i].row % kWaveRows);
                std::copy(w.o[r].begin(), w.o[r].end(), &result.o[i * result.channels]);
                result.lse[i] = w.lse[r];
            }
        }
    };
    std::vector<std::jthread> pool;
    for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    return result;
}

}  // namespace zyfa
