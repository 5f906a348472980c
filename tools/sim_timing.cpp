#include "tools/sim_timing.hpp"

#include <algorithm>

#include "isa/file.hpp"
#include "isa/machines.hpp"

namespace zyfa {

namespace {

// Sections of our kernels that multiply: queries with keys, weights with values.
constexpr std::string_view kUseful[] = {"scores", "weigh values"};

std::vector<uint32_t> useful_addresses(const Program& program, std::span<const Decoded> code) {
    std::vector<uint32_t> out;
    size_t next = 0;
    for (const Block& block : program.blocks)
        for (const Inst& inst : block.insts) {
            if (next >= code.size()) return out;
            const uint32_t address = code[next++].address;
            const std::string& section = program.sections[inst.section].name;
            if (std::find(std::begin(kUseful), std::end(kUseful), section) != std::end(kUseful))
                out.push_back(address);
        }
    return out;
}

Arbiter arbiter_of(const std::string& name) {
    for (Arbiter a : {Arbiter::oldest, Arbiter::round_robin, Arbiter::youngest})
        if (name == arbiter_name(a)) return a;
    throw Error(
        fmt::format("--arbiter {}: no such rule; allowed: oldest, round-robin, youngest", name));
}

// Two digits behind the point: what the model says is not known better.
double pct(double value) { return std::round(100 * value) / 100; }

Json shares(const std::array<double, sim::kSpent>& spent) {
    Json json = Json::object();
    for (unsigned n = 0; n < sim::kSpent; ++n)
        json[std::string(spent_name(sim::Spent(n)))] = pct(spent[n]);
    return json;
}

std::string shares_text(const std::array<double, sim::kSpent>& spent) {
    std::vector<unsigned> order(sim::kSpent);
    for (unsigned n = 0; n < sim::kSpent; ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return spent[a] > spent[b]; });
    std::string text;
    for (unsigned n : order)
        if (spent[n] >= 0.05)
            text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", spent_name(sim::Spent(n)),
                                spent[n]);
    return text;
}

std::vector<const InstructionTiming*> hottest(const Timing& t, size_t most) {
    std::vector<const InstructionTiming*> all;
    for (const InstructionTiming& i : t.instructions) all.push_back(&i);
    std::stable_sort(all.begin(), all.end(),
                     [](auto* a, auto* b) { return a->waited() > b->waited(); });
    if (all.size() > most) all.resize(most);
    return all;
}

Json to_json(const InstructionTiming& i) {
    Json spent = Json::object();
    for (unsigned n = 0; n < sim::kSpent; ++n)
        if (i.spent[n]) spent[std::string(spent_name(sim::Spent(n)))] = i.spent[n];
    return {{"address", i.address}, {"text", i.text}, {"count", i.count}, {"cycles", spent}};
}

}  // namespace

SimTiming::SimTiming(const SimOptions& opt, std::span<const Decoded> code, const Built* built)
    : wanted_(opt.timing) {
    options_.arbiter = arbiter_of(opt.arbiter);
    if (!wanted_) return;
    if (const Machine* shipped = shipped_machine(opt.machine)) {
        options_.machine = shipped;
    } else if (!opt.machine.empty()) {
        machine_ = load_machine(read_text(opt.machine), opt.machine);
        options_.machine = &machine_;
    }
    if (!built) return;
    useful_ = useful_addresses(built->program, code);
    options_.useful = [this](uint32_t address) {
        return std::binary_search(useful_.begin(), useful_.end(), address);
    };
}

Json to_json(const Timing& t, size_t most) {
    const WorkgroupTiming* median = t.median_steady();
    const SteadyWindow* s = median ? &*median->steady : nullptr;
    const auto of = [&](double value) { return s ? Json(pct(value)) : Json(nullptr); };
    size_t windows = 0;
    for (const WorkgroupTiming& w : t.workgroups) windows += w.steady.has_value();
    Json hot = Json::array();
    for (const InstructionTiming* i : hottest(t, most)) hot.push_back(to_json(*i));
    Json json{
        {"cycles", t.workgroups.empty() ? Json(nullptr) : Json(t.cycles(1))},
        {"steady_matrix_busy_pct", of(s ? s->busy.matrix : 0)},
        {"steady_port_busy_pct", of(s ? s->busy.port : 0)},
        {"useful_matrix_pct", of(s ? s->busy.useful_matrix : 0)},
        {"lds_busy_pct", of(s ? s->busy.lds : 0)},
        {"memory_path_busy_pct", of(s ? s->busy.memory_path : 0)},
        {"window_cycles", s ? Json(s->cycles) : Json(nullptr)},
        {"whole_matrix_busy_pct", pct(t.whole_matrix_busy())},
        {"steady_iterations", s ? Json{{"first", s->first},
                                       {"last", s->last},
                                       {"branch", s->branch},
                                       {"target", s->target},
                                       {"workgroup", median->index},
                                       {"workgroups", windows}}
                                : Json(nullptr)},
        {"cycles_per_iteration", of(s ? s->cycles_per_iteration : 0)},
        {"stalls", shares(t.spent())},
        {"steady_stalls", s ? shares(s->spent) : Json(nullptr)},
        {"workgroup_cycles",
         {{"count", t.workgroups.size()},
          {"least", t.cycles(0)},
          {"median", t.cycles(0.5)},
          {"most", t.cycles(1)}}},
        {"hot", hot},
        {"machine", fmt::format("{}, numbers {}", t.machine, t.numbers)},
        {"arbiter", arbiter_name(t.arbiter)},
        {"model", kTimingModel},
    };
    return json;
}

std::string to_text(const Timing& t, size_t most) {
    std::string text =
        fmt::format("  predicted      by model {}, machine {} with numbers {}, arbiter {}\n",
                    kTimingModel, t.machine, t.numbers, arbiter_name(t.arbiter));
    if (t.workgroups.empty()) return text + "                 nothing: no workgroup has ended\n";
    if (t.workgroups.size() == 1)
        text += fmt::format("                 {} cycles for workgroup {}", t.cycles(1),
                            t.workgroups[0].index);
    else
        text += fmt::format("                 {} to {} cycles for a workgroup, median {}",
                            t.cycles(0), t.cycles(1), t.cycles(0.5));
    text += fmt::format("; matrix pipe busy {:.1f} % of all\n", t.whole_matrix_busy());
    text += fmt::format("  time of waves  {} %\n", shares_text(t.spent()));
    const WorkgroupTiming* median = t.median_steady();
    if (!median) {
        text += "  steady         no loop with a whole iteration between its first and last two\n";
    } else {
        const SteadyWindow& s = *median->steady;
        text += fmt::format(
            "  steady         matrix pipe busy {:.1f} % (useful {:.1f}), issue port {:.1f}, LDS "
            "{:.1f}, memory path {:.1f}\n",
            s.busy.matrix, s.busy.useful_matrix, s.busy.port, s.busy.lds, s.busy.memory_path);
        text += fmt::format(
            "                 {:.1f} cycles for an iteration; iterations {} to {} of the loop "
            "{:#06x} to {:#06x}, {} cycles, workgroup {}\n",
            s.cycles_per_iteration, s.first, s.last, s.target, s.branch, s.cycles, median->index);
        text += fmt::format("  its waves      {} %\n", shares_text(s.spent));
    }
    for (const InstructionTiming* i : hottest(t, most)) {
        std::array<double, sim::kSpent> spent{};
        for (unsigned n = 1; n < sim::kSpent; ++n)
            spent[n] = double(i->spent[n]) / double(i->count);
        text += fmt::format("    {:#06x} {:<40} x{:<7} waits {}\n", i->address, i->text, i->count,
                            shares_text(spent));
    }
    return text;
}

}  // namespace zyfa
