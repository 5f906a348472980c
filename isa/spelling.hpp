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
    {"src_shared_base", kSharedBase, 2},
    {"src_shared_limit", kSharedLimit, 2},
    {"src_private_base", kPrivateBase, 2},
    {"src_private_limit", kPrivateLimit, 2},
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

// The constant 1 / (2 pi) has more digits as a double.
inline constexpr std::string_view kWideInverse2Pi = "0.15915494309189532";
constexpr bool is_inline_half(uint32_t bits) {
    switch (bits) {
        case 0x3800:
        case 0xb800:
        case 0x3c00:
        case 0xbc00:
        case 0x4000:
        case 0xc000:
        case 0x4400:
        case 0xc400:
        case 0x3118: return true;
        default: return is_inline_int(uint32_t(int32_t(int16_t(bits))));
    }
}
inline bool is_wide(Constant c) { return c == Constant::b64 || c == Constant::f64; }

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

// Rows whose op_sel_hi, neg_lo and neg_hi are spelled: the VOP3P encoding.
inline bool has_pairs(const OpInfo& row) { return row.is_packed() || row.is_mix() || row.is_dot(); }

// Entries of the bracketed lists op_sel, op_sel_hi, neg_lo, neg_hi of a row: one per source, and
// for op_sel of an unpacked instruction one more for the destination.
inline unsigned list_entries(const OpInfo& row) {
    if (row.name.starts_with("v_mfma_scale")) return 3;
    if (writes_byte(row)) return 4;
    return row.operand_count - (has_pairs(row) ? 1 : 0);
}
inline bool is_mfma_scale(const OpInfo& row) { return row.name.starts_with("v_mfma_scale"); }

inline bool is_signed_16bit(Op op) {
    return op == Op::s_movk_i32 || op == Op::s_addk_i32 || op == Op::s_mulk_i32 ||
           op == Op::s_cmovk_i32 ||
           (info(op).name.starts_with("s_cmpk_") && info(op).name.ends_with("_i32"));
}
inline bool is_register_number(Op op) {  // first immediate is hwreg(..)
    return op == Op::s_getreg_b32 || op == Op::s_setreg_b32 || op == Op::s_setreg_imm32_b32;
}

struct HardwareRegister {
    std::string_view name;
    uint8_t number;
};
inline constexpr HardwareRegister kHardwareRegisters[] = {
    {"HW_REG_MODE", 1},
    {"HW_REG_STATUS", 2},
    {"HW_REG_TRAPSTS", 3},
    {"HW_REG_HW_ID", 4},
    {"HW_REG_GPR_ALLOC", 5},
    {"HW_REG_LDS_ALLOC", 6},
    {"HW_REG_IB_STS", 7},
    {"HW_REG_SH_MEM_BASES", 15},
    {"HW_REG_TBA_LO", 16},
    {"HW_REG_TBA_HI", 17},
    {"HW_REG_TMA_LO", 18},
    {"HW_REG_TMA_HI", 19},
    {"HW_REG_XCC_ID", 20},
    {"HW_REG_SQ_PERF_SNAPSHOT_DATA", 21},
    {"HW_REG_SQ_PERF_SNAPSHOT_DATA1", 22},
    {"HW_REG_SQ_PERF_SNAPSHOT_PC_LO", 23},
    {"HW_REG_SQ_PERF_SNAPSHOT_PC_HI", 24},
};
inline constexpr std::string_view kIndexModes[] = {"SRC0", "SRC1", "SRC2", "DST"};
inline constexpr std::string_view kSelects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                                "WORD_0", "WORD_1", "DWORD"};
inline constexpr std::string_view kUnused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

}  // namespace zyfa::spelling
