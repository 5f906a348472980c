// The loop over key tiles of the FP8 kernels for head dim 128: what each piece of work of a
// schedule is in instructions, and how a schedule makes a loop of them.
#pragma once

#include <vector>

#include "dsl/layout.hpp"
#include "kernels/plan.hpp"

namespace zyfa {

// Keys or values on their way from memory through LDS.
struct TileStream {
    std::vector<int> region;  // LDS, one for each slot
    Sgpr<4> descriptor;
    Sgpr<1> row_bytes, step_bytes;
    Sgpr<1> unfetched;            // rows that are still to be fetched, negative past the end
    std::vector<Vgpr<1>> offset;  // of the bytes that a lane fetches, one for each load
};

// Registers of a result: 16 of a 32x32, 4 of a 16x16. AGPRs hold what the vector ALU seldom needs.
template <unsigned N>
struct AccumulatorOf {
    bool in_agprs = false;
    Vgpr<N> v;
    Agpr<N> a;
    D<N> d(Where at = Where::current()) const { return in_agprs ? D<N>(a, at) : D<N>(v, at); }
};
using Accumulator = AccumulatorOf<16>;

// 32 queries of a wave; a lane has one of them, lane + 32 the same.
struct QueryBlock {
    std::array<TileOperand, 2> q;  // d 0..63, 64..127
    Vgpr<1> limit;                 // last visible key, minus 4 for the upper half of the wave
    Vgpr<1> row_sum;               // by the vector ALU
    AccumulatorOf<4> sums;         // by the matrix pipe, in the first register; the others are 0
    Vgpr<1> row_max;               // of raw scores
    Vgpr<1> alpha;                 // what older weights shrink by
    Vgpr<1> reference;             // weights are 2^(score * scale - reference)
    std::vector<std::vector<Vgpr<16>>> s;  // by copy and block of 32 keys
    std::vector<std::vector<Vgpr<8>>> p;   // by copy and block of 64 keys
    std::array<Accumulator, 4> o;
};

struct LoopState {
    TileStream keys, values;
    Sgpr<1> wave;        // number in the workgroup
    Sgpr<1> wave_lds;    // 1024 bytes for each
    Sgpr<1> scale;       // positive: scores times it are exponents of 2
    Sgpr<1> wave_limit;  // first key of the last tile that this wave sees whole
    Sgpr<1> tiles;       // to be done
    Sgpr<1> first_key;   // of the tile at hand
    Vgpr<1> minus_infinity;
    std::array<Vgpr<1>, 4> key_read, value_read;
    std::vector<QueryBlock> rows;
    bool in_agprs = false;  // fragments, too
    Agpr<8> ones_a;         // 1.0 in e4m3 or 0, for row sums by the matrix pipe
    Vgpr<8> ones_v;
};

// Weights are 2^8 at most, which e4m3 holds exactly; its smallest step then lies 2^-17 below the
// largest weight. A lazy reference leaves room for the maximum to rise.
inline float top_exponent(const Schedule& s) { return 8.0f - float(s.lazy.value_or(0)); }

// With at least one tile to do.
void emit_loop(Kernel&, const Schedule&, const Plan&, LoopState&);

}  // namespace zyfa
