// LDS and memory of one compute unit in time: who has the pipe when, when data is back. LDS is one
// pipe, first come first served. Memory is a latency, then a return path as wide as the compute
// unit's share of the L2 bandwidth: the first touch of a line by this workgroup has the HBM
// latency, a later one that of L2. What other compute units do to caches and HBM is not in the
// model (docs/model.md).
#pragma once

#include <unordered_set>

#include "sim/timing/cost.hpp"

namespace zyfa::sim {

class MemoryClock {
public:
    explicit MemoryClock(const Machine& m) : machine_(m) { reset(); }
    void reset();

    // Fill in the times of an access that was issued at `now`; `before`: when the one before it in
    // its counter's order is back.
    void lds(Flight&, const Cost&, uint64_t now, uint64_t before);
    void load(Flight&, const Cost&, uint64_t now, uint64_t before);
    void scalar(Flight&, uint64_t now, uint64_t before);
    // At Flight::time.due: false, the access is complete; true, it goes on to another stage and
    // `due` is later now.
    bool advance(Flight&, const Cost&);

    uint64_t lds_busy(uint64_t now) const { return busy_until(lds_busy_, lds_free_, now); }

private:
    static uint64_t busy_until(uint64_t busy, uint64_t free, uint64_t now) {
        return busy - (free > now ? std::min(busy, free - now) : 0);
    }
    bool touch(uint64_t line) { return lines_.insert(line).second; }  // true: the first time
    unsigned lds_cycles(Flight&, const Cost&) const;

    const Machine& machine_;
    uint64_t lds_free_ = 0, lds_busy_ = 0, return_free_ = 0;
    std::unordered_set<uint64_t> lines_;
};

}  // namespace zyfa::sim
