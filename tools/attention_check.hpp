// The `check` of a launch file: the buffers after a run against attention in double precision, or
// against what a shipped kernel computes step by step, on the bytes the kernel was given.
#pragma once

#include <string>
#include <vector>

#include "reference/attention.hpp"
#include "sim/launch_file.hpp"
#include "sim/replay.hpp"

namespace zyfa {

// Keeps the inputs as they were before the run: the kernel is judged on those.
struct AttentionInputs {
    Attention attention;
    std::vector<std::vector<uint8_t>> storage;  // what the views point into
};
// Error: buffer shapes do not make an attention, with the JSON path.
AttentionInputs attention_inputs(const LaunchFile&, const Prepared&);

struct Verdict {
    AttentionError error;       // to the model that the launch file names; it is judged
    AttentionError to_softmax;  // to attention in double precision; the same if that is the model
    std::string model;          // its name
    std::vector<std::string> failures;  // one sentence for each bound that is missed
    bool ok() const { return failures.empty(); }
};
Verdict check_attention(const LaunchFile&, const AttentionInputs&, const Prepared&,
                        uint64_t max_rows = 1 << 16);

}  // namespace zyfa
