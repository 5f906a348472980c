// What each place in the code of a kernel costs, from one timed run: how often it was executed and
// where the cycles of its waves went, in the whole run and in the steady window. Predicted by the
// cycle model (docs/model.md); cycles stand at the instruction that waited.
#pragma once

#include "sim/timing/timing.hpp"
#include "tools/output.hpp"
#include "tools/subject.hpp"

namespace zyfa {

struct CostOptions {
    std::string shape, launch, machine, arbiter = "oldest", dist = "gaussian";
    uint64_t seed = 1;
    int64_t workgroup = -1;  // -1: all
};

struct Spending {
    uint64_t executed = 0;  // times, over all waves
    sim::Account cycles{};
    uint64_t sum() const;
    Spending& operator+=(const Spending&);
};

// A named part of the code. `depth` 1: a part of the last one of depth 0.
struct CostGroup {
    std::string name;
    unsigned depth = 0;
    Spending run, steady;
};

struct CodeCosts {
    std::string input;  // what ran: distribution and shape, or the launch file
    std::shared_ptr<const Timing> timing;
    double ghz = 0;                     // clock/dense of the machine file: assumed
    std::vector<Spending> run, steady;  // by place in CodeObject::code; steady empty: no window
    uint64_t ended = 0;                 // cycles of waves that had ended before their workgroup did
    uint64_t run_cycles = 0;          // of all waves of all workgroups: `run` and `ended` together
    uint64_t steady_cycles = 0;       // of all waves of one workgroup in the window
    std::vector<CostGroup> sections;  // each place is in one of depth 0
    std::vector<CostGroup> phases;    // of a schedule of ours, with its entries at depth 1
};

// Runs a kernel of ours with CostOptions::shape, or any code object with a launch file. With a
// steady window the run is made a second time, to see what falls into it. Files that were read are
// added to `inputs`. Error: nothing to launch it with, or the run does not come to its end.
CodeCosts code_costs(const Subject&, const CostOptions&, Json& inputs);

}  // namespace zyfa
