// The loop over key tiles of the FP8 kernels for head dim 128: what each piece of work of a
// schedule is in instructions, and how a schedule makes a loop of them.
#pragma once

#include <functional>
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

// Registers of a result. AGPRs hold what the vector ALU seldom needs.
struct Accumulator {
    bool in_agprs = false;
    Vgpr<16> v;
    Agpr<16> a;
    D<16> d(Where at = Where::current()) const { return in_agprs ? D<16>(a, at) : D<16>(v, at); }
};

// 32 queries of a wave; a lane has one of them, lane + 32 the same.
struct QueryBlock {
    std::array<TileOperand, 2> q;  // d 0..63, 64..127
    Vgpr<1> limit;                 // last visible key, minus 4 for the upper half of the wave
    std::vector<std::vector<Vgpr<16>>> s;  // by copy and block of 32 keys
    std::vector<std::vector<Vgpr<8>>> p;   // by copy and block of 64 keys
    std::array<Accumulator, 4> o;
    // Softmax (kernels/softmax.hpp). Weights are 2^(score * scale - reference).
    Vgpr<1> row_sum, reference;
    std::vector<Vgpr<4>> sums;                // by the matrix pipe
    Vgpr<1> row_max, alpha;                   // of raw scores; what older weights shrink by
    Vgpr<1> base;                             // of exponents of weights
    Vgpr<1> poison;                           // NaN, or another number that says nothing
    std::vector<Vgpr<1>> exponent;            // by scale block
    std::vector<std::vector<Vgpr<1>>> scale;  // by copy and scale block, E8M0
};

struct LoopState {
    TileStream keys, values;
    Sgpr<1> wave;        // number in the workgroup
    Sgpr<1> wave_lds;    // 1024 bytes for each
    Sgpr<1> scale;       // positive: scores times it are exponents of 2
    Sgpr<1> wave_limit;  // first key of the last tile that needs no mask
    Sgpr<1> tiles;       // to be done
    Sgpr<1> first_key;   // of the tile at hand
    Vgpr<1> lane, minus_infinity;
    std::array<Vgpr<1>, 4> key_read, value_read;
    std::vector<QueryBlock> rows;
    bool in_agprs = false;  // fragments, too
    // Code that is rarely jumped to, behind the end: it places its label and jumps back.
    std::vector<std::function<void()>> out_of_line;
};

class Softmax;

// With at least one tile to do.
void emit_loop(Kernel&, const Schedule&, const Plan&, LoopState&, Softmax&);

}  // namespace zyfa
