#include "isa/file.hpp"
#include "tools/attention_run.hpp"
#include "tools/command.hpp"
#include "tools/sim_report.hpp"
#include "tools/subject.hpp"

namespace zyfa {

namespace {

struct SimOptions {
    std::string what, replay, shape, accumulate = "exact";
    std::string dist = "gaussian";
    uint64_t seed = 1, interleave_seed = 0, max_rows = 1 << 14;
    unsigned threads = 0;
    size_t most = 10;
    bool check = false, strict = false;
};

Accumulate accumulate_of(const std::string& name) {
    return name == "cdna3" ? Accumulate::cdna3
           : name == "fma" ? Accumulate::fma
                           : Accumulate::exact;
}

Options options_of(const SimOptions& opt, Progress& progress, const std::string& what) {
    Options options;
    options.accumulate = accumulate_of(opt.accumulate);
    options.seed = opt.interleave_seed;
    options.threads = opt.threads;
    options.progress = [&progress, what](uint64_t done, uint64_t total) {
        progress.show(fmt::format("[{}/{}] workgroups of {}", done, total, what));
        return true;
    };
    return options;
}

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

SimRecord blank_record(const SimOptions& opt, std::string id, std::string input) {
    SimRecord record;
    record.id = std::move(id);
    record.input = std::move(input);
    record.accumulate = opt.accumulate;
    record.interleave_seed = opt.interleave_seed;
    return record;
}

SimRecord replay(const SimOptions& opt, const Session& session, Json& inputs) {
    const LaunchFile launch = load_launch_file(opt.replay);
    const std::string path = launch.code_object_path().string();
    inputs.push_back(input_record(opt.replay, read_file(opt.replay)));
    inputs.push_back(input_record(launch.code_object, read_file(path)));
    Prepared prepared = prepare(launch);
    prepared.launch.code = prepared.object.code;
    SimRecord record =
        blank_record(opt, prepared.object.kernel(launch.kernel).name, "as the launch file says");
    std::optional<AttentionInputs> kept;
    if (launch.check) kept = attention_inputs(launch, prepared);
    Progress progress(session.common);
    record.result = execute(prepared, options_of(opt, progress, record.id));
    progress.show("comparing with double precision");
    if (kept) record.verdict = check_attention(launch, *kept, prepared, opt.max_rows);
    dump(launch, prepared);
    return record;
}

SimRecord attention(const SimOptions& opt, const Session& session, const Subject& subject,
                    const Draw& draw) {
    AttentionRun run = prepare_attention(*subject.recipe, subject.object, draw);
    SimRecord record = blank_record(opt, std::string(subject.recipe->id), draw.about);
    record.shape = draw.shape.text();
    Progress progress(session.common);
    if (draw.shape.sq > 0)  // no query row: no workgroup to launch
        record.result = execute(run.prepared, options_of(opt, progress, record.id));
    progress.show("comparing with double precision");
    if (opt.check)
        record.verdict = check_attention(run.launch, run.inputs, run.prepared, opt.max_rows);
    if (opt.check && draw.shape.sq > 0 && draw.shape.sk > 0)
        record.quantisation =
            quantisation_error(draw.original, draw.data, subject.recipe->causal, opt.max_rows);
    return record;
}

void sim(const SimOptions& opt, Session& session) {
    if (opt.what.empty() == opt.replay.empty())
        throw Error("sim: name a kernel id or code object, or --replay FILE, one of them");
    Json inputs = Json::array(), results = Json::array();
    const auto report = [&](const SimRecord& record) {
        session.status = std::max(session.status, record.status(opt.strict));
        results.push_back(to_json(record));
        if (!session.common.json) fmt::print("{}", to_text(record, opt.most, session.common));
        fflush(stdout);
    };
    if (!opt.replay.empty()) {
        report(replay(opt, session, inputs));
    } else {
        const Subject subject = runnable(opt.what);
        inputs = subject.inputs;
        for (const Draw& drawn : draw(opt.dist, opt.seed, *subject.recipe, opt.shape)) {
            for (const Json& file : drawn.files) inputs.push_back(file);
            report(attention(opt, session, subject, drawn));
        }
    }
    if (session.common.json) print_envelope("sim", inputs, results);
}

}  // namespace

void add_sim(CLI::App& app, Session& session) {
    auto opt = std::make_shared<SimOptions>();
    auto* cmd = app.add_subcommand("sim", "Run a kernel in the functional simulator");
    cmd->alias("run")->alias("emulate");
    cmd->add_option("id", opt->what, "kernel id, or code object that zyfa-gen built");
    cmd->add_option("--shape", opt->shape, "b=..,h=..,hk=..,sq=..,sk=.. (ck_tile names, too)")
        ->type_name("SHAPE");
    cmd->add_flag("--check", opt->check, "compare with double precision; exit 1 if out of bounds");
    cmd->add_option("--dist", opt->dist,
                    "inputs: gaussian, llm, llm:FAMILY, file (recorded), file:DIR")
        ->type_name("DIST")
        ->default_str("gaussian");
    cmd->add_option("--seed", opt->seed, "of the inputs")->type_name("N")->default_str("1");
    cmd->add_option("--accumulate", opt->accumulate,
                    "how matrix instructions add up: exact, cdna3 or fma")
        ->type_name("MODEL")
        ->check(one_of({"exact", "cdna3", "fma"}))
        ->default_str("exact");
    cmd->add_option("--interleave-seed", opt->interleave_seed,
                    "random order of waves and arrival of loads; 0: in turn, as late as allowed")
        ->type_name("N")
        ->default_str("0");
    cmd->add_option("--threads", opt->threads, "host threads; 0: all; changes no result")
        ->type_name("N")
        ->default_str("0");
    cmd->add_option("--rows", opt->max_rows, "most rows that --check compares, spread evenly")
        ->type_name("N")
        ->default_str("16384");
    cmd->add_option("--replay", opt->replay, "launch file: any code object, any buffers")
        ->type_name("FILE");
    cmd->add_option("--max-diagnostics", opt->most, "most findings that are printed")
        ->type_name("N")
        ->default_str("10");
    cmd->add_flag("--strict", opt->strict, "exit 4 if a semantic without hardware proof was met");
    cmd->footer(
        "  zyfa-gen sim fp8_d128_causal --shape b=1,h=2,hk=1,sq=300,sk=300 --check\n"
        "  zyfa-gen sim fp8_d128_causal --dist file --check --accumulate fma\n"
        "  zyfa-gen sim --replay launch.json --json\n");
    cmd->callback([opt, &session] { sim(*opt, session); });
}

}  // namespace zyfa
