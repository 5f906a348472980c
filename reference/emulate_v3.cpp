// AITER fmha_v3_fwd. Row sums take the unrounded P in f32, one after the other in each half of the
// wave; O is rescaled at every tile.
#include <algorithm>

#include "isa/formats.hpp"
#include "reference/wave.hpp"

namespace zyfa {
namespace {

constexpr float kLog2e = 0x1.715476p0f, kLn2 = 0x1.62e43p-1f;  // 0x3fb8aa3b, 0x3f317218

float maximum(const std::vector<float>& s, float m) {
    for (float x : s) m = std::max(m, x);
    return m;
}

std::vector<float> scores(const Head& h, const Wave& w, unsigned r, uint64_t first, unsigned tile,
                          unsigned step) {
    std::vector<float> s(tile, kMinusInf);
    for (unsigned i = 0; i < tile && first + i < w.visible[r]; ++i)
        s[i] = dot(&h.k[(first + i) * h.channels], &w.q[r * h.channels], h.channels, step);
    return s;
}

void finish(Wave& w, unsigned r, float l, float descale) {
    const float inverse = l == 0 ? 0 : 1 / l * descale;
    for (float& x : w.o[r]) x = bf16_to_float(float_to_bf16(x * inverse));
}

}  // namespace

namespace {

// `m` starts at `least`.
void online_fp8(const Attention& a, const Head& h, Wave& w, float least) {
    constexpr unsigned kTile = 128, kStep = 64;
    const float c = float(a.scale) * float(a.descale[0]) * float(a.descale[1]);
    const float c2 = c * kLog2e;
    for (unsigned r = 0; r < kWaveRows; ++r) {
        float m = least, l[2] = {0, 0};
        for (uint64_t first = 0; first < h.keys; first += kTile) {
            std::vector<float> p = scores(h, w, r, first, kTile, kStep);
            float now = maximum(p, m);
            if (now == kMinusInf) now = 0;
            const float alpha = exp2_flushed(m == kMinusInf ? 0 : c2 * (m - now));
            m = now;
            for (float& x : l) x *= alpha;
            for (float& x : w.o[r]) x *= alpha;
            for (unsigned i = 0; i < kTile; ++i) {
                p[i] = exp2_flushed(std::fma(p[i], c2, -(m * c2)));
                l[lane_half(i)] += p[i];
                p[i] = e4m3_to_float(float_to_e4m3(p[i]));
            }
            add_values(h, p.data(), first, kTile, kStep, w.o[r]);
        }
        const float sum = l[0] + l[1];
        w.lse[r] = m * c + float(std::log2(double(sum))) * kLn2;
        finish(w, r, sum, float(a.descale[2]));
    }
}

}  // namespace

void run_v3_fp8(const Attention& a, const Head& h, Wave& w) { online_fp8(a, h, w, kMinusInf); }
void run_mla_fp8(const Attention& a, const Head& h, Wave& w) {
    online_fp8(a, h, w, std::numeric_limits<float>::lowest());
}

// Tiles below the limit that no row of the workgroup needs a mask for choose for the whole wave:
// the exponential, or, if the tile adds little to every row, the float whose bits are a linear
// function of the score. Each lane keeps the row sum of its own half of the keys.
void run_v3_fp8_hd256(const Attention& a, const Head& h, Wave& w) {
    constexpr unsigned kTile = 64;
    constexpr float kBits = 0x1p23f, kBias = 0x1.fbc4ap29f;  // 0x4e7de250
    const float c = float(a.scale) * float(a.descale[0]) * float(a.descale[1]);
    const float c2 = c * kLog2e;
    const int64_t diagonal = int64_t(w.first_row / 256 * 256) + int64_t(h.keys) - int64_t(w.rows);
    const int64_t limit =
        (a.causal ? std::min(diagonal + 1, int64_t(h.keys)) : int64_t(h.keys)) & ~int64_t(127);
    struct Row {
        float m = kMinusInf, l[2] = {0, 0};
    };
    std::array<Row, kWaveRows> rows;
    for (uint64_t first = 0; first < h.keys; first += kTile) {
        std::array<std::vector<float>, kWaveRows> tile;
        bool exact = int64_t(first) >= limit;
        for (unsigned r = 0; r < kWaveRows; ++r) {
            tile[r] = scores(h, w, r, first, kTile, 64);
            const float gain = c2 * (maximum(tile[r], kMinusInf) - rows[r].m);
            for (float l : rows[r].l) exact |= gain - (float(std::log2(double(l))) + 0.5f) > -4;
        }
        for (unsigned r = 0; r < kWaveRows; ++r) {
            std::vector<float>& p = tile[r];
            float now = maximum(p, rows[r].m);
            if (now == kMinusInf) now = 0;
            const float shift = -(c2 * now);
            const float alpha = exp2_flushed(rows[r].m == kMinusInf ? 0 : c2 * (rows[r].m - now));
            rows[r].m = now;
            float chain[2][4] = {};
            for (unsigned i = 0; i < kTile; ++i) {
                p[i] = exact ? exp2_flushed(std::fma(p[i], c2, shift))
                             : flush(float_of_bits(
                                   std::fma(p[i], c2 * kBits, std::fma(shift, kBits, kBias))));
                chain[lane_half(i)][i % 4] += p[i];
                p[i] = e4m3_to_float(float_to_e4m3(p[i]));
            }
            for (unsigned half : {0, 1}) {
                const float* part = chain[half];
                rows[r].l[half] =
                    alpha * rows[r].l[half] + ((part[0] + part[1]) + (part[2] + part[3]));
            }
            for (float& x : w.o[r]) x *= alpha;
            add_values(h, p.data(), first, kTile, 64, w.o[r]);
        }
    }
    for (unsigned r = 0; r < kWaveRows; ++r) {
        const float sum = rows[r].l[0] + rows[r].l[1];
        w.lse[r] = rows[r].m * c + float(std::log2(double(sum))) * kLn2;
        finish(w, r, sum, float(a.descale[2]));
    }
}

void run_v3_bf16(const Attention& a, const Head& h, Wave& w) {
    const unsigned tile = h.channels == 128 ? 64 : 128;
    constexpr unsigned kStep = 16;
    const float c = float(a.scale), c2 = c * kLog2e;
    for (unsigned r = 0; r < kWaveRows; ++r) {
        float m = std::numeric_limits<float>::lowest(), l = 0;
        for (uint64_t first = 0; first < h.keys; first += tile) {
            std::vector<float> p = scores(h, w, r, first, tile, kStep);
            const float now = maximum(p, m);
            const float alpha = first ? exp2_flushed(c2 * (m - now)) : 1;
            m = now;
            for (float& x : w.o[r]) x *= alpha;
            float part[2] = {0, 0};
            for (unsigned i = 0; i < tile; ++i) {
                p[i] = exp2_flushed(std::fma(p[i], c2, -(m * c2)));
                part[lane_half(i)] += p[i];
                p[i] = bf16_to_float(float_to_bf16(p[i]));
            }
            l = part[0] + part[1] + l * alpha;
            add_values(h, p.data(), first, tile, kStep, w.o[r]);
        }
        const float lse = std::fma(float(std::log2(double(l))), 1 / kLog2e, m * c);
        w.lse[r] = lse >= kMinusInf ? lse : kMinusInf;
        finish(w, r, l, 1);
    }
}

}  // namespace zyfa
