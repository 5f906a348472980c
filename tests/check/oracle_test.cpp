// LLVM 22's hazard recogniser as a referee for isa/hazards.def: random straight-line programs, many
// in one llc run. Walked along LLVM's output, its nops included, so that a difference at one place
// does not move to the next: in front of every instruction LLVM's nops have to be what the two
// tiers together ask for.
// Known misses of LLVM, ours being the stricter:
// - 16 passes and exactly 19 instructions in between: LLVM looks back 19 and adds nothing
//   (LLVM PR 222040);
// - an accumulator handed to another matrix opcode: LLVM PR 218363 is not in 22.1.8;
// - of several MFMAs that touch a register it asks for the closest one, though an older, slower one
//   may need more (LLVM 22.1.8, GCNHazardRecognizer::getWaitStatesSinceDef stops at the first).
// Where LLVM adds more:
// - it counts a load as a writer in front of DPP; the wait that the load needs is what counts;
// - it counts the old destination of DPP as read when every lane is written;
// - direct-to-LDS loads carry its VALU flag (SIInstrInfo::isLDSDMA is told by it), so the one slot
//   behind a transcendental or a conversion by half is added for them, too, though not for any
//   other load.
// Left out: v_pk_*_f32 and dot products with a default op_sel_hi as producers (LLVM adds a slot
// because a modifier bit reads as "high half").
//
// Seen to fail: every row of isa/hazards.def with one slot less and with one more, but for c_same
// and c_changed, of which LLVM says nothing here, and one more in the required row of PERMLANE-USE,
// which the other row covers. The required tier alone must differ, too.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <random>

#include "isa/hazards.hpp"
#include "isa/text.hpp"
#include "tests/llc.hpp"

using namespace zyfa;
using test::Pattern;

namespace {

constexpr Pattern kPatterns[] = {
    // clang-format off
    {"v_mov_b32_e32 @D1, @A1", "@D1 = V_MOV_B32_e32 @A1, implicit $exec"},
    {"v_add_f32_e32 @D1, @A1, @B1", "@D1 = V_ADD_F32_e32 @A1, @B1, implicit $mode, implicit $exec"},
    {"v_exp_f32_e32 @D1, @A1", "@D1 = V_EXP_F32_e32 @A1, implicit $mode, implicit $exec"},
    {"v_cvt_pk_fp8_f32 @D1, @A1, @B1", "@D1 = V_CVT_PK_FP8_F32_e64 0, @A1, 0, @B1, @D1, 0, implicit $mode, implicit $exec"},
    {"v_cvt_pk_fp8_f32 @D1, @A1, @B1 op_sel:[0,0,1]", "@D1 = V_CVT_PK_FP8_F32_e64 8, @A1, 0, @B1, @D1, 0, implicit $mode, implicit $exec"},
    {"v_readfirstlane_b32 s4, @A1", "$sgpr4 = V_READFIRSTLANE_B32 @A1, implicit $exec"},
    {"v_readlane_b32 s5, @A1, s4", "$sgpr5 = V_READLANE_B32 @A1, $sgpr4"},
    {"v_writelane_b32 @D1, 1, s4", "@D1 = V_WRITELANE_B32 1, $sgpr4, @D1"},
    {"v_permlane32_swap_b32_e32 @D1, @E1", "@D1, @E1 = V_PERMLANE32_SWAP_B32_e32 @D1, @E1, implicit $exec"},
    {"v_cmp_eq_u32_e64 s[4:5], @A1, @B1", "$sgpr4_sgpr5 = V_CMP_EQ_U32_e64 @A1, @B1, implicit $exec"},
    {"v_cndmask_b32_e64 @D1, @A1, @B1, s[4:5]", "@D1 = V_CNDMASK_B32_e64 0, @A1, 0, @B1, $sgpr4_sgpr5, implicit $exec"},
    {"v_mov_b32_dpp @D1, @A1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", "@D1 = V_MOV_B32_dpp @D1, @A1, 177, 15, 15, 0, implicit $exec"},
    {"v_accvgpr_write_b32 a0, @A1", "$agpr0 = V_ACCVGPR_WRITE_B32_e64 @A1, implicit $exec"},
    {"v_accvgpr_read_b32 @D1, a0", "@D1 = V_ACCVGPR_READ_B32_e64 $agpr0, implicit $exec"},
    {"v_cvt_pk_bf16_f32 @D1, @A1, @B1", "@D1 = V_CVT_PK_BF16_F32_e64 0, @A1, 0, @B1, 0, 0, implicit $mode, implicit $exec"},
    {"ds_read_b32 @D1, @A1", "@D1 = DS_READ_B32_gfx9 @A1, 0, 0, implicit $exec"},
    {"ds_read_b128 @D4, @A1", "@D4 = DS_READ_B128_gfx9 @A1, 0, 0, implicit $exec"},
    {"ds_write_b128 @A1, @B4", "DS_WRITE_B128_gfx9 @A1, @B4, 0, 0, implicit $exec"},
    {"buffer_load_dword @D1, off, s[8:11], s4", "@D1 = BUFFER_LOAD_DWORD_OFFSET $sgpr8_sgpr9_sgpr10_sgpr11, $sgpr4, 0, 0, 0, implicit $exec"},
    {"buffer_load_dword @D1, off, s[4:7], 0", "@D1 = BUFFER_LOAD_DWORD_OFFSET $sgpr4_sgpr5_sgpr6_sgpr7, 0, 0, 0, 0, implicit $exec"},
    {"buffer_store_dwordx4 @A4, off, s[8:11], 0", "BUFFER_STORE_DWORDX4_OFFSET @A4, $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"buffer_store_dwordx4 @A4, off, s[8:11], s12", "BUFFER_STORE_DWORDX4_OFFSET @A4, $sgpr8_sgpr9_sgpr10_sgpr11, $sgpr12, 0, 0, 0, implicit $exec"},
    {"buffer_store_dwordx2 @A2, off, s[8:11], 0", "BUFFER_STORE_DWORDX2_OFFSET @A2, $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"s_mov_b32 m0, 5", "$m0 = S_MOV_B32 5"},
    {"s_mov_b32 s4, 5", "$sgpr4 = S_MOV_B32 5"},
    {"buffer_load_dword off, s[8:11], 0 lds", "BUFFER_LOAD_DWORD_LDS_OFFSET $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec, implicit $m0"},
    {"v_mfma_f32_32x32x64_f8f6f4 @D16, @A8, @B8, @D16", "@D16 = V_MFMA_F32_32X32X64_F8F6F4_f8_f8_vgprcd_e64 @A8, @B8, @D16, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x64_f8f6f4 @D16, @A8, @B8, @C16", "@D16 = V_MFMA_F32_32X32X64_F8F6F4_f8_f8_vgprcd_e64 @A8, @B8, @C16, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x64_f8f6f4 @D16, @A8, @B8, 0", "@D16 = V_MFMA_F32_32X32X64_F8F6F4_f8_f8_vgprcd_e64 @A8, @B8, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x128_f8f6f4 @D4, @A8, @B8, @C4", "@D4 = V_MFMA_F32_16X16X128_F8F6F4_f8_f8_vgprcd_e64 @A8, @B8, @C4, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x128_f8f6f4 @D4, @A4, @B4, @C4 cbsz:4 blgp:4", "@D4 = V_MFMA_F32_16X16X128_F8F6F4_f4_f4_vgprcd_e64 @A4, @B4, @C4, 4, 4, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x16_bf16 @D16, @A4, @B4, @C16", "@D16 = V_MFMA_F32_32X32X16_BF16_vgprcd_e64 @A4, @B4, @C16, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x8_bf16 @D16, @A2, @B2, @C16", "@D16 = V_MFMA_F32_32X32X8BF16_1K_vgprcd_e64 @A2, @B2, @C16, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x32_bf16 @D4, @A4, @B4, @C4", "@D4 = V_MFMA_F32_16X16X32_BF16_vgprcd_e64 @A4, @B4, @C4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x16_f16 @D4, @A2, @B2, @C4", "@D4 = V_MFMA_F32_16X16X16F16_vgprcd_e64 @A2, @B2, @C4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x16_fp8_fp8 @D16, @A2, @B2, @C16", "@D16 = V_MFMA_F32_32X32X16_FP8_FP8_vgprcd_e64 @A2, @B2, @C16, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_i32_16x16x64_i8 @D4, @A4, @B4, @C4", "@D4 = V_MFMA_I32_16X16X64_I8_vgprcd_e64 @A4, @B4, @C4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x2_f32 @D16, @A1, @B1, @C16", "@D16 = V_MFMA_F32_32X32X2F32_vgprcd_e64 @A1, @B1, @C16, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x4_f32 @D4, @A1, @B1, @D4", "@D4 = V_MFMA_F32_16X16X4F32_vgprcd_e64 @A1, @B1, @D4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x4_f32 @D4, @A1, @B1, @C4", "@D4 = V_MFMA_F32_16X16X4F32_vgprcd_e64 @A1, @B1, @C4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_smfmac_f32_16x16x128_fp8_fp8 @D4, @A4, @B8, @C1", "@D4 = V_SMFMAC_F32_16X16X128_FP8_FP8_e64 @A4, @B8, @C1, 0, 0, @D4, implicit $mode, implicit $exec"},
    {"v_smfmac_f32_32x32x32_bf16 @D16, @A4, @B8, @C1", "@D16 = V_SMFMAC_F32_32X32X32_BF16_e64 @A4, @B8, @C1, 0, 0, @D16, implicit $mode, implicit $exec"},
    {"v_mov_b32_e32 @D1, s4", "@D1 = V_MOV_B32_e32 $sgpr4, implicit $exec"},
    {"v_log_f32_e32 @D1, @A1", "@D1 = V_LOG_F32_e32 @A1, implicit $mode, implicit $exec"},
    {"v_add_f32_sdwa @D1, @A1, @B1 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD", "@D1 = V_ADD_F32_sdwa 0, @A1, 0, @B1, 0, 0, 4, 0, 6, 6, implicit $mode, implicit $exec"},
    {"v_cvt_sr_fp8_f32 @D1, @A1, @B1 op_sel:[0,0,1,0]", "@D1 = V_CVT_SR_FP8_F32_e64 0, @A1, 0, @B1, 4, @D1, 0, implicit $mode, implicit $exec"},
    {"v_cvt_scalef32_pk_fp8_f32 @D1, @A1, @B1, @C1 op_sel:[0,0,0,1]", "@D1 = V_CVT_SCALEF32_PK_FP8_F32_e64 8, @A1, 0, @B1, 0, @C1, @D1, 0, implicit $mode, implicit $exec"},
    {"v_dot2c_f32_bf16_e32 @D1, @A1, @B1", "@D1 = V_DOT2C_F32_BF16_e32 @A1, @B1, @D1, implicit $mode, implicit $exec"},
    {"v_dot2_f32_bf16 @D1, @A1, @B1, @C1 op_sel_hi:[0,1,1]", "@D1 = V_DOT2_F32_BF16 0, @A1, 8, @B1, 8, @C1, 0, 0, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_dot4_i32_i8 @D1, @A1, @B1, @C1", "@D1 = V_DOT4_I32_I8 0, @A1, 0, @B1, 0, @C1, 0, 0, 0, implicit $exec"},
    {"v_cmp_eq_u32_e64 vcc, @A1, @B1", "$vcc = V_CMP_EQ_U32_e64 @A1, @B1, implicit $exec"},
    {"v_div_fmas_f32 @D1, @A1, @B1, @C1", "@D1 = V_DIV_FMAS_F32_e64 0, @A1, 0, @B1, 0, @C1, 0, 0, implicit $mode, implicit $vcc, implicit $exec"},
    {"v_cmpx_eq_u32_e64 s[4:5], @A1, @B1", "$sgpr4_sgpr5 = V_CMPX_EQ_U32_e64 @A1, @B1, implicit-def $exec, implicit $exec"},
    {"v_cmpx_eq_u32_e64 s[12:13], @A1, @B1", "$sgpr12_sgpr13 = V_CMPX_EQ_U32_e64 @A1, @B1, implicit-def $exec, implicit $exec"},
    {"s_mov_b64 exec, -1", "$exec = S_MOV_B64 -1"},
    {"s_setreg_b32 hwreg(1, 0, 1), s12", "S_SETREG_B32 $sgpr12, 1, implicit-def $mode, implicit $mode"},
    {"s_setreg_b32 hwreg(7, 0, 1), s12", "S_SETREG_B32 $sgpr12, 7, implicit-def $mode, implicit $mode"},
    {"s_getreg_b32 s13, hwreg(1, 0, 1)", "$sgpr13 = S_GETREG_B32 1, implicit $mode"},
    {"v_permlane16_swap_b32_e32 @D1, @E1", "@D1, @E1 = V_PERMLANE16_SWAP_B32_e32 @D1, @E1, implicit $exec"},
    {"ds_write_b32 @A1, @B1", "DS_WRITE_B32_gfx9 @A1, @B1, 0, 0, implicit $exec"},
    {"buffer_store_dwordx3 @A3, off, s[8:11], 0", "BUFFER_STORE_DWORDX3_OFFSET @A3, $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"global_store_dwordx4 @A2, @B4, off", "GLOBAL_STORE_DWORDX4 @A2, @B4, 0, 0, implicit $exec"},
    {"global_store_dwordx4 @A1, @B4, s[4:5]", "GLOBAL_STORE_DWORDX4_SADDR @A1, @B4, $sgpr4_sgpr5, 0, 0, implicit $exec"},
    {"global_load_dwordx2 @D2, @A2, off", "@D2 = GLOBAL_LOAD_DWORDX2 @A2, 0, 0, implicit $exec"},
    {"global_load_lds_dwordx4 @A2, off", "GLOBAL_LOAD_LDS_DWORDX4 @A2, 0, 0, implicit $exec, implicit $m0"},
    {"v_mfma_scale_f32_32x32x64_f8f6f4 @D16, @A8, @B8, @C16, @E1, @E1", "@D16 = V_MFMA_SCALE_F32_32X32X64_F8F6F4_f8_f8_vgprcd_e64 @A8, @B8, @C16, 0, 0, @E1, @E1, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_16x16x16_f16 %D4, @A2, @B2, %C4", "%D4 = V_MFMA_F32_16X16X16F16_e64 @A2, @B2, %C4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_accvgpr_read_b32 @D1, %A1", "@D1 = V_ACCVGPR_READ_B32_e64 %A1, implicit $exec"},
    {"ds_read_b32 %D1, @A1", "%D1 = DS_READ_B32_gfx9 @A1, 0, 0, implicit $exec"},
    // clang-format on
};
// Parts of texts that belong together: two of three programs are made of one theme.
constexpr std::string_view kThemes[][3] = {
    {"v_cmp", "v_div_fmas", "v_div_fmas"},
    {"s_setreg", "s_getreg", "v_exp"},
    {"permlane", "v_mov_b32_e32", "v_cvt"},
    {"m0", " lds", "load_lds"},
    {" s4", "s[4:5]", "s[4:7]"},
    {"dpp", "v_add_f32", "v_cmpx"},
    {"v_dot", "v_mov_b32_e32", "ds_"},
    {"v_cmpx", "lane", "load"},
    {"v_exp", "v_log", "v_mov_b32_e32"},
    {"readlane", "readfirstlane", "v_add_f32"},
    {"op_sel:", "16x16x16_f16", "16x16x4"},
    {"store", "v_mov_b32_e32", "v_exp"},
    {"op_sel", "sdwa", "mfma"},
    {"mfma", "mfma", "v_mov_b32_e32"},
    {"smfmac", "_f32 @D4, @A1", "bf16"},
};
constexpr Pattern kFiller = {"v_mov_b32_e32 v250, v251",
                             "$vgpr250 = V_MOV_B32_e32 $vgpr251, implicit $exec"};

struct Made {
    std::vector<Inst> insts;
    std::vector<std::string> mir;
};

Made random_program(std::mt19937& random) {
    const auto pick = [&](unsigned n) { return unsigned(random() % n); };
    constexpr unsigned kFirsts[] = {0, 0, 2, 4, 8, 16}, kGaps[] = {0, 0, 0, 0, 1, 1, 2, 3, 4, 6, 8};
    Made made;
    const auto put = [&](const Pattern& p) {
        test::Registers registers;
        for (char name : std::string_view("ABCDE")) registers[name] = kFirsts[pick(6)];
        if (registers['D'] == registers['E']) registers['E'] += 1;  // a swap with itself
        const auto parsed = parse(test::fill(p.text, registers, false));
        REQUIRE(parsed);
        made.insts.push_back(*parsed);
        made.mir.push_back(test::fill(p.mir, registers, true));
    };
    std::vector<const Pattern*> patterns;
    const auto& theme = kThemes[pick(std::size(kThemes))];
    const bool all = pick(3) == 0;
    for (const Pattern& p : kPatterns)
        if (all || std::any_of(std::begin(theme), std::end(theme), [&](std::string_view part) {
                return std::string_view(p.text).find(part) != std::string_view::npos;
            }))
            patterns.push_back(&p);
    const unsigned count = 3 + pick(6);
    for (unsigned n = 0; n < count; ++n) {
        if (n)
            for (unsigned g = pick(8) ? kGaps[pick(std::size(kGaps))] : pick(22); g; --g)
                put(kFiller);
        put(*patterns[pick(unsigned(patterns.size()))]);
    }
    return made;
}

// One instruction that was issued, alone, so that each pair is judged by itself.
struct Issued {
    Effects effects;
    HazardWindow window;
    unsigned age = 0;
};

// Slots that LLVM does not know of, or knows of beyond what ours ask for.
enum class Known { no, look_back, other_opcode, nearest, dpp, dma };

struct Score {
    unsigned places = 0, asked = 0, wrong = 0;
    std::map<Known, unsigned> known;
    std::map<const HazardRow*, unsigned> rows;  // the row that asks for most in a pair
};

bool is_matrix(const Issued& p) { return p.effects.kind == Kind::matrix; }

// For each operand LLVM looks for the closest MFMA that touches it, and not behind that one; an
// older, slower one may be further from its end.
bool hidden(const std::vector<Issued>& past, size_t older, const Effects& e) {
    if (!is_matrix(past[older])) return false;
    const auto touched_by = [](const Issued& p, const Reach& r) {
        return p.effects.writes.touches(r.first, r.words) ||
               p.effects.reads.touches(r.first, r.words);
    };
    const auto twice = [&](const Reach& r) {
        return touched_by(past[older], r) &&
               std::any_of(past.begin() + long(older) + 1, past.end(),
                           [&](const Issued& p) { return is_matrix(p) && touched_by(p, r); });
    };
    return std::any_of(e.reads.begin(), e.reads.end(), twice) ||
           std::any_of(e.writes.begin(), e.writes.end(), twice);
}

Known why_more(const std::vector<Issued>& past, size_t producer, const Effects& e,
               const HazardWindow::Missing& m) {
    if (m.rule->reader == Reader::c_changed) return Known::other_opcode;
    if (m.need == 20 && m.have == 19) return Known::look_back;
    return hidden(past, producer, e) ? Known::nearest : Known::no;
}

// LLVM's extra slots in front of DPP.
bool dpp_only_in_llvm(const std::vector<Issued>& past, const Effects& e, unsigned slots) {
    return e.dpp && slots <= 2 && std::any_of(past.begin(), past.end(), [&](const Issued& p) {
               if (p.age >= 2) return false;
               const auto hit = [&](const auto& list) {
                   return std::any_of(list.begin(), list.end(), [&](const Reach& r) {
                       return p.effects.writes.touches(r.first, r.words);
                   });
               };
               return hit(e.writes) || (p.effects.load && hit(e.reads));
           });
}

void compare(const Made& made, const std::vector<std::string>& llvm, Tier tier, bool report,
             Score& score) {
    std::vector<Issued> past;
    const auto pass = [&](unsigned slots) {
        for (Issued& p : past) {
            p.window.pass(slots);
            p.age += slots;
        }
    };
    std::string text;
    size_t line = 0;
    for (const Inst& inst : made.insts) {
        unsigned theirs = 0;
        for (; line < llvm.size() && llvm[line].starts_with("S_NOP "); ++line)
            theirs += unsigned(std::stoul(llvm[line].substr(6))) + 1;
        REQUIRE(line++ < llvm.size());
        const Effects e = effects(inst);
        unsigned ours = 0, excused = 0;
        Known why = Known::no;
        std::string_view about;
        for (size_t n = 0; n < past.size(); ++n) {
            const auto m = past[n].window.missing(e, tier);
            if (const auto r = past[n].window.missing(e, Tier::required); r.slots)
                ++score.rows[r.rule];
            if (!m.slots) continue;
            ++score.rows[m.rule];
            const Known known = why_more(past, n, e, m);
            if (known != Known::no && m.slots > theirs) {
                excused = std::max(excused, m.slots);
                why = known;
            } else if (m.slots > ours) {
                ours = m.slots;
                about = m.rule->about;
            }
        }
        ++score.places;
        score.asked += ours > 0;
        if (excused) ++score.known[why];
        if (ours < theirs && e.lds_dma && theirs == 1) ++score.known[Known::dma];
        else if (ours < theirs && dpp_only_in_llvm(past, e, theirs)) ++score.known[Known::dpp];
        else if (ours != theirs && !(excused && ours <= theirs && theirs <= excused)) {
            ++score.wrong;
            if (report) {
                INFO(text << (theirs ? fmt::format("s_nop {}\n", theirs - 1) : "") << print(inst)
                          << "\n"
                          << about);
                CHECK(ours == theirs);
            }
        }
        pass(theirs);
        if (theirs) text += fmt::format("s_nop {}\n", theirs - 1);
        text += print(inst) + "\n";
        pass(e.slots);
        past.push_back({e, {}, 0});
        past.back().window.commit(e, 0);
        std::erase_if(past, [](const Issued& p) { return p.age >= kHazardReach; });
    }
}

}  // namespace

TEST_CASE("the hazard table asks for what LLVM's recogniser inserts", "[check][hazards]") {
    if (!test::have_llc()) return;
    const unsigned count = test::oracle_programs();
    std::mt19937 random(7);
    Score score, required_only;
    for (unsigned done = 0; done < count;) {
        std::vector<Made> made;
        std::vector<std::vector<std::string>> bodies;
        for (; made.size() < 2000 && done < count; ++done) {
            made.push_back(random_program(random));
            bodies.push_back(made.back().mir);
        }
        const auto llvm = test::run_llc("post-RA-hazard-rec", bodies);
        for (size_t n = 0; n < made.size(); ++n) {
            compare(made[n], llvm[n], Tier::llvm_conservative, true, score);
            compare(made[n], llvm[n], Tier::required, false, required_only);
        }
    }
    fmt::print(
        "{} programs, {} instructions, {} with missing slots; known misses of LLVM: {} "
        "look-back, {} other opcode, {} behind a closer MFMA; more in LLVM: {} in front of DPP, "
        "{} of direct-to-LDS loads\n",
        count, score.places, score.asked, score.known[Known::look_back],
        score.known[Known::other_opcode], score.known[Known::nearest], score.known[Known::dpp],
        score.known[Known::dma]);
    CHECK(score.wrong == 0);
    unsigned least = ~0u;
    for (const HazardRow& row : hazard_rows()) {
        // Only for the 2-pass MFMAs, which have no row in the instruction table.
        if (row.writer == Writer::xdl_result && row.reader == Reader::c_same) continue;
        INFO(row.rule << ": " << row.about);
        CHECK(score.rows[&row] > 0);
        least = std::min(least, score.rows[&row]);
    }
    fmt::print("the least exercised row decided {} times\n", least);
    CHECK(required_only.wrong > count / 50);
}
