#include "sim/timing/compute_unit.hpp"

#include <algorithm>

#include "sim/arrival.hpp"

namespace zyfa::sim {

namespace {

constexpr uint64_t kNever = ~uint64_t(0);

uint64_t due_when_left(const Queue& q, unsigned left) {
    return q.size() > left ? q[q.size() - left - 1].time.due : 0;
}

// LDS and scalar loads fall into one counter: it is down to `left` when all but that many of both
// are back, in whatever order.
uint64_t lgkm_due(const Wave& w, unsigned left) {
    const unsigned total = w.lds.size() + w.scalars.size();
    if (total <= left) return 0;
    unsigned l = 0, s = 0;
    uint64_t due = 0;
    for (unsigned back = total - left; back; --back) {
        const uint64_t a = l < w.lds.size() ? w.lds[l].time.due : kNever;
        const uint64_t b = s < w.scalars.size() ? w.scalars[s].time.due : kNever;
        due = std::min(a, b);
        ++(a <= b ? l : s);
    }
    return due;
}

}  // namespace

ComputeUnit::ComputeUnit(const TimingOptions& o, const Code& code)
    : options_(o),
      machine_(*o.machine),
      code_(code),
      costs_(costs(code, o)),
      spent_at_(code.steps.size()),
      memory_(*o.machine) {}

void ComputeUnit::start(Group& group, unsigned waves) {
    group_ = &group;
    clocks_.assign(waves, {});
    simds_.assign(machine_.chip_simds_per_cu.count(), {});
    memory_.reset();
    path_free_ = path_busy_ = now_ = turns_ = last_barrier_ = 0;
    for (unsigned n = 0; n < waves; ++n) clocks_[n].simd = n % unsigned(simds_.size());
    if (options_.sink) options_.sink->begin(group.index, waves);
}

// Calls visit(until, what) for everything that the wave's next instruction waits for, in the order
// in which a wave meets it.
template <class Visit>
void ComputeUnit::constraints(const Wave& w, const Clock& c, const Step& s, Visit visit) const {
    const Cost& cost = costs_[s.index];
    const Simd& simd = simds_[c.simd];
    visit(c.released, Spent::barrier);
    visit(c.fetched, Spent::fetch);
    if (s.op == Op::s_waitcnt) {
        visit(std::max(c.vm_back, due_when_left(w.loads, s.mods().vmcnt)), Spent::vmcnt);
        visit(std::max(c.lgkm_back, lgkm_due(w, s.mods().lgkmcnt)), Spent::lgkmcnt);
        return;
    }
    if (cost.category == Category::internal) return;
    if (s.is_memory) {
        visit(std::max(c.vm_back, due_when_left(w.loads, kMaxVm - 1)), Spent::vmcnt);
        visit(std::max(c.lgkm_back, lgkm_due(w, kMaxLgkm - 1)), Spent::lgkmcnt);
    }
    visit(c.ready, Spent::dependence);
    if (cost.pipe) visit(simd.pipe, Spent::matrix);
    if (cost.no_overlap) visit(simd.packed, Spent::matrix);
    if (cost.category == Category::vector_memory) visit(path_free_, Spent::memory_path);
    if (cost.category == Category::vector || cost.category == Category::matrix)
        visit(simd.port, Spent::port);
    else visit(simd.slot[unsigned(cost.category)], Spent::port);
}

uint64_t ComputeUnit::earliest(const Wave& w) const {
    const Clock& c = clocks_[w.number];
    uint64_t time = c.able;
    if (w.pc >= code_.steps.size()) return time;
    constraints(w, c, code_.steps[w.pc],
                [&](uint64_t until, Spent) { time = std::max(time, until); });
    return time;
}

bool ComputeUnit::before(const Wave& a, const Wave& b) const {
    const Clock &x = clocks_[a.number], &y = clocks_[b.number];
    if (x.priority != y.priority) return x.priority > y.priority;
    switch (options_.arbiter) {
        case Arbiter::round_robin:
            if (x.last_turn != y.last_turn) return x.last_turn < y.last_turn;
            break;
        case Arbiter::youngest: return a.number > b.number;
        case Arbiter::oldest: break;
    }
    return a.number < b.number;
}

// The oldest access of a queue is back, or goes on to its next stage.
void ComputeUnit::deliver(Wave& w, Queue& q) {
    Flight& f = q[0];
    const OpInfo* op = f.step->from ? &f.step->from->inst.info() : nullptr;
    if (memory_.advance(f, costs_[f.step->index])) {
        for (unsigned n = 1; n < q.size(); ++n) q[n].time.due = std::max(q[n].time.due, f.time.due);
        return;
    }
    if (options_.sink && op) {
        Transfer t;
        t.kind = op->is_lds_dma()              ? Transfer::Kind::lds_dma
                 : op->is_smem()               ? Transfer::Kind::scalar
                 : op->is_store()              ? Transfer::Kind::store
                 : op->is_vmem()               ? Transfer::Kind::load
                 : op->rate == Rate::lds_write ? Transfer::Kind::lds_write
                                               : Transfer::Kind::lds_read;
        t.wave = w.number;
        t.address = f.step->from->address;
        t.issued = f.time.issued;
        t.begin = f.time.begin;
        t.end = f.time.end;
        t.arrives = f.time.due;
        t.bytes = f.time.bytes;
        t.conflicts = f.time.conflicts;
        options_.sink->transferred(t);
    }
    Clock& c = clocks_[w.number];
    (&q == &w.loads ? c.vm_back : c.lgkm_back) = f.time.due;
    arrive_oldest(w, q);
}

Wave& ComputeUnit::next() {
    for (;;) {
        Wave *best = nullptr, *receiver = nullptr;
        Queue* queue = nullptr;
        uint64_t time = kNever, arrival = kNever;
        for (unsigned n = 0; n < clocks_.size(); ++n) {
            Wave& w = *group_->waves[n];
            for (Queue* q : {&w.loads, &w.lds, &w.scalars})
                if (!q->empty() && (*q)[0].time.due < arrival)
                    arrival = (*q)[0].time.due, receiver = &w, queue = q;
            if (w.state != State::running) continue;
            const uint64_t t = earliest(w);
            if (t > time || (t == time && !before(w, *best))) continue;
            time = t, best = &w;
        }
        if (queue && arrival <= time) {
            deliver(*receiver, *queue);
            continue;
        }
        if (!best) throw Error("the cycle model has no wave that can go on");
        if (time < now_) throw Error("the cycle model went back in time");
        now_ = best->cycle = time;
        best->slots = time / machine_.issue_slot_cycles.count() - 1;  // this instruction counts one
        if (best->pc < code_.steps.size()) issue(*best, code_.steps[best->pc]);
        return *best;
    }
}

// The instruction leaves now: what the wave waited for, and what is taken from now on.
void ComputeUnit::issue(const Wave& w, const Step& s) {
    Clock& c = clocks_[w.number];
    const Cost& cost = costs_[s.index];
    Issue issue;
    Account spent{};
    uint64_t cursor = c.able, most = 0;
    const auto spend = [&](uint64_t until, Spent what) {
        if (until <= cursor) return;
        const uint64_t cycles = until - cursor;
        c.spent[unsigned(what)] += cycles;
        spent[unsigned(what)] += cycles;
        if (cycles > most) most = cycles, issue.waited = what;
        cursor = until;
    };
    constraints(w, c, s, spend);
    cursor = now_;
    issue.able = c.able;
    occupy(c, cost, issue);
    c.issued = now_;
    c.last_turn = ++turns_;
    spend(now_ + cost.slot, Spent::issued);
    spend(cursor + cost.idle, Spent::nop);
    c.able = cursor;
    for (unsigned n = 0; n < kSpent; ++n) spent_at_[s.index][n] += spent[n];
    if (!options_.sink) return;
    issue.workgroup = group_->index;
    issue.wave = w.number;
    issue.simd = uint16_t(c.simd);
    issue.address = s.from->address;
    issue.number = w.instructions;
    issue.category = cost.category;
    issue.issued = now_;
    options_.sink->issued(issue);
    options_.sink->spent(issue, spent);
}

void ComputeUnit::occupy(Clock& c, const Cost& cost, Issue& issue) {
    Simd& simd = simds_[c.simd];
    if (cost.category == Category::internal) return;
    if (cost.category == Category::vector_memory) {
        path_free_ = now_ + cost.port;
        path_busy_ += cost.port;
    }
    if (cost.category != Category::vector && cost.category != Category::matrix) {
        simd.slot[unsigned(cost.category)] = now_ + machine_.issue_slot_cycles.count();
        return;
    }
    // A scaled matrix instruction loses a slot when the pipe stands still (its scales come first).
    const unsigned extra =
        cost.scaled && simd.pipe < now_
            ? machine_.matrix_idle_scaled_slots.count() * machine_.issue_slot_cycles.count()
            : 0;
    issue.port_cycles = cost.port + cost.fetch + extra;
    simd.port = now_ + issue.port_cycles;
    simd.port_busy += issue.port_cycles;
    if (cost.fetch) c.fetched = now_ + cost.slot + cost.fetch;
    if (!cost.pipe) return;
    issue.pipe_begin = now_ + extra;
    issue.pipe_end = simd.pipe = issue.pipe_begin + cost.pipe;
    simd.packed = issue.pipe_begin + cost.packed;
    simd.matrix_busy += cost.pipe;
    simd.useful_busy += cost.useful ? cost.pipe : 0;
    simd.last_useful = cost.useful;
}

}  // namespace zyfa::sim
