// Plan: what follows from a schedule. Where matrix operands are read from LDS, in front of which
// barriers the loads of a tile are waited for, how many copies of the loop body and of the scores
// there are; and the proof that no wave of the group that runs ahead, nor of the one behind, meets
// a tile that is not there yet or is no more.
//
// Time is counted in barriers. In iteration i of its loop a wave passes barrier i*B + n as it
// enters the phase that the n-th barrier opens (n = 1..B); a wave of the upper half stands
// `stagger` barriers further back in its program when it passes that one.
#pragma once

#include <stdexcept>

#include "kernels/schedule.hpp"

namespace zyfa {

struct PlanError : std::runtime_error {
    PlanError(std::string path, const std::string& what)
        : std::runtime_error(what), path(std::move(path)) {}
    std::string path;  // JSON path
};

// What the other half of the waves may be doing.
struct Beside {
    unsigned phase;  // number, from 1
    int iteration;   // from that of the loop index
    bool operator==(const Beside&) const = default;
};
// Phases that waves of the upper half may be in while one of the lower half is in phase `number`
// (from 1), or the other way round. What barriers allow, not what is likely.
std::vector<Beside> beside(const Schedule&, unsigned number, bool of_upper);

// One operand from LDS and the matrix instructions that take it: one for each block of 32 queries.
struct MatrixStep {
    unsigned phase, item;  // Schedule::phases[phase].work[item]
    Work work;             // qk or pv
    int tile;
    unsigned part, sub;  // qk: key block, half of d; pv: block of 32 columns, block of 64 keys
    // Its read from LDS: behind the matrix instructions of step `anchor`, or at the front of phase
    // `front` (-1: it is not); in the iteration before if `early`.
    int anchor = -1, front = -1;
    bool early = false;
};

struct Plan {
    explicit Plan(const Schedule&);  // PlanError

    std::vector<MatrixStep> steps;                 // of one pass through the loop, in order
    unsigned score_copies = 1, weight_copies = 1;  // registers that S and P take
    unsigned exponent_copies = 1;                  // of scale blocks
    unsigned unroll = 1;                           // copies of the loop body
    int first_iteration = 0;                       // of the loop index, where the first tile enters
    bool has_last = false;                         // an iteration behind the last tile finishes it

    // Tile i + wait[n].tile is waited for in front of the barrier of phase n.
    struct Wait {
        unsigned phase;
        bool keys;  // else values
        int tile;
    };
    std::vector<Wait> waits;
    // The first tile is read before the first barrier of the loop, so there must be one in front.
    bool first_barrier = false;
    // Barriers that open the iteration behind the last tile: those up to its first read of values
    // that it has not had before.
    unsigned last_barriers = 0;
    // Tiles that are loaded, and that are waited for, before the loop.
    unsigned first_loads_k = 0, first_loads_v = 0, first_waits_k = 0, first_waits_v = 0;
};

}  // namespace zyfa
