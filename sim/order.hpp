// The order in which the waves of a workgroup run and their loads arrive (Options::interleave).
// Every order is one that the hardware may take: barriers and counters bound all of them.
#pragma once

#include "sim/wave.hpp"

namespace zyfa::sim {

class Order {
public:
    Order(const Options&, uint64_t workgroup, unsigned waves);

    // Whose turn it is, number `turn` of a round of as many turns as there are waves, and how many
    // instructions the wave may run. 0: none.
    struct Turn {
        unsigned wave, burst;
    };
    Turn next(Group&, unsigned turn);
    // To be called after each instruction.
    void settle(Wave& w) const {
        if (eager_) arrive_at_once(w);
    }

private:
    void arrive_at_once(Wave&) const;

    Interleave kind_;
    unsigned waves_, starved_;
    bool eager_, forward_ = false;
    uint64_t random_;
};

}  // namespace zyfa::sim
