// Arithmetic of compiled HIP kernels against the host: integers, f32, f64, f16, bf16, matrices,
// MODE.
#include <bit>
#include <cfenv>
#include <cmath>

#include "isa/formats.hpp"
#include "isa/text.hpp"
#include "tests/hip/device_lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

#define NEEDS_CLANG \
    if (!has_clang()) return

namespace {

std::string level() { return GENERATE(as<std::string>{}, "-O0", "-O3"); }
bool near(double got, double expected, double relative) {
    if (std::isnan(expected)) return std::isnan(got);
    if (got == expected) return true;
    return std::fabs(got - expected) <= relative * std::fabs(expected);
}

}  // namespace

TEST_CASE("HIP: every instruction that clang emits has a row and prints as LLVM prints it",
          "[hip]") {
    NEEDS_CLANG;
    const std::string file =
        GENERATE(as<std::string>{}, "basic.hip", "lds.hip", "atomics.hip", "flow.hip",
                 "integer.hip", "real.hip", "half.hip", "matrix.hip", "system.hip");
    for (const Decoded& d : compiled(file, level()).code) {
        CAPTURE(d.text);
        if (d.text.starts_with("v_smfmac_")) continue;
        REQUIRE(d.known);
        if (d.inst.info().is_branch() && d.inst.op != Op::s_setpc_b64 &&
            d.inst.op != Op::s_swappc_b64)
            continue;  // targets are absolute in Inst
        CHECK(print(d.inst) == d.text);
    }
}

TEST_CASE("HIP: integer division, 64 bit, bits, small types", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("integer.hip", level());
    Numbers random;
    const unsigned n = 128;
    const auto any = [&] { return random.u32() >> (random.u32() & 31); };
    auto a = random.many<int>(n, any), b = random.many<int>(n, [&] { return int(any()) | 1; });
    a[3] = -77;
    b[4] = -5;
    a[5] = INT32_MIN;
    b[5] = 3;
    Run divide;
    const auto q = divide.buffer(std::vector<int>(n)), r = divide.buffer(std::vector<uint32_t>(n)),
               wide = divide.buffer(std::vector<uint64_t>(n));
    divide(object, "divide", {2, 1, 1}, {64, 1, 1}, divide.buffer(a), divide.buffer(b), q, r, wide);
    for (unsigned i = 0; i < n; ++i) {
        const int64_t big = int64_t(a[i]) * 1000003 + b[i];
        CAPTURE(a[i], b[i]);
        REQUIRE(divide.read<int>(q, n)[i] ==
                int(uint32_t(a[i] / b[i]) + uint32_t(a[i] % b[i]) * 3));
        REQUIRE(divide.read<uint32_t>(r, n)[i] ==
                (uint32_t(a[i]) / uint32_t(b[i]) ^ uint32_t(a[i]) % uint32_t(b[i])));
        REQUIRE(divide.read<uint64_t>(wide, n)[i] ==
                (uint64_t(big / b[i]) ^ uint64_t(big) % uint32_t(b[i] | 1)));
    }

    const auto x = random.many<uint64_t>(64, [&] { return random.u64() >> (random.u32() & 63); });
    const auto y = random.many<uint64_t>(64, [&] { return random.u64() >> (random.u32() & 63); });
    Run multiply;
    const auto low = multiply.buffer(std::vector<uint64_t>(64)),
               high = multiply.buffer(std::vector<uint64_t>(64));
    multiply(object, "multiply", {1, 1, 1}, {64, 1, 1}, multiply.buffer(x), multiply.buffer(y), low,
             high);
    for (unsigned i = 0; i < 64; ++i) {
        REQUIRE(multiply.read<uint64_t>(low, 64)[i] == x[i] * y[i] + (x[i] << (y[i] & 63)) +
                                                           (y[i] >> (x[i] & 63)) +
                                                           uint64_t(int64_t(x[i]) >> (y[i] & 31)));
        REQUIRE(multiply.read<uint64_t>(high, 64)[i] ==
                uint64_t((unsigned __int128)(x[i]) * y[i] >> 64) - std::max(x[i], y[i]));
    }

    const auto u = random.many<uint32_t>(64, any), v = random.many<uint32_t>(64, any);
    Run bits;
    const auto out = bits.buffer(std::vector<uint32_t>(64));
    bits(object, "bits", {1, 1, 1}, {64, 1, 1}, bits.buffer(u), bits.buffer(v), out);
    const auto mirrored = [](uint32_t z) {
        uint32_t m = 0;
        for (unsigned k = 0; k < 32; ++k) m |= (z >> k & 1) << (31 - k);
        return m;
    };
    for (unsigned i = 0; i < 64; ++i) {
        const uint32_t p = u[i], o = v[i];
        uint32_t s = uint32_t(std::popcount(p) + 2 * std::countl_zero(p) + 4 * std::countr_zero(o));
        s ^= mirrored(p) + __builtin_bswap32(o);
        s += (p >> 5 & 0x3ff) * (o & 0xffffff) + uint32_t(int32_t(o << 7) >> 20);
        s ^= std::rotl(p, int(o & 31)) + ((p & o) | (~p & 0x0f0f0f0f));
        s += uint32_t(std::popcount(uint64_t(p) << 32 | o)) +
             uint32_t(std::countl_zero(uint64_t(p) << 32 | 1));
        s += p > o ? p - o : o - p;
        s += uint32_t(std::min(int(p), int(o)));
        const int m = int(p & 0xff), t = int(o & 0xff), k = int(p >> 8 & 0xff);
        s += uint32_t(m > t ? (m < k ? m : k > t ? k : t) : (t < k ? t : k));
        CAPTURE(i, p, o);
        REQUIRE(bits.read<uint32_t>(out, 64)[i] == s);
    }

    const auto g = random.many<uint8_t>(256, [&] { return random.u32(); });
    const auto h = random.many<uint8_t>(256, [&] { return random.u32(); });
    Run small;
    const auto o8 = small.buffer(std::vector<uint8_t>(64)),
               dot = small.buffer(std::vector<int>(64));
    small(object, "small", {1, 1, 1}, {64, 1, 1}, small.buffer(g), small.buffer(h), o8, dot);
    for (unsigned i = 0; i < 64; ++i) {
        const uint8_t p = g[4 * i], o = h[4 * i + 1];
        int sum = 0;
        for (unsigned k = 4 * i; k < 4 * i + 4; ++k)
            sum += int8_t(g[k]) * int8_t(h[k]) + std::max(g[k], h[k]);
        REQUIRE(small.read<uint8_t>(o8, 64)[i] == uint8_t(p * o + (p >> 2) - (o << 1)));
        REQUIRE(small.read<int>(dot, 64)[i] == sum);
    }

    const auto e = random.many<int16_t>(128, [&] { return random.u32(); });
    const auto f = random.many<int16_t>(128, [&] { return random.u32(); });
    Run shorts;
    const auto pair = shorts.buffer(std::vector<int16_t>(128)),
               one = shorts.buffer(std::vector<uint16_t>(64));
    shorts(object, "shorts", {1, 1, 1}, {64, 1, 1}, shorts.buffer(e), shorts.buffer(f), pair, one);
    for (unsigned i = 0; i < 128; ++i) {
        const int16_t p = e[i], o = f[i];
        auto s = int16_t(p * o + (p - o));
        s = int16_t(s + std::max(p, o) + int16_t(p << (o & 15)) - (p >> 3));
        s = int16_t(s ^ std::min<uint16_t>(uint16_t(uint16_t(p) >> 5), uint16_t(o)));
        CAPTURE(i, p, o);
        REQUIRE(shorts.read<int16_t>(pair, 128)[i] == s);
        if (i & 1) continue;
        const auto t = uint16_t(e[i]), w = uint16_t(f[i + 1]);
        REQUIRE(shorts.read<uint16_t>(one, 64)[i / 2] ==
                uint16_t(t * w + (t >> (w & 15)) - std::min(t, w) + int16_t(w) / 7));
    }
}

TEST_CASE("HIP: f32 and f64 arithmetic", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("real.hip", level());
    Numbers random;
    const unsigned n = 64;
    auto a = random.many<float>(n, [&] { return random.real(-20, 20); });
    auto b = random.many<float>(n, [&] { return random.real(-20, 20); });
    a[0] = 1e-40f;  // denormal
    b[1] = 3e38f;
    a[2] = 1e-38f, b[2] = 7.0f;
    a[3] = NAN;
    b[4] = INFINITY;
    a[5] = 0, b[5] = 5;
    Run run;
    const auto out = run.buffer(std::vector<float>(12 * n));
    run(object, "math", {1, 1, 1}, {64, 1, 1}, run.buffer(a), run.buffer(b), out, int(n));
    const auto o = run.read<float>(out, 12 * n);
    for (unsigned i = 0; i < n; ++i) {
        const float x = a[i], y = b[i], *r = &o[12 * i];
        CAPTURE(i, x, y);
        CHECK((near(r[0], double(x) / double(y), 1e-6) ||
               std::fabs(r[0] - double(x) / double(y)) < 0x1p-149));
        if (std::isnormal(float(x / y))) CHECK(near(r[0], x / y, 0x1.8p-23));
        CHECK(near(r[1], std::sqrt(std::fabs(x)), 0x1.8p-23));
        CHECK(near(r[2], std::fma(x, y, -x), 0));
        CHECK(near(r[3], std::exp2(double(x)), 0x1p-22));
        CHECK(near(r[4], std::floor(x) + std::ceil(y), 0));
        CHECK(near(r[5], std::trunc(x) - std::rint(y), 0));
        CHECK(near(r[6], std::fmin(x, y) * std::fmax(x, 1.5f), 0));
        CHECK(near(r[7], std::copysign(x, y) + (x - std::floor(x)), 0));
        int e, unused;
        if (std::isfinite(y) && std::fabs(y) < 1e9f) {
            CHECK(near(r[8], std::ldexp(x, int(y)) + std::frexp(y, &unused), 0));
            if (std::isfinite(x)) {
                std::frexp(x, &e);
                CHECK(r[9] == float(e) + float(int(x)) + float(uint32_t(y * y)));
            }
        }
        CHECK(r[11] == (std::isnan(x) ? 1.0f : 0.0f) + (std::isinf(y) ? 2.0f : 0.0f) +
                           (x == y ? 4.0f : 0.0f) + (std::isnormal(x) ? 8.0f : 0.0f));
    }

    const auto p = random.many<double>(64, [&] { return random.real(-50, 50); });
    const auto q = random.many<double>(64, [&] { return random.real(-50, 50); });
    Run doubles;
    const auto dout = doubles.buffer(std::vector<double>(512)),
               whole = doubles.buffer(std::vector<int64_t>(64));
    doubles(object, "doubles", {1, 1, 1}, {64, 1, 1}, doubles.buffer(p), doubles.buffer(q), dout,
            whole);
    const auto d = doubles.read<double>(dout, 512);
    for (int i = 0; i < 64; ++i) {
        const double x = p[i], y = q[i], *r = &d[8 * i];
        CAPTURE(i, x, y);
        CHECK(near(r[0], x / y, 0x1p-52));
        CHECK(near(r[1], std::sqrt(std::fma(x, x, 1.0)), 0x1p-51));
        CHECK(std::fabs(r[2] - (std::fma(x, y, 0.1) - x * 3.0)) <= 1e-12);
        CHECK(near(r[3], std::floor(x) + std::rint(y) - std::trunc(x * 2.5) + std::ceil(y), 0));
        CHECK(near(r[4], std::fmin(x, y) + std::fmax(x, -y), 0));
        CHECK(near(r[5], float(x) + double(float(y)) * 2.0, 0x1p-51));
        CHECK(near(r[6],
                   double(int(x * 100)) + double(uint32_t(y * y * 7)) + double(int64_t(i) << 33),
                   0));
        CHECK(near(r[7], std::ldexp(x, i & 15) + (x > y ? 1.0 : -0.5), 0));
        CHECK(doubles.read<int64_t>(whole, 64)[i] ==
              int64_t(x * 1e6) + int64_t(uint64_t(y * y * 1e3)) + int(float(x)));
    }
}

TEST_CASE("HIP: f16 and bf16", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("half.hip", level());
    Numbers random;
    const auto half = [&] { return float_to_f16(random.real(-4, 4)); };
    const auto a = random.many<uint16_t>(128, half), b = random.many<uint16_t>(128, half);
    Run run;
    const auto out = run.buffer(std::vector<uint16_t>(8 * 64)),
               wide = run.buffer(std::vector<float>(64));
    run(object, "halves", {1, 1, 1}, {64, 1, 1}, run.buffer(a), run.buffer(b), out, wide);
    const auto o = run.read<uint16_t>(out, 8 * 64);
    const auto f = [](uint16_t x) { return f16_to_float(x); };
    const auto round = [&](double x) { return f(float_to_f16(float(x))); };
    for (unsigned i = 0; i < 64; ++i) {
        const float x = f(a[i]), y = f(b[i]);
        const uint16_t* r = &o[8 * i];
        CAPTURE(i, x, y);
        CHECK(f(r[0]) == round(x + y));
        // clang may fuse a product and a sum
        CHECK((f(r[1]) == round(round(x * y) - x) || f(r[1]) == round(double(x) * y - x)));
        CHECK(f(r[2]) == round(double(x) * y + 0.5));
        CHECK(near(f(r[3]), double(x) / (double(y) * y + 1), 0x1p-9));
        CHECK(near(f(r[4]), std::fabs(x), 0x1p-9));
        CHECK(f(r[5]) == round(std::fmin(x, y) + std::fmax(x, 2.0f)));
        CHECK(f(r[6]) == round(std::floor(x) - std::rint(y) + std::trunc(x)));
        CHECK(f(r[7]) == (x < y ? float(i) : std::fabs(y)));
    }
    Run pack;
    const auto real = random.many<float>(128, [&] { return random.real(-70000, 70000); });
    const auto packed = pack.buffer(std::vector<uint32_t>(128));
    pack(object, "pack_half", {1, 1, 1}, {64, 1, 1}, pack.buffer(real), packed);
    const auto w = pack.read<uint32_t>(packed, 128);
    for (unsigned i = 0; i < 64; ++i) {
        REQUIRE(uint16_t(w[2 * i]) == float_to_f16(real[2 * i]));
        REQUIRE(w[2 * i] >> 16 == float_to_f16(real[2 * i + 1]));
        const float cut = f(uint16_t(w[2 * i + 1]));
        REQUIRE(std::fabs(cut) <= std::fabs(real[2 * i]));
        REQUIRE(std::fabs(cut) >= std::min(std::fabs(real[2 * i]) * 0.999f, 65504.0f));
    }
    const auto brain = [&] { return float_to_bf16(random.real(-4, 4)); };
    const auto c = random.many<uint16_t>(128, brain), d = random.many<uint16_t>(128, brain);
    Run brains;
    const auto bout = brains.buffer(std::vector<uint16_t>(256)),
               pairs = brains.buffer(std::vector<uint16_t>(128)),
               bwide = brains.buffer(std::vector<float>(64));
    brains(object, "brains", {1, 1, 1}, {64, 1, 1}, brains.buffer(c), brains.buffer(d), bout,
           brains.buffer(d), pairs, bwide);
    const auto br = brains.read<uint16_t>(bout, 256);
    for (unsigned i = 0; i < 64; ++i) {
        const float x = bf16_to_float(c[i]), y = bf16_to_float(d[i]);
        REQUIRE(br[4 * i] == float_to_bf16(x + y));
        REQUIRE(br[4 * i + 1] == float_to_bf16(x * y));
        REQUIRE(br[4 * i + 2] == (x > y ? c[i] : d[i] ^ 0x8000));
        REQUIRE(br[4 * i + 3] == float_to_bf16(float(i) * 0.37f));
        REQUIRE(brains.read<float>(bwide, 64)[i] == x * 2.0f + bf16_to_float(d[2 * i + 1]));
    }
}

TEST_CASE("HIP: one matrix instruction of each dense family", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("matrix.hip", level());
    Numbers random;
    int a[32][32], b[32][32];
    for (auto& row : a)
        for (int& x : row) x = random.between(-7, 7);
    for (auto& row : b)
        for (int& x : row) x = random.between(-7, 7);
    // 16-bit: lane L holds row L % 32, k = 8 * (L / 32) + e; 8-bit: k = 16 * (L / 32) + e.
    const auto fragment = [&](const int (&m)[32][32], unsigned per_lane, auto encode) {
        std::vector<decltype(encode(0))> out;
        for (unsigned lane = 0; lane < 64; ++lane)
            for (unsigned e = 0; e < per_lane; ++e)
                out.push_back(encode(m[lane % 32][per_lane * (lane / 32) + e]));
        return out;
    };
    const auto product = [&](int i, int j, int depth) {
        int sum = 0;
        for (int k = 0; k < depth; ++k) sum += a[i][k] * b[j][k];
        return sum;
    };
    const auto check = [&](const std::string& name, auto encode, int factor) {
        Run run;
        const auto out = run.buffer(std::vector<float>(1024));
        run(object, name, {1, 1, 1}, {64, 1, 1}, run.buffer(fragment(a, 8, encode)),
            run.buffer(fragment(b, 8, encode)), out);
        const auto d = run.read<float>(out, 1024);
        for (int i = 0; i < 32; ++i)
            for (int j = 0; j < 32; ++j)
                REQUIRE(d[32 * i + j] == float(factor * product(i, j, 16)));
    };
    check("bf16_32x32x16", [](int x) { return float_to_bf16(float(x)); }, 2);
    check("f16_32x32x16", [](int x) { return float_to_f16(float(x)); }, 1);
    Run i8;
    const auto out = i8.buffer(std::vector<int>(1024));
    i8(object, "i8_32x32x32", {1, 1, 1}, {64, 1, 1},
       i8.buffer(fragment(a, 16, [](int x) { return int8_t(x); })),
       i8.buffer(fragment(b, 16, [](int x) { return int8_t(x); })), out);
    const auto d = i8.read<int>(out, 1024);
    for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j)
            REQUIRE(d[32 * i + j] == product(i, j, 32) + 4 * (i / 8) + i % 4);
    // All of A and B 1.0 in e4m3; scales 2^1 (byte 1 of A) and 2^2 (byte 2 of B).
    Run scaled;
    const std::vector<uint32_t> ones(64 * 8, 0x38383838), sa(64, 127u << 24 | 128u << 8 | 99u),
        sb(64, 129u << 16 | 55u);
    const auto sout = scaled.buffer(std::vector<float>(1024));
    scaled(object, "scaled_32x32x64", {1, 1, 1}, {64, 1, 1}, scaled.buffer(ones),
           scaled.buffer(ones), scaled.buffer(sa), scaled.buffer(sb), sout);
    CHECK(scaled.read<float>(sout, 1024) == std::vector<float>(1024, 64.0f * 8.0f));
}

TEST_CASE("HIP: clocks, votes, rounding modes", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("system.hip", level());
    Run clocks;
    const auto out = clocks.buffer(std::vector<uint64_t>(12));
    clocks(object, "clocks", {3, 1, 1}, {64, 1, 1}, out);
    for (unsigned g = 0; g < 3; ++g) {
        const auto r = clocks.read<uint64_t>(out, 12);
        CHECK(r[4 * g] == 1);
        CHECK(r[4 * g + 1] == 1);
        CHECK(r[4 * g + 2] == 0xf0);  // to nearest even, denormals kept
        CHECK(r[4 * g + 3] == g);
    }
    Numbers random;
    const auto in = random.many<int>(64, [&] { return random.between(0, 20); });
    Run votes;
    const auto masks = votes.buffer(std::vector<uint64_t>(64)),
               first = votes.buffer(std::vector<int>(64));
    votes(object, "votes", {1, 1, 1}, {64, 1, 1}, votes.buffer(in), masks, first);
    uint64_t big = 0, odd = 0;
    int first_odd = -1;
    for (int i = 63; i >= 0; --i) {
        big |= uint64_t(in[i] > 10) << i;
        if (!(in[i] & 1)) continue;
        first_odd = in[i];
        odd |= uint64_t(in[i] > 3) << i;
    }
    for (unsigned i = 0; i < 64; ++i) {
        CHECK(votes.read<uint64_t>(masks, 64)[i] == (in[i] & 1 ? big ^ odd : big));
        CHECK(votes.read<int>(first, 64)[i] ==
              (in[i] & 1 ? first_odd : -1) * 1000 + in[9] + in[i ^ 1]);
    }
    const auto a = random.many<float>(64, [&] { return random.real(-2, 2); });
    const auto b = random.many<float>(64, [&] { return random.real(-2, 2); });
    Run rounding;
    const auto sums = rounding.buffer(std::vector<float>(512));
    rounding(object, "rounding", {1, 1, 1}, {64, 1, 1}, rounding.buffer(a), rounding.buffer(b),
             sums);
    const auto r = rounding.read<float>(sums, 512);
    static constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    unsigned differ = 0;
    for (unsigned i = 0; i < 64; ++i)
        for (unsigned mode = 0; mode < 4; ++mode) {
            std::fesetround(kModes[mode]);
            const volatile float x = a[i], y = b[i];
            const volatile float sum = x + y, product = x * y;
            std::fesetround(FE_TONEAREST);
            CAPTURE(i, mode);
            REQUIRE(r[8 * i + 2 * mode] == sum);
            REQUIRE(r[8 * i + 2 * mode + 1] == product);
            differ += r[8 * i + 2 * mode + 1] != r[8 * i + 1];
        }
    CHECK(differ > 64);
}
