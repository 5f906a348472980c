// Pieces of the formulas of shipped kernels (reference/emulate.hpp): decoded tensors, dot products
// rounded as the matrix pipe rounds them, f32 with flushed denormals.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/attention.hpp"

namespace zyfa {

inline constexpr unsigned kWaveRows = 32;
inline constexpr float kMinusInf = -std::numeric_limits<float>::infinity();

// Values are element times E8M0 block scale, exact in float; f32 scales are left out, the kernels
// apply them elsewhere.
struct Head {
    uint64_t batch = 0, head = 0, keys = 0, channels = 0, value_channels = 0;
    std::vector<float> k, v;  // [key][channel]
};

struct Wave {
    uint64_t head = 0;
    uint64_t first_row = 0, rows = 0;             // of the wave, of the sequence
    std::vector<float> q;                         // [row][channel]; rows past the end are zero
    std::array<uint64_t, kWaveRows> visible{};    // keys that the row sees
    std::array<std::vector<float>, kWaveRows> o;  // filled by the formula
    std::array<float, kWaveRows> lse{};
};

inline float flush(float x) { return std::abs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
inline float exp2_flushed(float x) { return flush(float(std::exp2(double(flush(x))))); }

// One dot product of `n` elements, `step` of them for each matrix instruction.
inline float dot(const float* a, const float* b, uint64_t n, unsigned step, float start = 0) {
    float sum = start;
    for (uint64_t first = 0; first < n; first += step) {
        double part = sum;
        for (uint64_t i = first; i < std::min<uint64_t>(first + step, n); ++i)
            part += double(a[i]) * b[i];
        sum = float(part);
    }
    return sum;
}

// O += P V for one row: keys [first, first + n), `step` of them for each matrix instruction.
inline void add_values(const Head& h, const float* p, uint64_t first, uint64_t n, unsigned step,
                       std::vector<float>& o) {
    std::vector<double> part(h.value_channels);
    for (uint64_t at = 0; at < n; at += step) {
        for (uint64_t c = 0; c < h.value_channels; ++c) part[c] = o[c];
        for (uint64_t i = at; i < std::min<uint64_t>(at + step, n); ++i) {
            if (p[i] == 0 || first + i >= h.keys) continue;
            const float* v = &h.v[(first + i) * h.value_channels];
            for (uint64_t c = 0; c < h.value_channels; ++c) part[c] += double(p[i]) * v[c];
        }
        for (uint64_t c = 0; c < h.value_channels; ++c) o[c] = float(part[c]);
    }
}

// The float whose bits are `x` as an unsigned integer: truncated, at least 0.
inline float float_of_bits(float x) {
    return std::bit_cast<float>(x > 0 ? uint32_t(std::min(double(x), 4294967295.0)) : 0u);
}

// The half of a wave (lane / 32) that holds a key: rows of a 32x32 result stand in fours.
inline unsigned lane_half(uint64_t key) { return unsigned(key >> 2) & 1; }

// The formulas, one function each; listed in emulate.cpp.
void run_v3_fp8(const Attention&, const Head&, Wave&);
void run_v3_bf16(const Attention&, const Head&, Wave&);
void run_v3_fp8_hd256(const Attention&, const Head&, Wave&);
void run_mla_fp8(const Attention&, const Head&, Wave&);
void run_v4_fp8(const Attention&, const Head&, Wave&);
void run_v4_mxfp8(const Attention&, const Head&, Wave&);
void run_v4_i8fp8(const Attention&, const Head&, Wave&);
void run_v4_lean_byte(const Attention&, const Head&, Wave&);
void run_v4_lean_byte_fp4(const Attention&, const Head&, Wave&);

// The f32 scale of each channel of v, or one 1 if there is none.
std::vector<float> channel_scales(const Attention&, const Head&);

}  // namespace zyfa
