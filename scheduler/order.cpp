#include <algorithm>
#include <map>
#include <tuple>

#include "isa/machine.hpp"
#include "scheduler/dependences.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {

std::string_view why_name(Why why) {
    constexpr std::string_view kNames[] = {"result", "overwrite", "memory", "lds", "fence", "flow"};
    return kNames[unsigned(why)];
}

namespace {

// A word of a register, or scc.
using Name = std::tuple<File, bool, uint32_t>;
constexpr uint32_t kSccName = 1000;

std::vector<Name> names(const Accesses& list, bool scc) {
    std::vector<Name> out;
    for (const Access& a : list)
        for (uint32_t w = 0; w < a.words; ++w) out.emplace_back(a.file, a.is_virtual, a.first + w);
    if (scc) out.emplace_back(File::s, false, kSccName);
    return out;
}

bool touches_lds(const Inst& i) { return i.info().is_lds() || i.info().is_lds_dma(); }
bool writes_lds(const Inst& i) {
    return i.info().is_lds_dma() || (i.info().is_lds() && writes(i).count == 0);
}
bool is_memory(const Inst& i) { return i.info().is_vmem() || i.info().is_smem(); }

// Barriers and described waits order memory; priorities and sleeps order everything.
bool orders_memory(const Inst& i) { return i.op == Op::s_barrier || i.op == Op::s_waitcnt; }
bool orders_all(const Inst& i) {
    return i.op == Op::s_setprio || i.op == Op::s_sleep || i.op == Op::s_nop;
}

class Builder {
public:
    std::vector<Edge> run(const Block& block) {
        for (unsigned i = 0; i < block.insts.size(); ++i) {
            first_ = edges_.size();
            registers(block.insts[i], i);
            memory(block, i);
            fences(block, i);
        }
        return std::move(edges_);
    }

private:
    struct Last {
        int writer = -1;
        std::vector<unsigned> readers;
    };
    std::map<Name, Last> last_;
    std::vector<Edge> edges_;
    size_t first_ = 0;  // edges of the instruction at hand

    void edge(unsigned from, unsigned to, Why why) {
        for (size_t e = first_; e < edges_.size(); ++e)
            if (edges_[e].from == from) return;
        edges_.push_back({from, to, why});
    }

    void registers(const Inst& inst, unsigned i) {
        const auto read = names(reads(inst), reads_scc(inst));
        const auto written = names(writes(inst), writes_scc(inst));
        for (const Name& name : read)
            if (const Last& l = last_[name]; l.writer >= 0)
                edge(unsigned(l.writer), i, Why::result);
        for (const Name& name : written) {
            const Last& l = last_[name];
            if (l.writer >= 0) edge(unsigned(l.writer), i, Why::overwrite);
            for (unsigned r : l.readers) edge(r, i, Why::overwrite);
        }
        for (const Name& name : read) last_[name].readers.push_back(i);
        for (const Name& name : written) last_[name] = {int(i), {}};
    }

    void memory(const Block& block, unsigned i) {
        const Inst& inst = block.insts[i];
        for (unsigned k = 0; k < i; ++k) {
            const Inst& before = block.insts[k];
            if (touches_lds(inst) && touches_lds(before) &&
                (writes_lds(inst) || writes_lds(before)) &&
                (inst.lds_region < 0 || before.lds_region < 0 ||
                 inst.lds_region == before.lds_region))
                edge(k, i, Why::lds);
            if (is_memory(inst) && is_memory(before) &&
                (inst.info().is_store() || before.info().is_store()))
                edge(k, i, Why::memory);
        }
    }

    void fences(const Block& block, unsigned i) {
        const Inst& inst = block.insts[i];
        const auto moves_data = [](const Inst& x) { return touches_lds(x) || is_memory(x); };
        for (unsigned k = 0; k < i; ++k) {
            const Inst& before = block.insts[k];
            const bool both_fences = (orders_memory(inst) || orders_all(inst)) &&
                                     (orders_memory(before) || orders_all(before));
            if (both_fences || orders_all(inst) || orders_all(before) ||
                (orders_memory(inst) && moves_data(before)) ||
                (orders_memory(before) && moves_data(inst)))
                edge(k, i, Why::fence);
            if (inst.info().is_branch()) edge(k, i, Why::flow);
        }
    }
};

}  // namespace

std::vector<Edge> dependences(const Block& block) { return Builder().run(block); }

const Edge* broken(std::span<const Edge> edges, std::span<const unsigned> order) {
    std::vector<unsigned> place(order.size());
    for (unsigned n = 0; n < order.size(); ++n) place[order[n]] = n;
    for (const Edge& e : edges)
        if (place[e.from] >= place[e.to]) return &e;
    return nullptr;
}

namespace {

// Weaves what stands behind the matrix instructions of a phase into it. Both lists keep their own
// order. Behind each matrix instruction stands as much of the filler as the phase's share of it
// (`even`), as the pipe leaves time for (`front`), or as cannot wait any longer (`back`).
class Weaver {
public:
    Weaver(const Block& block, std::span<const Edge> edges, const Machine& machine)
        : block_(block), machine_(machine), needs_(block.insts.size()), placed_(needs_.size()) {
        for (const Edge& e : edges) needs_[e.to].push_back(e.from);
    }

    // Appends the instructions [first, last), one phase of the block, to `order`.
    void weave(unsigned first, unsigned last, Fill fill, std::vector<unsigned>& order) {
        std::vector<unsigned> frame;
        filler_.clear();
        next_ = 0;
        double work = 0, room = 0;
        for (unsigned n = first; n < last; ++n) {
            const Inst& inst = block_.insts[n];
            if (inst.behind) filler_.push_back(n), work += cost(inst);
            else frame.push_back(n);
            if (!inst.behind && inst.info().is_mfma()) room += gap(inst);
        }
        double done = 0, passed = 0;
        for (unsigned n : frame) {
            // What the frame needs of the filler comes first.
            for (unsigned k = unsigned(filler_.size()); k-- > next_;)
                if (std::ranges::find(needs_[n], filler_[k]) != needs_[n].end()) {
                    while (next_ <= k) done += place(filler_[next_++], order);
                    break;
                }
            place(n, order);
            if (!block_.insts[n].info().is_mfma()) continue;
            passed += gap(block_.insts[n]);
            const double due = fill == Fill::even    ? work * passed / room
                               : fill == Fill::front ? passed
                                                     : work - (room - passed);
            while (next_ < filler_.size() && done < due && is_ready(filler_[next_]))
                done += place(filler_[next_++], order);
        }
        while (next_ < filler_.size()) place(filler_[next_++], order);
    }

private:
    const Block& block_;
    const Machine& machine_;
    std::vector<std::vector<unsigned>> needs_;
    std::vector<bool> placed_;
    std::vector<unsigned> filler_;
    unsigned next_ = 0;

    double cost(const Inst& inst) const { return machine_.issue_cycles(inst); }
    // Cycles of the issue port behind a matrix instruction until the pipe takes the next.
    double gap(const Inst& inst) const {
        return passes(inst) * machine_.matrix_pass_cycles.value - cost(inst);
    }
    double place(unsigned n, std::vector<unsigned>& order) {
        placed_[n] = true;
        order.push_back(n);
        return cost(block_.insts[n]);
    }
    bool is_ready(unsigned n) const {
        return std::ranges::all_of(needs_[n], [&](unsigned k) { return placed_[k]; });
    }
};

}  // namespace

Program order(Program program, const Machine& machine) {
    for (Block& block : program.blocks) {
        const std::vector<Edge> edges = dependences(block);
        std::vector<unsigned> chosen;
        Weaver weaver(block, edges, machine);
        for (unsigned first = 0, last; first < block.insts.size(); first = last) {
            const uint16_t phase = block.insts[first].phase;
            last = first;
            while (last < block.insts.size() && block.insts[last].phase == phase) ++last;
            weaver.weave(first, last, program.phases[phase].fill, chosen);
        }
        if (const Edge* e = broken(edges, chosen))
            throw Error(
                block.insts[e->to].at,
                fmt::format("{} would move in front of {} ({})", block.insts[e->to].info().name,
                            block.insts[e->from].info().name, why_name(e->why)),
                Exit::internal);
        std::vector<Inst> placed;
        for (unsigned n : chosen) placed.push_back(std::move(block.insts[n]));
        block.insts = std::move(placed);
    }
    return program;
}

}  // namespace zyfa
