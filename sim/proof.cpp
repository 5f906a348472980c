#include "sim/proof.hpp"

#include <algorithm>
#include <array>

namespace zyfa::sim {
namespace {

// The first pattern that fits a mnemonic holds; one * stands for anything.
struct Rule {
    std::string_view pattern;
    Evidence evidence;
};

constexpr Evidence kAiter3{Proof::hardware_binary,
                           "AITER v3 forward kernels (fp8 and bf16), results against f64"};
constexpr Evidence kAiter4{
    Proof::hardware_binary,
    "AITER v4 forward and MLA prefill kernels, results against f64 models of their formulas"};
constexpr Evidence kCalculator{Proof::vendor_text,
                               "AMD matrix instruction calculator, CDNA3 shapes"};
constexpr Evidence kMx{Proof::vendor_text,
                       "composable_kernel test/mx_mfma_op tables; ISA text 7.1.5"};
constexpr Evidence kWide{Proof::vendor_text,
                         "lane maps of FlyDSL and HipKittens for the gfx950 shapes"};
constexpr Evidence kSparse{
    Proof::inferred,
    "places by composable_kernel's smfma traits; part of the index register by CDNA3 ISA text"};
constexpr Evidence kPseudoCode{Proof::vendor_text, "pseudo-code of the CDNA ISA document"};
constexpr Evidence kMemory{Proof::vendor_text, "CDNA3 ISA document, memory instructions"};

constexpr Rule kRules[] = {
    // clang-format off
    {"buffer_load_dwordx4_lds", kAiter3},
    {"buffer_store_dword", kAiter3},
    {"buffer_store_dwordx4", kAiter3},
    {"ds_read_b128", kAiter3},
    {"ds_read_b64", kAiter3},
    {"ds_read_b64_tr_b16", kAiter3},
    {"ds_read_b64_tr_b8", kAiter3},
    {"global_load_lds_dwordx4", kAiter3},
    {"s_add_i32", kAiter3},
    {"s_add_u32", kAiter3},
    {"s_addc_u32", kAiter3},
    {"s_addk_i32", kAiter3},
    {"s_and_b32", kAiter3},
    {"s_ashr_i32", kAiter3},
    {"s_barrier", kAiter3},
    {"s_branch", kAiter3},
    {"s_cbranch_scc0", kAiter3},
    {"s_cbranch_scc1", kAiter3},
    {"s_cmp_eq_u32", kAiter3},
    {"s_cmp_ge_u32", kAiter3},
    {"s_cmp_le_u32", kAiter3},
    {"s_cmp_lg_u32", kAiter3},
    {"s_cmp_lg_u64", kAiter3},
    {"s_cmp_lt_i32", kAiter3},
    {"s_cmp_lt_u32", kAiter3},
    {"s_cselect_b32", kAiter3},
    {"s_endpgm", kAiter3},
    {"s_load_dword", kAiter3},
    {"s_load_dwordx2", kAiter3},
    {"s_lshl_b32", kAiter3},
    {"s_lshr_b32", kAiter3},
    {"s_mov_b32", kAiter3},
    {"s_mul_hi_u32", kAiter3},
    {"s_mul_i32", kAiter3},
    {"s_nop", kAiter3},
    {"s_or_b32", kAiter3},
    {"s_setprio", kAiter3},
    {"s_sub_i32", kAiter3},
    {"s_sub_u32", kAiter3},
    {"s_subb_u32", kAiter3},
    {"s_waitcnt", kAiter3},
    {"v_add3_u32", kAiter3},
    {"v_add_co_u32", kAiter3},
    {"v_add_f32", kAiter3},
    {"v_add_i32", kAiter3},
    {"v_add_u32", kAiter3},
    {"v_addc_co_u32", kAiter3},
    {"v_and_b32", kAiter3},
    {"v_cmp_eq_f32", kAiter3},
    {"v_cmp_eq_u32", kAiter3},
    {"v_cmp_ge_f32", kAiter3},
    {"v_cmp_gt_f32", kAiter3},
    {"v_cmp_le_u32", kAiter3},
    {"v_cmp_le_u64", kAiter3},
    {"v_cmp_lt_i32", kAiter3},
    {"v_cmp_neq_f32", kAiter3},
    {"v_cndmask_b32", kAiter3},
    {"v_cvt_f32_u32", kAiter3},
    {"v_cvt_pk_bf16_f32", kAiter3},
    {"v_cvt_pk_fp8_f32", kAiter3},
    {"v_cvt_u32_f32", kAiter3},
    {"v_exp_f32", kAiter3},
    {"v_fma_f32", kAiter3},
    {"v_log_f32", kAiter3},
    {"v_lshlrev_b32", kAiter3},
    {"v_lshrrev_b32", kAiter3},
    {"v_max3_f32", kAiter3},
    {"v_max_f32", kAiter3},
    {"v_mfma_f32_32x32x16_bf16", kAiter3},
    {"v_mfma_f32_32x32x64_f8f6f4", kAiter3},
    {"v_mov_b32", kAiter3},
    {"v_mov_b64", kAiter3},
    {"v_mul_f32", kAiter3},
    {"v_mul_hi_u32", kAiter3},
    {"v_mul_i32_i24", kAiter3},
    {"v_mul_lo_u32", kAiter3},
    {"v_nop", kAiter3},
    {"v_or_b32", kAiter3},
    {"v_permlane16_swap_b32", kAiter3},
    {"v_permlane32_swap_b32", kAiter3},
    {"v_pk_add_f32", kAiter3},
    {"v_pk_fma_f32", kAiter3},
    {"v_pk_mul_f32", kAiter3},
    {"v_rcp_f32", kAiter3},
    {"v_rcp_iflag_f32", kAiter3},
    {"v_readfirstlane_b32", kAiter3},
    {"v_sub_f32", kAiter3},
    {"v_sub_i32", kAiter3},
    {"v_sub_u32", kAiter3},
    {"v_subrev_u32", kAiter3},
    {"buffer_load_dword", kAiter4},
    {"buffer_load_dword_lds", kAiter4},
    {"buffer_load_dwordx2", kAiter4},
    {"buffer_load_dwordx4", kAiter4},
    {"ds_read_b32", kAiter4},
    {"ds_read_b64_tr_b4", kAiter4},
    {"global_load_dword", kAiter4},
    {"global_load_lds_dword", kAiter4},
    {"global_load_ubyte", kAiter4},
    {"s_cbranch_vccnz", kAiter4},
    {"s_cmp_eq_i32", kAiter4},
    {"s_load_dwordx8", kAiter4},
    {"s_mov_b64", kAiter4},
    {"v_cmp_lt_f32", kAiter4},
    {"v_cmp_lt_u32", kAiter4},
    {"v_cmp_nge_f32", kAiter4},
    {"v_cvt_f32_i32", kAiter4},
    {"v_cvt_pk_f32_fp8", kAiter4},
    {"v_lshl_add_u32", kAiter4},
    {"v_mbcnt_hi_u32_b32", kAiter4},
    {"v_mbcnt_lo_u32_b32", kAiter4},
    {"v_mfma_f32_16x16x128_f8f6f4", kAiter4},
    {"v_mfma_f32_32x32x8_bf16", kAiter4},
    {"v_mfma_i32_32x32x32_i8", kAiter4},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", kAiter4},
    {"v_min_u32", kAiter4},
    {"v_smfmac_f32_16x16x128_fp8_fp8", kAiter4},
    {"v_subrev_f32", kAiter4},
    {"v_mfma_scale_f32_*", kMx},
    {"v_smfmac_*", kSparse},
    {"v_mfma_i32_16x16x64_i8", {Proof::inferred, "k order by the rule of the other 8-bit operands"}},
    {"v_mfma_f32_16x16x32_f16", kWide},
    {"v_mfma_f32_16x16x32_bf16", kWide},
    {"v_mfma_f32_32x32x16_f16", kWide},
    {"v_mfma_f32_*", kCalculator},
    {"v_mfma_i32_*", kCalculator},
    {"v_cvt_pk_u8_f32", {Proof::inferred, "rounding to nearest even and NaN to 0: the text is silent"}},
    {"v_cvt_scalef32_sr_*", {Proof::guess, "how the random number enters the rounding"}},
    {"v_cvt_scalef32_*", {Proof::inferred, "direction of the scale as in MLIR scaling_truncf; exponent 255 and overflow"}},
    {"v_cvt_sr_*", {Proof::guess, "the random number is added and the sum cut; the text rounds it again"}},
    {"v_ashr_pk_*", {Proof::inferred, "pseudo-code; that the other half of the register stays"}},
    {"v_cvt_pk_bf8_f32", {Proof::vendor_text, "pseudo-code; overflow to infinity as tinygrad saw it on a gfx950 card"}},
    {"ds_read_b96_tr_b6", {Proof::inferred, "FlyDSL CopyAtom"}},
    {"buffer_load_sbyte_lds", {Proof::inferred, "sign extension from the name"}},
    {"buffer_load_sshort_lds", {Proof::inferred, "sign extension from the name"}},
    {"global_load_lds_sbyte", {Proof::inferred, "sign extension from the name"}},
    {"global_load_lds_sshort", {Proof::inferred, "sign extension from the name"}},
    {"buffer_load_*_lds", {Proof::vendor_text, "CDNA3 ISA document 9.1.9; bytes and shorts: rocm-libraries PR 5084"}},
    {"global_load_lds_*", {Proof::vendor_text, "CDNA3 ISA document 9.1.9; bytes and shorts: rocm-libraries PR 5084"}},
    {"v_div_fmas_*", {Proof::inferred, "scale 2^64 or 2^-64 as in RDNA's text: CDNA's 2^32 cannot undo v_div_scale"}},
    {"s_getreg_b32", {Proof::inferred, "HW_ID and XCC_ID: waves of a workgroup on the SIMDs in turn, workgroups on the XCDs in turn"}},
    {"s_memrealtime", {Proof::inferred, "as s_memtime, a 21st of it: 100 MHz beside about 2.1 GHz"}},
    {"s_memtime", {Proof::inferred, "a clock that ticks 4 cycles an instruction"}},
    {"buffer_*", kMemory},
    {"global_*", kMemory},
    {"flat_*", kMemory},
    {"scratch_*", kMemory},
    {"ds_*", kMemory},
    {"s_*", kPseudoCode},
    {"v_*", kPseudoCode},
    // clang-format on
};

constexpr bool fits(std::string_view name, std::string_view pattern) {
    const size_t star = pattern.find('*');
    if (star == pattern.npos) return name == pattern;
    const std::string_view head = pattern.substr(0, star), tail = pattern.substr(star + 1);
    return name.size() >= head.size() + tail.size() && name.starts_with(head) &&
           name.ends_with(tail);
}
const Rule* rule_of(const OpInfo& row) {
    for (const Rule& r : kRules)
        if (fits(row.name, r.pattern)) return &r;
    return nullptr;
}
std::array<Evidence, kOpCount> table() {
    std::array<Evidence, kOpCount> all;
    for (unsigned n = 0; n < kOpCount; ++n)
        if (const Rule* r = rule_of(kOps[n])) all[n] = r->evidence;
    return all;
}

}  // namespace

const Evidence& evidence(Op op) {
    static const std::array<Evidence, kOpCount> kEvidence = table();
    return kEvidence[unsigned(op)];
}

std::vector<std::string_view> evidence_gaps() {
    std::vector<std::string_view> gaps;
    for (const OpInfo& row : kOps)
        if (!rule_of(row)) gaps.push_back(row.name);
    for (const Rule& r : kRules)
        if (std::none_of(std::begin(kOps), std::end(kOps),
                         [&](const OpInfo& row) { return rule_of(row) == &r; }))
            gaps.push_back(r.pattern);
    return gaps;
}

}  // namespace zyfa::sim
