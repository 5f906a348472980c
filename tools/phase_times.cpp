#include "tools/phase_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "isa/stamps.hpp"
#include "kernels/abi.hpp"
#include "runtime/hip.hpp"
#include "tools/attention_run.hpp"

namespace zyfa {

namespace {

constexpr size_t kWorst = 8;

Chosen chosen_of(const PhaseCall& call) {
    Chosen chosen = choose(call.kernel);
    chosen.id = call.kernel;
    chosen.schedule = parse_schedule(call.schedule, "probes.json");
    if (chosen.schedule.probes.empty())
        throw Error("the schedule has no probes: $.probes is true, or names phases");
    return chosen;
}

// A call ready to run, with room for the records of all waves.
struct Ready {
    Built built;
    AttentionRun run;
    unsigned waves = 0;
    uint64_t workgroups = 0;
    uint64_t record_bytes() const { return workgroups * waves * kStampRecordBytes; }
    uint32_t args_at() const { return stamp_args_at(kAttentionArgsBytes); }
};

Ready make_ready(const PhaseCall& call) {
    Ready r;
    const Chosen chosen = chosen_of(call);
    r.built = build(chosen);
    const auto draws = draw(call.dist, call.seed, *chosen.recipe, call.shape);
    if (draws.size() != 1) throw Error("--dist " + call.dist + " are several calls; name one");
    r.run = prepare_attention(*chosen.recipe,
                              load_code_object(r.built.emitted.code_object, call.kernel), draws[0]);
    const auto& grid = r.run.launch.grid;
    r.waves = r.built.program.workgroup_size / 64;
    r.workgroups = uint64_t(grid[0]) * grid[1] * grid[2];
    if (call.workgroup >= r.workgroups)
        throw Error(fmt::format("--workgroup {}: the launch has {}", call.workgroup, r.workgroups));
    return r;
}

void put_args(std::vector<uint8_t>& kernarg, const Ready& r, uint64_t records) {
    kernarg.resize(std::max<size_t>(kernarg.size(), r.args_at() + kStampArgsBytes));
    uint8_t* at = kernarg.data() + r.args_at();
    std::memcpy(at, &records, 8);
    std::memcpy(at + kStampGridX, &r.run.launch.grid[0], 4);
    std::memcpy(at + kStampGridY, &r.run.launch.grid[1], 4);
}

PhaseRecord record_of(const PhaseCall& call, const Ready& r, std::span<const uint8_t> records) {
    PhaseRecord out;
    out.call = call;
    for (unsigned w = 0; w < r.waves; ++w) {
        std::vector<uint32_t> words(kStampWords);
        const uint64_t at = (call.workgroup * r.waves + w) * kStampRecordBytes;
        std::memcpy(words.data(), records.data() + at, kStampRecordBytes);
        out.waves.push_back(std::move(words));
    }
    return out;
}

double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    const size_t half = all.size() / 2;
    return all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

std::vector<std::string> probed_phases(const PhaseCall& call) {
    const Schedule s = chosen_of(call).schedule;
    std::vector<std::string> names;
    for (unsigned number : s.probes) names.push_back(s.phases[number - 1].name);
    return names;
}

using Key = std::tuple<unsigned, unsigned, unsigned>;  // wave, pass, probe
std::map<Key, uint32_t> by_place(const PhaseRecord& r, unsigned probes) {
    std::map<Key, uint32_t> all;
    for (unsigned w = 0; w < r.waves.size(); ++w)
        for (const Stretch& s : stretches(r.waves[w], w, probes))
            all[{s.wave, s.pass, s.probe}] = s.cycles;
    return all;
}

// From the first stamp to the end of the loop; 0: there is none.
double loop_cycles(const std::vector<uint32_t>& stamps) {
    const auto first = std::find_if(stamps.begin(), stamps.end(), [](uint32_t w) { return w; });
    return stamps[kEndStamp] ? double(stamps[kEndStamp] - *first) : 0;
}

struct Pairs {
    std::vector<double> left, right;
    void add(double a, double b) { left.push_back(a), right.push_back(b); }
    PhaseSides sides(const std::string& phase, bool upper) const {
        return {phase, upper, median(left), median(right), left.size()};
    }
};

std::string cells(double value) { return fmt::format("{:.0f}", value); }
std::string waves_name(const PhaseSides& s, bool halves) {
    return !halves ? "all" : s.upper ? "upper" : "lower";
}

}  // namespace

PhaseCall phase_call(const std::string& what) {
    Chosen chosen = choose(what);
    if (chosen.schedule.probes.empty())
        for (unsigned n = 1; n <= chosen.schedule.phases.size(); ++n)
            chosen.schedule.probes.push_back(n);
    PhaseCall call;
    call.kernel = std::string(chosen.recipe->id);
    call.schedule = to_json(chosen.schedule);
    return call;
}

PhaseRecord time_phases_on_model(const PhaseCall& call, const TimingOptions& timing) {
    Ready r = make_ready(call);
    Memory& memory = r.run.prepared.memory;
    const uint64_t records = memory.allocate("stamps", r.record_bytes());
    std::vector<uint8_t> bytes(r.record_bytes());
    memory.write(records, bytes);
    put_args(r.run.prepared.launch.kernarg, r, records);
    Options options;
    options.timing = &timing;
    options.threads = 1;
    options.only_workgroup = int64_t(call.workgroup);
    const Result result = execute(r.run.prepared, options);
    if (!result.complete) throw Error(call.kernel + " did not come to its end", Exit::internal);
    memory.read(records, bytes);
    PhaseRecord out = record_of(call, r, bytes);
    out.device = fmt::format("cycle model {}, machine {} with numbers {}", kTimingModel,
                             timing.machine->name, timing.machine->model);
    return out;
}

PhaseRecord time_phases_on_card(const PhaseCall& call) {
    Hip hip;
    Ready r = make_ready(call);
    std::map<std::string, uint64_t> buffers;
    for (const LaunchBuffer& b : r.run.launch.buffers) {
        const auto bytes = buffer_bytes(r.run.prepared, b.name);
        buffers[b.name] = hip.allocate(std::max<uint64_t>(bytes.size(), 256));
        if (!bytes.empty()) hip.write(buffers[b.name], bytes);
    }
    std::vector<uint8_t> records(r.record_bytes());
    const uint64_t at = hip.allocate(records.size());
    std::vector<uint8_t> kernarg = r.run.prepared.launch.kernarg;
    for (const KernargField& f : r.run.launch.kernarg) {
        if (!f.is_pointer) continue;
        const uint64_t address = f.buffer.empty() ? 0 : buffers.at(f.buffer) + f.add;
        std::memcpy(kernarg.data() + f.offset, &address, 8);
    }
    put_args(kernarg, r, at);
    for (int n = 0; n < 2; ++n) {  // the first one loads code and data
        hip.write(at, records);
        hip.launch(r.built.emitted.code_object, call.kernel, r.run.launch.grid,
                   r.built.program.workgroup_size, kernarg);
    }
    hip.read(at, records);
    hip.release(at);
    for (const auto& [name, address] : buffers) hip.release(address);
    PhaseRecord out = record_of(call, r, records);
    out.device = hip.device();
    out.card = true;
    return out;
}

Json to_json(const PhaseRecord& r) {
    return {{"kind", "phases"},
            {"device", r.device},
            {"card", r.card},
            {"kernel", r.call.kernel},
            {"schedule", Json::parse(r.call.schedule)},
            {"shape", r.call.shape},
            {"dist", r.call.dist},
            {"seed", r.call.seed},
            {"workgroup", r.call.workgroup},
            {"phases", probed_phases(r.call)},
            {"stamps", r.waves}};
}

PhaseRecord phase_record(const Json& result, const std::string& file) {
    const auto refuse = [&](const std::string& why) {
        return Error(
            fmt::format("{}: {}; wanted: what calibrate --phases --json prints", file, why));
    };
    PhaseRecord r;
    try {
        r.device = result.at("device").get<std::string>();
        r.card = result.at("card").get<bool>();
        r.call.kernel = result.at("kernel").get<std::string>();
        r.call.schedule = result.at("schedule").dump(2);
        r.call.shape = result.at("shape").get<std::string>();
        r.call.dist = result.at("dist").get<std::string>();
        r.call.seed = result.at("seed").get<uint64_t>();
        r.call.workgroup = result.at("workgroup").get<uint64_t>();
        r.waves = result.at("stamps").get<std::vector<std::vector<uint32_t>>>();
    } catch (const nlohmann::json::exception& e) { throw refuse(e.what()); }
    const size_t waves = chosen_of(r.call).schedule.waves;
    if (r.waves.size() != waves) throw refuse(fmt::format("stamps of {} waves", r.waves.size()));
    for (const auto& words : r.waves)
        if (words.size() != kStampWords) throw refuse(fmt::format("{} stamps", words.size()));
    return r;
}

std::vector<Stretch> stretches(const std::vector<uint32_t>& stamps, unsigned wave,
                               unsigned probes) {
    std::vector<Stretch> out;
    const unsigned last_row = stamp_rows(probes) - 1;
    std::optional<unsigned> from;
    const auto until = [&](uint32_t stamp) {
        if (from) out.push_back({wave, *from / probes, *from % probes, stamp - stamps[*from]});
    };
    for (unsigned n = 0; n < (last_row + 1) * probes; ++n) {
        if (!stamps[n]) continue;
        // There may be passes between the one before and the last.
        const bool unknown = from && *from / probes < last_row && n / probes == last_row;
        if (!unknown) until(stamps[n]);
        from = n;
    }
    if (stamps[kEndStamp]) until(stamps[kEndStamp]);
    return out;
}

PhaseComparison compare_phases(const PhaseRecord& measured, const PhaseRecord& predicted) {
    const std::vector<std::string> names = probed_phases(measured.call);
    const unsigned probes = unsigned(names.size()), waves = unsigned(measured.waves.size());
    const bool halves = chosen_of(measured.call).schedule.stagger != 0;
    const auto a = by_place(measured, probes), b = by_place(predicted, probes);
    PhaseComparison out;
    for (bool upper : {false, true}) {
        if (upper && !halves) break;
        const auto belongs = [&](unsigned wave) { return !halves || (wave >= waves / 2) == upper; };
        for (unsigned n = 0; n < probes; ++n) {
            Pairs all;
            std::map<unsigned, Pairs> passes;
            for (const auto& [key, cycles] : a) {
                const auto& [wave, pass, probe] = key;
                const auto other = b.find(key);
                if (probe != n || !belongs(wave) || other == b.end()) continue;
                all.add(cycles, other->second);
                passes[pass].add(cycles, other->second);
            }
            if (all.left.empty()) continue;
            out.phases.push_back(all.sides(names[n], upper));
            for (const auto& [pass, pairs] : passes)
                out.worst.push_back(
                    {pairs.sides(names[n], upper), pass, pass + 1 == stamp_rows(probes)});
        }
        Pairs loop;
        for (unsigned w = 0; w < waves; ++w) {
            const double x = loop_cycles(measured.waves[w]), y = loop_cycles(predicted.waves[w]);
            if (belongs(w) && x > 0 && y > 0) loop.add(x, y);
        }
        if (!loop.left.empty()) out.loop.push_back(loop.sides("loop", upper));
    }
    std::erase_if(out.worst, [](auto& w) { return w.apart() == 0; });
    std::stable_sort(out.worst.begin(), out.worst.end(),
                     [](auto& x, auto& y) { return std::abs(x.apart()) > std::abs(y.apart()); });
    if (out.worst.size() > kWorst) out.worst.resize(kWorst);
    return out;
}

Json to_json(const PhaseComparison& c) {
    const auto sides = [](const PhaseSides& s) -> Json {
        return {{"phase", s.phase},
                {"waves", s.upper ? "upper" : "lower"},
                {"measured_cycles", s.measured},
                {"predicted_cycles", s.predicted},
                {"ratio", finite(s.ratio())},
                {"stretches", s.count}};
    };
    Json out{{"phases", Json::array()}, {"loop", Json::array()}, {"differ_most", Json::array()}};
    for (const PhaseSides& s : c.phases) out["phases"].push_back(sides(s));
    for (const PhaseSides& s : c.loop) out["loop"].push_back(sides(s));
    for (const auto& w : c.worst) {
        Json one = sides(w.sides);
        one["pass"] = w.is_last ? Json("last") : Json(w.pass);
        out["differ_most"].push_back(std::move(one));
    }
    return out;
}

std::string to_text(const PhaseComparison& c) {
    std::vector<std::vector<std::string>> rows{
        {"phase", "waves", "measured", "predicted", "ratio"}};
    const bool halves = c.loop.size() > 1;
    for (const auto* list : {&c.phases, &c.loop})
        for (const PhaseSides& s : *list)
            rows.push_back({s.phase, waves_name(s, halves), cells(s.measured), cells(s.predicted),
                            fmt::format("{:.3f}", s.ratio())});
    std::string out = table(rows);
    if (c.worst.empty()) return out + "\nno pass differs\n";
    rows = {{"differ most", "waves", "pass", "measured", "predicted", "ratio"}};
    for (const auto& w : c.worst)
        rows.push_back({w.sides.phase, waves_name(w.sides, halves),
                        w.is_last ? "last" : fmt::format("{}", w.pass), cells(w.sides.measured),
                        cells(w.sides.predicted), fmt::format("{:.3f}", w.sides.ratio())});
    return out + "\n" + table(rows);
}

std::string to_text(const PhaseRecord& r) {
    const PhaseComparison c = compare_phases(r, r);
    std::vector<std::vector<std::string>> rows{{"phase", "waves", "cycles", "stretches"}};
    for (const auto* list : {&c.phases, &c.loop})
        for (const PhaseSides& s : *list)
            rows.push_back({s.phase, waves_name(s, c.loop.size() > 1), cells(s.measured),
                            fmt::format("{}", s.count)});
    return table(rows);
}

}  // namespace zyfa
