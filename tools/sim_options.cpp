#include "tools/sim_options.hpp"

#include <algorithm>
#include <charconv>

#include "sim/rules.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

constexpr const char* kOrders =
    "allowed: in-turn, late-dma, starve:WAVE, reversed, lockstep, seed:N";

uint64_t number_after(const std::string& text, size_t colon) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data() + colon + 1, end, value);
    if (error != std::errc() || stop != end)
        throw Error(fmt::format("--interleave {}: no number after ':'; {}", text, kOrders));
    return value;
}

std::vector<std::string> words(const std::string& list) {
    std::vector<std::string> out;
    for (size_t from = 0; from <= list.size();) {
        const size_t comma = std::min(list.find(',', from), list.size());
        if (comma > from) out.push_back(list.substr(from, comma - from));
        from = comma + 1;
    }
    return out;
}

// "all", "none", "LDS-RACE,WAIT-LDS", "all,-WAIT-TIME".
std::vector<std::string> rules_off(const std::string& list) {
    std::vector<std::string> off, all;
    for (const SimRule& rule : sim_rules()) all.emplace_back(rule.name);
    const auto entries = words(list);
    if (entries.empty()) throw Error("--sanitize: no rule named; all and none are allowed, too");
    if (entries[0] != "all" && entries[0][0] != '-') off = all;
    for (const std::string& entry : entries) {
        if (entry == "all" || entry == "none") {
            off = entry == "all" ? std::vector<std::string>() : all;
            continue;
        }
        const bool remove = entry[0] == '-';
        const std::string name = entry.substr(remove);
        if (!find_sim_rule(name))
            throw Error(fmt::format("--sanitize: unknown rule '{}'{}; sim --rules lists them", name,
                                    did_you_mean(name, all)));
        std::erase(off, name);
        if (remove) off.push_back(name);
    }
    std::sort(off.begin(), off.end());
    return off;
}

bool has(const std::vector<std::string>& off, std::string_view rule) {
    return std::find(off.begin(), off.end(), rule) != off.end();
}

}  // namespace

WaveOrder order_of(const SimOptions& opt) {
    const std::string& text = opt.interleave;
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const bool numbered = colon != std::string::npos;
    if (opt.interleave_seed) {
        if (name != "in-turn") throw Error("--interleave and --interleave-seed: one of them");
        return {Interleave::random, 0, opt.interleave_seed};
    }
    if (numbered && name == "seed") {
        const uint64_t seed = number_after(text, colon);
        return {seed ? Interleave::random : Interleave::in_turn, 0, seed};
    }
    if (numbered && name == "starve")
        return {Interleave::starve, unsigned(number_after(text, colon)), 0};
    if (!numbered && name == "in-turn") return {Interleave::in_turn, 0, 0};
    if (!numbered && name == "late-dma") return {Interleave::late_dma, 0, 0};
    if (!numbered && name == "reversed") return {Interleave::reversed, 0, 0};
    if (!numbered && name == "lockstep") return {Interleave::lockstep, 0, 0};
    throw Error(fmt::format("--interleave {}: no such order; {}", text, kOrders));
}

Filter::Filter(const SimOptions& opt, const std::string& kernel) : off(rules_off(opt.sanitize)) {
    if (!opt.suppress.empty()) suppressions = load_suppressions(opt.suppress, kernel);
}

bool Filter::wants(std::string_view rule, uint32_t address, uint32_t other) const {
    return !has(off, rule) && !suppressions.hides(rule, address, other);
}

Options options_of(const SimOptions& opt, const Filter& filter) {
    Options options;
    const WaveOrder order = order_of(opt);
    options.accumulate = opt.accumulate == "cdna3" ? Accumulate::cdna3
                         : opt.accumulate == "fma" ? Accumulate::fma
                                                   : Accumulate::exact;
    options.interleave = order.interleave;
    options.starved = order.starved;
    options.seed = order.seed;
    options.threads = opt.threads;
    options.strict = options.stop_at_error = options.proven_only = opt.strict;
    options.max_wave_instructions = opt.max_instructions;
    if (opt.timing) options.only_workgroup = opt.workgroup;
    options.races = !has(filter.off, "LDS-RACE");
    options.uninitialised = !(has(filter.off, "UNINIT-LDS") && has(filter.off, "UNINIT-SGPR") &&
                              has(filter.off, "UNINIT-VGPR"));
    options.uninitialised_memory = !has(filter.off, "UNINIT-MEMORY");
    if (!filter.off.empty() || !filter.suppressions.empty())
        options.wanted = [&filter](std::string_view rule, uint32_t address, uint32_t other) {
            return filter.wants(rule, address, other);
        };
    return options;
}

std::string reproduce_line(const SimOptions& opt, const std::string& what) {
    std::string line = "zyfa-gen sim";
    if (opt.replay.empty()) {
        line += " " + what;
        if (!opt.shape.empty()) line += " --shape " + opt.shape;
        line += fmt::format(" --dist {} --seed {}", opt.dist, opt.seed);
    } else {
        line += " --replay " + opt.replay;
    }
    if (opt.accumulate != "exact") line += " --accumulate " + opt.accumulate;
    if (opt.interleave_seed) line += fmt::format(" --interleave seed:{}", opt.interleave_seed);
    else if (opt.interleave != "in-turn") line += " --interleave " + opt.interleave;
    if (opt.sanitize != "all") line += " --sanitize " + opt.sanitize;
    if (opt.strict) line += " --strict";
    if (opt.timing) {
        line += " --timing";
        if (!opt.machine.empty()) line += " --machine " + opt.machine;
        if (opt.arbiter != "oldest") line += " --arbiter " + opt.arbiter;
        if (opt.workgroup >= 0) line += fmt::format(" --workgroup {}", opt.workgroup);
    }
    return line;
}

void add_sim_options(CLI::App& cmd, SimOptions& o) {
    const auto text = [&](const char* name, std::string& value, const char* type,
                          const char* about) {
        auto* option = cmd.add_option(name, value, about)->type_name(type);
        if (!value.empty()) option->default_str(value);
        return option;
    };
    const auto number = [&](const char* name, auto& value, const char* about) {
        return cmd.add_option(name, value, about)
            ->type_name("N")
            ->default_str(fmt::format("{}", value));
    };
    cmd.add_option("id", o.what, "kernel id, or code object that zyfa-gen built");
    text("--shape", o.shape, "SHAPE", "b=..,h=..,hk=..,sq=..,sk=.. (ck_tile names, too)");
    cmd.add_flag("--check", o.check, "compare with double precision; exit 1 if out of bounds");
    text("--dist", o.dist, "DIST", "inputs: gaussian, llm, llm:FAMILY, file (recorded), file:DIR");
    number("--seed", o.seed, "of the inputs");
    text("--accumulate", o.accumulate, "MODEL",
         "how matrix instructions add up: exact, cdna3 or fma")
        ->check(one_of({"exact", "cdna3", "fma"}));
    number("--rows", o.max_rows, "most rows that --check compares, spread evenly");
    text("--replay", o.replay, "FILE", "launch file: any code object, any buffers");
    text("--save-repro", o.save_repro, "DIR",
         "write launch file, buffers and code object; sim --replay DIR/launch.json repeats it");
    number("--threads", o.threads, "host threads; 0: all; changes no result");
    number("--max-instructions", o.max_instructions, "most instructions of a wave; 0: no limit");

    cmd.add_flag("--timing", o.timing,
                 "predict cycles; waves and loads then go by the cycle model");
    text("--machine", o.machine, "FILE",
         "for --timing: mi355x, mi350x or a machine file (default: mi355x)");
    text("--arbiter", o.arbiter, "RULE",
         "who issues first at equal priority: oldest, round-robin, youngest");
    number("--hot", o.hot, "instructions that waited most, shown with --timing");
    cmd.add_flag("--sweep", o.sweep,
                 "with --timing: move each number in doubt through its range, say what that moves");

    text("--interleave", o.interleave, "ORDER",
         "of waves and loads: in-turn, late-dma, starve:WAVE, reversed, lockstep, seed:N");
    number("--interleave-seed", o.interleave_seed, "the same as --interleave seed:N");
    number("--runs", o.runs, "run with seed:1 .. seed:N; exit 1 unless all outputs are the same")
        ->check(CLI::Range(uint64_t(1), uint64_t(1000000)));

    text("--sanitize", o.sanitize, "RULES",
         "checks: all, none, a list of rules, all,-RULE without some");
    cmd.add_flag("--rules", o.rules, "list the rules and how sure each is, run nothing");
    text("--suppress", o.suppress, "FILE", "findings that are known: RULE [KERNEL] ADDRESS OTHER");
    text("--write-suppressions", o.write_suppressions, "FILE",
         "write such a file for what was found");
    cmd.add_flag("--strict", o.strict,
                 "stop at the first error, exit 4 at the first instruction without hardware proof");
    number("--max-diagnostics", o.most, "most findings that are printed");

    cmd.add_option("--break", o.breaks, "show the state before ADDRESS, LABEL or section")
        ->type_name("PLACE")
        ->allow_extra_args(false);
    number("--break-count", o.break_count, "how often a place is shown");
    number("--wave", o.wave, "only this wave, for --break and --trace; -1: all");
    number("--workgroup", o.workgroup,
           "only this workgroup; -1: all. With --timing no other is run");
    text("--dump", o.dump, "LIST",
         "what --break shows: vgpr:v0-v3, sgpr, sgpr:s4-s7, lds:0-256, exec, vcc, scc, lanes");
    text("--trace", o.trace, "FILE", "executed instructions with their values, as JSON lines");
    text("--lanes", o.lanes, "LIST", "lanes that --break and --trace show, 0-3,32 (default 0-3)");
    number("--trace-limit", o.trace_limit, "MB; a longer trace ends the run with exit 4");
}

}  // namespace zyfa
