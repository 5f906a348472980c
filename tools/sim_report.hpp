// What a simulation found, as text and as JSON. Both say the same, and both say what the figures
// rest on: a functional model, with time or without, the numeric mode, the inputs, and what is
// unproven.
#pragma once

#include <optional>

#include "sim/run.hpp"
#include "tools/attention_check.hpp"
#include "tools/output.hpp"
#include "tools/runs.hpp"

namespace zyfa {

inline constexpr const char* kSimModel = "functional";

struct SimRecord {
    std::string id;
    std::string shape;  // empty: a launch file says it
    std::string input;  // distribution
    std::string accumulate;
    uint64_t interleave_seed = 0;
    std::string interleave;   // as asked for
    std::string reproduce;    // command line
    uint64_t suppressed = 0;  // findings, each occurrence counted
    std::optional<Repeats> repeats;
    Json stops = Json::array();  // of --break
    bool interrupted = false;
    size_t hot = 10;  // instructions that a prediction lists
    Result result;
    std::optional<Verdict> verdict;
    std::optional<AttentionError> quantisation;  // of the input alone, no kernel in it

    Exit status(bool strict) const;
};

Json to_json(const SimRecord&);
std::string to_text(const SimRecord&, size_t most_findings, const Common&);

}  // namespace zyfa
