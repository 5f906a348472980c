// Writes llvm_apfloat.txt: instruction vectors whose results are computed by LLVM's APFloat and
// APInt, not by this project. Not part of the build:
//   g++ -std=c++17 make_vectors.cpp $(llvm-config-22 --cxxflags --ldflags --libs support) &&
//   ./a.out
#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/APSInt.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

using namespace llvm;
using Semantics = const fltSemantics&;
using Words = std::vector<uint32_t>;
constexpr auto kEven = APFloat::rmNearestTiesToEven;

static FILE* out;
static void begin(const std::string& lines) { std::fprintf(out, "@ %s\n", lines.c_str()); }
static void put(const Words& in, const std::string& want) {
    for (uint32_t w : in) std::fprintf(out, "%08x ", w);
    std::fprintf(out, "-> %s\n", want.c_str());
}
static std::string hex(uint64_t x, unsigned words = 1) {
    char text[32];
    if (words == 1) std::snprintf(text, sizeof text, "%08x", unsigned(x));
    else std::snprintf(text, sizeof text, "%08x %08x", unsigned(x), unsigned(x >> 32));
    return text;
}
static APFloat of(Semantics s, uint64_t bits) {
    return APFloat(s, APInt(APFloat::getSizeInBits(s), bits));
}
static uint64_t bits(const APFloat& f) { return f.bitcastToAPInt().getZExtValue(); }
// NaN: any of that width.
static std::string shown(const APFloat& f, unsigned words = 1) {
    if (f.isNaN())
        return words == 2 ? "nan64" : f.getSizeInBits(f.getSemantics()) == 16 ? "nan16" : "nan32";
    return hex(bits(f), words);
}
static APFloat to(APFloat f, Semantics s) {
    bool lost;
    f.convert(s, kEven, &lost);
    return f;
}

static const std::vector<uint32_t> kF32 = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x3f800000, 0xbf800000, 0x3f800001, 0xbf7fffff, 0x3fc00000, 0x40490fdb, 0xc2f6e979, 0x4b800001,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3dcccccd, 0x33800000, 0xcb000001};
static const std::vector<uint64_t> kF64 = {0,
                                           0x8000000000000000,
                                           1,
                                           0x000fffffffffffff,
                                           0x0010000000000000,
                                           0x3ff0000000000000,
                                           0xbff8000000000000,
                                           0x3ff0000000000001,
                                           0x400921fb54442d18,
                                           0x7fefffffffffffff,
                                           0xffefffffffffffff,
                                           0x7ff0000000000000,
                                           0xfff0000000000000,
                                           0x7ff8000000000000,
                                           0x3fb999999999999a,
                                           0xc340000000000001};
static const std::vector<uint16_t> kF16 = {0x0000, 0x8000, 0x0001, 0x03ff, 0x0400, 0x3c00,
                                           0xbc00, 0x3c01, 0x3e00, 0x4248, 0xc5f0, 0x7bff,
                                           0xfbff, 0x7c00, 0xfc00, 0x7e00};
static const std::vector<uint32_t> kInts = {
    0,          1,          2,          3,          7,          0x1f,
    0x20,       0xff,       0x8000,     0xffff,     0x10000,    0x7fffffff,
    0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x12345678, 0xdeadbeef};

// Pairs and triples that meet every value of the list in every place.
template <class T, class F>
static void pairs(const std::vector<T>& v, unsigned step, F f) {
    for (size_t a = 0; a < v.size(); ++a)
        for (size_t b = a % step; b < v.size(); b += step) f(v[a], v[b]);
}
template <class T, class F>
static void triples(const std::vector<T>& v, F f) {
    for (size_t a = 0; a < v.size(); ++a)
        for (size_t k = 0; k < 6; ++k)
            f(v[a], v[(a * 5 + k * 7 + 3) % v.size()], v[(a * 11 + k * 13 + 1) % v.size()]);
}

static void arithmetic() {
    Semantics f32 = APFloat::IEEEsingle(), f64 = APFloat::IEEEdouble(), f16 = APFloat::IEEEhalf();
    const auto binary = [&](const char* op, auto apply) {
        begin(std::string(op) + "_f32 v8, v2, v3");
        pairs(kF32, 5, [&](uint32_t a, uint32_t b) {
            APFloat x = of(f32, a);
            apply(x, of(f32, b));
            put({a, b}, shown(x));
        });
        begin(std::string(op) + "_f64 v[8:9], v[2:3], v[4:5]");
        if (std::string(op) != "v_sub")
            pairs(kF64, 4, [&](uint64_t a, uint64_t b) {
                APFloat x = of(f64, a);
                apply(x, of(f64, b));
                put({uint32_t(a), uint32_t(a >> 32), uint32_t(b), uint32_t(b >> 32)}, shown(x, 2));
            });
        begin(std::string(op) + "_f16 v8, v2, v3");
        pairs(kF16, 4, [&](uint32_t a, uint32_t b) {
            APFloat x = of(f16, a);
            apply(x, of(f16, b));
            put({a, b}, shown(x));
        });
    };
    binary("v_add", [](APFloat& x, const APFloat& y) { x.add(y, kEven); });
    binary("v_sub", [](APFloat& x, const APFloat& y) { x.subtract(y, kEven); });
    binary("v_mul", [](APFloat& x, const APFloat& y) { x.multiply(y, kEven); });
    binary("v_max", [](APFloat& x, const APFloat& y) { x = maximumnum(x, y); });
    binary("v_min", [](APFloat& x, const APFloat& y) { x = minimumnum(x, y); });
    begin("v_fma_f32 v8, v2, v3, v4");
    triples(kF32, [&](uint32_t a, uint32_t b, uint32_t c) {
        APFloat x = of(f32, a);
        x.fusedMultiplyAdd(of(f32, b), of(f32, c), kEven);
        put({a, b, c}, shown(x));
    });
    begin("v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]");
    triples(kF64, [&](uint64_t a, uint64_t b, uint64_t c) {
        APFloat x = of(f64, a);
        x.fusedMultiplyAdd(of(f64, b), of(f64, c), kEven);
        put({uint32_t(a), uint32_t(a >> 32), uint32_t(b), uint32_t(b >> 32), uint32_t(c),
             uint32_t(c >> 32)},
            shown(x, 2));
    });
    begin("v_fma_f16 v8, v2, v3, v4");
    triples(kF16, [&](uint32_t a, uint32_t b, uint32_t c) {
        APFloat x = of(f16, a);
        x.fusedMultiplyAdd(of(f16, b), of(f16, c), kEven);
        put({a, b, c}, shown(x));
    });
    const std::pair<const char*, APFloat::roundingMode> modes[] = {
        {"v_rndne", kEven},
        {"v_floor", APFloat::rmTowardNegative},
        {"v_ceil", APFloat::rmTowardPositive},
        {"v_trunc", APFloat::rmTowardZero}};
    std::vector<uint32_t> values = kF32;
    for (uint32_t x :
         {0x3f000000u, 0xbf000000u, 0x3fc00000u, 0x40200000u, 0xc0600000u, 0x4affffffu})
        values.push_back(x);
    for (auto [op, mode] : modes) {
        begin(std::string(op) + "_f32 v8, v2");
        for (uint32_t a : values) {
            APFloat x = of(f32, a);
            x.roundToIntegral(mode);
            put({a}, shown(x));
        }
        begin(std::string(op) + "_f64 v[8:9], v[2:3]");
        for (uint64_t a : kF64) {
            APFloat x = of(f64, a);
            x.roundToIntegral(mode);
            put({uint32_t(a), uint32_t(a >> 32)}, shown(x, 2));
        }
    }
    begin("v_ldexp_f32 v8, v2, v3");
    for (uint32_t a : kF32)
        for (int e : {0, 1, -1, 24, -24, 127, -149, 300})
            put({a, uint32_t(e)}, shown(scalbn(of(f32, a), e, kEven)));
    begin("v_frexp_mant_f32 v8, v2");
    for (uint32_t a : kF32) {
        int e;
        APFloat m = frexp(of(f32, a), e, kEven);
        put({a}, shown(m));
    }
    begin("v_frexp_exp_i32_f32 v8, v2");
    for (uint32_t a : kF32) {
        APFloat x = of(f32, a);
        int e = 0;
        if (x.isFinite() && !x.isZero()) (void)frexp(x, e, kEven);
        put({a}, hex(uint32_t(e)));
    }
}

static void compares() {
    Semantics f32 = APFloat::IEEEsingle();
    struct {
        const char* name;
        bool less, equal, greater, unordered;
    } const kinds[] = {{"lt", 1, 0, 0, 0},  {"eq", 0, 1, 0, 0},  {"le", 1, 1, 0, 0},
                       {"gt", 0, 0, 1, 0},  {"lg", 1, 0, 1, 0},  {"ge", 0, 1, 1, 0},
                       {"o", 1, 1, 1, 0},   {"u", 0, 0, 0, 1},   {"nge", 1, 0, 0, 1},
                       {"nlg", 0, 1, 0, 1}, {"ngt", 1, 1, 0, 1}, {"nle", 0, 0, 1, 1},
                       {"neq", 1, 0, 1, 1}, {"nlt", 0, 1, 1, 1}};
    for (const auto& k : kinds) {
        begin(std::string("v_cmp_") + k.name + "_f32 vcc, v2, v3 / v_cndmask_b32 v8, 0, 1, vcc");
        pairs(kF32, 7, [&](uint32_t a, uint32_t b) {
            const auto r = of(f32, a).compare(of(f32, b));
            const bool yes = r == APFloat::cmpLessThan      ? k.less
                             : r == APFloat::cmpEqual       ? k.equal
                             : r == APFloat::cmpGreaterThan ? k.greater
                                                            : k.unordered;
            put({a, b}, hex(yes));
        });
    }
    // Mask bits: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal,
    // +inf.
    for (unsigned bit = 1; bit < 10; ++bit) {
        begin("v_cmp_class_f32 vcc, v2, v3 / v_cndmask_b32 v8, 0, 1, vcc");
        for (uint32_t a : kF32) {
            const APFloat x = of(f32, a);
            const unsigned sign = x.isNegative();
            const unsigned cls = x.isNaN()        ? 1
                                 : x.isInfinity() ? (sign ? 2 : 9)
                                 : x.isZero()     ? (sign ? 5 : 6)
                                 : x.isDenormal() ? (sign ? 4 : 7)
                                                  : (sign ? 3 : 8);
            put({a, 1u << bit}, hex(cls == bit));
        }
    }
    const std::vector<uint64_t> wide = {
        0, 1, ~0ull, 1ull << 63, (1ull << 63) - 1, 0xffffffff, 1ull << 32, 0x123456789abcdefull};
    for (const char* type : {"i64", "u64"})
        for (const char* op : {"lt", "eq", "le", "gt", "lg", "ge"}) {
            const std::string name = op == std::string("lg") ? "ne" : op;
            begin("v_cmp_" + name + "_" + type +
                  " vcc, v[2:3], v[4:5] / v_cndmask_b32 v8, 0, 1, vcc");
            pairs(wide, 2, [&](uint64_t x, uint64_t y) {
                const APInt a(64, x), b(64, y);
                const bool less = type[0] == 'i' ? a.slt(b) : a.ult(b), same = a == b;
                const bool yes = name == "lt"   ? less
                                 : name == "eq" ? same
                                 : name == "le" ? less || same
                                 : name == "gt" ? !less && !same
                                 : name == "ne" ? !same
                                                : !less;
                put({uint32_t(x), uint32_t(x >> 32), uint32_t(y), uint32_t(y >> 32)}, hex(yes));
            });
        }
}

static void conversions() {
    Semantics f32 = APFloat::IEEEsingle(), f64 = APFloat::IEEEdouble(), f16 = APFloat::IEEEhalf(),
              bf16 = APFloat::BFloat();
    std::vector<uint32_t> ties = kF32;
    for (uint32_t x : {0x3f801000u, 0x3f803000u, 0x3f801001u, 0x3f800fffu, 0x477fe000u, 0x477fefffu,
                       0x477ff000u, 0x33000000u, 0x33000001u, 0x38800000u, 0x387fe000u, 0x3f808000u,
                       0x3f818000u, 0x3f808001u, 0x7f7f8000u, 0x4f000000u, 0xcf000000u, 0xcf000001u,
                       0x4f800000u, 0x4effffffu, 0x3fffffffu})
        ties.push_back(x);
    begin("v_cvt_f16_f32 v8, v2");
    for (uint32_t a : ties) put({a}, shown(to(of(f32, a), f16)));
    begin("v_cvt_pk_bf16_f32 v8, v2, v3");
    for (uint32_t a : ties)
        if (!of(f32, a).isNaN())
            put({a, 0x3f800000}, hex(bits(to(of(f32, a), bf16)) | 0x3f80u << 16));
    begin("v_cvt_f32_f16 v8, v2");
    for (unsigned a = 0; a < 0x10000; a += 0x173) put({a}, shown(to(of(f16, a), f32)));
    begin("v_cvt_f64_f32 v[8:9], v2");
    for (uint32_t a : kF32) put({a}, shown(to(of(f32, a), f64), 2));
    begin("v_cvt_f32_f64 v8, v[2:3]");
    for (uint64_t a : kF64) put({uint32_t(a), uint32_t(a >> 32)}, shown(to(of(f64, a), f32)));
    for (const bool sign : {false, true}) {
        begin(sign ? "v_cvt_i32_f32 v8, v2" : "v_cvt_u32_f32 v8, v2");
        for (uint32_t a : ties) {
            APSInt to_int(32, !sign);
            bool exact;
            of(f32, a).convertToInteger(to_int, APFloat::rmTowardZero, &exact);
            put({a}, hex(of(f32, a).isNaN() ? 0 : to_int.getZExtValue()));
        }
        begin(sign ? "v_cvt_f32_i32 v8, v2" : "v_cvt_f32_u32 v8, v2");
        std::vector<uint32_t> ints = kInts;
        for (uint32_t x : {0x1000001u, 0x1000003u, 0x3000001u, 0xffffff7fu, 0xffffff80u,
                           0x7fffffbfu, 0x7fffffc0u})
            ints.push_back(x);
        for (uint32_t a : ints) {
            APFloat x(f32);
            x.convertFromAPInt(APInt(32, a), sign, kEven);
            put({a}, shown(x));
        }
    }
}

// The small formats: every code, every tie between neighbours, overflow.
static void small_formats() {
    Semantics f32 = APFloat::IEEEsingle();
    const auto eight = [&](Semantics s, const std::string& name) {
        begin("v_cvt_f32_" + name + " v8, v2");
        for (unsigned code = 0; code < 256; ++code) put({code}, shown(to(of(s, code), f32)));
        begin("v_cvt_pk_f32_" + name + " v[8:9], v2");
        for (unsigned code = 0; code < 256; ++code) {
            const APFloat low = to(of(s, code), f32), high = to(of(s, 255 - code), f32);
            if (low.isNaN() || high.isNaN()) continue;
            put({code | (255 - code) << 8}, shown(low) + " " + shown(high));
        }
        begin("v_mov_b32 v8, 0 / v_cvt_pk_" + name + "_f32 v8, v2, v3");
        for (unsigned sign : {0u, 0x80u})
            for (unsigned code = 0; code < 127; ++code) {
                APFloat a = to(of(s, code | sign), f32), b = to(of(s, (code + 1) | sign), f32);
                if (!a.isFinite() || !b.isFinite()) continue;
                APFloat middle = a;
                middle.add(b, kEven);
                middle.multiply(APFloat(0.5f), kEven);
                APFloat up = middle, down = middle;
                up.next(false), down.next(true);
                for (const APFloat& x : {middle, up, down})
                    put({uint32_t(bits(x)), uint32_t(bits(a))},
                        hex(bits(to(x, s)) | (code | sign) << 8));
            }
    };
    eight(APFloat::Float8E4M3FN(), "fp8");
    eight(APFloat::Float8E5M2(), "bf8");
    // Scales: each E8M0 exponent, as the exponent of an f32.
    const struct {
        Semantics s;
        const char* name;
        unsigned one, three_halves;
    } scaled[] = {{APFloat::Float8E4M3FN(), "fp8", 0x38, 0x3c},
                  {APFloat::Float8E5M2(), "bf8", 0x3c, 0x3e},
                  {APFloat::Float4E2M1FN(), "fp4", 0x2, 0x3}};
    for (const auto& f : scaled) {
        begin(std::string("v_cvt_scalef32_pk_f32_") + f.name + " v[8:9], v2, v3");
        const unsigned width = f.name[2] == '4' ? 4 : 8;
        for (unsigned e = 0; e < 255; ++e) {
            const auto times = [&](unsigned code) {
                return shown(scalbn(to(of(f.s, code), f32), int(e) - 127, kEven));
            };
            put({f.one | f.three_halves << width, e << 23},
                times(f.one) + " " + times(f.three_halves));
        }
    }
}

static void integers() {
    const auto two = [&](const char* op, auto f) {
        begin(std::string(op) + " v8, v2, v3");
        pairs(kInts, 3, [&](uint32_t a, uint32_t b) {
            put({a, b}, hex(f(APInt(32, a), APInt(32, b)).getZExtValue()));
        });
    };
    const auto one = [&](const char* op, auto f) {
        begin(std::string(op) + " v8, v2");
        for (uint32_t a : kInts) put({a}, hex(f(APInt(32, a)).getZExtValue()));
    };
    two("v_add_u32", [](APInt a, APInt b) { return a + b; });
    two("v_sub_u32", [](APInt a, APInt b) { return a - b; });
    two("v_mul_lo_u32", [](APInt a, APInt b) { return a * b; });
    two("v_mul_hi_u32", [](APInt a, APInt b) { return APIntOps::mulhu(a, b); });
    two("v_mul_hi_i32", [](APInt a, APInt b) { return APIntOps::mulhs(a, b); });
    two("v_min_u32", [](APInt a, APInt b) { return APIntOps::umin(a, b); });
    two("v_max_u32", [](APInt a, APInt b) { return APIntOps::umax(a, b); });
    two("v_min_i32", [](APInt a, APInt b) { return APIntOps::smin(a, b); });
    two("v_max_i32", [](APInt a, APInt b) { return APIntOps::smax(a, b); });
    two("v_lshlrev_b32", [](APInt a, APInt b) { return b.shl(a.getZExtValue() & 31); });
    two("v_lshrrev_b32", [](APInt a, APInt b) { return b.lshr(a.getZExtValue() & 31); });
    two("v_ashrrev_i32", [](APInt a, APInt b) { return b.ashr(a.getZExtValue() & 31); });
    two("v_xor_b32", [](APInt a, APInt b) { return a ^ b; });
    two("v_bcnt_u32_b32", [](APInt a, APInt b) { return APInt(32, a.popcount()) + b; });
    one("v_bfrev_b32", [](APInt a) { return a.reverseBits(); });
    one("v_not_b32", [](APInt a) { return ~a; });
    one("v_ffbh_u32", [](APInt a) { return APInt(32, a.isZero() ? ~0u : a.countl_zero()); });
    one("v_ffbl_b32", [](APInt a) { return APInt(32, a.isZero() ? ~0u : a.countr_zero()); });
    begin("v_alignbit_b32 v8, v2, v3, v4");
    triples(kInts, [&](uint32_t a, uint32_t b, uint32_t c) {
        put({a, b, c},
            hex(APInt(32, a).concat(APInt(32, b)).lshr(c & 31).trunc(32).getZExtValue()));
    });
    begin("v_bfe_u32 v8, v2, v3, v4");
    triples(kInts, [&](uint32_t a, uint32_t b, uint32_t c) {
        const unsigned first = b & 31, count = c & 31;
        put({a, b, c},
            hex(count ? APInt(32, a).lshr(first).trunc(count).zext(32).getZExtValue() : 0));
    });
    begin("v_mad_u64_u32 v[8:9], vcc, v2, v3, v[4:5]");
    triples(kInts, [&](uint32_t a, uint32_t b, uint32_t c) {
        const APInt sum = APInt(64, a) * APInt(64, b) + APInt(64, uint64_t(c) << 32 | b);
        put({a, b, b, c}, hex(sum.getZExtValue(), 2));
    });
    begin("v_lshlrev_b64 v[8:9], v2, v[4:5]");
    triples(kInts, [&](uint32_t a, uint32_t b, uint32_t c) {
        put({a, 0, b, c}, hex(APInt(64, uint64_t(c) << 32 | b).shl(a & 63).getZExtValue(), 2));
    });
    begin("v_med3_i32 v8, v2, v3, v4");
    triples(kInts, [&](uint32_t a, uint32_t b, uint32_t c) {
        const APInt x(32, a), y(32, b), z(32, c);
        put({a, b, c},
            hex(APIntOps::smax(APIntOps::smin(x, y), APIntOps::smin(APIntOps::smax(x, y), z))
                    .getZExtValue()));
    });
}

int main() {
    out = std::fopen("llvm_apfloat.txt", "w");
    std::fprintf(out, "# Made by make_vectors.cpp with LLVM's APFloat and APInt; see README.md.\n");
    arithmetic();
    compares();
    conversions();
    small_formats();
    integers();
    std::fclose(out);
}
