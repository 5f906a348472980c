#include "check/slack.hpp"

#include <algorithm>

namespace zyfa {
namespace {

struct Ghost {  // an operation that the wait retires, followed as if the wait were not there
    const Counters::Pending* what;
    unsigned younger;
};

class Search {
public:
    Search(const Flowgraph& graph, bool vm) : graph_(graph), vm_(vm) {}

    // Weakest count that still retires everything that is needed first; `limit` = none is.
    unsigned run(unsigned block, unsigned from, std::vector<Ghost> ghosts, unsigned limit) {
        weakest_ = limit;
        visited_.assign(graph_.blocks.size(), false);
        follow(block, from, std::move(ghosts));
        return weakest_;
    }

private:
    const Flowgraph& graph_;
    bool vm_;
    unsigned weakest_ = 0;
    std::vector<bool> visited_;

    void need(const Ghost& g) { weakest_ = std::min<unsigned>(weakest_, g.what->younger); }

    void follow(unsigned block, unsigned from, std::vector<Ghost> ghosts) {
        const auto& node = graph_.blocks[block];
        for (unsigned i = from; i < node.end && !ghosts.empty(); ++i) step(i, ghosts);
        if (ghosts.empty()) return;
        for (unsigned n : node.next) {
            if (visited_[n]) {
                // Met again: whatever is still open counts as needed.
                for (const Ghost& g : ghosts)
                    if (g.what->words) need(g);
                continue;
            }
            visited_[n] = true;
            follow(n, graph_.blocks[n].first, ghosts);
        }
    }

    void step(unsigned i, std::vector<Ghost>& ghosts) {
        const Effects& e = graph_.steps[i].effects;
        const Inst& inst = graph_.steps[i].decoded->inst;
        const Counter mine = vm_ ? Counter::vm : Counter::lgkm;
        if (e.known && inst.op == Op::s_waitcnt) {
            const unsigned count = vm_ ? inst.mods.vmcnt : inst.mods.lgkmcnt;
            const bool unordered = std::any_of(ghosts.begin(), ghosts.end(), [](const Ghost& g) {
                return g.what->counter == Counter::smem || g.what->flat;
            });
            std::erase_if(ghosts, [&](const Ghost& g) {
                return unordered ? count == 0 : g.younger >= count;
            });
            return;
        }
        const bool barrier = e.known && inst.op == Op::s_barrier;
        std::erase_if(ghosts, [&](const Ghost& g) {
            const auto* p = g.what;
            const bool touched = p->words && (e.reads.touches(p->first, p->words) ||
                                              e.writes.touches(p->first, p->words));
            const bool shared = p->lds_dma || p->lds_write || p->lds_read;
            const bool end = e.flow == Flow::stop && p->lds_dma;
            if (!touched && !(barrier && shared) && !end) return false;
            need(g);
            return true;
        });
        for (Ghost& g : ghosts)
            if (g.what->counter == e.counter || (e.both_counters && mine == g.what->counter))
                ++g.younger;
    }
};

}  // namespace

std::optional<Finding> wait_slack(const Flowgraph& graph, unsigned block, unsigned i,
                                  const Counters& before) {
    const Decoded& d = *graph.steps[i].decoded;
    if (!d.known || d.inst.op != Op::s_waitcnt) return std::nullopt;
    const Wait have = wait_of(d.inst);
    std::string message;
    const auto look = [&](bool vm, unsigned count, unsigned none, std::string_view name) {
        if (count >= none) return;
        std::vector<Ghost> ghosts;
        bool unordered = false;
        for (const auto& p : vm ? before.vm() : before.lgkm()) {
            const bool loose = p.counter == Counter::smem || p.flat;
            unordered |= loose;
            if (p.younger >= count || loose) ghosts.push_back({&p, p.younger});
        }
        const unsigned weakest = Search(graph, vm).run(block, i + 1, ghosts, none);
        if (weakest <= count || (unordered && weakest < none)) return;
        message += message.empty() ? "" : "; ";
        message += weakest == none
                       ? fmt::format(
                             "{}({}) waits for nothing that is used before the "
                             "next wait",
                             name, count)
                       : fmt::format("{}({}) would do for {}({})", name, weakest, name, count);
    };
    look(true, have.vmcnt, kVmcntMax, "vmcnt");
    look(false, have.lgkmcnt, kLgkmcntMax, "lgkmcnt");
    if (message.empty()) return std::nullopt;
    return finding("WAIT-SLACK", Severity::note, d, message);
}

}  // namespace zyfa
