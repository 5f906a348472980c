// Rules that a single instruction breaks or keeps by itself: alignment, register kinds, ranges.
#pragma once

#include "check/flow.hpp"

namespace zyfa {

void check_operands(const Decoded&, std::vector<Finding>&);
std::span<const Rule> operand_rules();

}  // namespace zyfa
