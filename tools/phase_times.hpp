// Times of phases: a kernel with probes (isa/stamps.hpp) run on the cycle model or on a card, and
// two such records side by side.
#pragma once

#include "sim/timing/timing.hpp"
#include "tools/output.hpp"
#include "tools/pipeline.hpp"

namespace zyfa {

// The call that is timed. A record names it, so that another place can repeat it.
struct PhaseCall {
    std::string kernel;    // "fp8_d128_causal"
    std::string schedule;  // the file's text, probes in it
    std::string shape = "b=1,h=1,hk=1,sq=256,sk=4096", dist = "gaussian";
    uint64_t seed = 1;
    uint64_t workgroup = 0;  // whose waves are recorded
};
// `what` as for build and sim. A schedule without probes gets one for each phase.
PhaseCall phase_call(const std::string& what);

struct PhaseRecord {
    PhaseCall call;
    std::string device;
    bool card = false;
    std::vector<std::vector<uint32_t>> waves;  // kStampWords each
};
PhaseRecord time_phases_on_model(const PhaseCall&, const TimingOptions&);
PhaseRecord time_phases_on_card(const PhaseCall&);  // Error (Exit::unsupported): there is none

// What --json prints, and that read back. Error: not such a document.
Json to_json(const PhaseRecord&);
PhaseRecord phase_record(const Json& result, const std::string& file);

// From one stamp to the next. Phases of the first and last pass that have nothing to do have none.
struct Stretch {
    unsigned wave = 0, pass = 0, probe = 0;  // probe: n-th of the phases that have one
    uint32_t cycles = 0;
};
std::vector<Stretch> stretches(const std::vector<uint32_t>& stamps, unsigned wave, unsigned probes);

// A phase of one half of the waves, medians over waves and passes.
struct PhaseSides {
    std::string phase;
    bool upper = false;
    double measured = 0, predicted = 0;
    size_t count = 0;
    double ratio() const { return measured / predicted; }
};
struct PhaseComparison {
    std::vector<PhaseSides> phases;  // in the order of the schedule, the lower waves first
    std::vector<PhaseSides> loop;    // the same for all of the loop: one or two
    // A phase in one pass, medians over a half of the waves.
    struct Worst {
        PhaseSides sides;
        unsigned pass = 0;
        bool is_last = false;  // its row is that of any pass that has none of its own
        double apart() const { return sides.measured - sides.predicted; }
    };
    std::vector<Worst> worst;  // those that are farthest apart
};
// Both of the same call.
PhaseComparison compare_phases(const PhaseRecord& measured, const PhaseRecord& predicted);
Json to_json(const PhaseComparison&);
std::string to_text(const PhaseComparison&);
std::string to_text(const PhaseRecord&);  // one record alone

}  // namespace zyfa
