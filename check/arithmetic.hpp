// What integer instructions compute, for the checks that follow numbers through machine code.
#pragma once

#include <optional>
#include <span>

#include "isa/inst.hpp"

namespace zyfa {

// Result of one lane of an instruction with one 32-bit result and 32-bit sources, modifiers left
// out. Nothing: not an integer operation that is followed. Source: CDNA3 ISA, instruction
// descriptions (certain); the simulator's bodies are tested against the same.
std::optional<uint32_t> compute(Op, std::span<const uint32_t> sources);

// Of a compare (s_cmp, v_cmp), of one lane.
std::optional<bool> compare(Op, uint32_t a, uint32_t b);

// Of the scalar logic on pairs: the 64-bit result.
std::optional<uint64_t> compute64(Op, uint64_t a, uint64_t b);

}  // namespace zyfa
