#include <algorithm>

#include "sim/timing/compute_unit.hpp"

namespace zyfa::sim {

namespace {

bool overlap(const Touch& a, const Touch& b) { return a.word == b.word && (a.bits & b.bits); }

// The result of `first` goes on as accumulator of `second` inside the matrix pipe.
bool chained(const Step& first, const Step& second, const Cost& a, const Cost& b) {
    if (!a.pipe || !b.pipe || a.chain != b.chain) return false;
    const Ref &d = first.ref[0], &to = second.ref[0];
    const auto same = [](const Ref& x, const Ref& y) {
        return x.kind == y.kind && x.index == y.index && x.words == y.words;
    };
    const auto meets = [&](const Ref& r) {
        return r.kind == Ref::Kind::vector && r.index < d.index + d.words &&
               d.index < r.index + r.words;
    };
    return same(d, to) && !meets(second.ref[1]) && !meets(second.ref[2]) &&
           (same(d, second.ref[3]) || !meets(second.ref[3]));
}

// `s` reads or writes what `producer` writes.
bool meets(const Step& s, const Step& producer) {
    for (unsigned a = 0; a < s.touches; ++a)
        for (unsigned b = 0; b < producer.touches; ++b)
            if (producer.touch[b].write && overlap(s.touch[a], producer.touch[b])) return true;
    return false;
}

}  // namespace

// Results that are usable by the time the wave can go on need no memory.
void ComputeUnit::remember(Clock& c, const Step& s) const {
    const uint64_t ready = now_ + costs_[s.index].result;
    unsigned kept = 0;
    for (unsigned n = 0; n < c.pending; ++n)
        if (c.results[n].ready > c.able) c.results[kept++] = c.results[n];
    c.pending = kept;
    if (ready <= c.able) return;
    if (c.pending == c.results.size()) {  // more than any machine file makes: keep the latest
        std::move(c.results.begin() + 1, c.results.end(), c.results.begin());
        --c.pending;
    }
    c.results[c.pending++] = {&s, ready};
}

// From when on the next instruction of the wave has its operands.
void ComputeUnit::look_ahead(const Wave& w, Clock& c) const {
    c.ready = 0;
    if (w.pc >= code_.steps.size()) return;
    const Step& s = code_.steps[w.pc];
    for (unsigned n = 0; n < c.pending; ++n) {
        const Pending& p = c.results[n];
        if (p.ready > c.ready && meets(s, *p.step) &&
            !chained(*p.step, s, costs_[p.step->index], costs_[s.index]))
            c.ready = p.ready;
    }
}

// The accesses that the instruction has put into the wave's queues.
void ComputeUnit::schedule_accesses(Wave& w) {
    for (Queue* q : {&w.loads, &w.lds, &w.scalars}) {
        if (q->empty()) continue;
        Flight& f = (*q)[q->size() - 1];
        if (f.time.due != FlightTime::kUnknown) continue;
        const uint64_t before = q->size() > 1 ? (*q)[q->size() - 2].time.due : 0;
        if (q == &w.scalars) memory_.scalar(f, now_, before);
        else if (q == &w.loads) memory_.load(f, costs_[f.step->index], now_, before);
        else if (f.step->from) memory_.lds(f, costs_[f.step->index], now_, before);
        else f.time.due = std::max(before, w.loads[w.loads.size() - 1].time.due);  // flat access
    }
}

void ComputeUnit::executed(Wave& w, const Step* s) {
    Clock& c = clocks_[w.number];
    if (s) {
        if (s->is_memory) schedule_accesses(w);
        remember(c, *s);
        if (s->op == Op::s_setprio) c.priority = s->from->inst.operands[0].value;
        if (w.state == State::running && w.pc != s->index + 1 && w.pc < code_.steps.size()) {
            c.fetched = now_ + machine_.issue_taken_branch.count();
            c.loops.jumped(s->index, w.pc, w.instructions, [&] { return snapshot(c); });
        }
    }
    if (w.state == State::ended) {
        c.end = c.able;
        if (options_.sink) options_.sink->ended(group_->index, w.number, c.end);
        return;
    }
    look_ahead(w, c);
}

void ComputeUnit::barrier_released() {
    const uint64_t free = now_ + machine_.rate(Rate::barrier).count();
    for (unsigned n = 0; n < clocks_.size(); ++n)
        if (group_->waves[n]->state == State::running) clocks_[n].released = free;
    if (options_.sink) options_.sink->barrier_released(group_->index, free);
}

Snapshot ComputeUnit::snapshot(const Clock& c) const {
    const Simd& simd = simds_[c.simd];
    const auto past = [&](uint64_t busy, uint64_t free) {
        return busy - (free > now_ ? std::min(busy, free - now_) : 0);
    };
    Snapshot s;
    s.cycle = now_;
    s.matrix = past(simd.matrix_busy, simd.pipe);
    s.useful = simd.last_useful ? past(simd.useful_busy, simd.pipe) : simd.useful_busy;
    s.port = past(simd.port_busy, simd.port);
    s.lds = memory_.lds_busy(now_);
    s.path = past(path_busy_, path_free_);
    s.spent = c.spent;
    return s;
}

WorkgroupTiming ComputeUnit::finish() {
    WorkgroupTiming t;
    t.index = group_->index;
    t.waves = unsigned(clocks_.size());
    for (const Clock& c : clocks_) t.cycles = std::max(t.cycles, c.end);
    const double all = t.cycles ? 100.0 / double(t.cycles) : 0;
    for (Clock& c : clocks_) {
        c.spent[unsigned(Spent::ended)] = t.cycles - c.end;
        t.account.push_back(c.spent);
    }
    for (const Simd& s : simds_) {
        const double share = all / double(simds_.size());
        t.busy.matrix += share * double(s.matrix_busy);
        t.busy.useful_matrix += share * double(s.useful_busy);
        t.busy.port += share * double(s.port_busy);
    }
    t.busy.lds = all * double(memory_.lds_busy(t.cycles));
    t.busy.memory_path = all * double(path_busy_);
    std::vector<const Stay*> stays;
    for (const Clock& c : clocks_) stays.push_back(c.loops.main());
    t.steady = steady_window(stays, unsigned(simds_.size()));
    if (!t.steady) return t;
    for (uint32_t* place : {&t.steady->branch, &t.steady->target})
        *place = code_.steps[*place].from->address;
    return t;
}

}  // namespace zyfa::sim
