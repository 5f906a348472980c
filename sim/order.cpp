#include "sim/order.hpp"

#include "sim/arrival.hpp"

namespace zyfa::sim {

// Small and good enough to mix orders; the same on every machine.
static uint64_t mix(uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

Order::Order(const Options& o, uint64_t workgroup, unsigned waves)
    : kind_(o.interleave == Interleave::in_turn && o.seed ? Interleave::random : o.interleave),
      waves_(waves),
      starved_(o.starved),
      eager_(kind_ == Interleave::late_dma || kind_ == Interleave::lockstep),
      random_(o.seed * 0x100000001b3 + workgroup) {}

Order::Turn Order::next(Group& g, unsigned turn) {
    switch (kind_) {
        case Interleave::random: {
            uint64_t dice = mix(random_);
            unsigned wave = unsigned((dice >> 32) % waves_);
            Wave& w = *g.waves[wave];
            if (w.state == State::running) arrive_some(w, dice);
            return {wave, unsigned(1 + (dice >> 20 & 7))};  // bursts let waves drift apart
        }
        case Interleave::late_dma:  // the last to fill is the first to go on after the barrier
            if (turn == 0) forward_ = !forward_;
            return {forward_ ? turn : waves_ - 1 - turn, 1 << 12};
        case Interleave::reversed: return {waves_ - 1 - turn, 1};
        case Interleave::starve:
            if (turn == starved_)
                for (unsigned n = 0; n < waves_; ++n)
                    if (n != starved_ && g.waves[n]->state == State::running) return {turn, 0};
            return {turn, 1};
        default: return {turn, 1};
    }
}

void Order::arrive_at_once(Wave& w) const {
    while (!w.lds.empty()) arrive_oldest(w, w.lds);
    while (!w.scalars.empty()) arrive_oldest(w, w.scalars);
    if (kind_ == Interleave::late_dma) return;
    while (!w.loads.empty()) arrive_oldest(w, w.loads);
}

}  // namespace zyfa::sim
