// Control flow of machine code: basic blocks from branches.
#pragma once

#include <span>
#include <vector>

#include "check/check.hpp"

namespace zyfa {

struct Step {  // one decoded instruction with what it does
    const Decoded* decoded;
    Effects effects;
};

struct Flowgraph {
    struct Node {
        unsigned first = 0, end = 0;  // steps
        std::vector<unsigned> next;   // blocks
        bool entry = false, reachable = false;
    };
    std::vector<Step> steps;
    std::vector<Node> blocks;
    std::vector<Finding> findings;  // BRANCH-TARGET, UNKNOWN-FLOW
};

Flowgraph flowgraph(std::span<const Decoded> code, const std::vector<uint32_t>& entries);

// "0x0012a4: v_exp_f32_e32 v1, v2"
std::string place(const Decoded&);
Finding finding(std::string_view rule, Severity, const Decoded&, std::string message,
                const Decoded* other = nullptr);

}  // namespace zyfa
