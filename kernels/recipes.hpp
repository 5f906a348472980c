// Recipe: a kernel by name, and the list of those that zyfa-gen offers.
#pragma once

#include <span>
#include <string_view>

#include "isa/program.hpp"

namespace zyfa {

struct Recipe {
    std::string_view id, about;
    std::string_view dtype;  // of q, k, v
    unsigned d_qk, d_v;
    bool causal;               // bottom-right aligned
    unsigned q_tile, k_tile;   // rows per workgroup, keys per loop step
    std::string_view softmax;  // how P and the row sum are made
    Program (*describe)(const Recipe&);
};

std::span<const Recipe> recipes();
const Recipe* find_recipe(std::string_view id);
inline Program describe(const Recipe& r) { return r.describe(r); }

}  // namespace zyfa
