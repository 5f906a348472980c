#include "tools/cost_listing.hpp"

#include "tools/sim_timing.hpp"

namespace zyfa {

namespace {

// Column heads, by sim::Spent; `issued` is a column of its own, `ended` no instruction's.
constexpr std::array<const char*, sim::kSpent> kHeads = {
    "issue", "port", "matrix", "nop", "vm", "lgkm", "barr", "fetch", "dep", "lds", "mem", "ended"};

double share(uint64_t part, uint64_t all) { return all ? 100 * double(part) / double(all) : 0; }

std::string figure(double value, unsigned digits) {
    if (value == 0) return "";
    if (value > 999.5 || (digits == 2 && value > 99.995)) digits = 0;
    return fmt::format("{:.{}f}", value, digits);
}

Json to_json(const Spending& s) {
    if (!s.executed) return nullptr;
    Json cycles = Json::object();
    for (unsigned n = 0; n < sim::kSpent; ++n)
        if (s.cycles[n]) cycles[std::string(spent_name(sim::Spent(n)))] = s.cycles[n];
    return {{"executed", s.executed}, {"cycles", cycles}};
}

Json to_json(const std::vector<CostGroup>& groups, const CodeCosts& c) {
    Json list = Json::array();
    for (const CostGroup& g : groups)
        list.push_back({{"name", g.name},
                        {"depth", g.depth},
                        {"run", to_json(g.run)},
                        {"steady", c.steady.empty() ? Json(nullptr) : to_json(g.steady)}});
    return list;
}

// The text of one listing: of the run or of the window.
class Columns {
public:
    Columns(const CodeCosts& c, bool steady)
        : costs_(c), steady_(steady), all_(steady ? c.steady_cycles : c.run_cycles) {
        for (const Spending& s : places()) total_ += s;
        for (unsigned n = 1; n < sim::kSpent; ++n)
            if (total_.cycles[n]) used_.push_back(n);
    }
    const std::vector<Spending>& places() const { return steady_ ? costs_.steady : costs_.run; }

    std::string heads(std::string_view first) const {
        std::string out = fmt::format("{:>8} {:>5} {:>5} {:>6}", first, "run%", "ste%", "each");
        out += fmt::format(" {:>5}", kHeads[0]);
        for (const unsigned n : used_) out += fmt::format(" {:>6}", kHeads[n]);
        return out;
    }
    // Cycles of one execution; its two shares are those of all executions.
    std::string line(size_t place) const {
        const Spending& s = places()[place];
        if (!s.executed) return std::string(heads("").size(), ' ');
        const auto each = [&](uint64_t cycles) {
            return figure(double(cycles) / double(s.executed), 1);
        };
        std::string out = shares(s.executed, costs_.run[place].sum(),
                                 costs_.steady.empty() ? 0 : costs_.steady[place].sum());
        out += fmt::format(" {:>6} {:>5}", each(s.sum()), each(s.cycles[0]));
        for (const unsigned n : used_) out += fmt::format(" {:>6}", each(s.cycles[n]));
        return out;
    }
    // Shares of all cycles.
    std::string group(const Spending& run, const Spending& steady, uint64_t ended = 0) const {
        const Spending& s = steady_ ? steady : run;
        std::string out = shares(s.executed, run.sum() + ended, steady.sum());
        out += fmt::format(
            " {:>6} {:>5}",
            s.executed ? figure(double(s.sum()) / double(s.executed), 1) : std::string(),
            percent(s.cycles[0]));
        for (const unsigned n : used_) out += fmt::format(" {:>6}", percent(s.cycles[n]));
        return out;
    }
    std::string rest(const std::vector<CostGroup>& groups) const {
        std::string out;
        for (const CostGroup& g : groups)
            out += fmt::format("; {}  {}{}\n", group(g.run, g.steady), g.depth ? "  " : "", g.name);
        return out;
    }
    std::string totals() const {
        Spending run, steady;
        for (const Spending& s : costs_.run) run += s;
        for (const Spending& s : costs_.steady) steady += s;
        std::string out;
        if (costs_.ended)
            out = fmt::format("; {:<{}}  waves that had ended before others\n",
                              shares(0, costs_.ended, 0), heads("").size());
        return out + fmt::format("; {}  in all\n", group(run, steady, costs_.ended));
    }

private:
    const CodeCosts& costs_;
    bool steady_;
    uint64_t all_;
    Spending total_;
    std::vector<unsigned> used_;

    std::string percent(uint64_t cycles) const { return figure(share(cycles, all_), 2); }
    std::string shares(uint64_t executed, uint64_t run, uint64_t steady) const {
        return fmt::format("{:>8} {:>5} {:>5}", executed ? fmt::format("{}", executed) : "",
                           figure(share(run, costs_.run_cycles), 2),
                           figure(share(steady, costs_.steady_cycles), 2));
    }
};

std::string about(const CodeCosts& c, bool steady) {
    const Timing& t = *c.timing;
    std::string out =
        fmt::format("; predicted by model {}, machine {} with numbers {}, arbiter {}; {}\n",
                    kTimingModel, t.machine, t.numbers, arbiter_name(t.arbiter), c.input);
    out += fmt::format(
        "; {} workgroup{}, {} waves each; the longest takes {} cycles, {:.1f} us at an "
        "assumed clock of {:.2f} GHz\n",
        t.workgroups.size(), t.workgroups.size() == 1 ? "" : "s", t.workgroups[0].waves,
        t.cycles(1), double(t.cycles(1)) / c.ghz / 1e3, c.ghz);
    if (const WorkgroupTiming* w = t.median_steady())
        out += fmt::format(
            "; steady window: iterations {} to {} of the loop {:#06x} to {:#06x} of workgroup {}, "
            "{:.1f} cycles each\n",
            w->steady->first, w->steady->last, w->steady->target, w->steady->branch, w->index,
            w->steady->cycles_per_iteration);
    else
        out +=
            "; no steady window: no loop with a whole iteration between its first and last two\n";
    out += fmt::format(
        "; columns: times executed by all waves; share of the waves' time in the run and in the "
        "window;\n;   cycles of one execution {}, and of these: its issue, then waiting for\n"
        ";   port: the issue port; matrix: the matrix pipe; nop: hazard slots; vm: vmcnt; lgkm: "
        "lgkmcnt;\n;   barr: a barrier, at the instruction behind it; fetch; dep: a result; lds, "
        "mem: the "
        "way there.\n;   In the subtotals percent of the {} in place of cycles\n",
        steady ? "in the window" : "in the run", steady ? "window" : "run");
    return out;
}

}  // namespace

void add_costs(std::vector<ListedLine>& lines, const CodeObject& object, const CodeCosts& c,
               bool steady) {
    if (c.timing->workgroups.empty()) throw Error("--cost: no workgroup has run");
    if (steady && c.steady.empty())
        throw Error("--steady: the run has no steady window, a longer one might",
                    Exit::unsupported);
    const Columns columns(c, steady);
    std::string top = about(c, steady) + ";\n";
    top += fmt::format("; {}\n", columns.heads("times"));
    top += columns.rest(c.sections);
    top += columns.totals();
    if (!c.phases.empty()) top += ";\n" + columns.rest(c.phases);
    top += ";\n";
    for (ListedLine& line : lines)
        if (line.decoded) line.front = columns.line(size_t(line.decoded - object.code.data()));
    std::vector<ListedLine> first;
    for (size_t from = 0; from < top.size();) {
        const size_t end = top.find('\n', from);
        first.push_back({top.substr(from, end - from)});
        from = end + 1;
    }
    lines.insert(lines.begin(), first.begin(), first.end());
}

Json cost_of(const CodeCosts& c, size_t place) {
    return {{"run", to_json(c.run[place])},
            {"steady", c.steady.empty() ? Json(nullptr) : to_json(c.steady[place])}};
}

Json to_json(const CodeCosts& c) {
    const Timing& t = *c.timing;
    return {{"model", kTimingModel},
            {"machine", t.machine},
            {"numbers", t.numbers},
            {"arbiter", arbiter_name(t.arbiter)},
            {"clock_ghz_assumed", c.ghz},
            {"input", c.input},
            {"timing", to_json(t, 0)},
            {"run_wave_cycles", c.run_cycles},
            {"ended_wave_cycles", c.ended},
            {"steady_wave_cycles", c.steady.empty() ? Json(nullptr) : Json(c.steady_cycles)},
            {"sections", to_json(c.sections, c)},
            {"phases", to_json(c.phases, c)}};
}

}  // namespace zyfa
