#include "check/barriers.hpp"

#include <algorithm>

namespace zyfa {
namespace {

constexpr unsigned kMany = 1u << 20;  // a loop has barriers, or there is no end

std::vector<bool> reach(const Flowgraph& graph, unsigned from) {
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<unsigned> open{from};
    seen[from] = true;
    while (!open.empty()) {
        const unsigned b = open.back();
        open.pop_back();
        for (unsigned n : graph.blocks[b].next) {
            if (seen[n]) continue;
            seen[n] = true;
            open.push_back(n);
        }
    }
    return seen;
}

}  // namespace

BarrierCount::BarrierCount(const Flowgraph& graph) {
    const size_t blocks = graph.blocks.size();
    std::vector<unsigned> own(blocks, 0);
    unsigned all = 0;
    for (unsigned b = 0; b < blocks; ++b)
        for (unsigned i = graph.blocks[b].first; i < graph.blocks[b].end; ++i) {
            const Step& step = graph.steps[i];
            own[b] += step.effects.known && step.decoded->inst.op == Op::s_barrier;
        }
    for (unsigned n : own) all += n;
    counts_.assign(blocks, {kMany, 0});
    for (bool again = true; again;) {
        again = false;
        for (unsigned b = unsigned(blocks); b-- > 0;) {
            const auto& next = graph.blocks[b].next;
            Range r{next.empty() ? 0 : kMany, 0};
            for (unsigned n : next) {
                r.least = std::min(r.least, counts_[n].least);
                r.most = std::max(r.most, counts_[n].most);
            }
            r.least = std::min(kMany, r.least + own[b]);
            r.most += own[b];
            if (r.most > all) r.most = kMany;  // some barrier was counted twice: a loop
            if (r.least == counts_[b].least && r.most == counts_[b].most) continue;
            counts_[b] = r;
            again = true;
        }
    }
}

std::optional<unsigned> BarrierCount::from(unsigned block) const {
    const Range& r = counts_[block];
    return r.least == r.most && r.most < kMany ? std::optional(r.most) : std::nullopt;
}

bool may_meet(const Flowgraph& graph, unsigned one, unsigned two) {
    const std::vector<bool> a = reach(graph, one), b = reach(graph, two);
    for (size_t n = 0; n < a.size(); ++n)
        if (a[n] && b[n]) return true;
    return false;
}

}  // namespace zyfa
