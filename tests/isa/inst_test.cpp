#include <catch2/catch.hpp>

#include "isa/text.hpp"

using namespace zyfa;

namespace {

std::string ranges(const Accesses& list) {
    std::string out;
    for (const Access& a : list)
        out += fmt::format("{}{}{}+{}", out.empty() ? "" : " ", "sva"[unsigned(a.file)], a.first,
                           a.words);
    return out;
}
Inst inst(std::string_view text) { return parse(text).value(); }

}  // namespace

TEST_CASE("reads and writes name every register, the unwritten ones too", "[isa]") {
    struct Row {
        const char *text, *reads, *writes;
    };
    auto row = GENERATE(values<Row>({
        {"v_add_f32_e32 v0, s1, v2", "s1+1 v2+1 s126+2", "v0+1"},
        {"v_mov_b32_e32 v0, 1.0", "s126+2", "v0+1"},
        {"v_permlane32_swap_b32_e32 v3, v4", "v3+1 v4+1 s126+2", "v3+1 v4+1"},
        {"v_addc_co_u32_e32 v0, vcc, v1, v2, vcc", "v1+1 v2+1 s106+2 s126+2", "v0+1 s106+2"},
        {"v_cvt_pk_fp8_f32 v9, v1, v2 op_sel:[0,0,1]", "v9+1 v1+1 v2+1 s126+2", "v9+1"},
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], a[16:21], v[24:27], v[0:15] cbsz:2 blgp:4",
         "a16+6 v24+4 v0+16", "v0+16"},
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0", "v16+8 v24+8", "v0+16"},
        {"buffer_load_dwordx4 v4, s[8:11], s3 offen offset:16 lds", "v4+1 s8+4 s3+1 s124+1 s126+2",
         ""},
        {"global_store_dwordx2 v[2:3], a[4:5], off", "v2+2 a4+2 s126+2", ""},
        {"s_and_saveexec_b64 s[0:1], vcc", "s106+2 s126+2", "s0+2 s126+2"},
        {"s_cbranch_vccnz 4", "s106+2", ""},
        {"s_addk_i32 s5, 0x1", "s5+1", "s5+1"},
        {"s_mov_b32 s0, src_vccz", "s106+2", "s0+1"},
        {"s_mov_b32 m0, src_scc", "", "s124+1"},
        // DPP keeps the old value in lanes without a source, or masked off.
        {"v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", "v1+1 s126+2",
         "v0+1"},
        {"v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf", "v0+1 v1+1 s126+2", "v0+1"},
        {"v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf bound_ctrl:1", "v1+1 s126+2",
         "v0+1"},
        {"v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xe bank_mask:0xf", "v0+1 v1+1 s126+2",
         "v0+1"},
    }));
    CAPTURE(row.text);
    CHECK(ranges(reads(inst(row.text))) == row.reads);
    CHECK(ranges(writes(inst(row.text))) == row.writes);
}

TEST_CASE("an accumulator that is not given is the destination", "[isa]") {
    Inst given = inst("v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], v[0:3]");
    Inst left_out = given;
    left_out.operands[3] = {};
    CHECK(print(left_out) == print(given));
    CHECK(ranges(reads(left_out)) == ranges(reads(given)));
}

TEST_CASE("scc is asked for by functions of its own", "[isa]") {
    CHECK(writes_scc(inst("s_add_u32 s0, s1, s2")));
    CHECK_FALSE(reads_scc(inst("s_add_u32 s0, s1, s2")));
    CHECK((reads_scc(inst("s_addc_u32 s0, s1, s2")) && writes_scc(inst("s_addc_u32 s0, s1, s2"))));
    CHECK(reads_scc(inst("s_cbranch_scc1 4")));
    CHECK(reads_scc(inst("s_mov_b32 s0, src_scc")));
    CHECK(writes_scc(inst("s_or_saveexec_b64 s[0:1], vcc")));
    CHECK_FALSE(writes_scc(inst("s_mul_i32 s0, s1, s2")));
}

TEST_CASE("matrix passes follow shape and formats", "[isa]") {
    const auto f8f6f4 = [](unsigned cbsz, unsigned blgp, Op op) {
        Inst i;
        i.op = op;
        i.mods.cbsz = uint8_t(cbsz);
        i.mods.blgp = uint8_t(blgp);
        return passes(i);
    };
    // Source: LLVM mai-hazards-mfma-scale.gfx950.mir
    for (unsigned a = 0; a < 5; ++a)
        for (unsigned b = 0; b < 5; ++b) {
            const bool any_8bit = a < 2 || b < 2;
            CHECK(f8f6f4(a, b, Op::v_mfma_f32_32x32x64_f8f6f4) == (any_8bit ? 16 : 8));
            CHECK(f8f6f4(a, b, Op::v_mfma_scale_f32_16x16x128_f8f6f4) == (any_8bit ? 8 : 4));
        }
    CHECK(passes(inst("v_mfma_f32_32x32x16_bf16 v[0:15], v[16:19], v[20:23], 0")) == 8);
    CHECK(passes(inst("v_mfma_f32_16x16x32_bf16 v[0:3], v[16:19], v[20:23], 0")) == 4);
    CHECK(passes(inst("v_mfma_i32_32x32x32_i8 v[0:15], v[16:19], v[20:23], 0")) == 8);
    CHECK(passes(inst("v_nop")) == 0);
}

TEST_CASE("parse tells an unknown mnemonic from a form that the row leaves out", "[isa][text]") {
    CHECK_FALSE(parse("v_frobnicate_f32 v0, v1"));
    CHECK_FALSE(parse("buffer_load_dwordx2 v0, s[0:3], 0 offen lds"));
    auto text =
        GENERATE(as<std::string>(), "v_add_f32_e32 v0, v1", "v_add_f32_e32 v0, v1, v2, v3",
                 "v_add_f32_e32 v0, v[2:3], v1", "v_add_f32_e32 s0, v1, v2",
                 "v_add_f32_e32 v0, v256, v2", "s_mov_b32 s0, s102", "v_mov_b64_e32 v0, v[2:3]",
                 "v_mov_b32_sdwa v0, v1 src0_sel:BYTE_4", "ds_read_b32 v0, v1 offset:65536",
                 "s_load_dword s0, s[2:3], 0x0 glc", "s_waitcnt vmcnt(64)", "s_branch top",
                 "buffer_load_dword v0, v1, s[0:3], 0 offen offset:4096");
    CAPTURE(text);
    CHECK_THROWS_AS(parse(text), Error);
}

TEST_CASE("constants keep how they are encoded", "[isa][text]") {
    const auto source = [](std::string_view text) { return inst(text).operands[1]; };
    CHECK(source("s_mov_b32 s0, 1.0") == Operand::imm(0x3f800000));
    CHECK(source("s_mov_b32 s0, -16") == Operand::imm(0xfffffff0));
    CHECK(source("s_mov_b32 s0, 0xffffffef") == Operand::imm(0xffffffef));
    CHECK(source("s_mov_b32 s0, lit(0x3f800000)").literal);
    CHECK(source("s_mov_b32 s0, lit(0x5)").literal);
    CHECK(source("s_movk_i32 s0, 0xfffb") == Operand::imm(0xfffffffb));
    CHECK(source("s_mov_b64 s[0:1], 1.0") == Operand::imm(0x3f800000));
    CHECK(source("s_mov_b64 s[0:1], 0x3f800000").value == 0x3f800000);
    CHECK(source("s_mov_b64 s[0:1], 0x3f800000").literal);
    CHECK(print(inst("s_mov_b64 s[0:1], 0x3f800000")) == "s_mov_b64 s[0:1], 0x3f800000");
}

TEST_CASE("virtual registers and named labels are for readers", "[isa][text]") {
    Inst i = inst("s_load_dwordx2 s[4:5], s[2:3], -0x10");
    i.operands[0].is_virtual = true;
    CHECK(print(i) == "s_load_dwordx2 %s[4:5], s[2:3], -0x10");
    CHECK(parse(print(i))->same_as(i));
    CHECK(print(inst("s_branch 7"), [](uint32_t n) { return fmt::format("loop_{}", n); }) ==
          "s_branch loop_7");
}
