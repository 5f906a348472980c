#include "check/annotate.hpp"
#include "isa/file.hpp"
#include "isa/machine.hpp"
#include "tools/command.hpp"
#include "tools/listing.hpp"
#include "tools/subject.hpp"

namespace zyfa {

namespace {

struct ShowOptions {
    std::string what, output = "-";
    std::string print_after;
    bool no_address = false, no_raw = false, stats = false, schedule = false, notes = false;
};

Json instructions(std::span<const Decoded> code, std::span<const uint8_t> text) {
    Json list = Json::array();
    for (const Decoded& d : code)
        list.push_back({{"address", d.address},
                        {"words", raw_words(d, text)},
                        {"text", d.text},
                        {"known", d.known}});
    return list;
}

// Behind each line: loops that it stands in, live registers, what a wait waits for, and whether two
// fetches bring the instruction. In front of all: how many those are.
void add_notes(std::vector<ListedLine>& lines, const CodeObject& object) {
    std::vector<uint32_t> entries;
    for (const KernelInfo& kernel : object.kernels) entries.push_back(kernel.entry);
    const std::vector<Note> notes = annotate(object.code, entries);
    constexpr size_t kColumn = 100;
    unsigned wide = 0, split = 0;
    for (size_t n = 0; n < notes.size(); ++n) {
        if (!notes[n].loops || object.code[n].bytes < 8) continue;
        ++wide;
        split += notes[n].split;
    }
    for (ListedLine& line : lines) {
        if (!line.decoded) continue;
        const Note& note = notes[size_t(line.decoded - object.code.data())];
        line.text.resize(std::max(line.text.size() + 1, kColumn), ' ');
        line.text += fmt::format("; {:<4} v {:3}", std::string(note.loops, '|'), note.vgprs);
        if (note.agprs) line.text += fmt::format(" a {:3}", note.agprs);
        line.text += fmt::format(" s {:2}", note.sgprs);
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

void show(const ShowOptions& opt, const Session& session) {
    if (opt.schedule || !opt.print_after.empty()) return show_making(opt);
    const Subject subject = open_subject(opt.what);
    const CodeObject& object = subject.object;
    const Json mix = opcode_mix(object.code);
    if (session.common.json) {
        Json result = {{"id", subject.name}, {"stats", mix}};
        if (!opt.stats) result["instructions"] = instructions(object.code, object.text);
        return print_envelope("show", subject.inputs, Json::array({result}));
    }
    if (opt.stats) return write_file(opt.output, opcode_mix_text(mix));
    auto lines =
        subject.built ? list_kernel(*subject.built, object.code) : list_code_object(object);
    if (opt.notes) add_notes(lines, object);
    write_file(opt.output, listing(lines, object.text, {!opt.no_address, !opt.no_raw}));
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
                  "behind each line its loops, live registers, the accesses a wait waits for, and "
                  "whether two fetches split it");
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
        "  zyfa-gen show fp8_d128_causal --schedule -o mine.json\n"
        "  zyfa-gen show vendor.co -o vendor.s\n");
    cmd->callback([opt, &session] { show(*opt, session); });
}

}  // namespace zyfa
