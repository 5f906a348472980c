// Loops of a wave as they are run: each taken backward branch is a back edge. A stay in a loop is
// a row of takings of one edge between which the wave never left the code from target to branch for
// more instructions than half of that code has: a rare path placed elsewhere belongs to the loop,
// an epilogue and the next prologue do not. Each taking keeps a snapshot of the counters, so that
// any whole iterations of a stay can be looked at afterwards. Places are step numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/timing/timing.hpp"

namespace zyfa::sim {

// Of one wave and its SIMD up to a moment; all in cycles.
struct Snapshot {
    uint64_t cycle = 0;
    uint64_t matrix = 0, useful = 0, port = 0;  // busy, of the SIMD
    uint64_t lds = 0, path = 0;                 // busy, of the compute unit
    Account spent{};                            // of the wave
};

struct Stay {
    uint32_t branch = 0, target = 0;
    std::vector<Snapshot> takings;
    uint64_t cycles() const { return takings.back().cycle - takings.front().cycle; }
};

class LoopTracker {
public:
    void reset() { *this = {}; }
    // A branch at `from` that went to `to`, not to the next instruction; `instructions`: executed
    // by the wave so far. `snapshot` is asked for when it goes backward.
    template <class Make>
    void jumped(uint32_t from, uint32_t to, uint64_t instructions, Make snapshot) {
        for (Edge& e : edges_) {
            const bool inside = segment_ >= e.target && from <= e.branch;
            e.away = inside ? 0 : e.away + (instructions - instructions_);
            e.longest_away = std::max(e.longest_away, e.away);
        }
        segment_ = to;
        instructions_ = instructions;
        if (to <= from) taken(from, to, snapshot());
    }
    // The longest stay in the loop in which most cycles were spent, if it has at least one
    // iteration between the first and last two; else null.
    const Stay* main() const;

private:
    struct Edge {
        uint32_t branch, target;
        // Instructions in a row outside: since the wave was inside last; most since it was taken.
        uint64_t away = 0, longest_away = 0;
        std::vector<Stay> stays;
    };
    void taken(uint32_t from, uint32_t to, Snapshot);
    std::vector<Edge> edges_;
    uint32_t segment_ = 0;  // where the wave runs straight on since its last jump
    uint64_t instructions_ = 0;
};

// Iteration n of a stay ends at taking n; those before the first and behind the last taking are no
// whole ones of their own. Two more are dropped at each end: the window is that of takings
// [kDropped - 1, size - kDropped).
inline constexpr size_t kDropped = 2;
inline constexpr size_t kLeastTakings = 2 * kDropped;

// By wave, null where it has none; wave n is on SIMD n mod `simds`. Of the waves of a SIMD the
// lowest with a window speaks for the SIMD. Empty: no wave has one.
std::optional<SteadyWindow> steady_window(const std::vector<const Stay*>& by_wave, unsigned simds);

}  // namespace zyfa::sim
