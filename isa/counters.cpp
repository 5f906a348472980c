#include "isa/counters.hpp"

#include <algorithm>

namespace zyfa {
namespace {

void put(std::vector<Counters::Pending>& list, const Counters::Pending& p) {
    const auto at = std::lower_bound(list.begin(), list.end(), p.tag,
                                     [](const auto& a, uint32_t tag) { return a.tag < tag; });
    if (at != list.end() && at->tag == p.tag) at->younger = std::min(at->younger, p.younger);
    else list.insert(at, p);
}

bool in_order_pair(const Effects& e, const Counters::Pending& p) {
    return e.load && e.counter == p.counter && p.counter != Counter::smem && !e.both_counters;
}

}  // namespace

// Whether operations of this counter may come back in another order than they were issued in.
bool Counters::unordered(bool vm) const {
    const auto flat = [](const Pending& p) { return p.flat; };
    const auto other = [](const Pending& p) { return p.counter == Counter::smem || p.flat; };
    return std::any_of(vm_.begin(), vm_.end(), flat) ||
           (vm ? std::any_of(lgkm_.begin(), lgkm_.end(), flat)
               : std::any_of(lgkm_.begin(), lgkm_.end(), other));
}

void Counters::age(std::vector<Pending>& list, Counter counter, unsigned limit, bool unordered) {
    for (Pending& p : list)
        if (p.counter == counter) p.younger = uint8_t(std::min<unsigned>(p.younger + 1u, limit));
    if (!unordered) std::erase_if(list, [&](const Pending& p) { return p.younger >= limit; });
}

Wait Counters::wait_for(const Pending& p) const {
    Wait w;
    const bool vm = p.counter == Counter::vm;
    (vm ? w.vmcnt : w.lgkmcnt) = unordered(vm) ? 0 : p.younger;
    return w;
}

Counters::Needed Counters::needed(const Effects& e) const {
    Needed out;
    const auto look = [&](const std::vector<Pending>& list, const Pending*& worst) {
        for (const Pending& p : list) {
            if (!p.words) continue;
            const bool read = e.reads.touches(p.first, p.words);
            // A younger load of the same ordered kind lands behind the pending one.
            const bool written = e.writes.touches(p.first, p.words) && !in_order_pair(e, p);
            if (!read && !written) continue;
            const Wait w = wait_for(p);
            if (!worst || !out.wait.covers(w)) {
                worst = &p;
                out.overwrites = !read;
                for (const Reach& r : e.reads)
                    if (read && r.overlaps(p.first, p.words)) out.word = std::max(r.first, p.first);
                for (const Reach& r : e.writes)
                    if (!read && r.overlaps(p.first, p.words))
                        out.word = std::max(r.first, p.first);
            }
            out.wait = out.wait.both(w);
        }
    };
    look(vm_, out.vm);
    look(lgkm_, out.lgkm);
    return out;
}

Wait Counters::needed(Need need, int region) const {
    Wait out;
    const auto all_of = [&](const std::vector<Pending>& list, auto wanted) {
        for (const Pending& p : list)
            if (wanted(p)) out = out.both(wait_for(p));
    };
    const auto here = [&](const Pending& p) {
        return region < 0 || p.region < 0 || p.region == region;
    };
    switch (need) {
        case Need::none: break;
        case Need::lds_filled:
            all_of(vm_, [&](const Pending& p) { return p.lds_dma && here(p); });
            all_of(lgkm_, [&](const Pending& p) { return p.lds_write && here(p); });
            break;
        case Need::lds_drained:
            all_of(lgkm_, [&](const Pending& p) { return p.lds_read && here(p); });
            break;
        case Need::scalars:
            all_of(lgkm_, [](const Pending& p) { return p.counter == Counter::smem; });
            break;
        case Need::all:
            if (!vm_.empty()) out.vmcnt = 0;
            if (!lgkm_.empty()) out.lgkmcnt = 0;
            break;
    }
    return out;
}

void Counters::commit(const Effects& e, uint32_t tag, int region) {
    if (e.counter == Counter::none) return;
    Pending p;
    p.tag = tag;
    p.lds_dma = e.lds_dma;
    p.flat = e.both_counters;
    p.lds_read = e.kind == Kind::lds && e.load;
    p.lds_write = e.kind == Kind::lds && !e.load;
    p.region = int16_t(region);
    if (e.load) {
        p.first = e.writes.list[0].first;
        p.words = e.writes.list[0].words;
    }
    const bool flat = p.flat || unordered(true);
    const auto issue = [&](std::vector<Pending>& list, Counter counter, unsigned limit) {
        age(list, counter, limit, flat);
        std::erase_if(list, [&](const Pending& o) { return o.tag == tag; });
        p.counter = counter;
        put(list, p);
    };
    if (e.counter == Counter::vm) issue(vm_, Counter::vm, kVmcntMax);
    if (e.counter == Counter::lgkm || e.both_counters) issue(lgkm_, Counter::lgkm, kLgkmcntMax);
    if (e.counter == Counter::smem) {
        std::erase_if(lgkm_, [&](const Pending& o) { return o.tag == tag; });
        p.counter = Counter::smem;
        put(lgkm_, p);
    }
}

void Counters::commit(const Inst& i, uint32_t tag) {
    if (i.op == Op::s_waitcnt) wait(wait_of(i));
    else commit(effects(i), tag, i.lds_region);
}

void Counters::wait(Wait w) {
    const bool any_vm = unordered(true), any_lgkm = unordered(false);
    std::erase_if(vm_,
                  [&](const Pending& p) { return any_vm ? w.vmcnt == 0 : p.younger >= w.vmcnt; });
    std::erase_if(lgkm_, [&](const Pending& p) {
        return any_lgkm ? w.lgkmcnt == 0 : p.younger >= w.lgkmcnt;
    });
}

void Counters::join(const Counters& other) {
    for (const Pending& p : other.vm_) put(vm_, p);
    for (const Pending& p : other.lgkm_) put(lgkm_, p);
}

}  // namespace zyfa
