// Sparse matrix instructions against sums written out here. Places of elements as
// composable_kernel's smfma traits give them: A in one piece per lane, B in chunks of 16 bytes; C
// and D as every 16x16 instruction.
#include <catch2/catch.hpp>

#include "isa/random.hpp"
#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

// Small numbers whose products and sums are exact in any order: code, value.
constexpr std::pair<uint8_t, float> kE4m3[] = {{0x00, 0.0f}, {0x38, 1.0f}, {0xb8, -1.0f},
                                               {0x40, 2.0f}, {0x30, 0.5f}, {0xc4, -3.0f},
                                               {0x3c, 1.5f}, {0x48, 4.0f}};

}  // namespace

TEST_CASE("v_smfmac_f32_16x16x128_fp8_fp8 multiplies what the indices name", "[sim][matrix]") {
    Lab lab;
    Random random(5);
    float a[16][128] = {}, b[128][16] = {}, c[16][16];
    for (unsigned lane = 0; lane < 64; ++lane) {
        const unsigned row = lane % 16, group = lane / 16;
        uint32_t words_a[4] = {}, words_b[8] = {}, index = 0;
        for (unsigned byte = 0; byte < 16; byte += 2) {  // two of four k
            const unsigned first = random.below(3), second = first + 1 + random.below(3 - first);
            index |= (first | second << 2) << 2 * byte;
            for (unsigned n : {0u, 1u}) {
                const auto [code, value] = kE4m3[random.below(8)];
                words_a[(byte + n) / 4] |= uint32_t(code) << 8 * ((byte + n) % 4);
                a[row][32 * group + 2 * byte + (n ? second : first)] = value;
            }
        }
        for (unsigned byte = 0; byte < 32; ++byte) {
            const auto [code, value] = kE4m3[random.below(8)];
            words_b[byte / 4] |= uint32_t(code) << 8 * (byte % 4);
            b[64 * (byte / 16) + 16 * group + byte % 16][row] = value;
        }
        for (unsigned n = 0; n < 4; ++n) lab.vgprs[4 + n][lane] = words_a[n];
        for (unsigned n = 0; n < 8; ++n) lab.vgprs[8 + n][lane] = words_b[n];
        lab.vgprs[16][lane] = index;
        for (unsigned n = 0; n < 4; ++n) {
            const float value = float(int(random.below(64)) - 32);
            lab.vgprs[n][lane] = std::bit_cast<uint32_t>(value);
            c[4 * group + n][row] = value;
        }
    }
    lab.exec = 0xf0;  // plays no part
    lab.watch = {0, 1, 2, 3};
    const bool with_nan = GENERATE(false, true);
    if (with_nan) {  // where row 3 stores nothing: k 0 of column 7
        lab.vgprs[8][7] |= 0x7f;
        lab.vgprs[16][3] = (lab.vgprs[16][3] & ~15u) | 0xe;
        for (unsigned k : {0u, 1u}) a[3][2 + k] = a[3][2 + k] + 0, a[3][k] = 0;
        a[3][2] = kE4m3[1].second, a[3][3] = kE4m3[1].second;
        lab.vgprs[4][3] = (lab.vgprs[4][3] & 0xffff0000) | 0x3838;
    }
    lab.run("v_smfmac_f32_16x16x128_fp8_fp8 v[0:3], v[4:7], v[8:15], v16");
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned col = 0; col < 16; ++col) {
            if (with_nan && col == 7 && row != 3) continue;
            float sum = c[row][col];
            for (unsigned k = 0; k < 128; ++k)
                if (a[row][k] != 0) sum += a[row][k] * b[k][col];
            CAPTURE(row, col);
            REQUIRE(lab.f32(row % 4, col + 16 * (row / 4)) == sum);
        }
    CHECK(lab.result.findings.empty());
}

TEST_CASE("a stored element named twice is refused", "[sim][matrix]") {
    Lab lab;
    for (unsigned v = 0; v < 17; ++v) lab.set(v, 0u);
    REQUIRE_THROWS_WITH(lab.run("v_smfmac_f32_16x16x128_fp8_fp8 v[0:3], v[4:7], v[8:15], v16"),
                        Catch::Contains("same index"));
}
