// One host thread of a run: workgroups one after the other, each wave's instructions in the order
// that Options ask for, or in that of predicted time.
#pragma once

#include <memory>
#include <vector>

#include "sim/timing/compute_unit.hpp"
#include "sim/wave.hpp"

namespace zyfa::sim {

struct Worker {
    Group group;
    Reporter reporter;
    std::vector<uint64_t> counts;       // of executed steps, by step number
    std::unique_ptr<ComputeUnit> unit;  // of timed runs
    std::vector<WorkgroupTiming> timed;
    bool complete = true;

    bool run(uint64_t index);  // of the workgroup. False: stopped before its end

private:
    unsigned start_group(uint64_t index);  // number of its waves
    template <bool kHooked>
    bool run_group(uint64_t index);
    template <bool kHooked>
    bool run_timed(uint64_t index);
    bool release_barrier(unsigned waves);  // true: it opens
    void check_barriers(unsigned waves);
    bool goes_on(Wave&);  // after an instruction of the wave. False: the run is to end
    bool told_to_stop() const;
};

}  // namespace zyfa::sim
