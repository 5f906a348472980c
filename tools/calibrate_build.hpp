// Probes made into code objects. Their instructions keep their order: registers are allocated and
// waits placed, but nothing is moved, and a wait state inside a measured body is an error.
#pragma once

#include "calibrate/probe.hpp"
#include "emitter/emit.hpp"

namespace zyfa {

struct BuiltProbe {
    ProbeKernel kernel;
    Program program;
    Emitted emitted;
};

// Error with the probe's source line: it cannot be scheduled, or hazards would put an s_nop into
// its body.
BuiltProbe build(const ProbeKernel&);

// The same, each kernel built once in the life of the tool. Not for several threads.
const BuiltProbe& built(const ProbeKernel&);

}  // namespace zyfa
