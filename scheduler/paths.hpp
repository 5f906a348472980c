// Control flow of a Program, and the iteration that carries a state along all paths.
#pragma once

#include <optional>
#include <vector>

#include "isa/program.hpp"

namespace zyfa {

// Blocks that may follow each block. Error: a branch that is not last, leads to no block, or code
// that runs past the end.
std::vector<std::vector<unsigned>> successors(const Program&);

// State in front of every block, none where no path leads. `through(block, state)` changes the
// state as the block does, including what the pass would insert. A round takes the newest state of
// every predecessor, so that nothing of an earlier, weaker round is left in the result; if that
// does not settle, the rounds that follow only add, which does.
template <class State, class Through>
std::vector<std::optional<State>> along_paths(const Program& program, const State& entry,
                                              Through through) {
    constexpr unsigned kExactRounds = 40;
    const auto next = successors(program);
    const unsigned count = unsigned(program.blocks.size());
    std::vector<std::vector<unsigned>> before(count);
    for (unsigned b = 0; b < count; ++b)
        for (unsigned n : next[b]) before[n].push_back(b);
    std::vector<std::optional<State>> in(count), out(count);
    for (unsigned round = 0;; ++round) {
        bool changed = false;
        for (unsigned b = 0; b < count; ++b) {
            std::optional<State> state;
            const auto join = [&](const State& s) {
                if (state) state->join(s);
                else state = s;
            };
            if (b == 0) join(entry);
            for (unsigned p : before[b])
                if (out[p]) join(*out[p]);
            if (round >= kExactRounds && in[b]) join(*in[b]);
            if (!state || state == in[b]) continue;
            in[b] = state;
            through(b, *state);
            out[b] = std::move(state);
            changed = true;
        }
        if (!changed) return in;
    }
}

// What a pass makes of every block: `through(block, state, out)` appends the block's instructions,
// with what the pass inserts, to *out (nullptr while the states are still being found).
template <class State, class Through>
std::vector<std::vector<Inst>> rewrite_along_paths(const Program& program, Through through) {
    const auto in = along_paths(program, State{},
                                [&](unsigned b, State& state) { through(b, state, nullptr); });
    std::vector<std::vector<Inst>> out(program.blocks.size());
    for (unsigned b = 0; b < out.size(); ++b) {
        State state = in[b] ? *in[b] : State{};
        through(b, state, &out[b]);
    }
    return out;
}

}  // namespace zyfa
