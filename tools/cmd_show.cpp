#include "check/annotate.hpp"
#include "isa/file.hpp"
#include "isa/machine.hpp"
#include "kernels/plan.hpp"
#include "tools/command.hpp"
#include "tools/cost_listing.hpp"
#include "tools/listing.hpp"
#include "tools/subject.hpp"

namespace zyfa {

namespace {

struct ShowOptions {
    std::string what, output = "-";
    std::string print_after;
    bool no_address = false, no_raw = false, stats = false, schedule = false, notes = false;
    bool cost = false, steady = false;
    CostOptions costs;
};

// What the schedule says of each instruction of a kernel of ours.
class Phases {
public:
    explicit Phases(const Subject& subject) {
        if (!subject.built) return;
        program_ = &subject.built->program;
        schedule_ = &subject.chosen->schedule;
        for (const Block& block : program_->blocks)
            for (const Inst& inst : block.insts) insts_.push_back(&inst);
        for (unsigned p = 1; p <= schedule_->phases.size(); ++p)
            for (const bool upper : {false, true}) beside_[upper].push_back(text(p, upper));
        for (unsigned p = 0; p < schedule_->phases.size(); ++p) {
            notes_.push_back(fmt::format("{} {}: {} beside {}, {} beside {}", p + 1,
                                         schedule_->phases[p].name, waves(false), beside_[0][p],
                                         waves(true), beside_[1][p]));
            width_ = std::max(width_, notes_.back().size());
        }
    }
    const PhaseInfo* phase(size_t n) const {
        if (n >= insts_.size()) return nullptr;
        const PhaseInfo& info = program_->phases[insts_[n]->phase];
        return info.number ? &info : nullptr;
    }
    std::string_view entry(size_t n) const {
        return n < insts_.size() ? program_->entries[insts_[n]->entry].name : std::string_view{};
    }
    // Which waves: the lower half, the upper half.
    std::string waves(bool upper) const {
        const unsigned half = schedule_->waves / 2;
        return fmt::format("{}-{}", upper ? half : 0, upper ? schedule_->waves - 1 : half - 1);
    }
    // Where the other half may be while a wave of this half is in that phase: "2 softmax(i-1)".
    const std::string& beside(const PhaseInfo& info, bool upper) const {
        return beside_[upper][info.number - 1];
    }
    // "1 matrix: 0-3 beside 2 softmax(i-1), 4-7 beside 2 softmax(i)", all of one width
    std::string note(size_t n) const {
        const PhaseInfo* info = phase(n);
        return fmt::format("{:{}}", info ? notes_[info->number - 1] : "", width_);
    }

private:
    const Program* program_ = nullptr;
    const Schedule* schedule_ = nullptr;
    std::vector<const Inst*> insts_;
    std::array<std::vector<std::string>, 2> beside_;
    std::vector<std::string> notes_;
    size_t width_ = 0;

    std::string text(unsigned number, bool upper) const {
        std::string out;
        for (const Beside& b : zyfa::beside(*schedule_, number, upper))
            out += fmt::format("{}{} {}(i{})", out.empty() ? "" : " or ", b.phase,
                               schedule_->phases[b.phase - 1].name,
                               b.iteration ? fmt::format("{:+}", b.iteration) : "");
        return out;
    }
};

std::vector<Note> notes_of(const CodeObject& object) {
    std::vector<uint32_t> entries;
    for (const KernelInfo& kernel : object.kernels) entries.push_back(kernel.entry);
    return annotate(object.code, entries);
}

Json instructions(const CodeObject& object, const Phases& phases, bool with_notes,
                  const CodeCosts* costs) {
    Json list = Json::array();
    const std::vector<Note> notes = with_notes ? notes_of(object) : std::vector<Note>{};
    for (size_t n = 0; n < object.code.size(); ++n) {
        const Decoded& d = object.code[n];
        Json row = {{"address", d.address},
                    {"words", raw_words(d, object.text)},
                    {"text", d.text},
                    {"known", d.known}};
        if (with_notes) {
            const Note& note = notes[n];
            row["loops"] = note.loops;
            row["vgpr"] = note.vgprs;
            row["agpr"] = note.agprs;
            row["sgpr"] = note.sgprs;
            row["waits_for"] = note.waits_for;
            row["split"] = note.split;
            row["phase"] = nullptr;
            if (const PhaseInfo* phase = phases.phase(n))
                row["phase"] = {{"number", phase->number},
                                {"name", phase->name},
                                {"entry", phases.entry(n)},
                                {"beside",
                                 {{phases.waves(false), phases.beside(*phase, false)},
                                  {phases.waves(true), phases.beside(*phase, true)}}}};
        }
        if (costs) row["cost"] = cost_of(*costs, n);
        list.push_back(std::move(row));
    }
    return list;
}

// Behind each line: loops that it stands in, live registers, in a loop its phase and what the other
// half of the waves may be doing, whether two fetches bring the instruction, and what a wait waits
// for. In front of all: how many those are.
void add_notes(std::vector<ListedLine>& lines, const CodeObject& object, const Phases& phases) {
    const std::vector<Note> notes = notes_of(object);
    constexpr size_t kColumn = 100;
    unsigned wide = 0, split = 0;
    for (size_t n = 0; n < notes.size(); ++n) {
        if (!notes[n].loops || object.code[n].bytes < 8) continue;
        ++wide;
        split += notes[n].split;
    }
    for (ListedLine& line : lines) {
        if (!line.decoded) continue;
        const size_t n = size_t(line.decoded - object.code.data());
        const Note& note = notes[n];
        line.text.resize(std::max(line.text.size() + 1, kColumn), ' ');
        line.text += fmt::format("; {:<4} v {:3}", std::string(note.loops, '|'), note.vgprs);
        if (note.agprs) line.text += fmt::format(" a {:3}", note.agprs);
        line.text += fmt::format(" s {:2}", note.sgprs);
        if (note.loops) line.text += "  " + phases.note(n);
        if (note.loops && note.split) line.text += " split";
        for (uint32_t address : note.waits_for) line.text += fmt::format(" <-{:04x}", address);
    }
    lines.insert(lines.begin(),
                 {fmt::format("; in loops {} instructions of 8 bytes and more, {} of them split "
                              "between two fetches of {} bytes",
                              wide, split, mi355x().code_fetch_bytes.count()),
                  nullptr});
}

// The schedule of a kernel of ours, or its program behind one pass of the scheduler.
void show_making(const ShowOptions& opt) {
    const Chosen chosen = choose(opt.what);
    if (opt.schedule) return write_file(opt.output, to_json(chosen.schedule));
    std::string text, names;
    bool found = false;
    build(chosen, [&](const Pass& pass, const Program& program) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", pass.name);
        if (pass.name != opt.print_after) return;
        found = true;
        text = draft(program);
    });
    if (!found)
        throw Error(fmt::format("--print-after: there is no pass '{}'; they are {}",
                                opt.print_after, names));
    write_file(opt.output, text);
}

void refuse_mixtures(const ShowOptions& opt) {
    const CostOptions& c = opt.costs;
    const bool other = opt.schedule || opt.stats || !opt.print_after.empty();
    if (opt.cost && other)
        throw Error(
            "--cost stands beside the instructions; --stats, --schedule and --print-after "
            "show something else");
    if (!opt.cost &&
        (opt.steady || !c.shape.empty() || !c.launch.empty() || !c.machine.empty() ||
         c.arbiter != "oldest" || c.dist != "gaussian" || c.seed != 1 || c.workgroup >= 0))
        throw Error(
            "--steady, --shape, --launch, --machine, --arbiter, --dist, --seed and "
            "--workgroup belong to --cost");
    if (!c.launch.empty() && (!c.shape.empty() || c.dist != "gaussian" || c.seed != 1))
        throw Error(
            "--launch brings shape and input; --shape, --dist and --seed cannot be given "
            "too");
}

void show(const ShowOptions& opt, const Session& session) {
    refuse_mixtures(opt);
    if (opt.schedule || !opt.print_after.empty()) return show_making(opt);
    const Subject subject = open_subject(opt.what);
    const CodeObject& object = subject.object;
    const Phases phases(subject);
    const Json mix = opcode_mix(object.code);
    Json inputs = subject.inputs;
    std::optional<CodeCosts> costs;
    if (opt.cost) {
        Progress progress(session.common);
        progress.show("running " + subject.name);
        costs = code_costs(subject, opt.costs, inputs);
    }
    if (session.common.json) {
        Json result = {{"id", subject.name}, {"stats", mix}};
        if (!opt.stats)
            result["instructions"] =
                instructions(object, phases, opt.notes, costs ? &*costs : nullptr);
        if (costs) result["cost"] = to_json(*costs);
        return print_envelope("show", inputs, Json::array({result}));
    }
    if (opt.stats) return write_file(opt.output, opcode_mix_text(mix));
    auto lines =
        subject.built ? list_kernel(*subject.built, object.code) : list_code_object(object);
    if (opt.notes) add_notes(lines, object, phases);
    if (costs) add_costs(lines, object, *costs, opt.steady);
    write_file(opt.output,
               listing(lines, object.text, {!opt.no_address, !opt.no_raw && !opt.cost}));
}

}  // namespace

void add_show(CLI::App& app, Session& session) {
    auto opt = std::make_shared<ShowOptions>();
    auto* cmd = app.add_subcommand("show", "Assembly of a kernel, or of any gfx950 code object");
    cmd->alias("cat")->alias("dis");
    cmd->add_option("id", opt->what, "kernel id, code object, assembly file, or - for stdin")
        ->required();
    cmd->add_flag("--no-addr", opt->no_address, "without addresses");
    cmd->add_flag("--no-raw", opt->no_raw, "without instruction words");
    cmd->add_flag("--stats", opt->stats, "how many of which instruction, instead of the text");
    cmd->add_flag("--notes", opt->notes,
                  "behind each line its loops, live registers, phase, where the other half of the "
                  "waves is meanwhile, whether two fetches split it, what a wait waits for");
    cmd->add_flag(
        "--cost", opt->cost,
        "run it in the cycle model; beside each line how often it was executed and where "
        "the predicted cycles went (its words are left out), in front of all subtotals of "
        "sections and phases");
    cmd->add_flag("--steady", opt->steady, "with --cost: of the steady window alone");
    CostOptions& c = opt->costs;
    cmd->add_option("--shape", c.shape, "for --cost, as for sim (default: sq=256,sk=4096)");
    cmd->add_option("--launch", c.launch, "for --cost: launch file, of a code object not of ours")
        ->type_name("FILE");
    cmd->add_option("--workgroup", c.workgroup, "for --cost: run only this one; -1: all")
        ->capture_default_str();
    cmd->add_option("--dist", c.dist, "for --cost: input, as for sim")->capture_default_str();
    cmd->add_option("--seed", c.seed, "for --cost: of the inputs")->capture_default_str();
    cmd->add_option("--machine", c.machine,
                    "for --cost: mi355x, mi350x, or a machine file (default: mi355x)");
    cmd->add_option("--arbiter", c.arbiter, "for --cost: who goes first among equals")
        ->check(one_of({"oldest", "round-robin", "youngest"}))
        ->capture_default_str();
    cmd->add_flag("--schedule", opt->schedule,
                  "the schedule of a kernel of ours as a file, every default written out");
    cmd->add_option("--print-after", opt->print_after,
                    "the program of a kernel of ours behind a pass of the scheduler: order, "
                    "allocate, fill, waits, hazards, align, verify")
        ->type_name("PASS");
    cmd->add_option("-o,--output", opt->output, "file to write, - for stdout")
        ->type_name("FILE")
        ->default_str("-");
    cmd->footer(
        "  zyfa-gen show fp8_d128_causal --no-addr --no-raw | less\n"
        "  zyfa-gen show fp8_d128_causal --cost --shape sq=256,sk=8192 -o costs.s\n"
        "  zyfa-gen show vendor.co --cost --launch launch.json | less\n");
    cmd->callback([opt, &session] { show(*opt, session); });
}

}  // namespace zyfa
