// --timing of `zyfa-gen sim`: the cycle model set up from the options, and what it predicted, as
// JSON and as text.
#pragma once

#include "sim/timing/timing.hpp"
#include "tools/output.hpp"
#include "tools/pipeline.hpp"
#include "tools/sim_options.hpp"

namespace zyfa {

class SimTiming {
public:
    // `built`: a kernel of ours, which knows its QK and PV instructions; else null.
    SimTiming(const SimOptions&, std::span<const Decoded> code, const Built*);
    SimTiming(const SimTiming&) = delete;
    const TimingOptions* options() const { return wanted_ ? &options_ : nullptr; }

private:
    bool wanted_;
    Machine machine_;
    TimingOptions options_;
    std::vector<uint32_t> useful_;  // addresses, sorted
};

Json to_json(const Timing&, size_t most_instructions);
std::string to_text(const Timing&, size_t most_instructions);

}  // namespace zyfa
