#include "sim/timing/loops.hpp"

#include <algorithm>

namespace zyfa::sim {

void LoopTracker::taken(uint32_t from, uint32_t to, Snapshot snapshot) {
    auto edge = std::find_if(edges_.begin(), edges_.end(),
                             [&](const Edge& e) { return e.branch == from && e.target == to; });
    if (edge == edges_.end()) {
        edges_.push_back({from, to, 0, 0, {}});
        edge = edges_.end() - 1;
    }
    if (edge->stays.empty() || 2 * edge->longest_away > from - to + 1)
        edge->stays.push_back({from, to, {}});
    edge->stays.back().takings.push_back(snapshot);
    edge->away = edge->longest_away = 0;
}

const Stay* LoopTracker::main() const {
    struct Candidate {
        const Stay* longest;
        uint64_t cycles;
    };
    std::vector<Candidate> all;
    for (const Edge& e : edges_) {
        Candidate c{&e.stays.front(), 0};
        for (const Stay& s : e.stays) {
            c.cycles += s.cycles();
            if (s.takings.size() > c.longest->takings.size()) c.longest = &s;
        }
        if (c.longest->takings.size() >= kLeastTakings) all.push_back(c);
    }
    if (all.empty()) return nullptr;
    // Most cycles first; an inner loop that has most of those of the outer one stands for it.
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
    const Candidate* best = &all.front();
    for (const Candidate& c : all)
        if (c.longest->target >= best->longest->target &&
            c.longest->branch <= best->longest->branch && 2 * c.cycles > best->cycles)
            best = &c;
    return best->longest;
}

}  // namespace zyfa::sim
