#include "tools/command.hpp"
#include "tools/predict.hpp"
#include "tools/sim_options.hpp"
#include "tools/sim_timing.hpp"
#include "tools/sweep.hpp"

namespace zyfa {

namespace {

struct PredictOptions {
    std::vector<std::string> what;
    std::string shape = "b=1,h=16,hk=16,sq=32768,sk=32768", machine, arbiter = "oldest";
    uint64_t seed = 1;
    bool sweep = false;
};

double two_digits(double x) { return std::round(100 * x) / 100; }

Json to_json(const Prediction& p, const Machine& m) {
    Json samples = Json::array(), times = Json::array();
    for (const Sampled& s : p.samples)
        samples.push_back(
            {{"query_tile", s.query_tile},
             {"key_tiles", s.key_tiles},
             {"cycles", s.cycles},
             {"interpolated", s.interpolated ? Json(std::round(s.interpolated)) : Json(nullptr)}});
    for (const Number* clock : {&m.clock_dense, &m.clock_light, &m.clock_peak}) {
        const Prediction::Time t = p.time(m, clock->value);
        times.push_back({{"ghz", clock->value},
                         {"milliseconds", two_digits(1e5 * t.seconds) / 100},
                         {"tflops", two_digits(t.tflops)},
                         {"of_peak_pct", two_digits(t.of_peak_pct)},
                         {"bound", t.bound}});
    }
    return {{"shape", p.shape.text()},
            {"workgroups", p.workgroups},
            {"workgroups_at_once", p.chip.places},
            {"workgroups_per_compute_unit", p.per_compute_unit},
            {"samples", samples},
            {"cycles", std::round(p.chip.cycles)},
            {"compute_units_busy_pct", two_digits(p.chip.busy_pct)},
            {"first_idle_cycle", std::round(p.chip.first_idle)},
            {"useful_matrix_pct", two_digits(p.steady_matrix)},
            {"l2_bytes", p.traffic.l2_bytes},
            {"hbm_bytes", p.traffic.hbm_bytes},
            {"l2_cycles", std::round(p.traffic.l2_cycles)},
            {"kv_bytes_at_once_per_die", p.kv_bytes_at_once},
            {"operand_bits_toggled_pct", two_digits(p.toggled_pct)},
            {"flops", p.flops},
            {"times", times}};
}

std::string to_text(const Prediction& p, const Machine& m) {
    std::string out;
    const auto line = [&](const char* key, const std::string& value) {
        out += fmt::format("  {:<14} {}\n", key, value);
    };
    line("workgroups", fmt::format("{}, {} at once ({} for each compute unit)", p.workgroups,
                                   p.chip.places, p.per_compute_unit));
    std::string samples;
    for (const Sampled& s : p.samples) {
        samples +=
            fmt::format("{}{} key tiles {}", samples.empty() ? "" : ", ", s.key_tiles, s.cycles);
        if (s.interpolated)
            samples += fmt::format(" ({:+.1f} % by the others)",
                                   100 * (s.interpolated / double(s.cycles) - 1));
    }
    line("cycles of", samples);
    line("chip",
         fmt::format("{:.0f} cycles until the last workgroup ends; compute units busy {:.1f} %"
                     ", the first has nothing left at {:.0f}",
                     p.chip.cycles, p.chip.busy_pct, p.chip.first_idle));
    line("steady", fmt::format("useful matrix cycles {:.1f} %", p.steady_matrix));
    line("memory",
         fmt::format("{:.1f} MiB from L2 ({:.0f} cycles at its peak), {:.1f} MiB from HBM; "
                     "K and V of the heads that a die works on at once: {:.1f} of {:.0f} MiB",
                     p.traffic.l2_bytes / 1048576, p.traffic.l2_cycles,
                     p.traffic.hbm_bytes / 1048576, p.kv_bytes_at_once / 1048576,
                     m.chip_l2_bytes_per_xcd.value / 1048576));
    line("toggled",
         fmt::format("{:.1f} % of the bits of matrix operands, from one instruction to the "
                     "next (random bits: 50)",
                     p.toggled_pct));
    for (const Number* clock : {&m.clock_dense, &m.clock_light, &m.clock_peak}) {
        const Prediction::Time t = p.time(m, clock->value);
        line(clock == &m.clock_dense ? "predicted" : "",
             fmt::format("at {:.2f} GHz {:.3f} ms, {:.0f} TFLOP/s, {:.1f} % of the datasheet peak; "
                         "bound by {}",
                         clock->value, 1e3 * t.seconds, t.tflops, t.of_peak_pct, t.bound));
    }
    return out;
}

void predict_all(const PredictOptions& opt, Session& session) {
    SimOptions sim;
    sim.timing = true;
    sim.machine = opt.machine;
    sim.arbiter = opt.arbiter;
    const AttentionShape shape = parse_shape(opt.shape);
    Json inputs = Json::array(), results = Json::array();
    Progress progress(session.common);
    for (const std::string& what : opt.what) {
        const Subject subject = open_subject(what);
        for (const Json& input : subject.inputs) inputs.push_back(input);
        const SimTiming timing(sim, subject.object.code, subject.built ? &*subject.built : nullptr);
        progress.show("running " + subject.name);
        const Prediction p = predict(subject, shape, *timing.options(), opt.seed);
        const Machine& m = *timing.options()->machine;
        Json record = {{"id", subject.name}, {"model", kTimingModel},  {"machine", m.name},
                       {"numbers", m.model}, {"arbiter", opt.arbiter}, {"distribution", "gaussian"},
                       {"seed", opt.seed}};
        record.update(to_json(p, m));
        std::string spread;
        if (opt.sweep) {
            unsigned done = 0;
            const Sweep swept = sweep(m, [&](const Machine& moved) {
                progress.show(fmt::format("[{}] {} with other numbers", ++done, subject.name));
                TimingOptions with = *timing.options();
                with.machine = &moved;
                return predict(subject, shape, with, opt.seed).time(m, m.clock_dense.value).tflops;
            });
            record["sweep_tflops_dense"] = zyfa::to_json(swept);
            spread = zyfa::to_text(swept, "TFLOP/s at the dense clock", 0);
        }
        progress.clear();
        results.push_back(record);
        if (session.common.json) continue;
        fmt::print(
            "{}  {}\n  {:<14} model {}, machine {} with numbers {}, arbiter {}; gaussian "
            "input, seed {}; no time was measured\n{}",
            subject.name, shape.text(), "by", kTimingModel, m.name, m.model, opt.arbiter, opt.seed,
            to_text(p, m));
        if (!spread.empty()) fmt::print("  {:<14} {}", "spread", spread);
    }
    if (session.common.json) print_envelope("predict", inputs, results);
}

}  // namespace

void add_predict(CLI::App& app, Session& session) {
    auto opt = std::make_shared<PredictOptions>();
    auto* cmd = app.add_subcommand("predict", "Predict the time of a launch on the whole chip");
    cmd->add_option("id", opt->what, "kernels")->required();
    cmd->add_option("--shape", opt->shape, "as for sim")->capture_default_str();
    cmd->add_option("--machine", opt->machine,
                    "mi355x, mi350x, or a machine file (default: mi355x)");
    cmd->add_option("--arbiter", opt->arbiter, "who goes first among equals")
        ->check(one_of({"oldest", "round-robin", "youngest"}))
        ->capture_default_str();
    cmd->add_option("--seed", opt->seed, "of the inputs")->capture_default_str();
    cmd->add_flag("--sweep", opt->sweep,
                  "move each number that is in doubt through its range, and say how far the answer "
                  "moves");
    cmd->footer(
        "  zyfa-gen predict fp8_d128_causal --shape b=1,h=16,hk=16,sq=32768,sk=32768\n"
        "  zyfa-gen predict fp8_d128_full@two_phases fp8_d128_full@wide --json\n"
        "  zyfa-gen predict fp8_d128_full --shape b=4,h=32,hk=8,sq=8192,sk=8192 --sweep\n");
    cmd->callback([opt, &session] { predict_all(*opt, session); });
}

}  // namespace zyfa
