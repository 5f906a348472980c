#include "sim/arrival.hpp"

#include "isa/machine.hpp"

namespace zyfa::sim {

Flight& issue(Wave& w, const Step& s, Queue& q) {
    if (&q == &w.loads) {
        if (q.size() >= kMaxVm) arrive_oldest(w, q);
    } else if (w.lds.size() + w.scalars.size() >= kMaxLgkm) {
        arrive_oldest(w, w.lds.empty() ? w.scalars : w.lds);
    }
    Flight& f = q.push();
    f.step = &s;
    f.space = Space::global;
    f.exec = w.exec();
    f.epoch = w.epoch;
    f.slot = w.slots;
    f.time = {};
    for (unsigned n = 0; n < s.touches; ++n) {
        const Touch& t = s.touch[n];
        if (!t.write) continue;
        w.loads_overlap |= (w.pending[t.word] & t.bits) != 0;
        w.pending[t.word] |= t.bits;
    }
    return f;
}

void poison_destination(Wave& w, const Step& s, uint64_t active) {
    Lanes poison;
    for (auto& word : poison.word) word = kPoison;
    const Ref& d = s.ref[0];
    for (unsigned n = 0; n < d.words; ++n) w.write_lanes(d, n, poison, active);
}

static void mark(RegisterSet& set, const Queue& q) {
    for (unsigned n = 0; n < q.size(); ++n) {
        const Step& s = *q[n].step;
        for (unsigned t = 0; t < s.touches; ++t)
            if (s.touch[t].write) set[s.touch[t].word] |= s.touch[t].bits;
    }
}

void arrive_oldest(Wave& w, Queue& q) {
    const Flight& f = q.front();
    const Step& s = *f.step;
    f.arrive(w, f);
    q.pop();
    for (unsigned n = 0; n < s.touches; ++n)
        if (s.touch[n].write) w.pending[s.touch[n].word] &= ~s.touch[n].bits;
    if (!w.loads_overlap) return;
    w.loads_overlap = !w.loads.empty() || !w.lds.empty() || !w.scalars.empty();
    mark(w.pending, w.loads);
    mark(w.pending, w.lds);
    mark(w.pending, w.scalars);
}

void wait_vm(Wave& w, unsigned count) {
    while (w.loads.size() > count) arrive_oldest(w, w.loads);
}

// With scalar loads under way the counter tells only how many are back, not which.
void wait_lgkm(Wave& w, unsigned count) {
    unsigned total = w.lds.size() + w.scalars.size();
    if (total <= count) return;
    unsigned back = total - count, scalars = w.scalars.size();
    for (unsigned n = scalars; n < back; ++n) arrive_oldest(w, w.lds);
    if (count == 0) {
        while (!w.lds.empty()) arrive_oldest(w, w.lds);
        while (!w.scalars.empty()) arrive_oldest(w, w.scalars);
    }
}

void drain(Wave& w) {
    wait_vm(w, 0);
    wait_lgkm(w, 0);
}

void arrive_some(Wave& w, uint64_t random) {
    if ((random & 15) == 0 && !w.loads.empty()) arrive_oldest(w, w.loads);
    if ((random >> 4 & 7) == 0 && !w.lds.empty()) arrive_oldest(w, w.lds);
    if ((random >> 7 & 7) == 0 && !w.scalars.empty()) arrive_oldest(w, w.scalars);
}

// How `s` touches what `producer` loads.
struct Overlap {
    bool read = false, write = false;
};
static Overlap overlap(const Step& s, const Step& producer) {
    Overlap o;
    for (unsigned a = 0; a < s.touches; ++a)
        for (unsigned b = 0; b < producer.touches; ++b) {
            const Touch &x = s.touch[a], &y = producer.touch[b];
            if (!y.write || x.word != y.word || !(x.bits & y.bits)) continue;
            o.read |= x.read;
            o.write |= x.write;
        }
    return o;
}

// Some shipped kernels rely on time where a wait is too weak (AITER v3 fp8: lgkmcnt(8) before each
// PV MFMA where 4 is needed; v4 has 4). An LDS read that is older than LDS takes under load has
// arrived on the hardware, so it does here, and the finding says so: time is no synchronisation.
// In a timed run, too, should the model be later: its figures are no proof that the code is wrong.
static void arrive_aged(Wave& w, const Step& s) {
    static const uint64_t latency = uint64_t(mi355x().lds_latency.value) / 4;
    unsigned due = 0;
    for (unsigned n = 0; n < w.lds.size(); ++n) {
        const Flight& f = w.lds[n];
        if (w.slots - f.slot < latency) break;
        Overlap o = overlap(s, *f.step);
        if (!o.read && (!o.write || s.from->inst.info().is_lds())) continue;
        w.note(
            "WAIT-TIME", Severity::warning, s, f.step,
            fmt::format("no wait covers this LDS read; right only because at least {} cycles have "
                        "passed",
                        4 * (w.slots - f.slot)));
        due = n + 1;
    }
    while (due--) arrive_oldest(w, w.lds);
}

static void settle(Wave& w, const Step& s, Queue& q, const char* rule, bool loads_in_order) {
    unsigned last = 0;
    for (unsigned n = 0; n < q.size(); ++n) {
        const Step& producer = *q[n].step;
        Overlap o = overlap(s, producer);
        if (!o.read && (!o.write || loads_in_order)) continue;
        w.note(rule, Severity::error, s, &producer,
               o.read ? "reads a register whose load is not waited for"
                      : "overwrites a register whose load is not waited for");
        last = n + 1;
    }
    // Vector registers keep poison, so that the result shows the fault as well. A scalar gets its
    // value unless strict: poison in an address or a loop count would bury this finding under
    // others.
    if (&q != &w.scalars || w.group->options->strict) return;
    while (last--) arrive_oldest(w, q);
}

void settle_pending(Wave& w, const Step& s) {
    const OpInfo& info = s.from->inst.info();
    if (w.group->options->lds_takes_time) arrive_aged(w, s);
    settle(w, s, w.loads, "WAIT-VMEM", info.is_vmem());
    settle(w, s, w.lds, "WAIT-LDS", info.is_lds());
    settle(w, s, w.scalars, "WAIT-SMEM", false);
}

}  // namespace zyfa::sim
