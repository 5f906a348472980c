// One workgroup on one compute unit, in time. next() names the wave that issues next and delivers
// what arrives until then; the caller executes its instruction and says so with executed(). The
// wave that could issue earliest comes first, so that everything happens in order of time.
// Waves go to the SIMDs in turn: waves i and i + 4 share one (measured on gfx942; shipped kernels
// rely on it).
#pragma once

#include "sim/timing/loops.hpp"
#include "sim/timing/memory.hpp"

namespace zyfa::sim {

class ComputeUnit {
public:
    ComputeUnit(const TimingOptions&, const Code&);
    void start(Group&, unsigned waves);

    // Error: no wave can ever go on (a barrier that not all reach is released by their end, so this
    // is a fault of the model).
    Wave& next();
    // `step`: what it executed; null: it ran past the end of the code.
    void executed(Wave&, const Step*);
    void barrier_released();  // the group's waves run again
    WorkgroupTiming finish();

    // By step number, over all workgroups that ran here.
    const std::vector<Account>& spent_at() const { return spent_at_; }

private:
    struct Pending {  // a result that is not yet to be used
        const Step* step;
        uint64_t ready;
    };
    struct Clock {                            // of a wave
        uint64_t able = 0, ready = 0;         // ready: dependences
        uint64_t vm_back = 0, lgkm_back = 0;  // when a counter fell last
        uint64_t fetched = 0, released = 0, issued = 0, end = 0;
        unsigned simd = 0, priority = 0, pending = 0;  // pending: entries of `results`
        uint64_t last_turn = 0;
        std::array<Pending, 8> results;
        Account spent{};
        LoopTracker loops;
    };
    struct Simd {
        uint64_t port = 0, pipe = 0, packed = 0;  // free from then on
        std::array<uint64_t, kCategories> slot{};
        uint64_t matrix_busy = 0, useful_busy = 0, port_busy = 0;
        bool last_useful = false;
    };

    template <class Visit>
    void constraints(const Wave&, const Clock&, const Step&, Visit) const;
    uint64_t earliest(const Wave&) const;
    bool before(const Wave&, const Wave&) const;
    void deliver(Wave&, Queue&);
    void issue(const Wave&, const Step&);
    void occupy(Clock&, const Cost&, Issue&);
    void schedule_accesses(Wave&);
    void remember(Clock&, const Step&) const;
    void look_ahead(const Wave&, Clock&) const;
    Snapshot snapshot(const Clock&) const;

    const TimingOptions& options_;
    const Machine& machine_;
    const Code& code_;
    std::vector<Cost> costs_;
    std::vector<Account> spent_at_;
    MemoryClock memory_;
    Group* group_ = nullptr;
    std::vector<Clock> clocks_;
    std::vector<Simd> simds_;
    uint64_t path_free_ = 0, path_busy_ = 0;  // vector memory path
    uint64_t now_ = 0, turns_ = 0, last_barrier_ = 0;
};

}  // namespace zyfa::sim
