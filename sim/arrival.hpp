// Issue and arrival of memory instructions, and the counters that order them. vmcnt: in order.
// lgkmcnt: LDS in order among themselves, scalar loads in any order. Nothing arrives before it
// must (seed 0), or at a random time that the counters allow (other seeds).
#pragma once

#include "sim/wave.hpp"

namespace zyfa::sim {

inline constexpr uint32_t kPoison = 0x7fff7fff;  // a NaN as f32, as bf16 and in each e4m3 byte
inline constexpr unsigned kMaxVm = 63, kMaxLgkm = 15;

// Makes room if the counter is at its end, marks the destination registers pending.
Flight& issue(Wave&, const Step&, Queue&);
// To be called when addresses and data have been read: destination registers hold poison.
void poison_destination(Wave&, const Step&, uint64_t active);

void arrive_oldest(Wave&, Queue&);
void wait_vm(Wave&, unsigned count);
void wait_lgkm(Wave&, unsigned count);
void drain(Wave&);
void arrive_some(Wave&, uint64_t random);

// A finding for every load whose destination `s` uses too early. Vector registers are poison then;
// scalar loads arrive now unless Options::strict.
void settle_pending(Wave&, const Step&);

}  // namespace zyfa::sim
