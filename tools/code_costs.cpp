#include "tools/code_costs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "isa/file.hpp"
#include "tools/attention_run.hpp"
#include "tools/sim_timing.hpp"

namespace zyfa {

namespace {

constexpr const char* kShape = "sq=256,sk=4096";  // one workgroup, and a loop that gets steady

using Places = std::vector<uint32_t>;  // place in the code by address / 4

Places places_of(std::span<const Decoded> code) {
    Places at;
    for (uint32_t n = 0; n < code.size(); ++n) {
        at.resize(std::max<size_t>(at.size(), code[n].address / 4 + 1));
        at[code[n].address / 4] = n;
    }
    return at;
}

// Adds up what falls into the windows of one workgroup.
class InWindow final : public sim::TimingSink {
public:
    InWindow(const WorkgroupTiming& w, const Places& at, std::vector<Spending>& spending)
        : workgroup_(w.index), windows_(w.steady->of_wave), at_(at), spending_(spending) {}
    void begin(uint64_t, unsigned) override {}
    void issued(const sim::Issue&) override {}
    void transferred(const sim::Transfer&) override {}
    void barrier_released(uint64_t, uint64_t) override {}
    void ended(uint64_t, unsigned, uint64_t) override {}
    void spent(const sim::Issue& i, const sim::Account& cycles) override {
        if (i.workgroup != workgroup_) return;
        const auto [first, last] = windows_.at(i.wave);
        if (i.issued > first && i.issued <= last) spending_[at_[i.address / 4]] += {1, cycles};
    }

private:
    uint64_t workgroup_;
    const std::vector<std::array<uint64_t, 2>>& windows_;
    const Places& at_;
    std::vector<Spending>& spending_;
};

// Makes the same launch, as often as it is called, with fresh memory.
using Make = std::function<Prepared()>;

Make launch_of(const Subject& subject, const CostOptions& opt, Json& inputs, std::string& input) {
    if (!opt.launch.empty()) {
        auto launch = std::make_shared<LaunchFile>(load_launch_file(opt.launch));
        inputs.push_back(input_record(opt.launch, read_file(opt.launch)));
        input = "launch file " + opt.launch;
        return [launch, &subject] {
            Prepared p = prepare(*launch, subject.object);
            p.launch.code = p.object.code;
            return p;
        };
    }
    if (!subject.recipe)
        throw Error(fmt::format("{}: has no kernel with our arguments; describe its launch in a "
                                "file and name that with --launch",
                                subject.name),
                    Exit::unsupported);
    auto draws = std::make_shared<std::vector<Draw>>(
        draw(opt.dist, opt.seed, *subject.recipe, opt.shape.empty() ? kShape : opt.shape));
    if (draws->size() != 1) throw Error("--dist " + opt.dist + " are several calls; name one");
    const Draw& one = draws->front();
    if (one.shape.sq == 0)
        throw Error("--cost: no query row, no workgroup to run", Exit::unsupported);
    for (const Json& file : one.files) inputs.push_back(file);
    input = fmt::format("input {}, {}", one.about, one.shape.text());
    return [draws, &subject] {
        const bool rounded_sum = subject.chosen && subject.chosen->schedule.sums_weights_rounded();
        AttentionRun run =
            prepare_attention(*subject.recipe, subject.object, draws->front(), rounded_sum);
        run.prepared.launch.code = run.prepared.object.code;
        return std::move(run.prepared);
    };
}

Result run_timed(const Make& make, const CostOptions& opt, const TimingOptions& timing) {
    Options options;
    options.races = options.uninitialised = options.uninitialised_memory = false;
    options.only_workgroup = opt.workgroup;
    options.timing = &timing;
    Prepared prepared = make();
    prepared.launch.code = prepared.object.code;
    return execute(prepared, options);
}

// Groups by what `name_of` says of each place, in the order in which the names are first met.
template <class Name>
std::vector<CostGroup> grouped(const CodeCosts& c, Name name_of) {
    std::vector<CostGroup> groups;
    std::map<std::string, size_t> known;
    for (size_t n = 0; n < c.run.size(); ++n) {
        const auto [at, is_new] = known.emplace(name_of(n), groups.size());
        if (is_new) groups.push_back({at->first, 0, {}, {}});
        groups[at->second].run += c.run[n];
        if (!c.steady.empty()) groups[at->second].steady += c.steady[n];
    }
    std::erase_if(groups, [](const CostGroup& g) { return g.run.executed == 0; });
    return groups;
}

// Of code that is not ours: from each entry and branch target to the next one.
std::vector<CostGroup> stretches(const CodeCosts& c, const CodeObject& object) {
    std::map<uint32_t, std::string> names{{0, "L0000"}};
    for (const Decoded& d : object.code) {
        if (!d.known || !d.inst.info().is_branch()) continue;
        for (const Operand& o : d.inst.operands)
            if (o.kind == Operand::Kind::label) names[o.value] = fmt::format("L{:04x}", o.value);
    }
    for (const KernelInfo& k : object.kernels) names[k.entry] = k.name;
    return grouped(
        c, [&](size_t n) { return std::prev(names.upper_bound(object.code[n].address))->second; });
}

void group_ours(CodeCosts& c, const Program& program) {
    std::vector<const Inst*> insts;
    for (const Block& block : program.blocks)
        for (const Inst& inst : block.insts) insts.push_back(&inst);
    const auto section = [&](size_t n) {
        if (n >= insts.size()) return std::string("padding");
        const std::string& name = program.sections[insts[n]->section].name;
        return name.empty() ? "outside of sections" : name;
    };
    const auto phase = [&](size_t n) -> std::string {
        const PhaseInfo* p = n < insts.size() ? &program.phases[insts[n]->phase] : nullptr;
        return p && p->number ? fmt::format("{} {}", p->number, p->name) : "outside of phases";
    };
    c.sections = grouped(c, section);
    std::vector<CostGroup> whole = grouped(c, phase),
                           parts = grouped(c, [&](size_t n) {
                               const std::string of = phase(n);
                               if (n >= insts.size() || of == "outside of phases") return of + "\n";
                               return of + "\n" + program.entries[insts[n]->entry].name;
                           });
    std::stable_sort(whole.begin(), whole.end(), [](const auto& a, const auto& b) {
        const bool outside_a = a.name[0] == 'o', outside_b = b.name[0] == 'o';
        return outside_a != outside_b ? outside_b
                                      : !outside_a && std::stoul(a.name) < std::stoul(b.name);
    });
    for (CostGroup& w : whole) {
        c.phases.push_back(w);
        for (CostGroup& p : parts) {
            const size_t end = p.name.find('\n');
            if (p.name.substr(0, end) != w.name || end + 1 == p.name.size()) continue;
            c.phases.push_back({p.name.substr(end + 1), 1, p.run, p.steady});
        }
    }
}

}  // namespace

uint64_t Spending::sum() const {
    uint64_t all = 0;
    for (const uint64_t of_one : cycles) all += of_one;
    return all;
}

Spending& Spending::operator+=(const Spending& other) {
    executed += other.executed;
    for (unsigned n = 0; n < sim::kSpent; ++n) cycles[n] += other.cycles[n];
    return *this;
}

CodeCosts code_costs(const Subject& subject, const CostOptions& opt, Json& inputs) {
    CodeCosts c;
    const Make make = launch_of(subject, opt, inputs, c.input);
    SimOptions sim;
    sim.timing = true;
    sim.machine = opt.machine;
    sim.arbiter = opt.arbiter;
    const SimTiming timing(sim, subject.object.code, subject.built ? &*subject.built : nullptr);
    const Result result = run_timed(make, opt, *timing.options());
    if (!result.complete) throw Error(subject.name + ": the run did not come to its end");
    c.timing = result.timing;
    c.ghz = timing.options()->machine->clock_dense.value;

    const Places at = places_of(subject.object.code);
    c.run.resize(subject.object.code.size());
    for (const InstructionTiming& i : c.timing->instructions)
        c.run[at[i.address / 4]] += {i.count, i.spent};
    for (const WorkgroupTiming& w : c.timing->workgroups)
        for (const sim::Account& a : w.account) {
            c.run_cycles += w.cycles;
            c.ended += a[unsigned(sim::Spent::ended)];
        }
    if (const WorkgroupTiming* median = c.timing->median_steady()) {
        c.steady.resize(c.run.size());
        InWindow window(*median, at, c.steady);
        TimingOptions again = *timing.options();
        again.sink = &window;
        run_timed(make, opt, again);
        for (const auto& [first, last] : median->steady->of_wave) c.steady_cycles += last - first;
    }
    if (subject.built) group_ours(c, subject.built->program);
    else c.sections = stretches(c, subject.object);
    return c;
}

}  // namespace zyfa
