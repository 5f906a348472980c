// Matrix instructions against sums in plain C++. Element maps are written here from the tables of
// composable_kernel and AMD's matrix calculator, not taken from isa/lanes.hpp.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "isa/formats.hpp"
#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

struct Place {
    unsigned lane, reg, byte;
};
// 8-bit operand of 32x32x64 (groups = 2) and 16x16x128 (groups = 4).
Place place8(unsigned mn, unsigned row, unsigned k) {
    unsigned groups = 64 / mn, chunk = k / 16;
    return {row + mn * (chunk % groups), 4 * (chunk / groups) + k % 16 / 4, k % 4};
}
Place place16(unsigned mn, unsigned row, unsigned k) {
    return {row + mn * (k / 8), k % 8 / 2, k % 2 * 2};
}
std::pair<unsigned, unsigned> result_place(unsigned mn, unsigned row, unsigned col) {
    if (mn == 32) return {col + 32 * (row / 4 % 2), 4 * (row / 8) + row % 4};
    return {col + 16 * (row / 4), row % 4};
}

constexpr unsigned kA = 16, kB = 32, kC = 48, kD = 64;  // first registers

struct Case8 {
    unsigned mn = 32, k = 64;
    std::vector<uint8_t> a, b;  // [row][k], [column][k]
    std::vector<float> c;       // [row][column]
    explicit Case8(unsigned mn, unsigned seed) : mn(mn), k(mn == 32 ? 64 : 128) {
        std::mt19937 random(seed);
        auto byte = [&] {
            uint8_t code;
            do code = uint8_t(random());
            while ((code & 0x7f) == 0x7f);
            return code;
        };
        a.resize(mn * k);
        b.resize(mn * k);
        for (auto& x : a) x = byte();
        for (auto& x : b) x = byte();
        for (unsigned n = 0; n < mn * mn; ++n)
            c.push_back(float(int(random() % 2001) - 1000) * 0.37f);
    }
    void load(Lab& lab) const {
        for (unsigned n = 0; n < 8; ++n) lab.set(kA + n, 0u), lab.set(kB + n, 0u);
        for (unsigned row = 0; row < mn; ++row)
            for (unsigned kk = 0; kk < k; ++kk) {
                Place p = place8(mn, row, kk);
                lab.vgprs[kA + p.reg][p.lane] |= uint32_t(a[row * k + kk]) << 8 * p.byte;
                lab.vgprs[kB + p.reg][p.lane] |= uint32_t(b[row * k + kk]) << 8 * p.byte;
            }
        load_c(lab);
    }
    void load_c(Lab& lab) const {
        for (unsigned row = 0; row < mn; ++row)
            for (unsigned col = 0; col < mn; ++col) {
                auto [lane, reg] = result_place(mn, row, col);
                lab.vgprs[kC + reg][lane] = std::bit_cast<uint32_t>(c[row * mn + col]);
            }
        for (unsigned n = 0; n < mn * mn / 64; ++n) lab.watch.push_back(kD + n);
    }
    float result(const Lab& lab, unsigned row, unsigned col) const {
        auto [lane, reg] = result_place(mn, row, col);
        return lab.f32(kD + reg, lane);
    }
};

std::string line(const std::string& op, unsigned ab, unsigned mn) {
    unsigned cd = mn * mn / 64;
    return fmt::format("{} v[{}:{}], v[{}:{}], v[{}:{}], v[{}:{}]", op, kD, kD + cd - 1, kA,
                       kA + ab - 1, kB, kB + ab - 1, kC, kC + cd - 1);
}

}  // namespace

TEST_CASE("fp8 product of both shapes is the exact sum, rounded once", "[sim][mfma]") {
    unsigned mn = GENERATE(32u, 16u);
    Case8 t(mn, 7 + mn);
    Lab lab;
    t.load(lab);
    lab.exec = 0xff;  // does not matter
    lab.run(line(mn == 32 ? "v_mfma_f32_32x32x64_f8f6f4" : "v_mfma_f32_16x16x128_f8f6f4", 8, mn));
    for (unsigned row = 0; row < mn; ++row)
        for (unsigned col = 0; col < mn; ++col) {
            long double sum = t.c[row * mn + col];  // 64 bits of significand hold it
            for (unsigned k = 0; k < t.k; ++k)
                sum += (long double)(e4m3_to_float(t.a[row * t.k + k])) *
                       e4m3_to_float(t.b[col * t.k + k]);
            CAPTURE(row, col);
            REQUIRE(t.result(lab, row, col) == float(sum));
        }
    CHECK(lab.result.mfma == 1);
}

TEST_CASE("one element of A meets its row only", "[sim][mfma]") {
    auto [row, k] = GENERATE(table<unsigned, unsigned>({{0, 0}, {5, 17}, {31, 63}, {8, 32}}));
    Case8 t(32, 1);
    std::fill(t.a.begin(), t.a.end(), 0);
    std::fill(t.c.begin(), t.c.end(), 0.f);
    t.a[row * 64 + k] = 0x40;  // 2
    Lab lab;
    t.load(lab);
    lab.run(line("v_mfma_f32_32x32x64_f8f6f4", 8, 32));
    for (unsigned i : {0u, 5u, 8u, 31u})
        for (unsigned j : {0u, 13u, 31u})
            CHECK(t.result(lab, i, j) == (i == row ? 2 * e4m3_to_float(t.b[j * 64 + k]) : 0));
}

TEST_CASE("scales belong to 32 true k of a row, from lane row + 32 * block", "[sim][mfma]") {
    Case8 t(32, 3);
    Lab lab;
    t.load(lab);
    lab.set(8, 0u);
    lab.set(9, 0u);
    for (unsigned l = 0; l < 64; ++l) {
        lab.vgprs[8][l] = 0x11000000 | (120 + l % 13) << 16 | 0x2233;  // byte 2
        lab.vgprs[9][l] = 0x44550000 | (130 - l % 7) << 8 | 0x66;      // byte 1
    }
    lab.run(line("v_mfma_scale_f32_32x32x64_f8f6f4", 8, 32) +
            ", v8, v9 op_sel:[0,1,0] op_sel_hi:[1,0,0]");
    for (unsigned row = 0; row < 32; ++row)
        for (unsigned col = 0; col < 32; ++col) {
            long double sum = t.c[row * 32 + col];
            for (unsigned k = 0; k < 64; ++k) {
                unsigned sa = 120 + (row + 32 * (k / 32)) % 13,
                         sb = 130 - (col + 32 * (k / 32)) % 7;
                sum += (long double)(e4m3_to_float(t.a[row * 64 + k])) *
                       e4m3_to_float(t.b[col * 64 + k]) * std::ldexp(1.0L, int(sa + sb) - 254);
            }
            CAPTURE(row, col);
            REQUIRE(t.result(lab, row, col) == float(sum));
        }
}

TEST_CASE("a scale byte of 0xff is NaN for its block", "[sim][mfma]") {
    Case8 t(32, 3);
    Lab lab;
    t.load(lab);
    lab.set(8, 127u);
    lab.set(9, 127u);
    lab.vgprs[8][32 + 4] = 0xff;
    lab.run(line("v_mfma_scale_f32_32x32x64_f8f6f4", 8, 32) + ", v8, v9 op_sel_hi:[0,0,0]");
    CHECK(std::isnan(t.result(lab, 4, 9)));
    CHECK(!std::isnan(t.result(lab, 5, 9)));
}

TEST_CASE("small formats: 6-bit and 4-bit strings, mixed operands", "[sim][mfma]") {
    auto [cbsz, blgp] =
        GENERATE(table<unsigned, unsigned>({{2, 2}, {3, 0}, {4, 4}, {0, 4}, {1, 2}}));
    CAPTURE(cbsz, blgp);
    std::mt19937 random(cbsz * 8 + blgp);
    Lab lab;
    std::vector<float> value[2];
    unsigned words[2];
    for (unsigned side : {0u, 1u}) {
        unsigned format = side ? blgp : cbsz, bits = format < 2 ? 8 : format < 4 ? 6 : 4;
        unsigned first = side ? kB : kA;
        words[side] = bits;
        for (unsigned n = 0; n < bits; ++n) lab.set(first + n, 0u);
        for (unsigned row = 0; row < 32; ++row)
            for (unsigned k = 0; k < 64; ++k) {
                uint32_t code = random() & ((1u << bits) - 1);
                if (format == 0 && (code & 0x7f) == 0x7f) code = 0;
                if (format == 1 && (code & 0x7c) == 0x7c) code = 0;
                value[side].push_back(to_float(Format(format), uint8_t(code)));
                if (bits == 8) {
                    Place p = place8(32, row, k);
                    lab.vgprs[first + p.reg][p.lane] |= code << 8 * p.byte;
                    continue;
                }
                unsigned lane = row + 32 * (k / 32);
                for (unsigned bit = 0; bit < bits; ++bit) {
                    unsigned at = k % 32 * bits + bit;
                    lab.vgprs[first + at / 32][lane] |= (code >> bit & 1) << at % 32;
                }
            }
    }
    for (unsigned n = 0; n < 16; ++n) lab.watch.push_back(kD + n);
    lab.run(
        fmt::format("v_mfma_f32_32x32x64_f8f6f4 v[{}:{}], v[{}:{}], v[{}:{}], 0 cbsz:{} blgp:{}",
                    kD, kD + 15, kA, kA + words[0] - 1, kB, kB + words[1] - 1, cbsz, blgp));
    for (unsigned row = 0; row < 32; row += 3)
        for (unsigned col = 0; col < 32; col += 5) {
            long double sum = 0;
            for (unsigned k = 0; k < 64; ++k)
                sum += (long double)(value[0][row * 64 + k]) * value[1][col * 64 + k];
            auto [lane, reg] = result_place(32, row, col);
            REQUIRE(lab.f32(kD + reg, lane) == float(sum));
        }
}

TEST_CASE("bf16 product keeps terms that a double would drop", "[sim][mfma]") {
    Lab lab;
    std::mt19937 random(5);
    std::vector<uint16_t> a(32 * 16), b(32 * 16);
    for (unsigned n = 0; n < 4; ++n) lab.set(kA + n, 0u), lab.set(kB + n, 0u);
    for (unsigned row = 0; row < 32; ++row)
        for (unsigned k = 0; k < 16; ++k) {
            a[row * 16 + k] = float_to_bf16(float(int(random() % 255) - 127) / 64);
            b[row * 16 + k] = float_to_bf16(float(int(random() % 255) - 127) / 64);
        }
    // Row 0 and column 0: 2^60, 2^-60 and -2^60 must leave 2^-60.
    for (unsigned k = 0; k < 16; ++k) a[k] = b[k] = 0;
    a[0] = float_to_bf16(0x1p60f), a[1] = float_to_bf16(0x1p-60f), a[9] = float_to_bf16(-0x1p60f);
    b[0] = b[1] = b[9] = float_to_bf16(1.f);
    for (unsigned row = 0; row < 32; ++row)
        for (unsigned k = 0; k < 16; ++k) {
            Place p = place16(32, row, k);
            lab.vgprs[kA + p.reg][p.lane] |= uint32_t(a[row * 16 + k]) << 8 * p.byte;
            lab.vgprs[kB + p.reg][p.lane] |= uint32_t(b[row * 16 + k]) << 8 * p.byte;
        }
    for (unsigned n = 0; n < 16; ++n) lab.set(kC + n, 0.f), lab.watch.push_back(kD + n);
    lab.run(line("v_mfma_f32_32x32x16_bf16", 4, 32));
    CHECK(lab.f32(kD, 0) == 0x1p-60f);
    for (unsigned row = 1; row < 32; ++row)
        for (unsigned col = 1; col < 32; ++col) {
            double sum = 0;
            for (unsigned k = 0; k < 16; ++k)
                sum += double(bf16_to_float(a[row * 16 + k])) * bf16_to_float(b[col * 16 + k]);
            auto [lane, reg] = result_place(32, row, col);
            REQUIRE(lab.f32(kD + reg, lane) == float(sum));
        }
}

TEST_CASE("NaN of A spoils its row whatever B holds; denormals of C stay", "[sim][mfma]") {
    Case8 t(32, 11);
    t.a[3 * 64 + 20] = 0x7f;
    std::fill(t.b.begin(), t.b.end(), 0);
    t.c.assign(32 * 32, 0x1p-140f);
    Lab lab;
    lab.setup.denorm32 = 0;
    t.load(lab);
    lab.run(line("v_mfma_f32_32x32x64_f8f6f4", 8, 32));
    CHECK(std::isnan(t.result(lab, 3, 8)));
    CHECK(t.result(lab, 4, 8) == 0x1p-140f);
}

TEST_CASE("i8 product adds in 32 bits", "[sim][mfma]") {
    Lab lab;
    for (unsigned n = 0; n < 4; ++n) lab.set(kA + n, 0x80808080u), lab.set(kB + n, 0x80808080u);
    for (unsigned n = 0; n < 16; ++n) lab.set(kC + n, 5u), lab.watch.push_back(kD + n);
    lab.run(line("v_mfma_i32_32x32x32_i8", 4, 32));
    CHECK(lab.lane(kD + 7, 40) == 5 + 32 * 128 * 128);
}

TEST_CASE("the three accumulators agree on small integers and differ where bits are lost",
          "[sim][mfma]") {
    Case8 t(32, 2);
    for (auto& x : t.a) x = uint8_t(0x38 + (x & 7));
    for (auto& x : t.b) x = uint8_t(0x38 + (x & 3) * 2);
    for (auto& x : t.c) x = 3.f;
    float want[3], far[3];
    for (Accumulate how : {Accumulate::exact, Accumulate::cdna3, Accumulate::fma}) {
        Lab lab;
        lab.options.accumulate = how;
        t.load(lab);
        lab.run(line("v_mfma_f32_32x32x64_f8f6f4", 8, 32));
        want[int(how)] = t.result(lab, 6, 7);
        Case8 wide(32, 2);
        Lab other;
        other.options.accumulate = how;
        wide.load(other);
        other.run(line("v_mfma_f32_32x32x64_f8f6f4", 8, 32));
        far[int(how)] = wide.result(other, 6, 7);
    }
    CHECK(want[0] == want[1]);
    CHECK(want[0] == want[2]);
    CHECK(std::abs(far[0] - far[1]) <= std::abs(far[0]) * 1e-5f + 1e-2f);
    CHECK(std::abs(far[0] - far[2]) <= std::abs(far[0]) * 1e-5f + 1e-2f);
}

TEST_CASE("cdna3 cuts each aligned product at 24 fractional bits", "[sim][mfma]") {
    // 448 * 448 is 1.53 * 2^17, exponents 8 + 8 = 16: one unit is 2^-8. A product of 2^-9 * 1 is
    // lost beside it, 64 of them would have made 2^-3.
    Case8 t(32, 2);
    std::fill(t.a.begin(), t.a.end(), 0x01);
    std::fill(t.b.begin(), t.b.end(), 0x38);
    std::fill(t.c.begin(), t.c.end(), 0.f);
    for (unsigned k : {0u, 1u}) t.a[k] = k ? 0xfe : 0x7e, t.b[k] = 0x7e;
    float sum[3];
    for (Accumulate how : {Accumulate::exact, Accumulate::cdna3, Accumulate::fma}) {
        Lab lab;
        lab.options.accumulate = how;
        lab.options.cdna3_group = 64;
        t.load(lab);
        lab.run(line("v_mfma_f32_32x32x64_f8f6f4", 8, 32));
        sum[int(how)] = t.result(lab, 0, 0);
    }
    CHECK(sum[0] == 62 * 0x1p-9f);
    CHECK(sum[1] == 0.f);
    CHECK(sum[2] == 62 * 0x1p-9f);
}
