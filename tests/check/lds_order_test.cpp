// Order of LDS accesses between waves. Every finding has a neighbour that is right: the smallest
// change that makes it go away.
#include <catch2/catch.hpp>

#include "check/lds_order.hpp"
#include "check/machine_code.hpp"

using namespace zyfa;

namespace {

// Wave w fills bytes 1024 w .. 1024 w + 1023 and reads those of the wave before, in a ring of two.
const std::string kWho =
    "v_lshrrev_b32 v1, 6, v0\n"
    "v_readfirstlane_b32 s4, v1\n"
    "v_and_b32 v2, 63, v0\n"
    "s_lshl_b32 s5, s4, 10\n"
    "s_mov_b32 m0, s5\n"
    "s_xor_b32 s6, s5, 0x400\n"
    "v_lshlrev_b32 v3, 4, v2\n"
    "v_add_u32 v4, s6, v3\n";
const std::string kFill = "buffer_load_dwordx4 v3, s[8:11], 0 offen lds\n";
const std::string kOther = "buffer_load_dword v9, off, s[8:11], 0\n";
const std::string kRead = "ds_read_b128 v[12:15], v4\n";
const std::string kReturned = "s_waitcnt lgkmcnt(0)\n";
const std::string kBarrier = "s_barrier\n";
const std::string kLanded = "s_waitcnt vmcnt(0)\n";

std::vector<Finding> findings(const std::string& text, uint32_t threads = 128,
                              const std::string& end = kLanded + "s_endpgm\n") {
    auto found = check_lds_order(machine_code(kWho + text + end), {0, {threads, 1, 1}});
    for (const Finding& f : found) UNSCOPED_INFO(f.text << " [" << f.rule << "] " << f.message);
    return found;
}
void right(const std::string& text) {
    CAPTURE(text);
    CHECK(findings(text).empty());
}
void wrong(const std::string& text, const std::string& rule, const std::string& part,
           Severity severity = Severity::error) {
    CAPTURE(text, rule, part);
    const auto found = findings(text);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == rule);
    CHECK(found[0].severity == severity);
    CHECK(found[0].message.find(part) != std::string::npos);
}
// The upper of two waves passes `body` a barrier later than the lower one.
std::string staggered(const std::string& before, const std::string& body,
                      const std::string& after = kBarrier) {
    return before + "s_cmp_eq_u32 s4, 0\ns_cbranch_scc1 .Lgo\ns_barrier\n.Lgo:\n" + body +
           "s_cmp_lg_u32 s4, 0\ns_cbranch_scc1 .Lend\n" + after + ".Lend:\n";
}

}  // namespace

TEST_CASE("what another wave fills is waited for there and then by a barrier", "[check][lds]") {
    right(kFill + kLanded + kBarrier + kRead);
    wrong(kFill + kBarrier + kRead, "LDS-FILL", "needs vmcnt(0) there and a barrier first");
    wrong(kFill + kLanded + kRead, "LDS-FILL", "1 barrier too few");
    wrong(kFill + kBarrier + kLanded + kRead, "LDS-FILL", "1 barrier too few");
    right(kFill + kOther + "s_waitcnt vmcnt(1)\n" + kBarrier + kRead);
    wrong(kFill + kOther + "s_waitcnt vmcnt(2)\n" + kBarrier + kRead, "LDS-FILL", "vmcnt(1)");
    // its own part, and one that nobody fills
    right(kFill + kLanded + "v_add_u32 v4, s5, v3\n" + kRead);
    wrong(kFill + "v_add_u32 v4, s5, v3\n" + kRead, "WAIT-DMA", "needs vmcnt(0) first");
    right(kFill + "v_add_u32 v4, 0x800, v4\n" + kRead);
}

TEST_CASE("what another wave writes is waited for there and then by a barrier", "[check][lds]") {
    const std::string write = "v_add_u32 v5, s5, v3\nds_write_b128 v5, v[16:19]\n";
    right(write + kReturned + kBarrier + kRead);
    wrong(write + kBarrier + kRead, "LDS-FILL", "needs lgkmcnt(0) there");
    wrong(write + kReturned + kRead, "LDS-FILL", "1 barrier too few");
    // all waves to one place
    wrong("v_mov_b32 v5, v3\nds_write_b128 v5, v[16:19]\n", "LDS-FILL", "1 barrier too few");
    const std::string pair =
        "v_add_u32 v5, s5, v3\nds_write2_b64 v5, v[16:17], v[18:19] offset1:1\n";
    right(pair + kReturned + kBarrier + kRead);
    wrong(pair + kReturned + kRead, "LDS-FILL", "1 barrier too few");
}

TEST_CASE("what another wave reads is filled again only behind a wait and a barrier",
          "[check][lds]") {
    const std::string first = kFill + kLanded + kBarrier + kRead;
    right(first + kReturned + kBarrier + kFill);
    wrong(first + kBarrier + kFill, "LDS-REUSE", "needs lgkmcnt(0) there");
    wrong(first + kReturned + kFill, "LDS-REUSE", "1 barrier too few");
    // in a loop, across the back edge
    const auto loop = [&](const std::string& end) {
        return ".Lagain:\n" + first + kReturned + end +
               "s_sub_u32 s7, s7, 1\ns_cbranch_scc0 .Lagain\n";
    };
    right(loop(kBarrier));
    wrong(loop(""), "LDS-REUSE", "1 barrier too few");
}

TEST_CASE("waves that stand behind need more barriers", "[check][lds]") {
    const std::string again = kLanded + kBarrier + kBarrier + kRead;
    right(staggered("", kFill + again));
    wrong(staggered("", kFill + kLanded + kBarrier + kRead), "LDS-FILL",
          "read by wave 0 while wave 1");
    // what comes before they part does not count
    right(staggered(kFill + kLanded, kBarrier + kRead));
    wrong(staggered(kFill, kLanded + kBarrier + kRead), "LDS-FILL", "1 barrier too few");
    wrong(staggered("", kFill + again, ""), "BARRIER-COUNT", "wave 1 after 3", Severity::warning);
}

TEST_CASE("a path that leaves a wait out is a warning unless all do", "[check][lds]") {
    const auto skip = [&](const std::string& other) {
        return kFill + "s_cmp_eq_u32 s7, 0\ns_cbranch_scc1 .Lskip\n" + kLanded + ".Lskip:\n" +
               other + kBarrier + kRead;
    };
    wrong(skip(""), "LDS-FILL", "only on some path", Severity::warning);
    right(skip(kLanded));
}

TEST_CASE("no wave ends while it fills LDS", "[check][lds]") {
    CHECK(findings(kFill + kLanded, 128, "s_endpgm\n").empty());
    CHECK(findings(kOther, 128, "s_endpgm\n").empty());
    const auto found = findings(kFill + kOther, 128, "s_endpgm\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == "DMA-AT-END");
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].message.find("vmcnt(1)") != std::string::npos);
    const std::string skip = "s_cmp_eq_u32 s7, 0\ns_cbranch_scc1 .Lskip\n" + kLanded + ".Lskip:\n";
    CHECK(findings(kFill + skip, 128, "s_endpgm\n").at(0).severity == Severity::warning);
}

TEST_CASE("the check says what it cannot follow", "[check][lds]") {
    const auto unknown = findings(kFill + "v_mov_b32 v4, s7\n" + kRead);
    REQUIRE(unknown.size() == 1);
    CHECK(unknown[0].rule == "LDS-UNPROVEN");
    CHECK(unknown[0].message.find("1 of 2") != std::string::npos);
    // waves that part, nobody knows which way, with a barrier on one side only
    const auto parted = findings(kFill +
                                 "v_add_u32 v6, v9, v1\nv_readfirstlane_b32 s7, v6\n"
                                 "s_cmp_eq_u32 s7, 0\ns_cbranch_scc1 .Lskip\n" +
                                 kBarrier + ".Lskip:\n" + kRead);
    REQUIRE(parted.size() == 1);
    CHECK(parted[0].rule == "LDS-UNPROVEN");
    CHECK(parted[0].message.find("part here") != std::string::npos);
    CHECK(findings(kFill + kRead, 64).empty());  // one wave: its own part only
}
