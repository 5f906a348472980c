// Waits, undefined registers, operands and control flow, on machine code.
#include <catch2/catch.hpp>

#include <algorithm>

#include "check/check.hpp"
#include "check/machine_code.hpp"
#include "isa/text.hpp"

using namespace zyfa;

namespace {

std::vector<Finding> findings(const std::string& text, CheckOptions options = {}) {
    options.entry_sgprs = 102;
    options.entry_vgprs = 256;
    return check(machine_code(text + "\ns_endpgm\n"), options);
}
const Finding* find(const std::vector<Finding>& all, std::string_view rule) {
    for (const Finding& f : all)
        if (f.rule == rule) return &f;
    return nullptr;
}
Decoded decoded(const std::string& text, uint32_t address = 0) {
    return {address, 4, text, true, parse(text).value()};
}

std::string lines(const std::string& line, unsigned count) {
    std::string s;
    while (count--) s += line + "\n";
    return s;
}
std::string scalar_loads(unsigned count) {
    std::string s;
    for (unsigned n = 0; n < count; ++n) s += fmt::format("s_load_dword s{}, s[0:1], 0\n", 20 + n);
    return s;
}
const std::string kLoad = "buffer_load_dword v0, off, s[8:11], 0\n";
const std::string kLoad1 = "buffer_load_dword v1, off, s[8:11], 0\n";
const std::string kStore = "buffer_store_dword v9, off, s[8:11], 0\n";
const std::string kDma = "buffer_load_dword off, s[8:11], 0 lds\n";
const std::string kRead = "ds_read_b32 v0, v9\n", kRead1 = "ds_read_b32 v1, v9\n";
const std::string kFlat = "flat_load_dword v0, v[2:3]\n", kFlat1 = "flat_load_dword v1, v[2:3]\n";
const std::string kUse = "v_mov_b32 v5, v0\n";

}  // namespace

TEST_CASE("a register with a load on its way may not be touched", "[check][waits]") {
    const auto [text, rule, needs] = GENERATE(table<std::string, std::string, std::string>({
        {kLoad + kUse, "WAIT-VMEM", "vmcnt(0)"},
        {kLoad + "s_waitcnt vmcnt(0)\n" + kUse, "", ""},
        {kLoad + kLoad1 + "s_waitcnt vmcnt(1)\n" + kUse, "", ""},
        {kLoad + kLoad1 + "s_waitcnt vmcnt(2)\n" + kUse, "WAIT-VMEM", "vmcnt(1)"},
        {kLoad + kStore + kDma + "s_waitcnt vmcnt(2)\n" + kUse, "", ""},  // stores and DMA count
        {kLoad + kStore + kDma + "s_waitcnt vmcnt(3)\n" + kUse, "WAIT-VMEM", "vmcnt(2)"},
        {kLoad + "s_waitcnt lgkmcnt(0)\n" + kUse, "WAIT-VMEM", "vmcnt(0)"},
        {kLoad + "v_mov_b32 v0, v5", "WAIT-VMEM", "vmcnt(0)"},  // the load would land on top
        {kLoad + kLoad, "", ""},                                // same kind: in order
        {kLoad + kRead, "WAIT-VMEM", "vmcnt(0)"},               // other counter: no order
        {kLoad + "v_mfma_f32_32x32x64_f8f6f4 v[16:31], v[0:7], v[32:39], 0", "WAIT-VMEM",
         "vmcnt(0)"},
        {kStore + "v_mov_b32 v9, v5", "", ""},  // store data is taken at issue
        {kRead + kRead1 + "ds_read_b32 v2, v9\ns_waitcnt lgkmcnt(2)\n" + kUse, "", ""},
        {kRead + kRead1 + "ds_read_b32 v2, v9\ns_waitcnt lgkmcnt(3)\n" + kUse, "WAIT-LDS",
         "lgkmcnt(2)"},
        {kRead + kDma + kUse, "WAIT-LDS", "lgkmcnt(0)"},
        {kRead + "ds_write_b32 v9, v1\ns_waitcnt lgkmcnt(1)\n" + kUse, "", ""},
        {"s_load_dword s4, s[0:1], 0\ns_load_dword s5, s[0:1], 4\ns_waitcnt lgkmcnt(1)\n"
         "s_add_u32 s6, s4, s4",
         "WAIT-SMEM", "lgkmcnt(0)"},
        {"s_load_dword s4, s[0:1], 0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s6, s4, s4", "", ""},
        {"s_load_dword s4, s[0:1], 0\ns_load_dword s4, s[0:1], 4", "WAIT-SMEM", "lgkmcnt(0)"},
        {kRead + "s_load_dword s4, s[0:1], 0\ns_waitcnt lgkmcnt(1)\n" + kUse, "WAIT-LDS",
         "lgkmcnt(0)"},
        {kRead + "s_load_dword s4, s[0:1], 0\ns_waitcnt lgkmcnt(0)\n" + kUse, "", ""},
        {kRead + kRead1 + "s_load_dword s4, s[0:1], 0\ns_waitcnt lgkmcnt(1)\n" + kUse, "WAIT-LDS",
         "lgkmcnt(0)"},
        // The counters are finite: a 16th LDS access cannot issue before the first is back.
        {kRead + lines("ds_read_b32 v1, v9", 15) + kUse, "", ""},
        {kRead + lines("ds_read_b32 v1, v9", 14) + kUse, "WAIT-LDS", "lgkmcnt(14)"},
        {kLoad + lines("buffer_load_dword v1, off, s[8:11], 0", 63) + kUse, "", ""},
        {kLoad + lines("buffer_load_dword v1, off, s[8:11], 0", 62) + kUse, "WAIT-VMEM",
         "vmcnt(62)"},
        // A flat access comes back when it likes, through either counter.
        {kFlat + kLoad1 + "s_waitcnt vmcnt(1) lgkmcnt(0)\n" + kUse, "WAIT-VMEM", "vmcnt(0)"},
        {kLoad + kFlat1 + "s_waitcnt vmcnt(1)\n" + kUse, "WAIT-VMEM", "vmcnt(0)"},
        {kRead + kFlat1 + "s_waitcnt lgkmcnt(1)\n" + kUse, "WAIT-LDS", "lgkmcnt(0)"},
        {kLoad + kFlat1 + "s_waitcnt vmcnt(0)\n" + kUse, "", ""},
        {kLoad + kFlat1 + lines(kStore, 63) + kUse, "WAIT-VMEM", "vmcnt(0)"},
        // A scalar load takes no place in the order of LDS accesses.
        {kRead + scalar_loads(20) + kUse, "WAIT-LDS", "lgkmcnt(0)"},
    }));
    CAPTURE(text);
    const auto all = findings(text);
    for (const char* wait : {"WAIT-VMEM", "WAIT-LDS", "WAIT-SMEM"}) {
        CAPTURE(wait);
        const Finding* f = find(all, wait);
        REQUIRE((f != nullptr) == (rule == wait));
        if (f) CHECK(f->message.find("needs " + needs + " first") != std::string::npos);
    }
}

TEST_CASE("waits are followed along every path", "[check][waits]") {
    const std::string skip = kLoad + "s_cbranch_scc1 use\ns_waitcnt vmcnt(0)\nuse:\n" + kUse;
    CHECK(find(findings(skip), "WAIT-VMEM"));
    const std::string both = kLoad +
                             "s_cbranch_scc1 other\ns_waitcnt vmcnt(0)\ns_branch use\n"
                             "other:\ns_waitcnt vmcnt(0)\nuse:\n" +
                             kUse;
    CHECK_FALSE(find(findings(both), "WAIT-VMEM"));
    // The load of one iteration is read by the next.
    const auto loop = [](unsigned count) {
        return kLoad + "head:\n" + fmt::format("s_waitcnt vmcnt({})\n", count) + kUse + kLoad +
               kStore + "s_cbranch_scc1 head\n";
    };
    CHECK_FALSE(find(findings(loop(0)), "WAIT-VMEM"));
    // Right for the back edge, where a store is younger, but not on the way in.
    CHECK(find(findings(loop(1)), "WAIT-VMEM"));
}

TEST_CASE("a finding shows both ends", "[check]") {
    const auto all = findings("s_nop 0\n" + kLoad + kUse);
    const Finding* f = find(all, "WAIT-VMEM");
    REQUIRE(f);
    CHECK(f->address == 12);
    CHECK(f->text == "v_mov_b32_e32 v5, v0");
    CHECK(f->other == "0x0004: buffer_load_dword v0, off, s[8:11], 0");
}

TEST_CASE("registers that nothing wrote", "[check]") {
    const auto undefined = [](const std::string& text) {
        CheckOptions options;
        options.entry_sgprs = 2;
        std::vector<Finding> out;
        for (const Finding& f : check(machine_code(text + "\ns_endpgm\n"), options))
            if (f.rule == "UNDEF") out.push_back(f);
        return out;
    };
    CHECK(undefined("v_mov_b32 v1, v0\nv_mov_b32 v2, v1").empty());
    const auto never = undefined("v_mov_b32 v1, v5");
    REQUIRE(never.size() == 1);
    CHECK(never[0].severity == Severity::error);
    CHECK(undefined("buffer_load_dword v1, off, s[4:7], 0").size() == 1);  // descriptor
    CHECK(undefined("buffer_load_dword off, s[0:3], 0 lds").size() == 2);  // s2, s3 and m0
    CHECK(undefined("s_cselect_b32 s5, s0, s1").size() == 1);              // scc
    const auto sometimes = undefined(
        "s_cmp_eq_u32 s0, 0\ns_cbranch_scc1 use\nv_mov_b32 v1, v0\nuse:\nv_mov_b32 v2, v1");
    REQUIRE(sometimes.size() == 1);
    CHECK(sometimes[0].severity == Severity::warning);
    // A conversion into half a register keeps the other half, which need not mean anything.
    CHECK(undefined("v_cvt_pk_fp8_f32 v1, v0, v0").empty());
}

TEST_CASE("rules of a single instruction", "[check]") {
    const auto [text, rule] = GENERATE(table<std::string, std::string>({
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[8:23]", "MFMA-OPERANDS"},
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[0:7], v[24:31], v[0:15]", "MFMA-OPERANDS"},
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]", ""},
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[32:47]", ""},
        {"v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15] cbsz:5", "FORMAT"},
        {"v_mfma_f32_32x32x64_f8f6f4 v[1:16], v[18:25], v[26:33], v[1:16]", "ALIGN"},
        {"ds_read_b64 v[3:4], v0", "ALIGN"},
        {"buffer_load_dword v0, off, s[10:13], 0", "ALIGN"},
        {"s_mov_b64 s[3:4], 0", "ALIGN"},
        {"s_nop 16", "IMMEDIATE"},
        {"s_setprio 4", "IMMEDIATE"},
        {"s_sleep 128", "IMMEDIATE"},
        {"s_lshl_b32 s4, s5, 32", "IMMEDIATE"},
        {"s_lshl_b32 s4, s5, 31", ""},
        {"s_lshr_b64 s[4:5], s[6:7], 32", ""},
        {"s_lshr_b64 s[4:5], s[6:7], 64", "IMMEDIATE"},
        {"v_lshlrev_b32_e32 v1, 33, v0", "IMMEDIATE"},
        {"v_ashrrev_i32_e32 v1, 31, v0", ""},
        {"v_readlane_b32 s4, v0, 64", "IMMEDIATE"},
        {"v_readlane_b32 s4, v0, 63", ""},
        {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[0,1,0]", "PACKED-OP-SEL"},
        {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", ""},
    }));
    CAPTURE(text);
    CheckOptions options;
    options.entry_sgprs = 102;
    options.entry_vgprs = 256;
    const std::vector<Decoded> code{decoded(text), decoded("s_endpgm", 4)};
    unsigned seen = 0;
    for (const Finding& f : check(code, options)) {
        CHECK(f.rule == rule);
        ++seen;
    }
    CHECK((seen > 0) == !rule.empty());
}

TEST_CASE("branches lead to instructions", "[check]") {
    auto branch = decoded("s_branch 6");
    const auto rules = [&](uint32_t to) {
        branch.inst.operands[0].value = to;
        const std::vector<Decoded> code{branch, decoded("s_nop 0", 4), decoded("s_endpgm", 8)};
        std::vector<std::string> out;
        for (const Finding& f : check(code)) out.push_back(f.rule);
        return out;
    };
    CHECK(rules(4).empty());
    CHECK(std::ranges::count(rules(6), "BRANCH-TARGET") == 1);
    CHECK(std::ranges::count(rules(400), "BRANCH-TARGET") == 1);
    const auto end = check(std::vector<Decoded>{decoded("s_nop 0")});
    CHECK(find(end, "BRANCH-TARGET"));
}

TEST_CASE("what cannot be vouched for is a note", "[check]") {
    const auto dead = findings("s_branch over\nv_mov_b32 v1, v2\nover:");
    REQUIRE(find(dead, "UNREACHABLE"));
    CHECK(find(dead, "UNREACHABLE")->severity == Severity::note);
    // No row for it: registers are taken from the text, and its findings only warn.
    const auto unknown = findings(kLoad + "v_cvt_off_f32_i4 v1, v0");
    REQUIRE(find(unknown, "UNKNOWN"));
    REQUIRE(find(unknown, "WAIT-VMEM"));
    CHECK(find(unknown, "WAIT-VMEM")->severity == Severity::warning);
}

TEST_CASE("slack of waits is a note on request", "[check][waits]") {
    CheckOptions pedantic;
    pedantic.pedantic = true;
    const auto [text, slack] = GENERATE(table<std::string, std::string>({
        {kLoad + kLoad1 + "s_waitcnt vmcnt(0)\n" + kUse + "s_waitcnt vmcnt(0)\nv_mov_b32 v6, v1",
         "vmcnt(1) would do for vmcnt(0)"},
        {kLoad + kLoad1 + "s_waitcnt vmcnt(1)\n" + kUse + "s_waitcnt vmcnt(0)\nv_mov_b32 v6, v1",
         ""},
        {kLoad + "s_waitcnt vmcnt(0)\n" + kUse, ""},
        {kDma + "s_waitcnt vmcnt(0)\ns_barrier", ""},  // other waves may read it
    }));
    CAPTURE(text);
    const auto all = findings(text, pedantic);
    const Finding* f = find(all, "WAIT-SLACK");
    REQUIRE((f != nullptr) == !slack.empty());
    if (f) {
        CHECK(f->message == slack);
        CHECK(f->severity == Severity::note);
    }
    CHECK_FALSE(find(findings(text), "WAIT-SLACK"));
}
