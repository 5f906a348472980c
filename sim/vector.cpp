#include "sim/vector.hpp"

namespace zyfa::sim {

ZYFA_CLONES static void change_sign(uint32_t* __restrict d, const uint32_t* a, uint32_t keep,
                                    uint32_t flip, bool flush) {
    if (flush) {
        for (unsigned l = 0; l < kLanes; ++l) {
            uint32_t x = (a[l] & keep) ^ flip;
            d[l] = (x & 0x7f800000) ? x : x & 0x80000000;
        }
    } else {
        for (unsigned l = 0; l < kLanes; ++l) d[l] = (a[l] & keep) ^ flip;
    }
}

ZYFA_CLONES static void finish(uint32_t* d, float scale, bool flush, bool clamp, bool nan_to_zero) {
    if (scale != 1.0f)
        for (unsigned l = 0; l < kLanes; ++l) d[l] = u32(f32(d[l]) * scale);
    if (flush)
        for (unsigned l = 0; l < kLanes; ++l) d[l] = (d[l] & 0x7f800000) ? d[l] : d[l] & 0x80000000;
    if (clamp)
        for (unsigned l = 0; l < kLanes; ++l) {
            float x = f32(d[l]);
            float y = x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
            d[l] = (x != x) & !nan_to_zero ? d[l] : u32(y);
        }
}

ZYFA_CLONES static uint64_t pack(const uint32_t* a) {
    uint32_t low = 0, high = 0;
    for (unsigned l = 0; l < 32; ++l) low |= uint32_t(a[l] != 0) << l;
    for (unsigned l = 0; l < 32; ++l) high |= uint32_t(a[32 + l] != 0) << l;
    return low | uint64_t(high) << 32;
}

uint64_t mask_of(const Lanes& lanes) { return pack(lanes.word); }

// Source lane of a lane under a DPP control word, or -1. ISA text "Data Parallel Processing".
static int dpp_lane(unsigned control, int l) {
    int row = l & ~15, in_row = l & 15, n = control & 15;
    if (control <= 0xff) return (l & ~3) + ((control >> 2 * (l & 3)) & 3);
    if (control >= 0x101 && control <= 0x10f) return in_row + n < 16 ? l + n : -1;  // row_shl
    if (control >= 0x111 && control <= 0x11f) return in_row - n >= 0 ? l - n : -1;  // row_shr
    if (control >= 0x121 && control <= 0x12f) return row + ((in_row - n) & 15);     // row_ror
    if (control >= 0x150 && control <= 0x15f) return row + n;                       // row_newbcast
    switch (control) {
        case 0x130: return l < 63 ? l + 1 : -1;     // wave_shl
        case 0x134: return (l + 1) & 63;            // wave_rol
        case 0x138: return l - 1;                   // wave_shr
        case 0x13c: return (l - 1) & 63;            // wave_ror
        case 0x140: return row + 15 - in_row;       // row_mirror
        case 0x141: return (l & ~7) + 7 - (l & 7);  // row_half_mirror
        case 0x142: return l >= 16 ? row - 1 : l;   // row_bcast:15, first row keeps its own
        case 0x143: return l >= 32 ? 31 : l;        // row_bcast:31
    }
    return -2;
}

static uint64_t apply_dpp(Wave& w, const Step& s, const uint32_t* in, Lanes& out) {
    const Mods& m = s.mods();
    uint64_t exec = w.exec(), active = 0;
    for (int l = 0; l < int(kLanes); ++l) {
        int from = dpp_lane(m.dpp_ctrl, l);
        if (from == -2) w.refuse(s, fmt::format("DPP control {:#x} does not exist", m.dpp_ctrl));
        bool valid = from >= 0 && (exec >> from & 1);
        out.word[l] = valid ? in[from] : 0;
        bool enabled = (m.row_mask >> (l / 16) & 1) && (m.bank_mask >> (l / 4 % 4) & 1);
        if (enabled && (valid || m.bound_ctrl)) active |= uint64_t(1) << l;
    }
    return active & exec;
}

Sources::Sources(Wave& w, const Step& s, unsigned first, unsigned count, bool is_float)
    : active(w.exec()) {
    for (unsigned n = 0; n < count; ++n) in[n] = w.lanes(s.ref[first + n], 0, room[n]);
    if (s.is_dpp) {
        active = apply_dpp(w, s, in[0], room[3]);
        in[0] = room[3].word;
    }
    if (!is_float) return;
    for (unsigned n = 0; n < count; ++n) {
        const Ref& r = s.ref[first + n];
        if (!r.neg && !r.abs && !w.mode.flush32) continue;
        Lanes made;
        change_sign(made.word, in[n], r.abs ? 0x7fffffff : ~0u, r.neg ? 0x80000000 : 0,
                    w.mode.flush32);
        room[n] = made;
        in[n] = room[n].word;
    }
}

void finish_float(Wave& w, const Step& s, Lanes& d) {
    static constexpr float kScale[] = {1.0f, 2.0f, 4.0f, 0.5f};
    const Mods& m = s.mods();
    const Mode& mode = w.mode;
    // ISA text: output modifiers need denormals off; they are not IEEE.
    if (m.omod && (!mode.flush32 || mode.ieee))
        w.refuse(s, "output modifier with denormals kept or IEEE mode has no defined result");
    if (m.omod || m.clamp || mode.flush_out32)
        finish(d.word, kScale[m.omod & 3], mode.flush_out32, m.clamp, mode.dx10_clamp);
}

}  // namespace zyfa::sim
