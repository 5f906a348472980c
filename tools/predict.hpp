// Time of a whole launch of one of our kernels on the whole chip: a few workgroups run in the cycle
// model, the others follow by their number of key tiles, and the dispatcher places them.
#pragma once

#include "sim/timing/chip.hpp"
#include "sim/timing/timing.hpp"
#include "tools/attention_run.hpp"
#include "tools/subject.hpp"

namespace zyfa {

struct Sampled {
    uint64_t query_tile = 0, key_tiles = 0, cycles = 0;
    double interpolated = 0;  // what the others say of it; 0 at the ends
};

struct Prediction {
    AttentionShape shape;
    uint64_t workgroups = 0;
    unsigned per_compute_unit = 1;
    std::vector<Sampled> samples;  // by key tiles
    Dispatched chip;
    Traffic traffic;              // at the clock asked for; see time()
    double flops = 0;             // 4 * pairs * d of every head
    double steady_matrix = 0;     // percent, of the longest sampled workgroup; 0: no steady part
    double toggled_pct = 0;       // bits of matrix operands
    double kv_bytes_at_once = 0;  // K and V of the heads that one die works on at a time

    // Seconds at a clock, and what binds: "workgroups", "L2" or "HBM".
    struct Time {
        double seconds = 0, tflops = 0, of_peak_pct = 0;
        const char* bound = "";
    };
    Time time(const Machine&, double ghz) const;
};

// One workgroup alone: 256 queries that see all of `keys` keys, gaussian input of seed 1. What two
// kernels are compared by. Error (Exit::unsupported): no recipe.
inline constexpr uint32_t kComparedKeys = 4096;
WorkgroupTiming time_workgroup(const Subject&, uint32_t keys, const TimingOptions&);

// Error (Exit::unsupported): no recipe, or no query row.
Prediction predict(const Subject&, const AttentionShape&, const TimingOptions&, uint64_t seed);

}  // namespace zyfa
