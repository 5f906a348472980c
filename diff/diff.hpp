// Two pieces of machine code side by side, by instruction: what was added, removed, moved, changed.
// Registers count by what they hold: where the same instructions wrote the value, another number
// is a renaming and no change.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "isa/llvm/mc.hpp"
#include "isa/machine.hpp"

namespace zyfa {

// One row of the alignment; -1: there is none on that side.
struct DiffRow {
    enum class Kind : uint8_t { same, renamed, changed, added, removed, moved_from, moved_to };
    Kind kind;
    int a = -1, b = -1;  // instruction numbers; of moved ones both
};

struct CodeDiff {
    std::vector<DiffRow> rows;  // in the order of both; moved ones stand at both of their places
    unsigned added = 0, removed = 0, moved = 0, changed = 0, renamed = 0;
    bool identical() const { return added + removed + moved + changed + renamed == 0; }
};

// In time near-linear in the length for similar code, quadratic in the number of differences.
CodeDiff compare(std::span<const Decoded> a, std::span<const Decoded> b);

// The loop with the most instructions between a branch and its target further up.
struct LoopCost {
    uint32_t first = 0, last = 0;  // addresses
    unsigned instructions = 0, matrix = 0;
    // Predicted by the machine's rates: issue slots of vector and matrix instructions, one wave;
    // and the matrix pipe. Without stalls.
    double port_cycles = 0, matrix_cycles = 0;
    double skippable = 0;  // of port_cycles: what a branch within the loop can jump over
};
LoopCost main_loop(std::span<const Decoded>, const Machine&);  // zeros: there is no loop

}  // namespace zyfa
