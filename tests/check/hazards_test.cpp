// Every row of the hazard table: enough slots pass, one fewer is reported, whatever fills them.
#include <catch2/catch.hpp>

#include "check/check.hpp"
#include "check/machine_code.hpp"

using namespace zyfa;

namespace {

struct Pair {
    const char *rule, *producer, *consumer;
    unsigned slots;
    bool only_llvm;
};
constexpr const char* kX16 = "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[32:39], v[40:47], v[16:31]";
constexpr const char* kX8 = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[32:39], v[40:47], v[16:19]";
constexpr const char* kX8fp4 =
    "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[32:35], v[40:43], v[16:31] cbsz:4 blgp:4";
constexpr const char* kX4 = "v_mfma_f32_16x16x32_bf16 v[0:3], v[32:35], v[40:43], v[16:19]";
constexpr const char* kHigh = "v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]";
constexpr const char* kHighBf8 = "v_cvt_pk_bf8_f32 v0, v1, v2 op_sel:[0,0,1]";

constexpr const char* kSparse4 = "v_smfmac_f32_16x16x128_fp8_fp8 v[0:3], v[32:35], v[40:47], v60";
constexpr const char* kSparse8 = "v_smfmac_f32_32x32x32_bf16 v[0:15], v[32:35], v[40:47], v60";
constexpr const char* kF32x8 = "v_mfma_f32_16x16x4_f32 v[0:3], v32, v40, v[16:19]";
constexpr const char* kF32x16 = "v_mfma_f32_32x32x2_f32 v[0:15], v32, v40, v[16:31]";

const Pair kPairs[] = {
    // clang-format off
    {"MFMA-GAP", kSparse4, "v_add_f32 v50, v3, v3", 8, false},
    {"MFMA-GAP", kSparse4, "v_mov_b32 v0, v50", 8, false},
    {"MFMA-GAP", kSparse8, "v_add_f32 v50, v3, v3", 12, false},
    {"MFMA-GAP", kX8, "v_smfmac_f32_16x16x128_fp8_fp8 v[64:67], v[32:35], v[40:47], v2", 12, false},
    {"MFMA-GAP", kX8, "v_smfmac_f32_16x16x128_fp8_fp8 v[0:3], v[32:35], v[40:47], v60", 10, false},
    {"MFMA-GAP", kF32x8, "v_add_f32 v50, v3, v3", 10, false},
    {"MFMA-GAP", kF32x16, "ds_write_b32 v60, v7", 18, false},
    {"MFMA-GAP", kF32x16, "v_mov_b32 v7, v60", 18, false},
    {"MFMA-GAP", kF32x16, "v_mfma_f32_32x32x16_bf16 v[64:79], v[0:3], v[40:43], v[80:95]", 18, false},
    {"MFMA-GAP", kF32x16, "v_mfma_f32_16x16x4_f32 v[64:67], v48, v48, v[4:7]", 16, false},
    {"HALF-WRITE", "v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0]", "v_mov_b32 v5, v0", 1, false},
    {"HALF-WRITE", "v_cvt_scalef32_pk_fp8_f32 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v_mov_b32 v5, v0", 1, false},
    {"HALF-WRITE", "v_cvt_scalef32_pk_fp8_f16 v0, v1, v3 op_sel:[0,0,1]", "v_mov_b32 v5, v0", 1, false},
    {"MFMA-GAP", kX16, "v_add_f32 v50, v15, v15", 20, false},
    {"MFMA-GAP", kX16, "ds_write_b32 v60, v7", 20, false},
    {"MFMA-GAP", kX16, "buffer_store_dword v3, off, s[8:11], 0", 20, false},
    {"MFMA-GAP", kX16, "v_permlane32_swap_b32 v50, v2", 20, false},
    {"MFMA-GAP", kX16, "v_mov_b32 v14, v50", 20, false},
    {"MFMA-GAP", kX16, "ds_read_b128 v[12:15], v60", 20, false},
    {"MFMA-GAP", kX16, "v_mov_b32 v31, v50", 15, false},
    {"MFMA-GAP", kX16, "buffer_load_dwordx4 v[28:31], off, s[8:11], 0", 15, false},
    {"MFMA-GAP", kX16, "v_mfma_f32_32x32x64_f8f6f4 v[64:79], v[8:15], v[40:47], v[80:95]", 20, false},
    {"MFMA-GAP", kX16, "v_mfma_f32_32x32x64_f8f6f4 v[64:79], v[48:55], v[0:7], v[80:95]", 20, false},
    {"MFMA-GAP", kX16, "v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[48:55], v[48:55], v[0:3]", 18, false},
    {"MFMA-GAP", kX16, "v_mfma_f32_32x32x16_bf16 v[0:15], v[48:51], v[48:51], v[0:15]", 18, false},
    {"MFMA-GAP", kX8, "v_add_f32 v50, v3, v3", 12, false},
    {"MFMA-GAP", kX8, "v_mov_b32 v19, v50", 7, false},
    {"MFMA-GAP", kX8, "v_mfma_f32_32x32x64_f8f6f4 v[64:79], v[48:55], v[48:55], v[0:15]", 10, false},
    {"MFMA-GAP", kX8fp4, "v_add_f32 v50, v3, v3", 12, false},
    {"MFMA-GAP", kX4, "v_add_f32 v50, v3, v3", 8, false},
    {"MFMA-GAP", kX4, "v_mov_b32 v16, v50", 3, false},
    {"MFMA-GAP", kX4, "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[48:55], v[48:55], v[0:3]", 6, false},
    {"TRANS-USE", "v_exp_f32 v0, v1", "v_add_f32 v2, v0, v0", 1, false},
    {"TRANS-USE", "v_rcp_f32 v0, v1", "v_cvt_pk_bf16_f32 v2, v3, v0", 1, false},
    {"HALF-WRITE", kHigh, "v_mov_b32 v5, v0", 1, false},
    {"HALF-WRITE", kHigh, "v_cvt_pk_fp8_f32 v0, v3, v4", 1, false},
    {"HALF-WRITE", kHighBf8, "v_mov_b32 v0, v5", 1, false},
    {"VALU-SGPR-VMEM", "v_readfirstlane_b32 s4, v0", "buffer_load_dword v1, off, s[8:11], s4", 5, false},
    {"VALU-SGPR-VMEM", "v_readfirstlane_b32 s9, v0", "buffer_store_dword v1, off, s[8:11], 0", 5, false},
    {"VALU-SGPR-VMEM", "v_cmp_eq_u32 s[4:5], v0, v1", "global_load_dword v1, v2, s[4:5]", 5, false},
    {"VALU-LANE-SELECT", "v_readfirstlane_b32 s4, v0", "v_readlane_b32 s5, v1, s4", 4, false},
    {"VALU-READLANE", "v_mov_b32 v0, v1", "v_readfirstlane_b32 s4, v0", 1, false},
    {"VALU-READLANE", "v_mov_b32 v0, v1", "v_readlane_b32 s4, v0, 3", 1, false},
    {"VALU-EXEC", "v_cmp_eq_u32 exec, v0, v1", kX16, 4, false},
    {"VALU-EXEC", "v_cmp_eq_u32 exec, v0, v1", "v_readfirstlane_b32 s4, v2", 4, false},
    {"VALU-EXEC", "v_cmp_eq_u32 exec, v0, v1", "v_permlane32_swap_b32 v2, v3", 4, false},
    {"VALU-EXEC", "v_cmp_eq_u32 exec, v0, v1", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", 5, false},
    {"STORE-DATA", "buffer_store_dwordx4 v[0:3], off, s[8:11], 0", "v_mov_b32 v3, v4", 2, false},
    {"STORE-DATA", "global_store_dwordx4 v10, v[0:3], s[4:5]", "v_mov_b32 v0, v4", 2, false},
    {"PERMLANE-USE", "v_mov_b32 v0, v1", "v_permlane32_swap_b32 v2, v0", 1, false},
    {"PERMLANE-USE", "v_mov_b32 v0, v1", "v_permlane16_swap_b32 v0, v2", 2, true},
    {"PERMLANE-USE", "v_permlane32_swap_b32 v0, v1", "v_permlane32_swap_b32 v2, v0", 2, true},
    {"VALU-MFMA", "v_mov_b32 v36, v1", kX16, 2, true},
    {"VALU-MFMA", "v_mov_b32 v30, v1", kX16, 2, true},
    {"VALU-SGPR-VALU", "v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v2, v3, v4, vcc", 2, true},
    {"VALU-SGPR-VALU", "v_readfirstlane_b32 s4, v0", "v_add_f32 v2, s4, v4", 2, true},
    {"VALU-DPP", "v_mov_b32 v3, v1", "v_mov_b32_dpp v2, v3 row_shl:1 row_mask:0xf bank_mask:0xf", 2, true},
    {"M0-DMA", "s_mov_b32 m0, 64", "buffer_load_dword off, s[8:11], 0 lds", 1, true},
    // clang-format on
};

std::vector<Finding> findings(const Pair& p, const std::string& between, Tier tier) {
    const auto code =
        machine_code(std::string(p.producer) + "\n" + between + p.consumer + "\ns_endpgm\n");
    CheckOptions options;
    options.tier = tier;
    std::vector<Finding> out;
    for (const Finding& f : check(code, options))
        if (f.rule == p.rule) out.push_back(f);
    return out;
}

std::string nops(unsigned slots) {
    std::string s;
    for (; slots; slots -= std::min(slots, 16u))
        s += fmt::format("s_nop {}\n", std::min(slots, 16u) - 1);
    return s;
}
std::string movs(unsigned slots) {
    std::string s;
    while (slots--) s += "v_mov_b32 v200, v201\n";
    return s;
}

}  // namespace

TEST_CASE("each hazard row asks for exactly its slots", "[check][hazards]") {
    for (const Pair& p : kPairs) {
        CAPTURE(p.rule, p.producer, p.consumer, p.slots);
        const Tier tier = p.only_llvm ? Tier::llvm_conservative : Tier::required;
        for (auto filler : {nops, movs}) {
            CHECK(findings(p, filler(p.slots), tier).empty());
            const auto short_by_one = findings(p, filler(p.slots - 1), tier);
            REQUIRE(short_by_one.size() == 1);
            CHECK(short_by_one[0].severity == Severity::error);
            CHECK(short_by_one[0].message.starts_with(
                fmt::format("{} of {} wait states", p.slots - 1, p.slots)));
            CHECK(short_by_one[0].other.starts_with("0x0000: v_") +
                      short_by_one[0].other.starts_with("0x0000: s_") +
                      short_by_one[0].other.starts_with("0x0000: buffer_") +
                      short_by_one[0].other.starts_with("0x0000: global_") ==
                  1);
        }
    }
}

TEST_CASE("rules that only LLVM keeps are silent for foreign code", "[check][hazards]") {
    for (const Pair& p : kPairs)
        if (p.only_llvm && p.slots == 1) CHECK(findings(p, "", Tier::required).empty());
}

TEST_CASE("what the hardware interlocks is no finding", "[check][hazards]") {
    const auto [producer, consumer] = GENERATE(table<const char*, const char*>({
        {kX16, "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[48:55], v[48:55], v[0:15]"},
        {kX16, "v_mfma_scale_f32_32x32x64_f8f6f4 v[64:79], v[48:55], v[48:55], v[0:15], v60, v61"},
        {"v_mfma_f32_32x32x8_bf16 v[0:15], v[32:33], v[40:41], 0",
         "v_mfma_f32_32x32x64_f8f6f4 v[64:79], v[48:55], v[48:55], v[0:15]"},
        {kX16, "v_mov_b32 v32, v60"},              // matrix A overwritten
        {kX16, "ds_read_b128 v[40:43], v60"},      // matrix B overwritten
        {"v_exp_f32 v0, v1", "v_exp_f32 v2, v0"},  // transcendental to transcendental
        {"v_exp_f32 v0, v1", "ds_write_b32 v2, v0"},
        {"v_cvt_pk_fp8_f32 v0, v1, v2", "v_cvt_pk_fp8_f32 v0, v3, v4 op_sel:[0,0,1]"},
        {"v_readfirstlane_b32 s4, v0", "s_add_u32 s5, s4, s4"},
        {"buffer_store_dwordx4 v[0:3], off, s[8:11], s4", "v_mov_b32 v3, v4"},
        {"buffer_store_dwordx2 v[0:1], off, s[8:11], 0", "v_mov_b32 v1, v4"},
        {"ds_write_b128 v10, v[0:3]", "v_mov_b32 v3, v4"},
        {"s_mov_b64 exec, -1", "v_permlane32_swap_b32 v2, v3"},
    }));
    CAPTURE(producer, consumer);
    CheckOptions options;
    options.entry_vgprs = 256;
    options.entry_sgprs = 102;
    for (const Finding& f :
         check(machine_code(fmt::format("{}\n{}\ns_endpgm\n", producer, consumer)), options)) {
        CAPTURE(f.rule, f.message);
        CHECK(f.severity == Severity::note);
    }
}

TEST_CASE("hazards are seen across branches and back edges", "[check][hazards]") {
    const auto loop = [](unsigned slots) {
        return machine_code("head:\nv_add_f32 v50, v0, v0\n" + nops(20) + kX16 + "\n" +
                            nops(slots) + "s_cbranch_scc1 head\ns_endpgm\n");
    };
    const auto gaps = [](const std::vector<Decoded>& code) {
        unsigned n = 0;
        for (const Finding& f : check(code)) n += f.rule == "MFMA-GAP";
        return n;
    };
    CHECK(gaps(loop(19)) == 0);  // the branch is the twentieth
    CHECK(gaps(loop(18)) == 1);
    // Two ways to the reader: the shorter one counts.
    const auto fork = [](unsigned slots) {
        return machine_code(std::string(kX16) + "\ns_cbranch_scc1 reader\n" + nops(20) +
                            "reader:\n" + nops(slots) + "v_add_f32 v50, v0, v0\ns_endpgm\n");
    };
    CHECK(gaps(fork(19)) == 0);
    CHECK(gaps(fork(18)) == 1);
}

TEST_CASE("every rule names its source", "[check]") {
    for (const Rule& r : describe_rules()) {
        CAPTURE(std::string(r.name));
        CHECK_FALSE(r.text.empty());
        CHECK_FALSE(r.source.empty());
    }
}
