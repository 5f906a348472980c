#include <algorithm>
#include <charconv>

#include "isa/file.hpp"
#include "tools/calibrate.hpp"
#include "tools/command.hpp"
#include "tools/phase_times.hpp"

namespace zyfa {

namespace {

struct CalibrateOptions {
    std::vector<std::string> unknowns;
    bool list = false;
    std::string device = "sim", machine, output, folder, compare;
    std::string phases;  // kernel id
    PhaseCall call;
};

std::vector<unsigned> numbers(const std::vector<std::string>& words) {
    std::vector<unsigned> out;
    for (const std::string& w : words) {
        unsigned n = 0;
        const char* end = w.data() + w.size();
        const bool ok = w.size() > 1 && (w[0] == 'U' || w[0] == 'u') &&
                        std::from_chars(w.data() + 1, end, n).ptr == end;
        if (!ok || n < 1 || n > 21)
            throw Error(fmt::format("'{}' is no unknown; they are U1 to U21", w));
        out.push_back(n);
    }
    return out;
}
bool wanted(const std::vector<unsigned>& unknowns, unsigned u) {
    return unknowns.empty() || std::find(unknowns.begin(), unknowns.end(), u) != unknowns.end();
}

std::string figure(double value) {
    std::string s = fmt::format("{:.2f}", value);
    s.erase(s.find_last_not_of('0') + 1);
    if (s.back() == '.') s.pop_back();
    return s;
}
std::string span(double low, double high) {
    return low == high ? figure(low) : figure(low) + " to " + figure(high);
}

void list(const std::vector<unsigned>& unknowns, const Machine& m, const Session& session) {
    Json results = Json::array();
    std::string text;
    for (const UnknownNote& note : calibration().unknowns) {
        if (!wanted(unknowns, note.unknown)) continue;
        Json fields = Json::array(), probes = Json::array();
        text += fmt::format("U{}  {}\n", note.unknown, note.what);
        if (!note.not_a_number.empty())
            text += fmt::format("  not a number: {}\n", note.not_a_number);
        std::vector<std::vector<std::string>> table_rows;
        for (const FieldFit& f : calibration().fields) {
            if (f.unknown != note.unknown) continue;
            const Number& n = number_of(m, f.path);
            table_rows.push_back({"  " + f.path, figure(n.value) + " " + n.unit,
                                  span(n.low, n.high), std::string(trust_name(n.trust)),
                                  f.how + (f.card_only.empty() ? "" : " (card only)")});
            fields.push_back(
                {{"path", f.path},
                 {"value", n.value},
                 {"unit", n.unit},
                 {"range", {n.low, n.high}},
                 {"trust", trust_name(n.trust)},
                 {"how", f.how},
                 {"probes", f.probes},
                 {"card_only", f.card_only.empty() ? Json(nullptr) : Json(f.card_only)}});
        }
        text += table(table_rows);
        table_rows.clear();
        for (const Probe& p : calibration().probes) {
            if (p.unknown != note.unknown) continue;
            table_rows.push_back({"  probe " + p.id, fmt::format("{} waves", p.waves), p.about});
            probes.push_back({{"id", p.id},
                              {"about", p.about},
                              {"waves", p.waves},
                              {"units", p.repeat},
                              {"units_of_base", p.base}});
        }
        text += table(table_rows) + "\n";
        results.push_back(
            {{"unknown", fmt::format("U{}", note.unknown)},
             {"about", note.what},
             {"not_a_number", note.not_a_number.empty() ? Json(nullptr) : Json(note.not_a_number)},
             {"fields", fields},
             {"probes", probes}});
    }
    if (session.common.json) print_envelope("calibrate", Json::array(), results);
    else fmt::print("{}", text);
}

Json to_json(const FieldResult& r) {
    const auto of = [&](double Fitted::* part) {
        return r.fitted ? finite((*r.fitted).*part) : Json(nullptr);
    };
    return {{"unknown", fmt::format("U{}", r.field->unknown)},
            {"path", r.field->path},
            {"unit", r.file.unit},
            {"file", r.file.value},
            {"measured", of(&Fitted::value)},
            {"measured_low", of(&Fitted::low)},
            {"measured_high", of(&Fitted::high)},
            {"within", r.fitted ? Json(r.within) : Json(nullptr)},
            {"why_not", r.why_not.empty() ? Json(nullptr) : Json(r.why_not)},
            {"how", r.field->how}};
}

std::string to_text(std::span<const FieldResult> results, const Common& common) {
    std::vector<std::vector<std::string>> cells{{"", "number", "file", "measured", "unit", ""}};
    for (const FieldResult& r : results) {
        const std::string measured =
            r.fitted ? span(r.fitted->low, r.fitted->high) : std::string("-");
        const std::string verdict = !r.fitted  ? r.why_not
                                    : r.within ? ""
                                               : paint("differs", Paint::red, stdout, common);
        cells.push_back({fmt::format("U{}", r.field->unknown), r.field->path, figure(r.file.value),
                         measured, r.file.unit, verdict});
    }
    return table(cells);
}

// One unit of each probe, measured beside predicted.
std::string side_by_side(const Measured& measured, const Measured& predicted, Json& json) {
    std::vector<std::vector<std::string>> cells{
        {"", "probe", "waves", "measured", "predicted", "ratio"}};
    for (const Probe& p : calibration().probes) {
        if (!measured.has(p.id) || !predicted.has(p.id)) continue;
        for (Half half : {Half::lower, Half::upper}) {
            if (half == Half::upper && !p.upper) continue;
            const double a = measured.unit(p.id, half), b = predicted.unit(p.id, half);
            const char* which = !p.upper ? "all" : half == Half::lower ? "lower" : "upper";
            cells.push_back({fmt::format("U{}", p.unknown), p.id, which, figure(a), figure(b),
                             b ? figure(a / b) : "-"});
            json.push_back({{"unknown", fmt::format("U{}", p.unknown)},
                            {"probe", p.id},
                            {"waves", which},
                            {"measured_cycles_per_unit", finite(a)},
                            {"predicted_cycles_per_unit", finite(b)}});
        }
    }
    return table(cells);
}

// What is no number; `predicted` may be empty.
std::string to_text(std::span<const Reading> measured, std::span<const Reading> predicted) {
    std::vector<std::vector<std::string>> cells;
    for (const Reading& r : measured) {
        cells.push_back({fmt::format("U{}", r.unknown), r.text});
        for (const Reading& p : predicted)
            if (p.unknown == r.unknown && p.text != r.text)
                cells.push_back({"", "predicted: " + p.text});
    }
    return cells.empty() ? "" : "not numbers, in words:\n" + table(cells);
}

// One record alone, or, if it was made elsewhere, beside what the cycle model says.
void show_phases(const PhaseRecord& record, bool beside, const Machine& machine, const Json& inputs,
                 const Session& session) {
    Json result = to_json(record);
    std::string out = fmt::format("device   {}\nkernel   {}  {}, workgroup {}, input {}, seed {}\n",
                                  record.device, record.call.kernel, record.call.shape,
                                  record.call.workgroup, record.call.dist, record.call.seed);
    if (beside) {
        TimingOptions timing;
        timing.machine = &machine;
        const PhaseRecord predicted = time_phases_on_model(record.call, timing);
        const PhaseComparison c = compare_phases(record, predicted);
        out += fmt::format("beside   {}\n\n{}", predicted.device, to_text(c));
        result["predicted_by"] = predicted.device;
        result["comparison"] = to_json(c);
    } else {
        out += "\n" + to_text(record);
    }
    if (session.common.json) print_envelope("calibrate", inputs, Json::array({result}));
    else fmt::print("{}", out);
}

void time_phases(const CalibrateOptions& opt, const Machine& machine, const Json& inputs,
                 const Session& session) {
    PhaseCall call = phase_call(opt.phases);
    call.shape = opt.call.shape, call.dist = opt.call.dist;
    call.seed = opt.call.seed, call.workgroup = opt.call.workgroup;
    TimingOptions timing;
    timing.machine = &machine;
    Progress progress(session.common);
    progress.show("running " + opt.phases);
    const PhaseRecord record =
        opt.device == "hip" ? time_phases_on_card(call) : time_phases_on_model(call, timing);
    progress.clear();
    show_phases(record, false, machine, inputs, session);
}

void calibrate(const CalibrateOptions& opt, Session& session) {
    const std::vector<unsigned> unknowns = numbers(opt.unknowns);
    const std::string text =
        opt.machine.empty() ? std::string(mi355x_json()) : read_text(opt.machine);
    const Machine machine =
        load_machine(text, opt.machine.empty() ? "isa/machines/mi355x.json" : opt.machine);
    Json inputs = Json::array();
    if (!opt.machine.empty()) inputs.push_back(input_record(opt.machine, read_file(opt.machine)));
    if (opt.list) return list(unknowns, machine, session);
    if (!opt.phases.empty()) return time_phases(opt, machine, inputs, session);
    if (!opt.compare.empty()) {
        inputs.push_back(input_record(opt.compare, read_file(opt.compare)));
        const Json result = recorded_result(opt.compare);
        if (result.value("kind", "") == "phases")
            return show_phases(phase_record(result, opt.compare), true, machine, inputs, session);
    }

    const std::vector<ProbeKernel> kernels = kernels_for(unknowns);
    Progress progress(session.common);
    const WatchKernel watch = [&](const std::string& name) { progress.show(name); };
    if (!opt.folder.empty()) {
        progress.show("building");
        const size_t count = emit_probes(opt.folder, kernels);
        progress.clear();
        if (session.common.json)
            return print_envelope("calibrate", inputs,
                                  Json::array({{{"folder", opt.folder}, {"kernels", count}}}));
        fmt::print("{} kernels and probes.json in {}\n", count, opt.folder);
        return;
    }

    std::string device_name;
    bool card = false;
    Measured measured(machine);
    if (!opt.compare.empty()) {
        Recorded recorded = load_recorded(opt.compare);
        device_name = recorded.device, card = recorded.card;
        measured.ticks = std::move(recorded.ticks);
    } else {
        const auto device = opt.device == "hip" ? hip_device() : sim_device(machine);
        device_name = device->name(), card = device->is_card();
        measured.ticks = measure(*device, kernels, machine, watch).ticks;
    }
    const std::vector<FieldResult> fields = judge(measured, machine, card);
    Json result{{"device", device_name},
                {"card", card},
                {"machine", fmt::format("{}, numbers {}", machine.name, machine.model)},
                {"fields", Json::array()},
                {"kernels", to_json(measured, kernels)}};
    for (const FieldResult& f : fields) result["fields"].push_back(to_json(f));

    std::string out = fmt::format("device   {}\nmachine  {}, numbers {}\n\n", device_name,
                                  machine.name, machine.model);
    const std::vector<Reading> words = readings(measured);
    std::vector<Reading> words_predicted;
    if (!opt.compare.empty()) {
        const auto model = sim_device(machine);
        const Measured predicted = measure(*model, kernels, machine, watch);
        Json sides = Json::array();
        out += side_by_side(measured, predicted, sides) + "\n";
        result["probes"] = sides;
        words_predicted = readings(predicted);
    }
    progress.clear();
    result["readings"] = Json::array();
    for (const Reading& r : words)
        result["readings"].push_back(
            {{"unknown", fmt::format("U{}", r.unknown)}, {"reading", r.text}});
    out += to_text(fields, session.common) + "\n" + to_text(words, words_predicted);
    const auto off = std::count_if(fields.begin(), fields.end(), [](auto& f) { return !f.within; });
    const auto known =
        std::count_if(fields.begin(), fields.end(), [](auto& f) { return f.fitted.has_value(); });
    out += fmt::format("\n{} of {} numbers agree with the file within a cycle or 5 %\n",
                       known - off, known);
    if (!opt.output.empty()) {
        const std::string fitted = fitted_machine(text, fields, device_name, card);
        write_file(opt.output, fitted);
        out += fmt::format("fitted numbers in {}\n", opt.output);
    }
    if (session.common.json) print_envelope("calibrate", inputs, Json::array({result}));
    else fmt::print("{}", out);
    if (off) session.status = Exit::no;
}

}  // namespace

void add_calibrate(CLI::App& app, Session& session) {
    auto opt = std::make_shared<CalibrateOptions>();
    auto* cmd = app.add_subcommand("calibrate", "Measure the numbers that predictions rest on");
    cmd->add_option("unknown", opt->unknowns, "U1 to U21 (default: all)")->expected(0, 21);
    auto* list =
        cmd->add_flag("--list", opt->list, "unknowns, their numbers and probes; runs nothing");
    auto* device = cmd->add_option("--device", opt->device,
                                   "sim: the cycle model; hip: the card of this machine")
                       ->check(one_of({"sim", "hip"}))
                       ->capture_default_str();
    cmd->add_option("--machine", opt->machine, "machine file (default: the shipped mi355x)");
    auto* output = cmd->add_option("-o,--output", opt->output,
                                   "machine file to write, with the numbers found");
    auto* emit = cmd->add_option("--emit", opt->folder,
                                 "folder for all kernels and how to launch them; runs nothing");
    auto* compare = cmd->add_option("--compare", opt->compare,
                                    "what --json printed elsewhere, beside the predicted");
    auto* phases = cmd->add_option(
        "--phases", opt->phases,
        "kernel id: times its phases instead (s_memtime where they begin, as \"probes\" in the "
        "schedule asks for)");
    for (auto* option :
         {cmd->add_option("--shape", opt->call.shape, "of --phases"),
          cmd->add_option("--dist", opt->call.dist, "input of --phases, as for sim"),
          cmd->add_option("--seed", opt->call.seed, "of that input"),
          cmd->add_option("--workgroup", opt->call.workgroup, "whose waves --phases records")})
        option->needs(phases)->capture_default_str();
    list->excludes(device)->excludes(output)->excludes(emit)->excludes(compare)->excludes(phases);
    emit->excludes(device)->excludes(output)->excludes(compare)->excludes(phases);
    compare->excludes(device)->excludes(phases);
    phases->excludes(output);
    cmd->footer(
        "  zyfa-gen calibrate --list\n"
        "  zyfa-gen calibrate --device hip --json > measured.json\n"
        "  zyfa-gen calibrate --compare measured.json -o my_card.json\n");
    cmd->callback([opt, &session] { calibrate(*opt, session); });
}

}  // namespace zyfa
