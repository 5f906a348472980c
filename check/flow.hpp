// Control flow of machine code: basic blocks from branches.
#pragma once

#include <optional>
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

// The state in front of every block that is reached: what holds on all paths, loops included.
// `entry(block)` is the state where a wave may start, `advance(state, step)` goes past a step, and
// State::join(other) takes what two paths have in common; it must come to an end.
template <class State, class Entry, class Advance>
std::vector<std::optional<State>> solve(const Flowgraph& graph, Entry entry, Advance advance) {
    std::vector<std::optional<State>> in(graph.blocks.size());
    for (unsigned b = 0; b < graph.blocks.size(); ++b)
        if (graph.blocks[b].entry) in[b] = entry(b);
    std::vector<bool> open(graph.blocks.size(), true);
    for (bool again = true; again;) {
        again = false;
        for (unsigned b = 0; b < graph.blocks.size(); ++b) {
            if (!open[b] || !in[b]) continue;
            open[b] = false;
            State s = *in[b];
            for (unsigned i = graph.blocks[b].first; i < graph.blocks[b].end; ++i) advance(s, i);
            for (unsigned n : graph.blocks[b].next) {
                const std::optional<State> before = in[n];
                if (in[n]) in[n]->join(s);
                else in[n] = s;
                if (before == in[n]) continue;
                open[n] = true;
                again = true;
            }
        }
    }
    return in;
}

// "0x0012a4: v_exp_f32_e32 v1, v2"
std::string place(const Decoded&);
Finding finding(std::string_view rule, Severity, const Decoded&, std::string message,
                const Decoded* other = nullptr);

}  // namespace zyfa
