#include <algorithm>

#include "isa/file.hpp"
#include "report/page.hpp"
#include "report/perfetto.hpp"
#include "report/picture.hpp"
#include "tools/attention_run.hpp"
#include "tools/command.hpp"
#include "tools/sim_options.hpp"
#include "tools/sim_timing.hpp"
#include "tools/subject.hpp"

namespace zyfa {

namespace {

struct TimelineOptions {
    std::vector<std::string> what;
    std::string shape = "sq=256,sk=8192", machine, arbiter = "oldest", dist = "gaussian";
    std::string page, perfetto, picture;
    uint64_t seed = 1, cycles = 8000;
    int64_t from = -1, workgroup = 0;
    unsigned simd = 0;
};

struct Taken {
    Recording recording;
    Json record;
};

// A timed run of one workgroup, and its stretch.
Taken take(const TimelineOptions& opt, const std::string& id, Prepared& prepared,
           const Built* built, const std::string& input) {
    SimOptions sim;
    sim.timing = true;
    sim.machine = opt.machine;
    sim.arbiter = opt.arbiter;
    sim.workgroup = opt.workgroup;
    const Filter filter(sim, prepared.launch.setup.name);
    Options options = options_of(sim, filter);
    const SimTiming timing(sim, prepared.object.code, built);
    TimingOptions wanted = *timing.options();
    Recorder recorder(uint64_t(opt.workgroup));
    wanted.sink = &recorder;
    options.timing = &wanted;
    const Result result = execute(prepared, options);
    if (!result.complete) throw Error(id + ": the run did not come to its end");

    const Timing& t = *result.timing;
    const WorkgroupTiming* steady = t.median_steady();
    uint64_t from = steady ? steady->steady->begin : 0;
    if (opt.from >= 0) from = uint64_t(opt.from);
    const uint64_t end = opt.cycles ? from + opt.cycles : recorder.cycles();
    Taken taken{recorder.cut(opt.cycles     ? from
                             : opt.from < 0 ? 0
                                            : from,
                             end, prepared.object.code),
                {}};
    Recording& r = taken.recording;
    r.name = id;
    r.about = fmt::format("Predicted by model {}, machine {} with numbers {}, arbiter {}; {}",
                          kTimingModel, t.machine, t.numbers, arbiter_name(t.arbiter), input);
    Json simds = Json::array();
    for (unsigned s = 0; s < r.simds; ++s) {
        const RecordedBusy share = busy(r, s);
        simds.push_back({{"matrix_busy_pct", std::round(100 * share.matrix) / 100},
                         {"port_busy_pct", std::round(100 * share.port) / 100}});
    }
    taken.record = {{"id", id},
                    {"model", kTimingModel},
                    {"machine", t.machine},
                    {"numbers", t.numbers},
                    {"arbiter", arbiter_name(t.arbiter)},
                    {"workgroup", r.workgroup},
                    {"begin", r.begin},
                    {"end", r.end},
                    {"cycles_in_all", recorder.cycles()},
                    {"lds_busy_pct", std::round(100 * busy(r, 0).lds) / 100},
                    {"simds", simds}};
    return taken;
}

Taken take(const TimelineOptions& opt, const std::string& what, Json& inputs) {
    if (what.ends_with(".json") && what.find('@') == what.npos) {
        const LaunchFile launch = load_launch_file(what);
        inputs.push_back(input_record(what, read_file(what)));
        inputs.push_back(input_record(launch.code_object, read_file(launch.code_object_path())));
        Prepared prepared = prepare(launch);
        prepared.launch.code = prepared.object.code;
        return take(opt, prepared.object.kernel(launch.kernel).name, prepared, nullptr,
                    "input as the launch file says");
    }
    const Subject subject = open_subject(what);
    if (!subject.recipe)
        throw Error(fmt::format("{}: has no kernel with our arguments; describe its launch in a "
                                "file and name that",
                                subject.name),
                    Exit::unsupported);
    for (const Json& input : subject.inputs) inputs.push_back(input);
    const auto draws = draw(opt.dist, opt.seed, *subject.recipe, opt.shape);
    if (draws.size() != 1) throw Error("--dist " + opt.dist + " are several calls; name one");
    const bool rounded_sum = subject.chosen && subject.chosen->schedule.sums_weights_rounded();
    AttentionRun run = prepare_attention(*subject.recipe, subject.object, draws[0], rounded_sum);
    return take(opt, subject.name + "  " + draws[0].shape.text(), run.prepared,
                subject.built ? &*subject.built : nullptr, "input " + draws[0].about);
}

void timeline(const TimelineOptions& opt, Session& session) {
    if (opt.workgroup < 0) throw Error("--workgroup: a number from 0 on");
    if (opt.simd > 3) throw Error("--simd: 0 to 3");
    Json inputs = Json::array(), results = Json::array();
    std::vector<Recording> recordings;
    Progress progress(session.common);
    for (const std::string& what : opt.what) {
        progress.show("running " + what);
        Taken taken = take(opt, what, inputs);
        recordings.push_back(std::move(taken.recording));
        results.push_back(std::move(taken.record));
    }
    progress.clear();
    std::vector<std::pair<std::string, std::string>> files;  // name, content
    if (!opt.perfetto.empty()) files.emplace_back(opt.perfetto, perfetto_trace(recordings));
    if (!opt.picture.empty())
        files.emplace_back(opt.picture, timeline_picture(recordings, opt.simd));
    if (!opt.page.empty() || files.empty())
        files.emplace_back(opt.page.empty() ? "timeline.html" : opt.page,
                           timeline_page(recordings));
    if (std::count_if(files.begin(), files.end(), [](auto& f) { return f.first == "-"; }) +
            session.common.json >
        1)
        throw Error("only one thing can go to stdout");
    for (const auto& [name, content] : files) {
        if (name == "-") fmt::print("{}", content);
        else write_file(name, {(const uint8_t*)content.data(), content.size()});
        if (name != "-" && !session.common.quiet)
            fmt::print(stderr, "zyfa-gen: wrote {} ({} KiB)\n", name,
                       (content.size() + 1023) / 1024);
    }
    for (Json& record : results)
        for (const auto& [name, content] : files) record["files"].push_back(name);
    if (session.common.json) return print_envelope("timeline", inputs, results);
    if (std::any_of(files.begin(), files.end(), [](auto& f) { return f.first == "-"; })) return;
    for (const Recording& r : recordings) {
        const RecordedBusy share = busy(r, opt.simd);
        fmt::print(
            "{}\n  {}\n  cycles {} to {} of SIMD {}: matrix pipe busy {:.1f} %, vector port "
            "{:.1f} %, LDS {:.1f} %\n",
            r.name, r.about, r.begin, r.end, opt.simd, share.matrix, share.port, share.lds);
    }
}

}  // namespace

void add_timeline(CLI::App& app, Session& session) {
    auto opt = std::make_shared<TimelineOptions>();
    auto* cmd = app.add_subcommand("timeline", "Show one or two predicted runs cycle by cycle");
    cmd->add_option("what", opt->what, "kernel ids, or launch files (.json) of any code object")
        ->required()
        ->expected(1, 2);
    cmd->add_option("-o,--output", opt->page,
                    "page to write, - for stdout (default timeline.html if no other file is asked "
                    "for)");
    cmd->add_option("--perfetto", opt->perfetto, "trace to write, for ui.perfetto.dev");
    cmd->add_option("--svg", opt->picture, "picture to write, of one SIMD");
    cmd->add_option("--simd", opt->simd, "of the picture and the printed figures")
        ->capture_default_str();
    cmd->add_option("--from", opt->from, "first cycle; -1: where the steady part of the run begins")
        ->capture_default_str();
    cmd->add_option("--cycles", opt->cycles, "how many; 0: to the end of the run")
        ->capture_default_str();
    cmd->add_option("--shape", opt->shape, "of kernel ids, as for sim")->capture_default_str();
    cmd->add_option("--dist", opt->dist, "input of kernel ids, as for sim")->capture_default_str();
    cmd->add_option("--seed", opt->seed, "of the inputs")->capture_default_str();
    cmd->add_option("--workgroup", opt->workgroup, "which one is run")->capture_default_str();
    cmd->add_option("--machine", opt->machine,
                    "mi355x, mi350x, or a machine file (default: mi355x)");
    cmd->add_option("--arbiter", opt->arbiter, "who goes first among equals")
        ->check(one_of({"oldest", "round-robin", "youngest"}))
        ->capture_default_str();
    cmd->footer(
        "  zyfa-gen timeline fp8_d128_causal -o timeline.html\n"
        "  zyfa-gen timeline fp8_d128_full@two_phases fp8_d128_full@wide --cycles 4000\n"
        "  zyfa-gen timeline launch.json --perfetto trace.json --from 0 --cycles 0\n");
    cmd->callback([opt, &session] { timeline(*opt, session); });
}

}  // namespace zyfa
