// AITER fmha_v4_fwd: no exponential on the vector unit. The matrix instruction returns scores in
// units of the bits of a float (2^23 each), or of the bits of an e4m3 (8 each), on top of a
// constant that holds the maximum; converted to an integer they are 2^x with a linear mantissa. The
// maximum moves only when a tile overflows ("rollback"). Keys past the last whole tile of 128 take
// the exact exponential. Row sums take P after rounding, two of every four keys in each of two
// sums.
#include <algorithm>

#include "isa/formats.hpp"
#include "reference/wave.hpp"

namespace zyfa {
namespace {

constexpr unsigned kTile = 128, kStep = 64;
constexpr float kBits = 0x1p23f, kLog2e = 0x1.715476p0f;  // the latter is 0x3fb8aa3b

struct Row {
    float m = kMinusInf;
    float l[2] = {0, 0};
    std::vector<float> p;
};
using Rows = std::array<Row, kWaveRows>;

float to_e4m3(float x) { return e4m3_to_float(float_to_e4m3(x)); }
// To the nearest integer of 0..255, taken as an e4m3.
float of_byte(float x) {
    return e4m3_to_float(uint8_t(std::clamp(std::nearbyint(x), 0.0f, 255.0f)));
}

void rescale(Row& row, std::vector<float>& o, float factor) {
    for (float& x : row.l) x *= factor;
    for (float& x : o) x *= factor;
}

// One row's scores of a tile, each on top of `start`; -inf past the last key.
void score(const Head& h, const std::vector<float>& q, unsigned r, uint64_t first, float start,
           std::vector<float>& s) {
    s.assign(kTile, kMinusInf);
    for (unsigned i = 0; i < kTile && first + i < h.keys; ++i)
        s[i] = dot(&h.k[(first + i) * h.channels], &q[r * h.channels], h.channels, kStep, start);
}

// A tile with masked keys: softmax with a running maximum; `unit` scores double P.
void exact_tile(Row& row, std::vector<float>& o, float unit) {
    float now = row.m;
    for (float x : row.p) now = std::max(now, x);
    if (now == kMinusInf) now = 0;
    const float shift = -(unit * now);
    const float alpha = exp2_flushed(row.m == kMinusInf ? 0 : unit * (row.m - now));
    row.m = now;
    for (float& x : row.p) x = to_e4m3(exp2_flushed(std::fma(x, unit, shift)));
    rescale(row, o, alpha);
}

enum class Sum : uint8_t {
    pairs,        // two accumulators of the matrix pipe: keys 0, 1 of each four, and keys 2, 3
    pairs_fresh,  // the same, but from zero for each tile; the sums are added on the vector unit
    whole,        // one sum of 64 keys from zero, added on the vector unit
};

void add_tile(const Head& h, Row& row, uint64_t first, Sum mode, std::vector<float>& o) {
    float fresh[2] = {0, 0};
    float* l = mode == Sum::pairs ? row.l : fresh;
    for (unsigned at = 0; at < kTile; at += kStep) {
        double part[2] = {l[0], l[1]};
        for (unsigned i = at; i < at + kStep; ++i) part[i / 2 % 2] += row.p[i];
        if (mode == Sum::whole) {
            row.l[0] = float(part[0] + part[1]) + row.l[0];
            continue;
        }
        for (unsigned n : {0, 1}) l[n] = float(part[n]);
    }
    if (mode == Sum::pairs_fresh) row.l[0] = (fresh[0] + fresh[1]) + row.l[0];
    add_values(h, row.p.data(), first, kTile, kStep, o);
}

void finish(Wave& w, const Rows& rows, const std::vector<float>& descale) {
    for (unsigned r = 0; r < kWaveRows; ++r) {
        const float sum = rows[r].l[0] + rows[r].l[1];
        const float inverse = sum == 0 ? 0 : 1 / sum;
        for (size_t c = 0; c < w.o[r].size(); ++c)
            w.o[r][c] =
                bf16_to_float(float_to_bf16(inverse * descale[c % descale.size()] * w.o[r][c]));
        w.lse[r] = std::numeric_limits<float>::quiet_NaN();  // v4 writes none
    }
}

// ---- P from the bits of a float ----

struct LeanF32 {
    bool in_matrix;  // the constant is the accumulator's start; else one fused multiply-add
    float bits;      // of the float, for each unit of a score
    float unit;      // scores times this are log2 of P
    float inverse;   // its inverse, as the kernel rounds it
    Sum sum;
};

void lean_f32(const Head& h, Wave& w, const std::vector<float>& q, const LeanF32& f,
              float descale) {
    constexpr float kBias = 0x1.fbc4ap29f;  // 0x4e7de250: 127 * 2^23 - 486400
    constexpr float kLimit = 0x1.0f8p30f;   // 0x4e87c000: the bits of 448
    constexpr float kMost = 0x1p120f;       // 0x7b800000
    Rows rows;
    for (uint64_t first = 0; first < h.keys; first += kTile) {
        const bool masked = first + kTile > h.keys;
        bool overflow = false;
        for (unsigned r = 0; r < kWaveRows; ++r) {
            Row& row = rows[r];
            const bool added = !masked && first != 0 && f.in_matrix;
            score(h, q, r, first, added ? kBias - row.m : 0, row.p);
            if (masked) {
                exact_tile(row, w.o[r], f.unit);
                continue;
            }
            if (first == 0) row.m = *std::max_element(row.p.begin(), row.p.end());
            const float start = kBias - f.bits * row.m;
            for (float& x : row.p) {
                if (!added) x = std::fma(x, f.bits, start);
                overflow |= first != 0 && !(x <= kLimit);
                x = float_of_bits(x);
            }
        }
        for (unsigned r = 0; r < kWaveRows; ++r) {
            Row& row = rows[r];
            if (overflow) {
                float most = 1;
                for (float& x : row.p) most = std::max(most, x = std::min(x, kMost));
                if (most > 448) {
                    const float factor = 1 / most;
                    for (float& x : row.p) x *= factor;
                    row.m += f.inverse * float(std::log2(double(most)));
                    rescale(row, w.o[r], factor);
                }
            }
            if (!masked)
                for (float& x : row.p) x = to_e4m3(x);
            add_tile(h, row, first, f.sum, w.o[r]);
        }
    }
    finish(w, rows, {descale});
}

// ---- P from the bits of an e4m3 ----

void lean_byte(const Attention& a, const Head& h, Wave& w, float bias, float lower) {
    constexpr float kUnit = 0.125f, kLimit = 126.5f;
    std::vector<float> q = w.q;
    for (float& x : q) x *= 8;
    Rows rows;
    for (uint64_t first = 0; first < h.keys; first += kTile) {
        const bool masked = first + kTile > h.keys;
        bool overflow = false;
        for (unsigned r = 0; r < kWaveRows; ++r) {
            Row& row = rows[r];
            const bool added = !masked && first != 0;
            score(h, q, r, first, added ? bias - row.m : 1, row.p);
            if (masked) {
                exact_tile(row, w.o[r], kUnit);
            } else if (first == 0) {
                row.m = *std::max_element(row.p.begin(), row.p.end());
                for (float& x : row.p) x += bias - row.m;
                row.m -= lower;
            }
            if (added)
                for (float x : row.p) overflow |= !(x <= kLimit);
        }
        for (unsigned r = 0; r < kWaveRows; ++r) {
            Row& row = rows[r];
            const float most = *std::max_element(row.p.begin(), row.p.end());
            if (overflow && !(most <= kLimit)) {
                const float over = most - bias;
                for (float& x : row.p) x -= over;
                row.m += over;
                rescale(row, w.o[r], exp2_flushed(-kUnit * over));
            }
            if (!masked)
                for (float& x : row.p) x = of_byte(x);
            add_tile(h, row, first, Sum::pairs_fresh, w.o[r]);
        }
    }
    finish(w, rows, channel_scales(a, h));
}

}  // namespace

void run_v4_mxfp8(const Attention& a, const Head& h, Wave& w) {
    std::vector<float> q = w.q;
    for (float& x : q) x *= kBits;
    lean_f32(h, w, q, {true, 1, 1 / kBits, kBits, Sum::pairs}, float(a.descale[2]));
}

// Scale and descales of q and k: the power of two goes into the matrix instruction, the mantissa
// into q, which is rounded to e4m3 a second time.
void run_v4_fp8(const Attention& a, const Head& h, Wave& w) {
    const float c = float(a.scale) * float(a.descale[0]) * float(a.descale[1]);
    const uint32_t bits = std::bit_cast<uint32_t>(c * kLog2e * kBits);
    const float mantissa = std::bit_cast<float>((bits & 0x807fffff) | 0x3f000000);
    const float power = e8m0_to_float(uint8_t((bits >> 23 & 0xff) + 1));
    std::vector<float> q = w.q;
    for (float& x : q) x = to_e4m3(x * mantissa) * power;
    lean_f32(h, w, q, {true, 1, 1 / kBits, kBits, Sum::pairs}, float(a.descale[2]));
}

// Scores are exact integers; the scale is in the multiply-add.
void run_v4_i8fp8(const Attention& a, const Head& h, Wave& w) {
    const float c2 = float(a.scale) * float(a.descale[0]) * float(a.descale[1]) * kLog2e;
    lean_f32(h, w, w.q, {false, c2 * kBits, c2, 1 / c2, Sum::whole}, float(a.descale[2]));
}

// Scores of the first tile and of masked tiles start at 1, an eighth of a binade. These kernels
// take the 1 off the maximum after the first tile but not for a masked one, so that the keys past
// the last whole tile weigh 2^(1/8) too much...
void run_v4_lean_byte(const Attention& a, const Head& h, Wave& w) {
    lean_byte(a, h, w, 0x1.bc4ap5f, 1);  // 0x425e2500 = 55.536
}
// ... and this one never does: the first and the masked tile weigh 2^(1/8) too much.
void run_v4_lean_byte_fp4(const Attention& a, const Head& h, Wave& w) { lean_byte(a, h, w, 56, 0); }

}  // namespace zyfa
