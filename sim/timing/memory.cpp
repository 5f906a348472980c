#include "sim/timing/memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/banks.hpp"

namespace zyfa::sim {

void MemoryClock::reset() {
    lds_free_ = lds_busy_ = return_free_ = 0;
    lines_.clear();
}

unsigned MemoryClock::lds_cycles(Flight& f, const Cost& c) const {
    if (!c.access) return c.lds;
    const unsigned lane = lds_access_bytes(*c.access);
    std::array<uint64_t, 64> direct;  // consecutive lanes behind the base in M0
    for (unsigned l = 0; l < kLanes; ++l) direct[l] = f.lds + l * lane;
    const bool dma = f.step->from->inst.info().is_lds_dma();
    const std::span<const uint64_t, 64> address = dma ? std::span(direct) : std::span(f.address);
    const unsigned needed = phases_needed(*c.access, address, f.exec, machine_);
    const unsigned least = unsigned(machine_.phases(*c.access).lanes.size());
    // Reading and writing have a width each: a phase of a write is half as wide as one of a read.
    const bool write = *c.access >= LdsAccess::write_b32;
    const double phase =
        !write ? machine_.lds_phase_cycles.value
               : double(kLanes * lane) / least / machine_.lds_write_bytes_per_clock.value;
    const auto cycles = [&](unsigned phases) { return unsigned(std::ceil(phases * phase)); };
    f.time.conflicts = needed > least ? cycles(needed) - cycles(least) : 0;
    return cycles(needed);
}

void MemoryClock::lds(Flight& f, const Cost& c, uint64_t now, uint64_t before) {
    const unsigned cycles = lds_cycles(f, c);
    f.time.issued = now;
    f.time.begin = std::max(now, lds_free_);
    f.time.end = lds_free_ = f.time.begin + cycles;
    lds_busy_ += cycles;
    f.time.bytes = uint32_t(std::popcount(f.exec)) * (c.access ? lds_access_bytes(*c.access) : 4u);
    // The latency is that of an access of one phase.
    const uint64_t first = f.time.end - std::min(cycles, machine_.lds_phase_cycles.count());
    f.time.due = std::max(before, first + machine_.lds_latency_alone.count());
}

void MemoryClock::load(Flight& f, const Cost& c, uint64_t now, uint64_t before) {
    const OpInfo& op = f.step->from->inst.info();
    const unsigned line_bytes = machine_.memory_line_bytes.count();
    const unsigned request_bytes = machine_.memory_request_bytes.count();
    const unsigned data = op.is_store() && !op.is_buffer() ? 1 : 0;
    const unsigned words = !op.is_lds_dma() ? f.step->ref[data].words
                           : c.access       ? lds_access_bytes(*c.access) / 4
                                            : 1;
    std::array<uint64_t, 2 * kLanes> parts;  // of lines
    unsigned count = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1) || f.address[l] >= f.limit) continue;
        const uint64_t first = (f.base + f.address[l]) / request_bytes;
        const uint64_t last = (f.base + f.address[l] + 4 * words - 1) / request_bytes;
        parts[count++] = first;
        if (last != first) parts[count++] = last;
    }
    std::sort(parts.begin(), parts.begin() + count);
    const auto requests =
        unsigned(std::unique(parts.begin(), parts.begin() + count) - parts.begin());
    bool cold = false;
    for (unsigned n = 0; n < requests; ++n) cold |= touch(parts[n] * request_bytes / line_bytes);
    f.time.bytes = requests * request_bytes;
    f.time.issued = f.time.begin = now;
    const Number& latency =
        cold && !op.is_store() ? machine_.memory_hbm_latency : machine_.memory_l2_latency;
    f.time.end = f.time.due = std::max(before, now + latency.count());
}

void MemoryClock::scalar(Flight& f, uint64_t now, uint64_t before) {
    const Op op = f.step->op;
    bool cold = false;
    if (op != Op::s_memtime && op != Op::s_memrealtime)
        cold = touch((f.base + f.lds) / machine_.memory_line_bytes.count());
    f.time.issued = f.time.begin = f.time.end = now;
    f.time.bytes = 4u * f.step->ref[0].words;
    const Number& latency = cold ? machine_.memory_hbm_latency : machine_.memory_scalar_latency;
    f.time.due = std::max(before, now + latency.count());
}

bool MemoryClock::advance(Flight& f, const Cost& c) {
    using Stage = FlightTime::Stage;
    if (!f.step->from || c.category != Category::vector_memory) return false;
    const OpInfo& op = f.step->from->inst.info();
    FlightTime& t = f.time;
    if (t.stage == Stage::away && !op.is_store()) {
        const double bytes_per_clock = machine_.chip_l2_bytes_per_clock.value *
                                       machine_.chip_xcds.value / machine_.chip_compute_units.value;
        t.stage = Stage::returning;
        t.begin = std::max(t.due, return_free_);
        t.end = t.due = return_free_ =
            t.begin + uint64_t(std::ceil(double(t.bytes) / bytes_per_clock));
        return true;
    }
    if (t.stage == Stage::returning && op.is_lds_dma()) {
        const unsigned cycles = lds_cycles(f, c);
        t.stage = Stage::landing;
        t.begin = std::max(t.due, lds_free_);
        t.end = t.due = lds_free_ = t.begin + cycles;
        lds_busy_ += cycles;
        return true;
    }
    return false;
}

}  // namespace zyfa::sim
