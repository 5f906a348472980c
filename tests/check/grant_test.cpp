// Code against descriptor and metadata. Every rule has a case that breaks it and a neighbour that
// does not: the smallest change that makes the finding go away.
#include <catch2/catch.hpp>

#include <algorithm>

#include "check/grant.hpp"
#include "check/machine_code.hpp"

using namespace zyfa;

namespace {

Grant small() {
    Grant g;
    g.registers = 128;
    g.accum_offset = 64;
    g.sgprs = 32;
    g.lds_bytes = 4096;
    g.kernarg_bytes = 64;
    g.kernarg_sgpr = 2;
    g.whole_waves = true;
    g.workgroup = {64, 1, 1};
    return g;
}
std::vector<Finding> findings(const std::string& text, const Grant& grant = small()) {
    return check_grant(machine_code(text + "\ns_waitcnt vmcnt(0)\ns_endpgm\n"), grant);
}
struct Case {
    std::string text, rule, part;  // no rule: no finding at all
    Severity severity = Severity::error;
};
void check_case(const Case& c, const Grant& grant = small()) {
    CAPTURE(c.text);
    const auto all = findings(c.text, grant);
    for (const Finding& f : all) UNSCOPED_INFO(f.rule << ": " << f.message);
    REQUIRE(all.size() == (c.rule.empty() ? 0 : 1));
    if (all.empty()) return;
    CHECK(all[0].rule == c.rule);
    CHECK(all[0].severity == c.severity);
    CHECK(all[0].message.find(c.part) != std::string::npos);
}

const std::string kSetM0 = "s_mov_b32 m0, 0x100\n";
const std::string kDma = "buffer_load_dword off, s[8:11], 0 lds\n";
const std::string kRead = "v_mov_b32 v1, 0x104\nds_read_b32 v2, v1\n";

}  // namespace

TEST_CASE("registers are those that the descriptor allocates", "[check][grant]") {
    const auto warning = Severity::warning, note = Severity::note;
    for (const Case& c : {
             Case{"v_mov_b32 v63, 0", "", ""},
             Case{"v_mov_b32 v64, 0", "VGPR-COUNT", "behind accum_offset 64", note},
             Case{"v_mov_b32 v65, 0\nv_accvgpr_write_b32 a1, v0", "VGPR-COUNT", "same register"},
             Case{"v_mov_b32 v65, 0\nv_accvgpr_write_b32 a2, v0", "VGPR-COUNT", "behind", note},
             Case{"v_mov_b32 v128, 0", "VGPR-COUNT", "v128 is used, the descriptor allocates 128"},
             Case{"v_accvgpr_write_b32 a63, v0", "", ""},
             Case{"v_accvgpr_write_b32 a64, v0", "AGPR-COUNT", "leaves 64"},
             Case{"s_mov_b32 s31, 0", "", ""},
             Case{"s_mov_b32 s32, 0", "SGPR-COUNT", "allocates 32", warning},
             Case{"s_mov_b64 vcc, 0", "", ""},
             Case{"s_branch over\nv_mov_b32 v200, 0\nover:", "", ""},  // nobody gets there
         })
        check_case(c);
}

TEST_CASE("an accum_offset past all registers is no way out of the tables", "[check][grant]") {
    Grant grant = small();
    grant.registers = 8;
    grant.accum_offset = 256;
    check_case({"v_mov_b32 v7, 0", "", ""}, grant);
    check_case({"v_mov_b32 v8, 0", "VGPR-COUNT", "v8 is used"}, grant);
    check_case({"v_accvgpr_write_b32 a0, v0", "AGPR-COUNT", "leaves 0"}, grant);
}

TEST_CASE("scalar loads stay within the kernel arguments", "[check][grant]") {
    const auto warning = Severity::warning;
    for (const Case& c : {
             Case{"s_load_dword s4, s[2:3], 60", "", ""},
             Case{"s_load_dword s4, s[2:3], 64", "KERNARG-RANGE", "bytes 64 to 67"},
             Case{"s_load_dwordx2 s[4:5], s[2:3], 60", "KERNARG-RANGE", "60 to 67", warning},
             Case{"s_load_dword s4, s[0:1], 64", "", ""},  // some other address
             Case{"s_mov_b32 s2, 0\ns_load_dword s4, s[2:3], 64", "", ""},
             Case{"s_load_dwordx2 s[2:3], s[2:3], 0\ns_load_dword s4, s[2:3], 64", "", ""},
             Case{"s_mov_b64 s[6:7], s[2:3]\ns_add_u32 s6, s6, 8\ns_addc_u32 s7, s7, 0\n"
                  "s_load_dword s4, s[6:7], 56",
                  "KERNARG-RANGE", "bytes 64 to 67"},
             Case{"s_mov_b64 s[6:7], s[2:3]\ns_add_u32 s6, s6, 4\ns_addc_u32 s7, s7, 0\n"
                  "s_load_dword s4, s[6:7], 56",
                  "", ""},
             Case{"s_and_b32 s3, s3, 0xffff\ns_load_dword s4, s[2:3], 64", "KERNARG-RANGE", "64"},
             Case{"s_and_b32 s3, s3, 0xff\ns_load_dword s4, s[2:3], 64", "", ""},
             Case{"s_movk_i32 s5, 64\ns_load_dword s4, s[2:3], s5", "KERNARG-RANGE", "64 to 67"},
             // On one of two paths it is another pointer.
             Case{"s_cbranch_scc1 use\ns_load_dwordx2 s[2:3], s[2:3], 0\nuse:\n"
                  "s_load_dword s4, s[2:3], 64",
                  "", ""},
         })
        check_case(c);
    Grant none = small();
    none.kernarg_sgpr = -1;
    check_case({"s_load_dword s4, s[2:3], 64", "", ""}, none);
}

TEST_CASE("constant LDS addresses lie in the group segment", "[check][grant]") {
    const auto warning = Severity::warning;
    for (const Case& c : {
             Case{"v_mov_b32 v1, 0xff0\nds_read_b128 v[4:7], v1", "", ""},
             Case{"v_mov_b32 v1, 0xff0\nds_read_b128 v[4:7], v1 offset:16", "LDS-RANGE",
                  "bytes 4096 to 4111 of LDS; the descriptor allocates 4096", warning},
             Case{"s_movk_i32 s4, 0x1000\nv_mov_b32 v1, s4\nds_write_b32 v1, v0", "LDS-RANGE",
                  "4096 to 4099", warning},
             Case{"v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0 offset:8000", "", ""},
             Case{"s_movk_i32 m0, 0xf00\nbuffer_load_dword off, s[8:11], 0 lds", "", ""},
             Case{"s_movk_i32 m0, 0xf04\nbuffer_load_dword off, s[8:11], 0 lds", "LDS-RANGE",
                  "3844 to 4099", warning},
             // Only some lanes have the new address.
             Case{"v_mov_b32 v1, 0\ns_mov_b64 exec, s[4:5]\nv_mov_b32 v1, 0x2000\n"
                  "ds_read_b32 v2, v1",
                  "", ""},
             Case{"v_mov_b32 v1, 0x2000\ns_mov_b64 exec, s[4:5]\nds_read_b32 v2, v1", "", ""},
         })
        check_case(c);
}

TEST_CASE("LDS that a load still fills is not read", "[check][grant]") {
    for (const Case& c : {
             Case{kSetM0 + kDma + kRead, "WAIT-DMA", "needs vmcnt(0) first"},
             Case{kSetM0 + kDma + "s_waitcnt vmcnt(0)\n" + kRead, "", ""},
             Case{kSetM0 + kDma + "buffer_load_dword v9, off, s[8:11], 0\n" + kRead, "WAIT-DMA",
                  "needs vmcnt(1) first"},
             Case{kSetM0 + kDma + "buffer_load_dword v9, off, s[8:11], 0\ns_waitcnt vmcnt(1)\n" +
                      kRead,
                  "", ""},
             Case{kSetM0 + kDma + "v_mov_b32 v1, 0x200\nds_read_b32 v2, v1\n", "",
                  ""},  // behind it
             Case{kSetM0 + kDma + "v_mov_b32 v1, 0x1fc\nds_read_b32 v2, v1\n", "WAIT-DMA", "508"},
             Case{"s_mov_b32 m0, s4\n" + kDma + kRead, "", ""},
             Case{kSetM0 + "buffer_load_dwordx4 off, s[8:11], 0 offset:1024 lds\n" + kRead, "", ""},
         })
        check_case(c);
    Grant unknown = small();
    unknown.workgroup = {};  // no order to prove
    check_case({kSetM0 + kDma + kRead, "", ""}, unknown);
}

TEST_CASE("paths that part for good and meet different barriers get a note", "[check][grant]") {
    const std::string wave = "v_readfirstlane_b32 s4, v0\n", args = "s_load_dword s4, s[2:3], 0\n";
    const auto fork = [](const std::string& from, const std::string& one, const std::string& two) {
        return from + "s_waitcnt lgkmcnt(0)\ns_cmp_eq_u32 s4, 0\ns_cbranch_scc1 other\n" + one +
               "s_endpgm\nother:\n" + two;
    };
    const std::string barrier = "s_barrier\n";
    const auto note = Severity::note;
    check_case(
        {fork(wave, barrier, ""), "BARRIER-PATHS", "meet 1 barriers, those that jump 0", note});
    check_case({fork(wave, barrier, barrier), "", ""});
    check_case({fork(args, barrier, ""), "", ""});  // all waves go the same way
    // A stagger: half of the waves wait once at the start, the others at the end.
    check_case({wave + "s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 late\ns_barrier\nlate:\ns_nop 0\n"
                       "s_cmp_eq_u32 s4, 0\ns_cbranch_scc0 done\ns_barrier\ndone:\n",
                "", ""});
    // As often as the loop goes round.
    check_case(
        {fork(wave, "again:\ns_barrier\ns_sub_u32 s5, s5, 1\ns_cbranch_scc0 again\n", ""), "", ""});
}
