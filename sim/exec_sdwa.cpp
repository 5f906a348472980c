// SDWA, rounding modes and register indexing: ways to run a row's body on other inputs than its
// registers as they stand. Sources: CDNA3 ISA, "SDWA", "VGPR indexing", "Mode register" (certain).
#include <cfenv>

#include "sim/vector.hpp"

namespace zyfa::sim {
namespace {

// Selectors: 0..3 byte, 4 and 5 word, 6 dword.
struct Field {
    unsigned shift, bits;
};
Field field_of(unsigned select) {
    return select < 4   ? Field{8 * select, 8}
           : select < 6 ? Field{16 * (select - 4), 16}
                        : Field{0, 32};
}

void select(uint32_t* d, const uint32_t* a, Field part, bool sign) {
    const unsigned up = 32 - part.bits;
    for (unsigned l = 0; l < kLanes; ++l) {
        const uint32_t x = a[l] >> part.shift << up;
        d[l] = sign ? uint32_t(int32_t(x) >> up) : x >> up;
    }
}

// The result's low bits into the selected part; elsewhere 0, copies of the sign above, or what was.
void place(uint32_t* d, const uint32_t* old, Field part, unsigned unused) {
    const uint32_t mask = (part.bits == 32 ? ~0u : (1u << part.bits) - 1) << part.shift;
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t x = d[l] << part.shift & mask;
        if (unused == 2) x |= old[l] & ~mask;
        if (unused == 1 && (x >> (part.shift + part.bits - 1) & 1)) x |= ~(mask | (mask - 1));
        d[l] = x;
    }
}

struct Rounding {
    int before = std::fegetround();
    explicit Rounding(unsigned mode) {
        static constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
        std::fesetround(kModes[mode]);
    }
    ~Rounding() { std::fesetround(before); }
};

}  // namespace

void execute_sdwa(Wave& w, const Step& s) {
    const Mods& m = s.mods();
    const OpInfo& info = s.from->inst.info();
    Step t = s;
    unsigned source = 0;
    for (unsigned n = 0; n < info.operand_count; ++n) {
        if (info.columns[n].use != Use::src || source == 2) continue;
        Lanes room;
        select(w.vector[kTemporary + source].word, w.lanes(s.ref[n], 0, room),
               field_of(source ? m.src1_sel : m.src0_sel), s.from->inst.operands[n].sext);
        t.ref[n].kind = Ref::Kind::vector;
        t.ref[n].index = uint16_t(kTemporary + source++);
    }
    const bool to_vector = s.ref[0].kind == Ref::Kind::vector;
    Lanes& result = w.vector[kTemporary + 2];
    if (to_vector) {
        result = w.vector[s.ref[0].index];
        t.ref[0].index = kTemporary + 2;
    }
    s.body(w, t);
    if (!to_vector) return;
    Lanes d = result;
    place(d.word, w.vector[s.ref[0].index].word, field_of(m.dst_sel), m.dst_unused);
    w.write_lanes(s.ref[0], 0, d, w.exec());
}

void execute_unusual(Wave& w, const Step& s) {
    const unsigned round = s.rounds == 1 ? w.mode.round32 : s.rounds == 2 ? w.mode.round16 : 0;
    if (w.mode.indexes() && s.from->inst.info().is_valu()) {
        // M0 [7:0] is added to the vector registers of the roles in M0 [15:12].
        const uint32_t m0 = w.scalar[kM0], shift = m0 & 0xff, roles = m0 >> 12;
        const OpInfo& info = s.from->inst.info();
        Step t = s;
        unsigned source = 0;
        for (unsigned n = 0; n < info.operand_count; ++n) {
            Ref& r = t.ref[n];
            const bool written = is_written(info.columns[n].use);
            const unsigned role = written ? 3 : source++;
            if (r.kind != Ref::Kind::vector || !(roles >> role & 1)) continue;
            const unsigned limit = r.index < 256 ? 256 : kTemporary;
            if (r.index + shift + r.words > limit) w.refuse(s, "indexed register out of range");
            r.index = uint16_t(r.index + shift);
            for (unsigned word = 0; written && word < r.words; ++word)
                w.written[(r.index + word) / 64] |= uint64_t(1) << (r.index + word) % 64;
        }
        Rounding guard(round);
        s.execute(w, t);
        return;
    }
    Rounding guard(round);
    s.execute(w, s);
}

}  // namespace zyfa::sim
