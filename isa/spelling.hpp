// How LLVM 22 spells the parts of an instruction's text: scalar names, inline constants, DPP
// controls. Shared by the printer (text.cpp) and the parser (parse.cpp), no one else.
// Truth: what llvm-mc -mcpu=gfx950 prints, compared by tests/isa.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/inst.hpp"

namespace zyfa::spelling {

struct ScalarName {
    std::string_view name;
    uint32_t first;
    uint8_t words;
};
inline constexpr ScalarName kScalarNames[] = {
    {"vcc", kVcc, 2},
    {"vcc_lo", kVcc, 1},
    {"vcc_hi", kVcc + 1, 1},
    {"exec", kExec, 2},
    {"exec_lo", kExec, 1},
    {"exec_hi", kExec + 1, 1},
    {"m0", kM0, 1},
    {"flat_scratch", kFlatScratch, 2},
    {"flat_scratch_lo", kFlatScratch, 1},
    {"flat_scratch_hi", kFlatScratch + 1, 1},
    {"xnack_mask", kXnackMask, 2},
    {"xnack_mask_lo", kXnackMask, 1},
    {"xnack_mask_hi", kXnackMask + 1, 1},
    {"src_vccz", kVccz, 1},
    {"src_execz", kExecz, 1},
    {"src_scc", kScc, 1},
};

struct InlineFloat {
    std::string_view name;
    uint32_t bits;
};
inline constexpr InlineFloat kInlineFloats[] = {
    {"0.5", 0x3f000000},  {"-0.5", 0xbf000000}, {"1.0", 0x3f800000},
    {"-1.0", 0xbf800000}, {"2.0", 0x40000000},  {"-2.0", 0xc0000000},
    {"4.0", 0x40800000},  {"-4.0", 0xc0800000}, {"0.15915494", 0x3e22f983},
};
constexpr std::string_view inline_float(uint32_t bits) {
    for (const auto& f : kInlineFloats)
        if (f.bits == bits) return f.name;
    return {};
}
constexpr bool is_inline_int(uint32_t bits) { return int32_t(bits) >= -16 && int32_t(bits) <= 64; }

// A constant in this column is 64 bits wide: float constants are doubles there, and a 32-bit
// literal is extended. The packed f32 instructions take 32-bit constants for both halves.
constexpr bool is_wide(const OpInfo& row, unsigned column) {
    const Column& c = row.columns[column];
    return (c.use == Use::src || c.use == Use::ssrc) && c.words == 2 && !row.is_packed();
}

struct DppControl {
    std::string_view name;
    uint16_t base;
    uint8_t lowest, highest;  // the text's number; control = base + number - lowest
    bool numbered = true;
};
inline constexpr DppControl kDppControls[] = {
    {"row_shl", 0x101, 1, 15},
    {"row_shr", 0x111, 1, 15},
    {"row_ror", 0x121, 1, 15},
    {"wave_shl", 0x130, 1, 1},
    {"wave_rol", 0x134, 1, 1},
    {"wave_shr", 0x138, 1, 1},
    {"wave_ror", 0x13c, 1, 1},
    {"row_mirror", 0x140, 0, 0, false},
    {"row_half_mirror", 0x141, 0, 0, false},
    {"row_bcast", 0x142, 15, 15},
    {"row_bcast", 0x143, 31, 31},
    {"row_newbcast", 0x150, 0, 15},
};

// Entries of the bracketed lists op_sel, op_sel_hi, neg_lo, neg_hi of a row: one per source, and
// for op_sel of an unpacked instruction one more for the destination.
inline unsigned list_entries(const OpInfo& row) {
    if (row.name.starts_with("v_mfma_scale")) return 3;
    if (writes_byte(row)) return 4;
    return row.operand_count - (row.is_packed() ? 1 : 0);
}
inline bool is_mfma_scale(const OpInfo& row) { return row.name.starts_with("v_mfma_scale"); }

inline bool is_signed_16bit(Op op) {
    return op == Op::s_movk_i32 || op == Op::s_addk_i32 || op == Op::s_mulk_i32;
}

}  // namespace zyfa::spelling
