// What a shipped kernel computes, step by step: tile order, running maximum, and each place where
// it rounds. attend() says how far a kernel is from softmax; this says whether the simulator runs
// the kernel as the hardware does: the two must agree far below the kernel's own error.
// Read off the disassembly of AITER's gfx950 objects (ROCm/aiter commit e4048607a535, hsa/gfx950);
// plain C++, nothing of the simulator. Matrix instructions add the products of one instruction and
// the accumulator exactly and round once, which is one of the simulator's models.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reference/attention.hpp"

namespace zyfa {

struct Head;  // keys and values of one head, decoded
struct Wave;  // the 32 query rows that one wave works on, and its results

struct Formula {
    std::string_view name;  // `check.model` of a launch file
    std::string_view about;
    void (*run)(const Attention&, const Head&, Wave&);
};
std::span<const Formula> formulas();
const Formula* find_formula(std::string_view name);
std::string formula_names();  // "aiter_v3_fp8, ..."

// As attend(), by the formula. Some formulas decide for all rows of a wave at once, so whole waves
// of 32 rows are computed, counted from each sequence's first row.
AttentionRows emulate(const Attention&, const Formula&, uint64_t max_rows = ~0ull,
                      unsigned threads = 0);

}  // namespace zyfa
