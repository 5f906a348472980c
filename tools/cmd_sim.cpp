#include "isa/file.hpp"
#include "sim/rules.hpp"
#include "tools/attention_run.hpp"
#include "tools/command.hpp"
#include "tools/findings.hpp"
#include "tools/repro.hpp"
#include "tools/sim_options.hpp"
#include "tools/sim_report.hpp"
#include "tools/sim_timing.hpp"
#include "tools/sim_watch.hpp"
#include "tools/subject.hpp"
#include "tools/sweep.hpp"

namespace zyfa {

namespace {

// A kernel of ours by id, or a file that holds one.
Subject runnable(const std::string& what) {
    Subject subject = open_subject(what);
    if (subject.recipe) return subject;
    throw Error(
        fmt::format("{}: has no kernel with our arguments; describe its launch in a file and use "
                    "sim --replay FILE",
                    subject.name),
        Exit::unsupported);
}

// The others have written nothing: no output to compare.
bool one_workgroup(const SimOptions& opt) { return opt.timing && opt.workgroup >= 0; }

void refuse_mixtures(const SimOptions& opt) {
    if (opt.what.empty() == opt.replay.empty())
        throw Error("sim: name a kernel id or code object, or --replay FILE, one of them");
    if (opt.runs && (opt.interleave != "in-turn" || opt.interleave_seed))
        throw Error("--runs takes the orders seed:1 to seed:N; --interleave cannot be given too");
    if (opt.timing && (opt.runs || opt.interleave != "in-turn" || opt.interleave_seed))
        throw Error(
            "--timing has an order of its own; --runs and --interleave cannot be given too");
    if (opt.check && one_workgroup(opt))
        throw Error("--check needs all workgroups; --timing --workgroup runs one");
    if (!opt.timing && (!opt.machine.empty() || opt.arbiter != "oldest" || opt.sweep))
        throw Error("--machine, --arbiter and --sweep belong to --timing");
}

// One launch, from prepared memory to a record without a verdict.
SimRecord execute(const SimOptions& opt, const Session& session, std::string id,
                  const std::string& what, Prepared& prepared, const Built* built) {
    SimRecord record;
    record.id = std::move(id);
    record.accumulate = opt.accumulate;
    record.interleave = opt.interleave_seed ? "seed" : opt.interleave;
    record.interleave_seed = order_of(opt).seed;
    record.reproduce = reproduce_line(opt, what);
    const Filter filter(opt, prepared.launch.setup.name);
    Options options = options_of(opt, filter);
    SimWatch watch(opt, session.common, prepared.object, built);
    options.hook = watch.hook();
    const SimTiming timing(opt, prepared.object.code, built);
    options.timing = timing.options();
    Progress progress(session.common);
    KeepOnInterrupt keep;
    options.stop = &keep.interrupted();
    const auto show = [&](const char* of, uint64_t done, uint64_t total) {
        progress.show(fmt::format("[{}/{}] {} of {}", done, total, of, record.id));
        return !keep.interrupted();
    };
    if (opt.runs) {
        Repeated repeated = run_repeatedly(prepared, options, opt.runs, [&](uint64_t done) {
            return show("orders", done, opt.runs);
        });
        record.result = std::move(repeated.result);
        record.repeats = std::move(repeated.repeats);
    } else {
        options.progress = [&](uint64_t done, uint64_t total) {
            return show("workgroups", done, total);
        };
        record.result = execute(prepared, options);
    }
    record.interrupted = keep.interrupted();
    record.stops = watch.finish();
    record.suppressed = filter.suppressions.hits();
    for (const auto& line : filter.suppressions.lines())
        if (line->hits == 0 && record.result.complete && !session.common.quiet)
            fmt::print(stderr, "zyfa-gen: {}:{}: hides nothing in this run\n", opt.suppress,
                       line->number);
    if (!opt.write_suppressions.empty())
        write_file(opt.write_suppressions,
                   suppressions_of(record.result.findings, prepared.launch.setup.name));
    return record;
}

SimRecord replay(const SimOptions& opt, const Session& session, Json& inputs) {
    const LaunchFile launch = load_launch_file(opt.replay);
    const std::string path = launch.code_object_path().string();
    const auto object = read_file(path);
    inputs.push_back(input_record(opt.replay, read_file(opt.replay)));
    inputs.push_back(input_record(launch.code_object, object));
    Prepared prepared = prepare(launch);
    prepared.launch.code = prepared.object.code;
    if (!opt.save_repro.empty()) save_repro(opt.save_repro, launch, prepared, object);
    std::optional<AttentionInputs> kept;
    if (launch.check) kept = attention_inputs(launch, prepared);
    SimRecord record = execute(opt, session, prepared.object.kernel(launch.kernel).name, opt.replay,
                               prepared, nullptr);
    record.input = "as the launch file says";
    Progress progress(session.common);
    progress.show("comparing with double precision");
    if (kept && record.result.complete && !one_workgroup(opt))
        record.verdict = check_attention(launch, *kept, prepared, opt.max_rows);
    dump(launch, prepared);
    return record;
}

SimRecord attention(const SimOptions& opt, const Session& session, const Subject& subject,
                    const Draw& draw) {
    const bool rounded_sum = subject.chosen && subject.chosen->schedule.sums_weights_rounded();
    AttentionRun run = prepare_attention(*subject.recipe, subject.object, draw, rounded_sum);
    if (!opt.save_repro.empty())
        save_repro(opt.save_repro, run.launch, run.prepared, subject.code_object);
    SimRecord record;
    if (draw.shape.sq > 0) {  // no query row: no workgroup to launch
        record = execute(opt, session, subject.name, opt.what, run.prepared,
                         subject.built ? &*subject.built : nullptr);
    } else {
        record.id = subject.name;
        record.accumulate = opt.accumulate;
        record.interleave = opt.interleave;
        record.reproduce = reproduce_line(opt, opt.what);
    }
    record.input = draw.about;
    record.shape = draw.shape.text();
    if (!opt.check || !record.result.complete) return record;
    Progress progress(session.common);
    progress.show("comparing with double precision");
    record.verdict = check_attention(run.launch, run.inputs, run.prepared, opt.max_rows);
    if (draw.shape.sq > 0 && draw.shape.sk > 0)
        record.quantisation =
            quantisation_error(draw.original, draw.data, subject.recipe->causal, opt.max_rows);
    return record;
}

// The same launch again with other numbers: share of useful matrix cycles in the steady window; of
// runs that have none, the cycles of the longest workgroup.
Sweep swept(const SimOptions& opt, const Session& session, const CodeObject& object,
            const Built* built, const std::function<Prepared()>& prepared, bool of_window) {
    const SimTiming timing(opt, object.code, built);
    Progress progress(session.common);
    unsigned done = 0;
    return sweep(*timing.options()->machine, [&](const Machine& machine) {
        progress.show(fmt::format("[{}] with other numbers", ++done));
        TimingOptions with = *timing.options();
        with.machine = &machine;
        Options options;
        options.races = options.uninitialised = options.uninitialised_memory = false;
        options.timing = &with;
        options.only_workgroup = opt.workgroup;
        Prepared again = prepared();
        const Timing t = *execute(again, options).timing;
        const WorkgroupTiming* steady = t.median_steady();
        if (!of_window) return double(t.cycles(1));
        return steady ? steady->steady->busy.useful_matrix : 0.0;
    });
}

void print_rules(const Session& session) {
    Json list = Json::array();
    for (const SimRule& rule : sim_rules()) {
        list.push_back({{"rule", rule.name},
                        {"severity", name_of(rule.severity)},
                        {"text", rule.about},
                        {"source", rule.source},
                        {"trust", trust_name(rule.trust)}});
        if (!session.common.json)
            fmt::print("{} ({}): {}\n    source: {}; {}\n", rule.name, name_of(rule.severity),
                       rule.about, rule.source, trust_name(rule.trust));
    }
    if (session.common.json) print_envelope("sim", Json::array(), list);
}

void simulate(const SimOptions& opt, Session& session) {
    if (opt.rules) return print_rules(session);
    refuse_mixtures(opt);
    Json inputs = Json::array(), results = Json::array();
    using Again = std::function<Prepared()>;
    const auto report = [&](SimRecord record, const CodeObject& object, const Built* built,
                            const Again& again) {
        record.hot = opt.hot;
        session.status = std::max(session.status, record.status(opt.strict));
        results.push_back(to_json(record));
        if (!session.common.json) fmt::print("{}", to_text(record, opt.most, session.common));
        fflush(stdout);
        if (opt.sweep && record.result.timing && record.result.complete) {
            const bool of_window = record.result.timing->median_steady();
            const Sweep s = swept(opt, session, object, built, again, of_window);
            results.back()["timing"]["sweep"] = to_json(s);
            results.back()["timing"]["sweep"]["figure"] =
                of_window ? "useful_matrix_pct" : "cycles";
            if (!session.common.json)
                fmt::print("  {:<14} {}", "spread",
                           of_window ? to_text(s, "% useful matrix cycles, steady", 1)
                                     : to_text(s, "cycles", 0));
        }
        return !record.interrupted;
    };
    if (!opt.replay.empty()) {
        const LaunchFile launch = load_launch_file(opt.replay);
        const CodeObject object = load_code_object(launch.code_object_path().string());
        report(replay(opt, session, inputs), object, nullptr, [&] {
            Prepared prepared = prepare(launch);
            prepared.launch.code = prepared.object.code;
            return prepared;
        });
    } else {
        const Subject subject = runnable(opt.what);
        inputs = subject.inputs;
        const auto draws = draw(opt.dist, opt.seed, *subject.recipe, opt.shape);
        if (draws.size() > 1 && !opt.save_repro.empty())
            throw Error("--save-repro: --dist " + opt.dist + " are several calls; name one");
        for (const Draw& drawn : draws) {
            for (const Json& file : drawn.files) inputs.push_back(file);
            const bool rounded_sum =
                subject.chosen && subject.chosen->schedule.sums_weights_rounded();
            const Again again = [&] {
                return prepare_attention(*subject.recipe, subject.object, drawn, rounded_sum)
                    .prepared;
            };
            if (!report(attention(opt, session, subject, drawn), subject.object,
                        subject.built ? &*subject.built : nullptr, again))
                break;
        }
    }
    if (session.common.json) print_envelope("sim", inputs, results);
}

}  // namespace

void add_sim(CLI::App& app, Session& session) {
    auto opt = std::make_shared<SimOptions>();
    auto* cmd = app.add_subcommand(
        "sim", "Run a kernel in the simulator: result, findings, predicted cycles");
    cmd->alias("run")->alias("emulate");
    add_sim_options(*cmd, *opt);
    cmd->footer(
        "  zyfa-gen sim fp8_d128_causal --shape b=1,h=2,hk=1,sq=300,sk=300 --check\n"
        "  zyfa-gen sim fp8_d128_causal --shape sq=70,sk=130 --runs 200\n"
        "  zyfa-gen sim --replay launch.json --timing --json\n");
    cmd->callback([opt, &session] { simulate(*opt, session); });
}

}  // namespace zyfa
