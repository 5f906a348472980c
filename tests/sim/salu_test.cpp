#include <catch2/catch.hpp>

#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

TEST_CASE("scalar instructions: result and SCC", "[sim][salu]") {
    using Row = std::tuple<const char*, std::vector<uint32_t>, uint32_t, bool>;
    auto [op, in, want, scc] = GENERATE(values<Row>({
        {"s_add_u32", {0xffffffff, 1}, 0, true},
        {"s_add_i32", {0x7fffffff, 1}, 0x80000000, true},
        {"s_add_i32", {0xffffffff, 1}, 0, false},
        {"s_sub_u32", {1, 2}, 0xffffffff, true},
        {"s_sub_i32", {0x80000000, 1}, 0x7fffffff, true},
        {"s_mul_i32", {0x10001, 0x10001}, 0x20001, true},  // SCC stays
        {"s_mul_hi_u32", {0xffffffff, 2}, 1, true},
        {"s_mul_hi_i32", {0xffffffff, 2}, 0xffffffff, true},
        {"s_and_b32", {12, 3}, 0, false},
        {"s_or_b32", {12, 3}, 15, true},
        {"s_xor_b32", {12, 12}, 0, false},
        {"s_andn2_b32", {15, 3}, 12, true},
        {"s_lshl_b32", {1, 33}, 2, true},
        {"s_lshr_b32", {0x80000000, 31}, 1, true},
        {"s_ashr_i32", {0x80000000, 31}, 0xffffffff, true},
        {"s_bfe_u32", {0xabcd1234, 0x80008}, 0x12, true},
        {"s_bfe_i32", {0x00000f00, 0x40008}, 0xffffffff, true},
        {"s_bfm_b32", {4, 8}, 0xf00, true},
        {"s_min_i32", {0xffffffff, 1}, 0xffffffff, true},
        {"s_min_u32", {0xffffffff, 1}, 1, false},
        {"s_max_i32", {5, 5}, 5, true},  // SCC on >=
        {"s_max_u32", {4, 5}, 5, false},
        {"s_cselect_b32", {4, 5}, 4, true},
        {"s_not_b32", {0xffffffff}, 0, false},
        {"s_brev_b32", {1}, 0x80000000, true},
        {"s_ff1_i32_b32", {0x50}, 4, true},
        {"s_ff1_i32_b32", {0}, 0xffffffff, true},
        {"s_flbit_i32_b32", {0x00ffffff}, 8, true},
        {"s_bcnt1_i32_b32", {0xf0f}, 8, true},
    }));
    CAPTURE(op, in);
    Lab lab;
    std::string line = std::string(op) + " s20";
    for (size_t n = 0; n < in.size(); ++n) {
        lab.sgprs[unsigned(30 + n)] = in[n];
        line += ", s" + std::to_string(30 + n);
    }
    lab.watch_scalar = {20, 21};
    lab.run("s_cmp_eq_u32 s30, s30\n" + line + "\ns_cselect_b32 s21, 1, 0");
    CHECK(lab.sgpr(20) == want);
    CHECK(lab.sgpr(21) == uint32_t(scc));
    CHECK(lab.result.findings.empty());
}

TEST_CASE("64-bit scalars, carries, saved masks, constants", "[sim][salu]") {
    Lab lab;
    lab.sgprs = {{30, 0xffffffff}, {31, 1}, {32, 1}, {33, 0}};
    lab.watch_scalar = {20, 21, 22, 23, 24, 25, 26, 27, 28, 40, 41};
    lab.run(
        "s_add_u32 s20, s30, s32\ns_addc_u32 s21, s31, s33\n"
        "s_lshl_b64 s[22:23], s[30:31], 4\n"
        "s_mov_b64 s[24:25], -1\n"
        "s_mov_b32 s40, 0xff00\ns_mov_b32 s41, 0\n"
        "s_and_saveexec_b64 s[26:27], s[40:41]\n"
        "s_mov_b64 s[40:41], exec\n"
        "s_mov_b64 exec, s[26:27]\n"
        "s_movk_i32 s28, 0x8000\ns_addk_i32 s28, 0x10\n");
    CHECK(lab.sgpr(20) == 0);
    CHECK(lab.sgpr(21) == 2);
    CHECK(lab.sgpr(22) == 0xfffffff0);
    CHECK(lab.sgpr(23) == 0x1f);
    CHECK(lab.sgpr(24) == 0xffffffff);
    CHECK(lab.sgpr(25) == 0xffffffff);
    CHECK(lab.sgpr(26) == 0xffffffff);
    CHECK(lab.sgpr(40) == 0xff00);
    CHECK(lab.sgpr(41) == 0);
    CHECK(lab.sgpr(28) == 0xffff8010);
}

TEST_CASE("branches follow their condition", "[sim][salu]") {
    Lab lab;
    lab.sgprs = {{20, 0}, {21, 5}};
    lab.watch_scalar = {20};
    lab.run(
        "again:\ns_add_u32 s20, s20, 3\ns_sub_u32 s21, s21, 1\n"
        "s_cmp_lg_u32 s21, 0\ns_cbranch_scc1 again\n"
        "s_mov_b64 vcc, 0\ns_cbranch_vccz over\ns_mov_b32 s20, 99\nover:\n"
        "s_cbranch_execz away\ns_add_u32 s20, s20, 1\naway:\n");
    CHECK(lab.sgpr(20) == 16);
}
