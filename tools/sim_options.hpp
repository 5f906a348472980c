// The options of `zyfa-gen sim`, and what they mean to the simulator.
#pragma once

#include "sim/run.hpp"
#include "tools/command.hpp"
#include "tools/suppress.hpp"

namespace zyfa {

struct SimOptions {
    std::string what, replay, shape, accumulate = "exact", dist = "gaussian";
    std::string interleave = "in-turn", sanitize = "all";
    std::string suppress, write_suppressions, save_repro, trace;
    std::vector<std::string> breaks;
    std::string dump = "exec,vcc,scc", lanes;
    std::string machine, arbiter = "oldest";
    uint64_t seed = 1, interleave_seed = 0, max_rows = 1 << 14, runs = 0;
    uint64_t max_instructions = 0, break_count = 10, trace_limit = 256;  // limit: MB
    int wave = -1;
    int64_t workgroup = -1;
    unsigned threads = 0;
    size_t most = 10, hot = 10;
    bool timing = false, sweep = false;
    bool check = false, strict = false, rules = false;
};

void add_sim_options(CLI::App& command, SimOptions&);

// "late-dma", "starve:3", "seed:7", ... Error names what is allowed.
struct WaveOrder {
    Interleave interleave;
    unsigned starved;
    uint64_t seed;
};
WaveOrder order_of(const SimOptions&);

// Which findings are wanted: rules by --sanitize, minus the suppressed ones.
struct Filter {
    std::vector<std::string> off;  // rules, sorted
    Suppressions suppressions;
    explicit Filter(const SimOptions&, const std::string& kernel);
    bool wants(std::string_view rule, uint32_t address, uint32_t other) const;
};

// All of it but hook, progress and stop. The filter must outlive the run.
Options options_of(const SimOptions&, const Filter&);

// The command line, without those options that only change what is shown.
std::string reproduce_line(const SimOptions&, const std::string& what);

}  // namespace zyfa
