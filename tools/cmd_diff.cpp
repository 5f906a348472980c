#include "diff/diff.hpp"
#include "tools/command.hpp"
#include "tools/listing.hpp"
#include "tools/predict.hpp"
#include "tools/sim_timing.hpp"
#include "tools/subject.hpp"

namespace zyfa {

namespace {

struct DiffOptions {
    std::string a, b;
    bool stat = false, registers = false;
};

struct Side {
    Subject subject;
    std::span<const Decoded> code;  // without what only prefetch reads
    LoopCost loop;
};

Side open_side(const std::string& what) {
    Side side{open_subject(what), {}, {}};
    const auto& code = side.subject.object.code;
    side.code = std::span(code).first(code.size() - padding_of(code));
    side.loop = main_loop(side.code, mi355x());
    return side;
}

// Name, value in A, value in B.
using Figure = std::tuple<std::string, double, double>;

std::vector<Figure> resources(const Side& a, const Side& b) {
    std::vector<Figure> list;
    const auto add = [&](const char* name, auto of) { list.emplace_back(name, of(a), of(b)); };
    const auto kernel = [](const Side& s) -> const KernelInfo& {
        static const KernelInfo none;
        return s.subject.object.kernels.empty() ? none : s.subject.object.kernels[0];
    };
    add("vgpr", [&](const Side& s) { return double(kernel(s).vgprs); });
    add("agpr", [&](const Side& s) { return double(kernel(s).agprs); });
    add("sgpr", [&](const Side& s) { return double(kernel(s).sgprs); });
    add("lds_bytes", [&](const Side& s) { return double(kernel(s).lds_bytes); });
    add("code_bytes", [](const Side& s) {
        return s.code.empty() ? 0.0 : double(s.code.back().address + s.code.back().bytes);
    });
    add("instructions", [](const Side& s) { return double(s.code.size()); });
    return list;
}

std::vector<Figure> classes(const Side& a, const Side& b) {
    std::map<std::string, std::pair<double, double>> all;
    const Json of_a = opcode_mix(a.code)["classes"], of_b = opcode_mix(b.code)["classes"];
    for (const auto& [name, count] : of_a.items()) all[name].first = count;
    for (const auto& [name, count] : of_b.items()) all[name].second = count;
    std::vector<Figure> list;
    for (const auto& [name, both] : all) list.emplace_back(name, both.first, both.second);
    return list;
}

std::string figures(const std::vector<Figure>& list, bool all) {
    std::string out;
    for (const auto& [name, a, b] : list) {
        if (!all && a == b) continue;
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, a);
        if (a != b) out += fmt::format(" -> {}", b);
    }
    return out.empty() ? "the same" : out;
}

Json to_json(const std::vector<Figure>& list) {
    Json out = Json::object();
    for (const auto& [name, a, b] : list) out[name] = {{"a", a}, {"b", b}};
    return out;
}

Json to_json(const LoopCost& loop) {
    return {{"first", loop.first},
            {"last", loop.last},
            {"instructions", loop.instructions},
            {"matrix", loop.matrix},
            {"port_cycles", loop.port_cycles},
            {"skippable_port_cycles", loop.skippable},
            {"matrix_cycles", loop.matrix_cycles}};
}

std::string loop_lines(const LoopCost& a, const LoopCost& b) {
    if (!a.instructions && !b.instructions) return {};
    const auto share = [](const LoopCost& l) {
        return l.matrix_cycles > 0
                   ? fmt::format("{:.2f}", (l.port_cycles - l.skippable) / l.matrix_cycles)
                   : std::string("no matrix work");
    };
    return fmt::format(
        "  {:<14} {}\n  {:<14} {} port cycles for each matrix cycle of a wave\n", "main loop",
        figures({{"instructions", a.instructions, b.instructions},
                 {"matrix", a.matrix, b.matrix},
                 {"port cycles", a.port_cycles, b.port_cycles},
                 {"skippable", a.skippable, b.skippable},
                 {"matrix cycles", a.matrix_cycles, b.matrix_cycles}},
                true),
        "  predicted", share(a) == share(b) ? share(a) : share(a) + " -> " + share(b));
}

// Both sides in the cycle model, if both are kernels of ours.
struct Timed {
    WorkgroupTiming a, b;
};
std::optional<Timed> timed(const Side& a, const Side& b) {
    if (!a.subject.recipe || !b.subject.recipe) return std::nullopt;
    const auto time = [](const Side& s) {
        const SimOptions with_timing = [] {
            SimOptions o;
            o.timing = true;
            return o;
        }();
        const SimTiming timing(with_timing, s.subject.object.code,
                               s.subject.built ? &*s.subject.built : nullptr);
        return time_workgroup(s.subject, kComparedKeys, *timing.options());
    };
    return Timed{time(a), time(b)};
}
std::string timed_line(const Timed& t) {
    const auto share = [](const WorkgroupTiming& w) {
        return w.steady ? fmt::format("{:.1f}", w.steady->busy.useful_matrix) : std::string("-");
    };
    return fmt::format(
        "  {:<14} {} -> {} cycles ({:+.1f} %) for 256 queries and {} keys, useful matrix cycles {} "
        "-> {} % (model {}, {})\n",
        "", t.a.cycles, t.b.cycles, 100 * (double(t.b.cycles) / double(t.a.cycles) - 1),
        kComparedKeys, share(t.a), share(t.b), kTimingModel, mi355x().name);
}

class Printer {
public:
    Printer(const Side& a, const Side& b, const DiffOptions& opt, const Session& session)
        : a_(a), b_(b), opt_(opt), session_(session) {}

    void rows(const CodeDiff& diff) {
        bool gap = true;
        for (const DiffRow& row : diff.rows) {
            using Kind = DiffRow::Kind;
            const bool quiet =
                row.kind == Kind::same || (row.kind == Kind::renamed && !opt_.registers);
            if (quiet) {
                gap = true;
                continue;
            }
            if (gap) head(row);
            gap = false;
            switch (row.kind) {
                case Kind::added: line("+", b_, row.b, Paint::green); break;
                case Kind::removed: line("-", a_, row.a, Paint::red); break;
                case Kind::moved_from: line("<", a_, row.a, Paint::yellow, where(b_, row.b)); break;
                case Kind::moved_to: line(">", b_, row.b, Paint::yellow, where(a_, row.a)); break;
                default: line("-", a_, row.a, Paint::red); line("+", b_, row.b, Paint::green);
            }
        }
    }

private:
    const Side &a_, &b_;
    const DiffOptions& opt_;
    const Session& session_;

    static std::string where(const Side& s, int n) {
        return fmt::format("{:#06x}", s.code[size_t(n)].address);
    }
    void head(const DiffRow& row) const {
        const auto at = [](const Side& s, int n) {
            return n < 0 ? std::string("      ") : where(s, n);
        };
        const bool to = row.kind == DiffRow::Kind::moved_to || row.kind == DiffRow::Kind::added;
        const bool from =
            row.kind == DiffRow::Kind::moved_from || row.kind == DiffRow::Kind::removed;
        fmt::print("@@ {} {}\n", to ? "      " : at(a_, row.a), from ? "      " : at(b_, row.b));
    }
    void line(const char* sign, const Side& s, int n, Paint colour,
              const std::string& other = {}) const {
        std::string text = fmt::format("{} {}  {}", sign, where(s, n), s.code[size_t(n)].text);
        if (!other.empty()) text += fmt::format("  ({} {})", sign[0] == '<' ? "to" : "from", other);
        fmt::print("{}\n", paint(text, colour, stdout, session_.common));
    }
};

Json row_json(const CodeDiff& diff, DiffRow::Kind kind, const Side& a, const Side& b) {
    Json list = Json::array();
    for (const DiffRow& row : diff.rows) {
        if (row.kind != kind) continue;
        Json entry = Json::object();
        const auto put = [&](const char* side, const Side& s, int n) {
            if (n >= 0)
                entry[side] = {{"address", s.code[size_t(n)].address},
                               {"text", s.code[size_t(n)].text}};
        };
        put("a", a, row.a), put("b", b, row.b);
        list.push_back(entry);
    }
    return list;
}

void compare_two(const DiffOptions& opt, Session& session) {
    const Side a = open_side(opt.a), b = open_side(opt.b);
    const CodeDiff diff = compare(a.code, b.code);
    const auto used = resources(a, b);
    const bool same_resources =
        std::ranges::all_of(used, [](const Figure& f) { return std::get<1>(f) == std::get<2>(f); });
    const bool same = diff.identical() && same_resources;
    if (!same) session.status = Exit::no;
    if (session.common.json) {
        Json inputs = a.subject.inputs;
        for (const Json& file : b.subject.inputs) inputs.push_back(file);
        using Kind = DiffRow::Kind;
        Json result = {{"a", a.subject.name},
                       {"b", b.subject.name},
                       {"same", same},
                       {"added", row_json(diff, Kind::added, a, b)},
                       {"removed", row_json(diff, Kind::removed, a, b)},
                       {"moved", row_json(diff, Kind::moved_to, a, b)},
                       {"changed", row_json(diff, Kind::changed, a, b)},
                       {"renamed", diff.renamed},
                       {"resources", to_json(used)},
                       {"classes", to_json(classes(a, b))},
                       {"loop", {{"a", to_json(a.loop)}, {"b", to_json(b.loop)}}},
                       {"cycles", {{"a", nullptr}, {"b", nullptr}}}};
        if (const auto t = timed(a, b))
            result["cycles"] = {{"a", t->a.cycles},      {"b", t->b.cycles},
                                {"queries", 256},        {"keys", kComparedKeys},
                                {"model", kTimingModel}, {"machine", mi355x().name}};
        return print_envelope("diff", inputs, Json::array({result}));
    }
    if (same) {
        if (!session.common.quiet) fmt::print("the same: {} instructions\n", a.code.size());
        return;
    }
    if (!opt.stat) Printer(a, b, opt, session).rows(diff);
    fmt::print("{} -> {}\n", a.subject.name, b.subject.name);
    fmt::print("  {:<14} {} added, {} removed, {} moved, {} changed; {} with other registers\n",
               "instructions", diff.added, diff.removed, diff.moved, diff.changed, diff.renamed);
    fmt::print("  {:<14} {}\n", "resources", figures(used, true));
    fmt::print("  {:<14} {}\n", "counts", figures(classes(a, b), false));
    fmt::print("{}", loop_lines(a.loop, b.loop));
    if (const auto t = timed(a, b)) fmt::print("{}", timed_line(*t));
}

}  // namespace

void add_diff(CLI::App& app, Session& session) {
    auto opt = std::make_shared<DiffOptions>();
    auto* cmd = app.add_subcommand("diff", "What differs between two kernels, by instruction");
    cmd->add_option("a", opt->a, "kernel id, ID@SCHEDULE, code object or assembly file")
        ->required();
    cmd->add_option("b", opt->b, "the other")->required();
    cmd->add_flag("--stat", opt->stat, "only the summary");
    cmd->add_flag("--registers", opt->registers, "also where only register numbers differ");
    cmd->footer(
        "  zyfa-gen diff fp8_d128_causal fp8_d128_causal@mine.json\n"
        "  zyfa-gen diff fp8_d128_causal@two_phases fp8_d128_causal@wide --stat\n"
        "  zyfa-gen diff old.co new.co --json\n");
    cmd->callback([opt, &session] { compare_two(*opt, session); });
}

}  // namespace zyfa
