// What must stay in front of what within a block. Two streams may be woven into each other as long
// as every edge is respected.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "isa/program.hpp"

namespace zyfa {

enum class Why : uint8_t {
    result,     // reads what the other writes
    overwrite,  // writes what the other reads or writes
    memory,     // device memory, at least one writes
    lds,        // same LDS region, at least one writes
    fence,      // barrier, wait or priority of the kernel
    flow,       // the branch that ends the block
};
std::string_view why_name(Why);

struct Edge {
    unsigned from, to;  // positions in the block
    Why why;
};
// Edges in order of `to`. Registers include EXEC, so vector work stays inside its mask, and SCC,
// VCC and m0.
std::vector<Edge> dependences(const Block&);

// Is this permutation of the block's instructions allowed? The first edge that it breaks, or none.
const Edge* broken(std::span<const Edge>, std::span<const unsigned> order);

}  // namespace zyfa
