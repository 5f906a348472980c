// LLVM 22's hazard recogniser as a referee for isa/hazards.def: pairs of instructions with random
// registers and distances, one llc run. Known differences, ours being the stricter one:
// - 16 passes and exactly 19 instructions in between: LLVM looks back 19 and adds nothing
//   (LLVM PR 222040);
// - an accumulator handed to another matrix opcode: LLVM PR 218363 is not in 22.1.8.
// Known differences the other way: LLVM counts a load as a writer in front of DPP; the wait that
// the load needs is what counts there. It also counts the old destination of DPP as read when every
// lane is written. XNACK is off: with it LLVM breaks memory clauses by nops.
// Left out: v_pk_*_f32 as producer (LLVM adds a slot because a modifier bit reads as "high half").
#include <unistd.h>
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "isa/hazards.hpp"
#include "isa/text.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

namespace {

// @D4: four words of vector register D. The same letter in both columns is the same register.
struct Pattern {
    const char *text, *mir;
};
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
    // clang-format on
};

using Registers = std::map<char, unsigned>;

std::string fill(std::string_view pattern, const Registers& registers, bool mir) {
    std::string out;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '@') {
            out += pattern[i];
            continue;
        }
        const unsigned first = registers.at(pattern[++i]);
        unsigned words = 0;
        while (i + 1 < pattern.size() && std::isdigit(pattern[i + 1]))
            words = words * 10 + unsigned(pattern[++i] - '0');
        if (!mir) {
            out += range_name(word_of(File::v, first), words);
            continue;
        }
        out += "$";
        for (unsigned w = 0; w < words; ++w)
            out += fmt::format("{}vgpr{}", w ? "_" : "", first + w);
    }
    return out;
}

struct Case {
    Inst producer, consumer;
    std::string text;
    unsigned gap;
};

}  // namespace

TEST_CASE("the hazard table asks for what LLVM's recogniser inserts", "[check][hazards]") {
    if (std::system("llc-22 --version > /dev/null 2>&1") != 0) {
        fmt::print("SKIPPED: no llc-22\n");
        return;
    }
    std::mt19937 random(7);
    const auto pick = [&](unsigned n) { return unsigned(random() % n); };
    constexpr unsigned kFirsts[] = {0, 0, 2, 4, 8, 16}, kGaps[] = {0, 0, 0, 1, 2, 3, 4, 6, 8};
    std::vector<Case> cases;
    std::string mir;
    constexpr unsigned kCount = 3000;
    for (unsigned n = 0; n < kCount; ++n) {
        Case c;
        mir += fmt::format("---\nname: f{}\nbody: |\n  bb.0:\n", n);
        std::string lines[2];
        for (Inst* inst : {&c.producer, &c.consumer}) {
            const Pattern& p = kPatterns[pick(std::size(kPatterns))];
            Registers registers;
            for (char name : std::string_view("ABCDE")) registers[name] = kFirsts[pick(6)];
            if (registers['D'] == registers['E']) registers['E'] += 1;  // a swap with itself
            const std::string text = fill(p.text, registers, false);
            const auto parsed = parse(text);
            REQUIRE(parsed);
            *inst = *parsed;
            c.text += text + "\n";
            lines[inst == &c.consumer] = "    " + fill(p.mir, registers, true) + "\n";
        }
        c.gap = n % 3 ? kGaps[pick(std::size(kGaps))] : pick(22);
        mir += lines[0];
        for (unsigned g = 0; g < c.gap; ++g)
            mir += "    $vgpr250 = V_MOV_B32_e32 $vgpr251, implicit $exec\n";
        mir += lines[1] + "    S_ENDPGM 0\n...\n";
        cases.push_back(std::move(c));
    }
    const fs::path folder = fs::temp_directory_path() / fmt::format("zyfa_oracle_{}", ::getpid());
    fs::create_directories(folder);
    std::ofstream(folder / "pairs.mir") << mir;
    const std::string command = fmt::format(
        "llc-22 -mtriple=amdgcn -mcpu=gfx950 -mattr=-xnack -run-pass post-RA-hazard-rec "
        "{0}/pairs.mir -o "
        "{0}/out.mir",
        folder.string());
    REQUIRE(std::system(command.c_str()) == 0);

    std::vector<unsigned> llvm(kCount, 0);
    std::ifstream result(folder / "out.mir");
    unsigned function = 0;
    for (std::string line; std::getline(result, line);) {
        if (line.starts_with("name:"))
            function = unsigned(std::stoul(line.substr(line.find('f') + 1)));
        if (const size_t at = line.find("S_NOP "); at != line.npos)
            llvm[function] += unsigned(std::stoul(line.substr(at + 6))) + 1;
    }
    fs::remove_all(folder);

    unsigned asked = 0, known = 0;
    for (unsigned n = 0; n < kCount; ++n) {
        const Case& c = cases[n];
        HazardWindow window;
        window.commit(c.producer);
        window.pass(c.gap);
        const auto ours = window.missing(c.consumer);
        asked += ours.slots > 0;
        const bool chain = ours.rule && ours.rule->reader == Reader::c_changed;
        const bool look_back = ours.need == 20 && c.gap == 19;
        const bool load_dpp = effects(c.producer).load && effects(c.consumer).dpp;
        const Operand& to = c.consumer.operands[0];
        const bool old_dpp =
            effects(c.consumer).dpp &&
            effects(c.producer).writes.touches(word_of(to.file, to.value), to.words);
        if ((ours.slots > llvm[n] && (chain || look_back)) ||
            (ours.slots < llvm[n] && (load_dpp || old_dpp))) {
            ++known;
            continue;
        }
        INFO(c.text << "gap " << c.gap << (ours.rule ? ours.rule->about : ""));
        CHECK(ours.slots == llvm[n]);
    }
    fmt::print("{} pairs, {} with missing slots, {} known differences\n", kCount, asked, known);
    CHECK(asked > kCount / 10);
}
