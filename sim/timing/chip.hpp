// From the cycles of workgroups to the time of a whole launch: which compute unit runs what, when
// the last one ends, and what memory would allow. One model of the dispatcher, nothing measured.
#pragma once

#include <span>
#include <vector>

#include "isa/machine.hpp"

namespace zyfa {

struct Dispatched {
    double cycles = 0;               // until the last workgroup ends
    double busy_pct = 0;             // of all places for workgroups, over that time
    double first_idle = 0;           // when the first compute unit has nothing left to do
    std::vector<double> xcd_cycles;  // when each die ends
    unsigned places = 0;             // workgroups that run at one time
};

// Workgroups in the order of their number (x fastest), cycles of each; those that share a compute
// unit are taken to run at the pace of one alone. Workgroup n goes to die n mod dies (certain:
// HipKittens; kernels remap for it), and there to the compute unit that is free first, in order
// (guess: what the dispatcher does beyond that is not public). Time to start one is not counted.
Dispatched dispatch(const Machine&, std::span<const float> cycles, unsigned per_compute_unit);

// Bytes a launch moves, and the least cycles that this takes.
struct Traffic {
    double l2_bytes = 0, hbm_bytes = 0;
    double l2_cycles = 0;   // L2 of all dies at their peak rate
    double hbm_cycles = 0;  // at the clock given
};
Traffic traffic(const Machine&, double l2_bytes, double hbm_bytes, double ghz);

}  // namespace zyfa
