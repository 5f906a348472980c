#include <catch2/catch.hpp>

#include "dsl/layout.hpp"

using namespace zyfa;
using Catch::Matchers::Contains;

namespace {

// Every refusal must name this file and the line it was made on.
template <class F>
void refused(F describe, const std::string& why) {
    Kernel k("lab");
    try {
        describe(k);
        k.s_endpgm();
        k.finish();
    } catch (const Error& e) {
        CHECK_THAT(e.what(), Contains("kernel_test.cpp:") && Contains(why));
        return;
    }
    FAIL("accepted, but should say: " << why);
}

}  // namespace

TEST_CASE("mistakes that types cannot see name the kernel's line", "[dsl]") {
    refused([](Kernel& k) { k.ds_read_b32(k.vgpr<1>("d"), k.vgpr<1>("a")).offset(65536); },
            "out of reach");
    refused(
        [](Kernel& k) { k.buffer_load_dword(k.vgpr<1>("d"), off, k.sgpr<4>("r"), 0).offset(4096); },
        "the limit is 4095");
    refused([](Kernel& k) { k.vgpr<4>("d").part<4>(1); }, "outside a register of 4 words");
    refused([](Kernel& k) { k.v_add_f32(k.vgpr<1>("d"), k.sgpr<1>("a"), S<1>(k.sgpr<1>("b"))); },
            "one scalar register or literal");
    refused([](Kernel& k) { k.v_fma_f32(k.vgpr<1>("d"), 1.5f, k.vgpr<1>("a"), k.vgpr<1>("b")); },
            "a literal is possible only");
    refused([](Kernel& k) { k.v_cndmask_b32(k.vgpr<1>("d"), -1.5f, k.vgpr<1>("a"), vcc); },
            "one scalar register or literal");
    refused([](Kernel& k) { k.label("nowhere"); }, "never placed");
    refused(
        [](Kernel& k) {
            Label l = k.label("twice");
            k.place(l);
            k.place(l);
        },
        "placed twice");
    refused([](Kernel& k) { k.lds_region("big", 163841); }, "of 163840 bytes");
    refused(
        [](Kernel& k) {
            auto a = k.vgpr<8>("a");
            k.v_mfma_f32_32x32x64_f8f6f4(k.vgpr<16>("d"), a, a).formats(5, 0);
        },
        "format 5 does not exist");
    refused(
        [](Kernel& k) {
            auto a = k.vgpr<8>("a");
            k.v_mfma_f32_32x32x64_f8f6f4(k.vgpr<16>("d"), a, a).formats(4, 0);
        },
        "take 4 and 8 registers");
    refused(
        [](Kernel& k) {
            auto a = k.vgpr<8>("a");
            k.v_mfma_f32_32x32x64_f8f6f4(k.vgpr<16>("d"), a, a, k.agpr<16>("c"));
        },
        "one kind");
}

TEST_CASE("a kernel without an end is refused", "[dsl]") {
    Kernel k("lab");
    k.s_nop(0);
    CHECK_THROWS_WITH(k.finish(), Contains("runs past its end"));
}

TEST_CASE("operands whose k orders differ do not meet", "[dsl][layout]") {
    Kernel k("lab");
    TileOperand a{k.vgpr<8>("a").operand(), row_order(), {}},
        b{k.vgpr<8>("b").operand(), packed_accumulator_order(), {}};
    auto d = k.vgpr<16>("d");
    CHECK_THROWS_WITH(multiply(k, d, a, b),
                      Contains("k orders differ: byte 4 of lane half 0 is k 4 in A and k 8 in B") &&
                          Contains("kernel_test.cpp"));
    b.k = a.k;
    CHECK_NOTHROW(multiply(k, d, a, b));
}

TEST_CASE("row order is 16 bytes at 16h and 16 at 32 + 16h", "[dsl][layout]") {
    KOrder order = row_order();
    CHECK(order[0] == 0);
    CHECK(order[16] == 32);
    CHECK(order[32] == 16);
    CHECK(order[63] == 63);
}

namespace {

LdsTile swizzled(Kernel& k) {
    return {k.lds_region("tile", 8192), 64, 128, [](unsigned row) { return row >> 1 & 7; }};
}
LaneExpr good(unsigned i) {
    LaneExpr l = LaneExpr::lane();
    return ((l & 31) << 7) + (((LaneExpr(2 * i) | (l >> 5)) ^ (l >> 1 & 7)) << 4);
}

}  // namespace

TEST_CASE("row fragments are proven: rows, k order, bounds, banks", "[dsl][layout]") {
    Kernel k("lab");
    LdsTile tile = swizzled(k);
    auto to = k.vgpr<8>("to");
    std::array<Vgpr<1>, 2> at{k.vgpr<1>("at"), k.vgpr<1>("at")};
    LaneExpr l = LaneExpr::lane();
    TileOperand rows = read_rows(k, tile, to, at, {good(0), good(1)}, 0, 0);
    CHECK(rows.k == row_order());
    CHECK(rows.rows[5] == 5);
    // the wrong swizzle mixes k between lanes
    LaneExpr plain = ((l & 31) << 7) + ((l >> 5) << 4);
    CHECK_THROWS_WITH(read_rows(k, tile, to, at, {plain, good(1)}, 0, 0), Contains("k "));
    // 32 rows further than the tile has
    CHECK_THROWS_WITH(read_rows(k, tile, to, at, {good(0), good(1)}, 6144, 0),
                      Contains("row 64 of 64"));
    // no swizzle at all: right bytes, but the banks collide
    LdsTile flat = tile;
    flat.swizzle = [](unsigned) { return 0u; };
    auto flat_at = [&](unsigned i) {
        return ((l & 31) << 7) + ((LaneExpr(2 * i) | (l >> 5)) << 4);
    };
    CHECK_THROWS_WITH(read_rows(k, flat, to, at, {flat_at(0), flat_at(1)}, 0, 0), Contains("bank"));
}

TEST_CASE("a direct-to-LDS load must land where the tile says", "[dsl][layout]") {
    Kernel k("lab");
    LdsTile tile = swizzled(k);
    auto source = [](unsigned l) {
        return LdsTile::Spot{8 + l / 8, 16 * ((l % 8) ^ (4 + l / 16))};
    };
    CHECK_NOTHROW(check_fill(tile, 1, source, Where::current()));
    CHECK_THROWS_WITH(check_fill(tile, 0, source, Where::current()),
                      Contains("lane 0 fetches row 8"));
}

TEST_CASE("a lane expression computes on the host what it emits", "[dsl]") {
    LaneExpr l = LaneExpr::lane();
    LaneExpr e = ((l & 31) << 7) + ((((l >> 5) | 2) ^ (l >> 1 & 7)) << 4);
    for (unsigned lane = 0; lane < 64; ++lane)
        CHECK(e.at(lane) == ((lane & 31) << 7) + ((((lane >> 5) | 2) ^ ((lane >> 1) & 7)) << 4));
    Kernel k("lab");
    e.emit(k, k.vgpr<1>("to"), k.vgpr<1>("lane"));
    k.s_endpgm();
    CHECK(k.finish().blocks[0].insts.size() >= 7);
}
