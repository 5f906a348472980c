// Softmax: the work of a schedule between qk and pv, in instructions, and what it keeps for each
// query. Two ways to keep weights in range (Schedule::scale_block):
//
// Running reference. Weights are 2^(x - reference + top), x = score * scale; the reference is the
// row's maximum so far, and O and the row sum shrink when it rises.
//
// Block exponents. The reference M of a row is the maximum of its first block of keys and stays.
// A block has the exponent k = ceil(max x - M - 8); its weights are 2^(x - M - k), 256 at most, and
// v_mfma_scale multiplies by 2^k (E8M0, 127 + k). Small weights keep their bits although one key
// has nearly all of the weight, and O is never rescaled but where k would pass 92.
#pragma once

#include <memory>

#include "kernels/fp8_loop.hpp"

namespace zyfa {

// A tile of scores that becomes weights.
struct TileScores {
    std::vector<Vgpr<16>>& s;  // by block of 32 keys
    std::vector<Vgpr<8>>& p;   // by block of 64 keys
    unsigned copy;             // of exponents
    bool first;                // of its queries
};

class Softmax {
public:
    virtual ~Softmax() = default;
    virtual void begin() = 0;                      // what all queries share
    virtual void loaded(QueryBlock&, Vgpr<16>) {}  // q, before anything else uses it
    virtual void begin(QueryBlock&) = 0;           // registers and where they start; limit is there
    // NaN among scores of a tile: in one that has hidden ones, each query looks at its own; else
    // each wave at its share of the keys.
    virtual void check_own(QueryBlock&, TileScores) {}
    virtual void check_share(TileScores, Label) {}  // which may be jumped to at the end
    virtual void max(QueryBlock&, TileScores) = 0;
    virtual void rescale(QueryBlock&, TileScores) = 0;
    virtual void exp(QueryBlock&, TileScores) = 0;
    virtual void pack(QueryBlock&, TileScores) = 0;
    virtual void sum(QueryBlock&, TileScores) = 0;
    // o += values * weights of 64 keys, and behind the first columns their row sum.
    virtual void weigh(QueryBlock&, TileScores, unsigned columns, unsigned keys,
                       const TileOperand& values, const TileOperand& weights) = 0;
    virtual void meet() {}  // behind the last tile, all waves of the workgroup
    // Leaves row_sum and reference: the sum over keys of 2^(x - reference).
    virtual void end(QueryBlock&) = 0;
};
std::unique_ptr<Softmax> make_softmax(Kernel&, const Schedule&, const Plan&, LoopState&);

}  // namespace zyfa
