// Loops of decoded code: a branch back to an instruction without which it cannot be reached. Code
// out of line jumps back, too, but is reached without the place that it jumps back to.
#pragma once

#include <span>
#include <vector>

#include "isa/llvm/mc.hpp"

namespace zyfa {

struct CodeLoop {
    uint32_t first, branch;  // addresses, both within the loop
};
// In the order of their branches. Code that is not reached from the first instruction, another
// kernel's, counts as if all its branches back were loops.
std::vector<CodeLoop> loops_of(std::span<const Decoded>);

}  // namespace zyfa
