// Sources and results of 64 and of 16 bits. f64 and f16 share the upper fields of MODE.
#pragma once

#include <cmath>

#include "isa/formats.hpp"
#include "sim/vector.hpp"

namespace zyfa::sim {

inline bool is_denormal64(uint64_t bits) { return (bits & 0x7ff0000000000000) == 0; }

// The 64-bit values of a source. Float: neg, abs, denormals by MODE.
struct Wide {
    uint64_t bits[kLanes];
    Wide() = default;
    Wide(Wave& w, const Step& s, unsigned column, bool is_float) {
        const Ref& r = s.ref[column];
        Lanes low_room, high_room;
        const uint32_t* low = w.lanes(r, 0, low_room);
        const uint32_t* high = w.lanes(r, 1, high_room);
        for (unsigned l = 0; l < kLanes; ++l) bits[l] = low[l] | uint64_t(high[l]) << 32;
        if (!is_float) return;
        const uint64_t sign = uint64_t(1) << 63;
        for (uint64_t& x : bits) {
            x = (x & (r.abs ? ~sign : ~uint64_t(0))) ^ (r.neg ? sign : 0);
            if (w.mode.flush16 && is_denormal64(x)) x &= sign;
        }
    }
    double f64(unsigned l) const { return std::bit_cast<double>(bits[l]); }
};

inline void write_wide(Wave& w, const Ref& to, const uint64_t* bits, uint64_t active) {
    Lanes d[2];
    for (unsigned l = 0; l < kLanes; ++l) {
        d[0].word[l] = uint32_t(bits[l]);
        d[1].word[l] = uint32_t(bits[l] >> 32);
    }
    for (unsigned n : {0, 1}) w.write_lanes(to, n, d[n], active);
}
// omod, denormals, clamp; then written.
void finish_wide(Wave&, const Step&, uint64_t* bits);

// One f16 rounding of an exact or odd-rounded double, by MODE.
uint16_t round_to_f16(double x, const Mode& mode);

// The f16 values of a source: op_sel picks the half where the row has op_sel; neg, abs, denormals.
struct Halves {
    uint16_t bits[kLanes];
    Halves(Wave& w, const Step& s, unsigned column, unsigned select_bit, bool high_too = true) {
        const Ref& r = s.ref[column];
        Lanes room;
        const uint32_t* in = w.lanes(r, 0, room);
        const unsigned shift = high_too && (s.mods().op_sel >> select_bit & 1) ? 16 : 0;
        for (unsigned l = 0; l < kLanes; ++l) {
            uint16_t x = uint16_t(in[l] >> shift);
            x = uint16_t((x & (r.abs ? 0x7fff : 0xffff)) ^ (r.neg ? 0x8000 : 0));
            if (w.mode.flush16 && !(x & 0x7c00)) x &= 0x8000;
            bits[l] = x;
        }
    }
    float value(unsigned l) const { return f16_to_float(bits[l]); }
};

}  // namespace zyfa::sim
