// Lane maps: bijective over the whole operand, and at the places that public sources name.
#include "isa/lanes.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <tuple>

using namespace zyfa;

TEST_CASE("operand maps use every bit of every lane exactly once", "[isa][lanes]") {
    const Fragment f = GENERATE(values<Fragment>({{32, 64, 8},
                                                  {16, 128, 8},
                                                  {32, 64, 6},
                                                  {16, 128, 6},
                                                  {32, 64, 4},
                                                  {16, 128, 4},
                                                  {32, 16, 16},
                                                  {16, 32, 16},
                                                  {32, 8, 16},
                                                  {32, 32, 8},
                                                  {16, 64, 8},
                                                  {16, 64, 16},
                                                  {32, 32, 16},
                                                  {32, 16, 8},
                                                  {16, 32, 8},
                                                  {16, 64, 8},
                                                  {16, 16, 16},
                                                  {32, 2, 32},
                                                  {16, 4, 32}}));
    CAPTURE(f.mn, f.k, f.bits);
    std::set<std::pair<unsigned, unsigned>> seen;
    for (unsigned row = 0; row < f.mn; ++row) {
        for (unsigned k = 0; k < f.k; ++k) {
            const Spot s = a_spot(f, row, k);
            REQUIRE(s.lane < 64);
            REQUIRE(s.bit % f.bits == 0);
            REQUIRE(s.bit < 32 * f.words());
            REQUIRE(seen.insert({s.lane, s.bit}).second);
            REQUIRE(a_element(f, s.lane, s.bit / f.bits) == Element{row, k});
        }
    }
    REQUIRE(seen.size() * f.bits == 64 * 32 * f.words());
}

TEST_CASE("operand maps at the places that sources name", "[isa][lanes]") {
    // composable_kernel's fp8 table for 32x32x64: registers 0-3 of lane half h hold k =
    // 16h..16h+15, registers 4-7 k = 32+16h.. ; 16x16x128: 64+16g in the upper registers.
    const Fragment a8{32, 64, 8}, s8{16, 128, 8};
    REQUIRE(a_spot(a8, 5, 0) == Spot{5, 0});
    REQUIRE(a_spot(a8, 5, 16) == Spot{37, 0});
    REQUIRE(a_spot(a8, 5, 15) == Spot{5, 120});
    REQUIRE(a_spot(a8, 5, 32) == Spot{5, 128});
    REQUIRE(a_spot(a8, 5, 63) == Spot{37, 248});
    REQUIRE(a_spot(s8, 3, 64) == Spot{3, 128});
    REQUIRE(a_spot(s8, 3, 127) == Spot{51, 248});
    REQUIRE(a_spot(s8, 3, 48).lane == 51);
    for (unsigned lane = 0; lane < 64;
         ++lane) {  // the formula of the ISA notes, register by register
        for (unsigned r = 0; r < 8; ++r)
            for (unsigned byte = 0; byte < 4; ++byte) {
                const unsigned g32 = lane / 32, g16 = lane / 16;
                REQUIRE(a_element(a8, lane, 4 * r + byte).k ==
                        16 * g32 + 32 * (r / 4) + 4 * (r % 4) + byte);
                REQUIRE(a_element(s8, lane, 4 * r + byte).k ==
                        16 * g16 + 64 * (r / 4) + 4 * (r % 4) + byte);
            }
    }
    // 4 and 6 bits: 32 consecutive k in a lane.
    REQUIRE(a_spot({32, 64, 4}, 7, 33) == Spot{39, 4});
    REQUIRE(a_spot({32, 64, 6}, 7, 37) == Spot{39, 30});
    REQUIRE(a_spot({16, 128, 4}, 7, 95) == Spot{39, 124});
    // Matrix calculator, v_mfma_f32_32x32x8_bf16_1k: A[i][k] in lane i + 32*(k/4), half k%4.
    for (unsigned k = 0; k < 8; ++k)
        REQUIRE(a_spot({32, 8, 16}, 9, k) == Spot{9 + 32 * (k / 4), 16 * (k % 4)});
    // HipKittens: 32x32x16, eight consecutive k per lane.
    REQUIRE(a_spot({32, 16, 16}, 31, 9) == Spot{63, 16});
}

TEST_CASE("accumulator maps", "[isa][lanes]") {
    for (unsigned mn : {16u, 32u}) {
        std::set<std::pair<unsigned, unsigned>> seen;
        for (unsigned row = 0; row < mn; ++row)
            for (unsigned col = 0; col < mn; ++col) {
                const Spot s = c_spot(mn, row, col);
                REQUIRE(s.lane < 64);
                REQUIRE(s.reg() < c_words(mn));
                REQUIRE(seen.insert({s.lane, s.reg()}).second);
                REQUIRE(c_cell(mn, s.lane, s.reg()) == Cell{row, col});
            }
    }
    // Matrix calculator, v_mfma_f32_32x32x16_fp8_fp8: D[4][3] = v0 lane 35, D[8][3] = v4 lane 3,
    // D[31][3] = v15 lane 35.
    REQUIRE(c_spot(32, 4, 3) == Spot{35, 0});
    REQUIRE(c_spot(32, 8, 3) == Spot{3, 32 * 4});
    REQUIRE(c_spot(32, 31, 3) == Spot{35, 32 * 15});
    REQUIRE(c_spot(16, 7, 2) == Spot{18, 32 * 3});
}

TEST_CASE("scales come from lane row + mn * block, byte by op_sel and op_sel_hi", "[isa][lanes]") {
    REQUIRE(scale_lane(32, 5, 1) == 37);
    REQUIRE(scale_lane(16, 5, 3) == 53);
    Mods m;
    m.op_sel = 0b01, m.op_sel_hi = 0b11;
    REQUIRE(scale_byte(m, 0) == 3);
    REQUIRE(scale_byte(m, 1) == 2);
    m.op_sel = 0b10, m.op_sel_hi = 0;
    REQUIRE(scale_byte(m, 0) == 0);
    REQUIRE(scale_byte(m, 1) == 1);
}

TEST_CASE("shapes and operand words follow opcode and format", "[isa][lanes]") {
    const auto words = [](Op op, unsigned cbsz, unsigned blgp) {
        const MatrixShape s = matrix_shape(op, cbsz, blgp);
        return std::pair{s.a.words(), s.b.words()};
    };
    REQUIRE(words(Op::v_mfma_f32_32x32x64_f8f6f4, 0, 1) == std::pair{8u, 8u});
    REQUIRE(words(Op::v_mfma_scale_f32_16x16x128_f8f6f4, 2, 4) == std::pair{6u, 4u});
    REQUIRE(matrix_shape(Op::v_mfma_f32_32x32x64_f8f6f4, 5, 0).mn == 0);
    REQUIRE(matrix_shape(Op::v_add_f32).mn == 0);
    for (unsigned n = 0; n < kOpCount; ++n) {  // the operand table and the map agree for every row
        const MatrixShape s = matrix_shape(Op(n));
        CAPTURE(info(Op(n)).name);
        REQUIRE((s.mn != 0) == info(Op(n)).is_mfma());
        if (!s.mn) continue;
        REQUIRE(info(Op(n)).columns[0].words == c_words(s.mn));
        REQUIRE(info(Op(n)).columns[1].words == s.a.words());
        REQUIRE(info(Op(n)).columns[2].words == s.b.words());
        REQUIRE(s.a.k * (info(Op(n)).is_sparse() ? 2 : 1) == s.k);
    }
}

TEST_CASE("transposing LDS reads permute 16 lanes", "[isa][lanes]") {
    for (unsigned lane = 0; lane < 64; ++lane) {
        for (unsigned j = 0; j < 8; ++j) {
            const TrSource s = tr_b8_source(lane, j);
            REQUIRE(s.from / 16 == lane / 16);
            REQUIRE(tr_b8_result(s.from, s.element) == TrResult{lane, j});
            // rocjitsu ds_transpose.h, revision c186c451
            REQUIRE(s == TrSource{(lane & ~15u) + (lane >> 3 & 1) + 2 * j, lane & 7});
        }
        for (unsigned j = 0; j < 16; ++j) {  // FlyDSL: nibble j = nibble t of lane j
            const TrSource s = tr_b4_source(lane, j);
            REQUIRE(tr_b4_result(s.from, s.element) == TrResult{lane, j});
            REQUIRE(s == TrSource{(lane & ~15u) + j, lane & 15});
        }
        for (unsigned j = 0; j < 4; ++j) {
            const TrSource s = tr_b16_source(lane, j);
            REQUIRE(tr_b16_result(s.from, s.element) == TrResult{lane, j});
            REQUIRE(s == TrSource{(lane & ~15u) + (lane >> 2 & 3) + 4 * j, lane & 3});
        }
    }
}
