#include "tools/calibrate.hpp"

#include <algorithm>
#include <cmath>

#include "isa/file.hpp"

namespace zyfa {

namespace {

void add(std::vector<ProbeKernel>& all, ProbeKernel k) {
    if (std::none_of(all.begin(), all.end(), [&](auto& o) { return o.name == k.name; }))
        all.push_back(std::move(k));
}
void add(std::vector<ProbeKernel>& all, const Probe& p) {
    add(all, base_kernel(p));
    add(all, measured_kernel(p));
}

// A cycle in the unit of the number; 0 where cycles mean nothing.
double one_cycle(const Number& n, const Machine& m) {
    if (n.unit == "cycles") return 1;
    if (n.unit == "slots") return 1 / m.issue_slot_cycles.value;
    if (n.unit == "passes") return 1 / m.matrix_pass_cycles.value;
    return 0;
}

bool is_whole(const std::string& unit) {
    return unit == "cycles" || unit == "slots" || unit == "passes" || unit == "bytes";
}
double rounded(double value, const std::string& unit) {
    return is_whole(unit) ? std::round(value) : std::round(value * 1000) / 1000;
}

Error not_recorded(const std::string& path, const std::string& why) {
    return Error(fmt::format("{}: {}; wanted: what calibrate --json prints", path, why));
}

}  // namespace

const Number& number_of(const Machine& m, std::string_view path) {
    for (const MachineRow& r : rows(m))
        if (r.path == path) return *r.number;
    throw Error(fmt::format("the machine file has no {}", path), Exit::internal);
}

std::vector<ProbeKernel> kernels_for(std::span<const FieldFit* const> fields) {
    std::vector<ProbeKernel> all;
    for (const FieldFit* f : fields)
        for (const std::string& id : f->probes) add(all, calibration().probe(id));
    // Formulas may use streams that stand for one instruction.
    add(all, calibration().probe("v_add_f32_stream"));
    return all;
}

std::vector<ProbeKernel> kernels_for(std::span<const unsigned> unknowns) {
    if (unknowns.empty()) return kernels_of(calibration());
    const auto wanted = [&](unsigned u) {
        return std::find(unknowns.begin(), unknowns.end(), u) != unknowns.end();
    };
    std::vector<const FieldFit*> fields;
    for (const FieldFit& f : calibration().fields)
        if (wanted(f.unknown)) fields.push_back(&f);
    std::vector<ProbeKernel> all = kernels_for(fields);
    for (const Probe& p : calibration().probes)
        if (wanted(p.unknown)) add(all, p);
    for (const UnknownNote& n : calibration().unknowns)
        for (const std::string& id : n.probes)
            if (wanted(n.unknown)) add(all, calibration().probe(id));
    return all;
}

Measured measure(ProbeDevice& device, std::span<const ProbeKernel> kernels, const Machine& prior,
                 const WatchKernel& watch) {
    Measured m(prior);
    for (const ProbeKernel& k : kernels) {
        if (watch) watch(k.name);
        m.ticks[k.name] = device.run(built(k));
    }
    return m;
}

std::vector<FieldResult> judge(const Measured& measured, const Machine& machine, bool card) {
    std::vector<FieldResult> all;
    for (const FieldFit& f : calibration().fields) {
        const bool run = std::all_of(f.probes.begin(), f.probes.end(),
                                     [&](const std::string& p) { return measured.has(p); });
        if (!run) continue;
        FieldResult r;
        r.field = &f;
        r.file = number_of(machine, f.path);
        if (!card && !f.card_only.empty()) {
            r.why_not = f.card_only;
        } else {
            r.fitted = f.fit(measured);
            const double apart =
                std::max(one_cycle(r.file, machine) * kCyclesApart, kShareApart * r.file.value);
            const double off = r.file.value < r.fitted->low    ? r.fitted->low - r.file.value
                               : r.file.value > r.fitted->high ? r.file.value - r.fitted->high
                                                               : 0;
            r.within = off <= apart;
        }
        all.push_back(std::move(r));
    }
    return all;
}

std::vector<Reading> readings(const Measured& measured) {
    std::vector<Reading> all;
    for (const UnknownNote& n : calibration().unknowns)
        if (n.reading && std::all_of(n.probes.begin(), n.probes.end(),
                                     [&](const std::string& p) { return measured.has(p); }))
            all.push_back({n.unknown, n.reading(measured)});
    return all;
}

std::string fitted_machine(std::string_view text, std::span<const FieldResult> results,
                           const std::string& device, bool card) {
    Json root = Json::parse(text);
    for (const FieldResult& r : results) {
        if (!r.fitted) continue;
        const size_t slash = r.field->path.find('/');
        Json& entry = root[r.field->path.substr(0, slash)][r.field->path.substr(slash + 1)];
        const double low = rounded(r.fitted->low, r.file.unit),
                     high = rounded(r.fitted->high, r.file.unit);
        entry["value"] = std::clamp(rounded(r.fitted->value, r.file.unit), low, high);
        entry["trust"] = trust_name(card ? Trust::measured : Trust::emulated);
        entry["source"] = fmt::format("zyfa-gen calibrate on {}: {}", device, r.field->how);
        entry["range"] = {low, high};
    }
    root["model"] = root["model"].get<std::string>() + (card ? " calibrated" : " recovered");
    root["about"] = fmt::format("{} Numbers whose source is zyfa-gen calibrate come from {}.",
                                root["about"].get<std::string>(), device);
    const std::string out = root.dump(2) + "\n";
    load_machine(out, "calibrated machine");
    return out;
}

Json to_json(const Measured& m, std::span<const ProbeKernel> kernels) {
    Json list = Json::array();
    for (const ProbeKernel& k : kernels) {
        const auto it = m.ticks.find(k.name);
        if (it == m.ticks.end()) continue;
        const Ticks& t = it->second;
        list.push_back({{"kernel", k.name},
                        {"units", k.units},
                        {"cycles_lower", t.lower},
                        {"cycles_upper", k.probe->upper ? Json(t.upper) : Json(nullptr)},
                        {"gigahertz", t.gigahertz ? finite(t.gigahertz) : Json(nullptr)}});
        if (!t.pairs.empty()) list.back()["cycles_by_pair"] = t.pairs;
    }
    return list;
}

Json recorded_result(const std::string& path) {
    const Json root = Json::parse(read_text(path), nullptr, false);
    if (!root.is_object() || root.value("command", "") != "calibrate" ||
        !root.contains("results") || !root["results"].is_array() || root["results"].empty())
        throw not_recorded(path, "it is another document");
    return root["results"][0];
}

Recorded load_recorded(const std::string& path) {
    Recorded r;
    const Json result = recorded_result(path);
    try {
        r.device = result.at("device").get<std::string>();
        r.card = result.at("card").get<bool>();
        for (const Json& k : result.at("kernels")) {
            Ticks t;
            t.lower = k.at("cycles_lower").get<double>();
            if (!k.at("cycles_upper").is_null()) t.upper = k.at("cycles_upper").get<double>();
            if (!k.at("gigahertz").is_null()) t.gigahertz = k.at("gigahertz").get<double>();
            if (k.contains("cycles_by_pair"))
                t.pairs = k["cycles_by_pair"].get<std::vector<double>>();
            r.ticks[k.at("kernel").get<std::string>()] = t;
        }
    } catch (const nlohmann::json::exception& e) { throw not_recorded(path, e.what()); }
    return r;
}

size_t emit_probes(const std::string& folder, std::span<const ProbeKernel> kernels) {
    make_directory(folder);
    Json list = Json::array();
    for (const ProbeKernel& k : kernels) {
        const Bytes& object = built(k).emitted.code_object;
        const std::string file = k.name + ".co";
        write_file(folder + "/" + file, object);
        const ProbeLaunch l = launch_of(k, true);
        const ProbeData& d = k.probe->data;
        static constexpr const char* kKinds[] = {"none", "zeros", "random", "chain"};
        Json data{{"kind", kKinds[unsigned(d.kind)]}, {"bytes", l.data_bytes}};
        if (d.kind == ProbeData::Kind::chain) data["nodes"] = d.nodes, data["stride"] = d.stride;
        list.push_back(
            {{"kernel", k.name},
             {"code_object", file},
             {"probe", k.units ? Json(k.probe->id) : Json(nullptr)},
             {"unknown", k.units ? Json(fmt::format("U{}", k.probe->unknown)) : Json(nullptr)},
             {"units", k.units},
             {"threads", l.threads},
             {"workgroups", l.workgroups},
             {"rounds", l.rounds},
             {"out_bytes", l.out_bytes},
             {"data", data},
             {"two_bodies", bool(k.probe->upper)}});
    }
    const Json root{
        {"about",
         "Each kernel: allocate out_bytes and data.bytes, fill data (zeros; random bytes; chain: "
         "at "
         "node n, n * stride bytes in, the 64-bit address of node n + 1, the last names the "
         "first), launch `workgroups` x `threads` with the arguments below. out: u32 [workgroup, "
         "round, wave, 2], cycles of s_memtime and ticks of s_memrealtime; round 0 is dropped."},
        {"arguments",
         {{{"name", "out"}, {"offset", kProbeOut}, {"type", "pointer"}},
          {{"name", "data"}, {"offset", kProbeData}, {"type", "pointer"}},
          {{"name", "rounds"}, {"offset", kProbeRounds}, {"type", "u32"}}}},
        {"kernels", list}};
    const std::string text = root.dump(2) + "\n";
    write_file(folder + "/probes.json", text);
    return kernels.size();
}

}  // namespace zyfa
