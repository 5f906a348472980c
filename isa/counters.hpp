// Bookkeeping of vmcnt and lgkmcnt for one wave along a path: which operations may still be on
// their way, what they will write, and which s_waitcnt proves that they have arrived.
//
// Rules (LLVM 22 si-insert-waitcnts, CDNA4 ISA "S_WAITCNT"; trust: certain):
// - vmcnt counts every vector memory access and falls in issue order.
// - lgkmcnt counts LDS accesses, which return in order among themselves, and scalar loads, which
//   do not. While a scalar load may be on its way only lgkmcnt(0) proves anything.
// - A flat access counts in both, and which of the two it goes through is not known: while one may
//   be on its way only 0 proves anything, of either counter.
// - The counters are finite: a 64th vector memory access cannot be outstanding, nor a 16th LDS
//   access, so what is older has arrived.
// Time proves nothing: there is no "surely arrived by now".
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/effects.hpp"

namespace zyfa {

inline constexpr unsigned kVmcntMax = 63, kLgkmcntMax = 15;

// Counter values of an s_waitcnt; the defaults wait for nothing.
struct Wait {
    uint8_t vmcnt = kVmcntMax, lgkmcnt = kLgkmcntMax;
    bool any() const { return vmcnt < kVmcntMax || lgkmcnt < kLgkmcntMax; }
    bool covers(const Wait& o) const { return vmcnt <= o.vmcnt && lgkmcnt <= o.lgkmcnt; }
    Wait both(const Wait& o) const {
        return {std::min(vmcnt, o.vmcnt), std::min(lgkmcnt, o.lgkmcnt)};
    }
    bool operator==(const Wait&) const = default;
};
inline Wait wait_of(const Inst& i) { return {i.mods.vmcnt, i.mods.lgkmcnt}; }

class Counters {
public:
    // An operation that may still be on its way, on some path.
    struct Pending {
        uint32_t tag = 0;  // its instruction
        Counter counter = Counter::none;
        bool lds_dma = false, flat = false;
        bool lds_read = false, lds_write = false;
        int16_t region = -1;  // LDS region that it fills or reads, if described
        Word first = 0;       // registers that it will write
        uint8_t words = 0;
        uint8_t younger = 0;  // fewest operations issued behind it, in its order, on any path
        bool operator==(const Pending&) const = default;
    };
    struct Needed {
        Wait wait;
        const Pending* vm = nullptr;  // what it waits for
        const Pending* lgkm = nullptr;
        Word word = 0;            // first register that would be touched too early
        bool overwrites = false;  // it would be written, not read
    };
    // The weakest wait in front of this instruction.
    Needed needed(const Effects&) const;
    Needed needed(const Inst& i) const { return needed(effects(i)); }
    // The weakest wait that fulfils the purpose of a described s_waitcnt.
    Wait needed(Need, int region) const;

    void commit(const Effects&, uint32_t tag, int region = -1);
    void commit(const Inst&, uint32_t tag = 0);
    void wait(Wait);

    // What may be outstanding on either path.
    void join(const Counters&);

    // In issue order as far as one is known; for messages.
    std::span<const Pending> vm() const { return vm_; }
    std::span<const Pending> lgkm() const { return lgkm_; }
    bool operator==(const Counters&) const = default;

private:
    std::vector<Pending> vm_, lgkm_;  // sorted by tag
    bool unordered(bool vm) const;
    static void age(std::vector<Pending>&, Counter, unsigned limit, bool unordered);
    Wait wait_for(const Pending&) const;
};

}  // namespace zyfa
