#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }

// One instruction `op v4, v1[, v2[, v3]]`; the result of lane 0.
uint32_t once(const std::string& op, std::vector<uint32_t> in, bool flush = false,
              bool ieee = false, const std::string& mods = "") {
    Lab lab;
    lab.setup.denorm32 = flush ? 0 : 3;
    lab.setup.ieee = ieee;
    std::string line = op + " v4";
    for (size_t n = 0; n < in.size(); ++n) {
        lab.set(unsigned(1 + n), in[n]);
        line += ", v" + std::to_string(1 + n);
    }
    lab.set(4, 0u);
    lab.watch = {4};
    lab.run(line + " " + mods);
    CHECK(lab.result.findings.empty());
    return lab.lane(4, 17);
}

}  // namespace

TEST_CASE("v_fma_f32 rounds once and skips inactive lanes", "[sim][valu]") {
    auto [a, b, c, d] = GENERATE(table<float, float, float, float>({
        {2.f, 3.f, 1.f, 7.f},
        {0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f, 0x1p-46f},  // a product rounded first: 0
    }));
    CAPTURE(a, b, c);
    Lab lab;
    lab.set(1, a);
    lab.set(2, b);
    lab.set(3, c);
    lab.set(4, 0xabad1deau);
    lab.exec = 0xffff0000ffffffff;
    lab.watch = {4};
    lab.run("v_fma_f32 v4, v1, v2, v3");
    CHECK(lab.f32(4, 0) == d);
    CHECK(lab.f32(4, 63) == d);
    CHECK(lab.lane(4, 32) == 0xabad1dea);
    CHECK(lab.result.findings.empty());
}

TEST_CASE("integer instructions", "[sim][valu]") {
    using Row = std::tuple<const char*, std::vector<uint32_t>, uint32_t>;
    auto [op, in, want] = GENERATE(values<Row>({
        {"v_add_u32", {0xffffffff, 2}, 1},
        {"v_sub_u32", {1, 2}, 0xffffffff},
        {"v_subrev_u32", {1, 2}, 1},
        {"v_lshlrev_b32", {36, 1}, 16},  // five bits of shift
        {"v_lshrrev_b32", {4, 0x80000000}, 0x08000000},
        {"v_ashrrev_i32", {4, 0x80000000}, 0xf8000000},
        {"v_lshl_add_u32", {3, 4, 5}, 53},
        {"v_add_lshl_u32", {3, 4, 5}, 224},
        {"v_lshl_or_b32", {3, 4, 5}, 53},
        {"v_and_or_b32", {12, 10, 1}, 9},
        {"v_or3_b32", {1, 2, 4}, 7},
        {"v_xad_u32", {5, 3, 10}, 16},
        {"v_bfe_u32", {0xabcd1234, 8, 8}, 0x12},
        {"v_bfe_u32", {0xabcd1234, 8, 0}, 0},
        {"v_bfe_i32", {0x00000f00, 8, 4}, 0xffffffff},
        {"v_bfi_b32", {0x00ff00ff, 0x11111111, 0x22222222}, 0x22112211},
        {"v_alignbit_b32", {0x12345678, 0x9abcdef0, 8}, 0x789abcde},
        {"v_perm_b32", {0x77665544, 0x33221100, 0x0c000407}, 0x00004477},
        {"v_perm_b32", {0x80008000, 0x80008000, 0x0d0b0908}, 0xffffffff},
        {"v_mul_lo_u32", {0x10001, 0x10001}, 0x20001},
        {"v_mul_hi_u32", {0xffffffff, 0xffffffff}, 0xfffffffe},
        {"v_mul_i32_i24", {0xff800001, 2}, 0xff000002},  // bits above 23 do not count
        {"v_mul_u32_u24", {0xff000003, 5}, 15},
        {"v_mad_u32_u24", {3, 5, 7}, 22},
        {"v_min_i32", {0xffffffff, 1}, 0xffffffff},
        {"v_min_u32", {0xffffffff, 1}, 1},
        {"v_max_i32", {0xffffffff, 1}, 1},
        {"v_mbcnt_lo_u32_b32", {0xffffffff, 100}, 117},  // lane 17
        {"v_mbcnt_hi_u32_b32", {0xffffffff, 100}, 100},
        {"v_not_b32", {0x0f0f0f0f}, 0xf0f0f0f0},
    }));
    CAPTURE(op, in);
    CHECK(once(op, in) == want);
}

TEST_CASE("floats: values, signs, denormals, NaN", "[sim][valu]") {
    using Row = std::tuple<const char*, std::vector<float>, float, bool>;  // flush
    const float nan = NAN, small = 0x1p-140f;
    auto [op, in, want, flush] = GENERATE_COPY(values<Row>({
        {"v_add_f32", {1.f, 2.f}, 3.f, false},
        {"v_add_f32", {small, small}, 0x1p-139f, false},
        {"v_add_f32", {small, 0x1p-126f}, 0x1p-126f, true},
        {"v_mul_f32", {0x1p-100f, -0x1p-40f}, -0.f, true},
        {"v_mul_f32", {0x1p-100f, -0x1p-40f}, -0x1p-140f, false},
        {"v_sub_f32", {1.f, 3.f}, -2.f, false},
        {"v_subrev_f32", {1.f, 3.f}, 2.f, false},
        {"v_max_f32", {nan, 2.f}, 2.f, false},
        {"v_max_f32", {2.f, nan}, 2.f, false},
        {"v_max_f32", {-0.f, 0.f}, 0.f, false},
        {"v_min_f32", {0.f, -0.f}, -0.f, false},
        {"v_max3_f32", {1.f, -3.f, 2.f}, 2.f, false},
        {"v_max3_f32", {-kInf, nan, -5.f}, -5.f, false},
        {"v_min3_f32", {1.f, -3.f, 2.f}, -3.f, false},
        {"v_med3_f32", {5.f, 1.f, 3.f}, 3.f, false},
        {"v_med3_f32", {3.f, 5.f, 1.f}, 3.f, false},
        {"v_maximum3_f32", {1.f, 2.f, 3.f}, 3.f, false},
        {"v_rndne_f32", {2.5f}, 2.f, false},
        {"v_rndne_f32", {-0.5f}, -0.f, false},
        {"v_rndne_f32", {0x1.000002p23f}, 0x1.000002p23f, false},
        {"v_rndne_f32", {-kInf}, -kInf, false},
        {"v_floor_f32", {-0.5f}, -1.f, false},
        {"v_exp_f32", {-kInf}, 0.f, true},
        {"v_exp_f32", {0.f}, 1.f, true},
        {"v_exp_f32", {kInf}, kInf, true},
        {"v_exp_f32", {-130.f}, 0.f, true},
        {"v_exp_f32", {-130.f}, 0x1p-130f, false},
        {"v_exp_f32", {127.f}, 0x1p127f, true},
        {"v_exp_f32", {128.f}, kInf, true},
        {"v_log_f32", {0.f}, -kInf, true},
        {"v_log_f32", {8.f}, 3.f, true},
        {"v_log_f32", {small}, -kInf, true},
        {"v_log_f32", {small}, -140.f, false},
        {"v_log_f32", {kInf}, kInf, true},
        {"v_rcp_f32", {0.f}, kInf, true},
        {"v_rcp_f32", {-4.f}, -0.25f, true},
        {"v_rcp_f32", {kInf}, 0.f, true},
        {"v_rsq_f32", {4.f}, 0.5f, true},
        {"v_sqrt_f32", {2.f}, std::sqrt(2.f), true},
    }));
    CAPTURE(op, in, flush);
    std::vector<uint32_t> words;
    for (float x : in) words.push_back(bits_of(x));
    CHECK(once(op, words, flush) == bits_of(want));
}

TEST_CASE("a NaN stays one where the rule says so", "[sim][valu]") {
    auto [op, count] = GENERATE(table<const char*, int>(
        {{"v_maximum3_f32", 3}, {"v_exp_f32", 1}, {"v_log_f32", 1}, {"v_add_f32", 2}}));
    CAPTURE(op);
    std::vector<uint32_t> in(size_t(count), bits_of(1.f));
    in.back() = 0x7fc00001;
    CHECK(std::isnan(std::bit_cast<float>(once(op, in))));
    CHECK(std::isnan(std::bit_cast<float>(once("v_log_f32", {bits_of(-1.f)}))));
}

TEST_CASE("MODE.IEEE makes a signaling NaN the maximum", "[sim][valu]") {
    CHECK(once("v_max_f32", {0x7f800001, bits_of(2.f)}, false, true) == 0x7fc00001);
    CHECK(once("v_max_f32", {0x7f800001, bits_of(2.f)}, false, false) == bits_of(2.f));
}

TEST_CASE("v_exp_f32 and v_log_f32 are the rounded exact values", "[sim][valu]") {
    Lab lab;
    Values x, y;
    for (unsigned l = 0; l < 64; ++l) {
        x[l] = bits_of(-20.f + 0.6371f * float(l));
        y[l] = bits_of(std::ldexp(1.f + float(l) / 64, int(l) - 30));
    }
    lab.vgprs[1] = x;
    lab.vgprs[2] = y;
    lab.watch = {3, 4};
    lab.run("v_exp_f32 v3, v1\nv_log_f32 v4, v2");
    for (unsigned l = 0; l < 64; ++l) {
        CAPTURE(l);
        CHECK(lab.f32(3, l) == float(std::exp2((long double)(std::bit_cast<float>(x[l])))));
        CHECK(lab.f32(4, l) == float(std::log2((long double)(std::bit_cast<float>(y[l])))));
    }
}

TEST_CASE("conversions", "[sim][valu]") {
    using Row = std::tuple<const char*, std::vector<uint32_t>, uint32_t>;
    auto [op, in, want] = GENERATE(values<Row>({
        {"v_cvt_u32_f32", {bits_of(3.9f)}, 3},
        {"v_cvt_u32_f32", {bits_of(-5.f)}, 0},
        {"v_cvt_u32_f32", {bits_of(-kInf)}, 0},
        {"v_cvt_u32_f32", {bits_of(5e9f)}, 0xffffffff},
        {"v_cvt_u32_f32", {0x7fc00000}, 0},
        {"v_cvt_i32_f32", {bits_of(-3.9f)}, uint32_t(-3)},
        {"v_cvt_i32_f32", {bits_of(-5e9f)}, 0x80000000},
        {"v_cvt_f32_u32", {0xffffffff}, bits_of(4294967296.f)},
        {"v_cvt_f32_i32", {0xffffffff}, bits_of(-1.f)},
        {"v_cvt_pk_bf16_f32", {bits_of(1.f), bits_of(-2.f)}, 0xc0003f80},
        {"v_cvt_pk_bf16_f32", {0x3f808000, 0x3f818000}, 0x3f823f80},  // ties to even
        {"v_cvt_pk_fp8_f32", {bits_of(1.f), bits_of(2.f)}, 0x4038},
        {"v_cvt_pk_fp8_f32", {bits_of(448.f), bits_of(-448.f)}, 0xfe7e},
        {"v_cvt_pk_fp8_f32", {bits_of(464.f), bits_of(465.f)}, 0x7f7e},
        {"v_cvt_pk_fp8_f32", {bits_of(0.01f), bits_of(-0x1p-9f)}, 0x8105},  // subnormals
        {"v_cvt_pk_fp8_f32", {bits_of(0x1p-10f), bits_of(0x1.8p-10f)}, 0x0100},
        {"v_cvt_pk_fp8_f32", {bits_of(0x1.fp-7f), bits_of(kInf)}, 0x7f08},
        {"v_cvt_pk_bf8_f32", {bits_of(1.f), bits_of(1e6f)}, 0x7c3c},
        {"v_cvt_pk_u8_f32", {bits_of(2.5f), 1, 0xaabbccdd}, 0xaabb02dd},
        {"v_cvt_pk_u8_f32", {bits_of(300.f), 3, 0xaabbccdd}, 0xffbbccdd},
        {"v_cvt_pk_u8_f32", {bits_of(-kInf), 0, 0xaabbccdd}, 0xaabbcc00},
    }));
    CAPTURE(op, in);
    CHECK(once(op, in) == want);
}

TEST_CASE("v_cvt_pk_fp8_f32 keeps the half that it does not write", "[sim][valu]") {
    Lab lab;
    lab.set(1, 1.f);
    lab.set(2, 2.f);
    lab.set(3, 0x12345678u);
    lab.set(4, 0x12345678u);
    lab.watch = {3, 4};
    lab.run("v_cvt_pk_fp8_f32 v3, v1, v2\nv_cvt_pk_fp8_f32 v4, v1, v2 op_sel:[0,0,1]");
    CHECK(lab.lane(3, 5) == 0x12344038);
    CHECK(lab.lane(4, 5) == 0x40385678);
}

TEST_CASE("packed instructions choose halves by op_sel and op_sel_hi", "[sim][valu]") {
    Lab lab;
    for (unsigned n = 0; n < 4; ++n) lab.set(2 + n, float(2 + n));
    lab.sgprs = {{10, bits_of(10.f)}, {11, bits_of(11.f)}};
    lab.watch = {6, 7, 8, 9, 10, 11};
    lab.run(
        "v_pk_mul_f32 v[6:7], v[2:3], s[10:11]\n"
        "v_pk_mul_f32 v[8:9], v[2:3], s[10:11] op_sel_hi:[1,0]\n"
        "v_pk_fma_f32 v[10:11], v[2:3], v[4:5], v[2:3] op_sel:[0,1,0] neg_lo:[1,0,0]");
    CHECK(lab.f32(6) == 20.f);
    CHECK(lab.f32(7) == 33.f);
    CHECK(lab.f32(8) == 20.f);
    CHECK(lab.f32(9) == 30.f);
    CHECK(lab.f32(10) == -2.f * 5.f + 2.f);
    CHECK(lab.f32(11) == 3.f * 5.f + 3.f);
}

TEST_CASE("modifiers and clamp", "[sim][valu]") {
    Lab lab;
    lab.set(1, -2.f);
    lab.set(2, 3.f);
    lab.watch = {3, 4, 5, 6};
    lab.run(
        "v_add_f32_e64 v3, |v1|, -v2\n"
        "v_add_f32_e64 v4, -|v1|, v2\n"
        "v_mul_f32_e64 v5, v2, v2 clamp\n"
        "v_cndmask_b32_e64 v6, v2, -v2, exec");
    CHECK(lab.f32(3) == -1.f);
    CHECK(lab.f32(4) == 1.f);
    CHECK(lab.f32(5) == 1.f);
    CHECK(lab.f32(6) == -3.f);
}

TEST_CASE("compare writes zeros for inactive lanes; carry runs through 64 bits", "[sim][valu]") {
    Lab lab;
    lab.set(1, 0xffffffffu);
    lab.set(2, 1u);
    lab.exec = 0x00000000ffff0000;
    lab.watch = {3, 4};
    lab.watch_scalar = {20, 21, 22, 23};
    lab.run(
        "v_mov_b32 v3, 0\nv_mov_b32 v4, 0\n"
        "v_cmp_gt_u32_e64 s[20:21], v1, v2\n"
        "v_cmp_lt_i32_e64 s[22:23], v2, v1\n"
        "v_add_co_u32 v3, vcc, v1, v2\n"
        "v_addc_co_u32 v4, vcc, v1, v2, vcc");
    CHECK(lab.sgpr(20) == 0xffff0000);
    CHECK(lab.sgpr(21) == 0);
    CHECK(lab.sgpr(22) == 0);
    CHECK(lab.lane(3, 20) == 0);
    CHECK(lab.lane(4, 20) == 1);
}

TEST_CASE("DPP moves lanes and drops those without a source", "[sim][valu]") {
    enum { kZero = -2, kKept = -1 };  // the source reads 0; the register keeps its value
    // control, row mask, bank mask, lane looked at, its source lane
    auto [control, rows, banks, lane, from] = GENERATE_COPY(table<const char*, int, int, int, int>({
        {"quad_perm:[1,1,3,0]", 15, 15, 6, 7},
        {"quad_perm:[1,1,3,0]", 15, 15, 7, 4},
        {"row_shl:3", 15, 15, 4, 7},
        {"row_shl:3", 15, 15, 14, kKept},
        {"row_shr:1", 15, 15, 17, 16},
        {"row_shr:1", 15, 15, 16, kKept},
        {"row_shr:1 bound_ctrl:0", 15, 15, 16, kZero},
        {"row_ror:4", 15, 15, 18, 30},
        {"row_mirror", 15, 15, 20, 27},
        {"row_half_mirror", 15, 15, 9, 14},
        {"row_bcast:15", 15, 15, 20, 15},
        {"row_bcast:31", 15, 15, 40, 31},
        {"row_newbcast:5", 15, 15, 50, 53},
        {"wave_shl:1", 15, 15, 15, 16},
        {"wave_ror:1", 15, 15, 0, 63},
        {"quad_perm:[0,1,2,3]", 13, 15, 20, kKept},
        {"quad_perm:[0,1,2,3]", 13, 15, 40, 40},
        {"quad_perm:[0,1,2,3]", 15, 7, 15, kKept},
    }));
    CAPTURE(control, lane);
    std::string text = control, bound;
    if (size_t at = text.find(" bound"); at != text.npos) {
        bound = text.substr(at);
        text.resize(at);
    }
    Lab lab;
    for (unsigned l = 0; l < 64; ++l) lab.vgprs[1][l] = 1000 + l;
    lab.set(2, 7u);
    lab.watch = {2};
    lab.run(fmt::format("v_mov_b32_dpp v2, v1 {} row_mask:{:#x} bank_mask:{:#x}{}", text, rows,
                        banks, bound));
    uint32_t want = from == kKept ? 7 : from == kZero ? 0 : 1000 + uint32_t(from);
    CHECK(lab.lane(2, unsigned(lane)) == want);
}

TEST_CASE("lanes: read, write, swap", "[sim][valu]") {
    Lab lab;
    for (unsigned l = 0; l < 64; ++l) {
        lab.vgprs[1][l] = l;
        lab.vgprs[2][l] = 100 + l;
        lab.vgprs[3][l] = l;
        lab.vgprs[4][l] = 100 + l;
        lab.vgprs[5][l] = 0;
    }
    lab.watch = {1, 2, 3, 4, 5};
    lab.watch_scalar = {20, 21};
    lab.run(
        "v_permlane32_swap_b32 v1, v2\nv_permlane16_swap_b32 v3, v4\n"
        "v_readlane_b32 s20, v1, 40\nv_writelane_b32 v5, 9, 33\n"
        "s_mov_b32 exec_lo, 0xf0\nv_readfirstlane_b32 s21, v4\n");
    CHECK(lab.lane(1, 40) == 108);  // upper half of the first from the lower half of the second
    CHECK(lab.lane(2, 8) == 40);
    CHECK(lab.lane(1, 8) == 8);
    CHECK(lab.lane(2, 40) == 140);
    CHECK(lab.lane(3, 16 + 3) == 103);
    CHECK(lab.lane(4, 3) == 16 + 3);
    CHECK(lab.lane(3, 48 + 3) == 132 + 3);
    CHECK(lab.lane(3, 3) == 3);
    CHECK(lab.sgpr(20) == 108);
    CHECK(lab.sgpr(21) == 16 + 4);
    CHECK(lab.lane(5, 33) == 9);
    CHECK(lab.lane(5, 32) == 0);
}
