// Every matrix instruction against a plain triple loop on small numbers, whose sums are exact in
// any order. Types and shape are read from the mnemonic here; places of elements are written out
// by register and lane: 8-bit f8f6f4 and 4-bit: composable_kernel test/mx_mfma_op; 6-bit: AITER
// mxfp6 binaries; 16-bit gfx950: FlyDSL, HipKittens; gfx942 shapes: AMD's matrix calculator; B of
// sparse instructions: composable_kernel's smfma traits.
#include <catch2/catch.hpp>

#include <cmath>
#include <string>

#include "isa/random.hpp"
#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

struct Type {
    const char* name;
    unsigned bits, exponent_bits, mantissa;  // exponent_bits 0: integer
};
constexpr Type kTypes[] = {{"fp8", 8, 4, 3},   {"bf8", 8, 5, 2},   {"fp6", 6, 2, 3},
                           {"bf6", 6, 3, 2},   {"fp4", 4, 2, 1},   {"i8", 8, 0, 0},
                           {"f16", 16, 5, 10}, {"bf16", 16, 8, 7}, {"f32", 32, 8, 23}};
const Type& type(std::string_view name) {
    for (const Type& t : kTypes)
        if (name == t.name) return t;
    throw Error("no type " + std::string(name));
}

// All floats here hold these.
constexpr double kValues[] = {0, 1, -1, 2, -2, 0.5, -1.5, 3};
constexpr double kIntegers[] = {0, 1, -1, 2, -7, 100, 127, -128};

uint32_t code_of(const Type& t, double x) {
    if (!t.exponent_bits) return uint32_t(int(x)) & 0xff;
    const uint32_t sign = x < 0 ? 1u << (t.bits - 1) : 0;
    if (x == 0) return 0;
    int exponent;
    const double fraction = 2 * std::frexp(std::fabs(x), &exponent);  // 1 <= fraction < 2
    const int bias = (1 << (t.exponent_bits - 1)) - 1, field = exponent - 1 + bias;
    if (field <= 0)  // subnormal
        return sign | uint32_t(std::ldexp(fraction, int(t.mantissa) + field - 1));
    return sign | uint32_t(field) << t.mantissa |
           uint32_t(std::ldexp(fraction - 1, int(t.mantissa)));
}

struct Source {
    unsigned mn, k;
    Type type;
    unsigned per_lane() const { return mn * k / 64; }
    unsigned words() const { return per_lane() * type.bits / 32; }
    // k of element e of a lane in group g = lane / mn.
    unsigned k_of(unsigned g, unsigned e) const {
        const unsigned groups = 64 / mn;
        switch (type.bits) {
            case 8:
                if (per_lane() == 32) return 16 * g + 16 * groups * (e / 16) + e % 16;
                return (per_lane() == 16 ? 16 : 8) * g + e;
            case 16:
                if (per_lane() == 16) return 8 * g + 8 * groups * (e / 8) + e % 8;
                return (per_lane() == 8 ? 8 : 4) * g + e;
            case 32: return g;
            default: return 32 * g + e;
        }
    }
};

void put(Lab& lab, unsigned first, unsigned lane, unsigned bit, unsigned bits, uint32_t code) {
    for (unsigned n = 0; n < bits; ++n)
        if (code >> n & 1) lab.vgprs[first + (bit + n) / 32][lane] |= 1u << (bit + n) % 32;
}

constexpr unsigned kA = 32, kB = 48, kIndex = 60, kC = 64;  // first registers; D is C

// Fills the operand's registers; values by [k][row].
std::vector<double> fill(Lab& lab, unsigned first, const Source& o, Random& random) {
    std::vector<double> out(o.k * o.mn);
    for (unsigned n = 0; n < o.words(); ++n) lab.set(first + n, 0u);
    for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned e = 0; e < o.per_lane(); ++e) {
            const double x =
                o.type.exponent_bits ? kValues[random.below(8)] : kIntegers[random.below(8)];
            put(lab, first, lane, e * o.type.bits, o.type.bits, code_of(o.type, x));
            out[o.k_of(lane / o.mn, e) * o.mn + lane % o.mn] = x;
        }
    return out;
}

// Of four k two are stored: values by [k][row], 0 where nothing is.
std::vector<double> fill_sparse(Lab& lab, const Source& stored, unsigned part, Random& random) {
    const auto compact = fill(lab, kA, stored, random);
    std::vector<double> out(2 * stored.k * stored.mn);
    lab.set(kIndex, 0u);
    for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned e = 0; e < stored.per_lane(); e += 2) {
            const unsigned at = stored.per_lane() * (lane / stored.mn) + e, row = lane % stored.mn;
            const unsigned one = unsigned(random.below(3)),
                           two = one + 1 + unsigned(random.below(3 - one));
            lab.vgprs[kIndex][lane] |= (one | two << 2) << (2 * stored.per_lane() * part + 2 * e);
            out[(2 * at + one) * stored.mn + row] = compact[at * stored.mn + row];
            out[(2 * at + two) * stored.mn + row] = compact[(at + 1) * stored.mn + row];
        }
    return out;
}

struct Family {
    std::string mnemonic, modifiers;
    unsigned mn, k;
    Type a, b;
    bool sparse, integer;
};
std::vector<Family> families() {
    std::vector<Family> out;
    for (const OpInfo& row : kOps) {
        if (!row.is_mfma() || row.name.starts_with("v_mfma_scale")) continue;
        const std::string name(row.name);
        const size_t x = name.find('x');
        Family f{name, "", unsigned(std::stoul(name.substr(x - 2))), 0, {}, {}, false, false};
        f.k = unsigned(std::stoul(name.substr(x + 4)));
        f.sparse = name.starts_with("v_smfmac");
        f.integer = name.ends_with("_i8");
        if (name.ends_with("f8f6f4")) {
            constexpr std::string_view kFormats[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
            for (unsigned a = 0; a < 5; ++a)
                for (unsigned b = 0; b < 5; ++b) {
                    f.a = type(kFormats[a]), f.b = type(kFormats[b]);
                    f.modifiers = fmt::format(" cbsz:{} blgp:{}", a, b);
                    out.push_back(f);
                }
            continue;
        }
        const size_t last = name.rfind('_'), before = name.rfind('_', last - 1);
        f.b = type(name.substr(last + 1));
        f.a = name.substr(before + 1, 1) == "f" || name.substr(before + 1, 1) == "b"
                  ? type(name.substr(before + 1, last - before - 1))
                  : f.b;
        out.push_back(f);
    }
    return out;
}

}  // namespace

TEST_CASE("every matrix instruction is the triple loop", "[sim][matrix]") {
    const auto how = GENERATE(Accumulate::exact, Accumulate::cdna3, Accumulate::fma);
    unsigned seed = 0;
    for (const Family& f : families()) {
        CAPTURE(f.mnemonic, f.modifiers);
        Random random(++seed);
        Lab lab;
        lab.options.accumulate = how;
        const unsigned mn = f.mn, words = mn * mn / 64;
        const Source b{mn, f.k, f.b}, a{mn, f.sparse ? f.k / 2 : f.k, f.a};
        const unsigned parts = f.sparse ? 32 / (2 * a.per_lane()) : 1;
        const unsigned part = f.sparse ? unsigned(random.below(parts)) : 0;
        const auto va = f.sparse ? fill_sparse(lab, a, part, random) : fill(lab, kA, a, random);
        const auto vb = fill(lab, kB, b, random);
        std::vector<double> c(mn * mn);
        for (unsigned lane = 0; lane < 64; ++lane)
            for (unsigned r = 0; r < words; ++r) {
                const unsigned row =
                    mn == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4 : 4 * (lane / 16) + r;
                const int x = int(random.below(2001)) - 1000;
                c[row * mn + lane % mn] = x;
                lab.vgprs[kC + r][lane] =
                    f.integer ? uint32_t(x) : std::bit_cast<uint32_t>(float(x));
            }
        for (unsigned r = 0; r < words; ++r) lab.watch.push_back(kC + r);
        lab.exec = 1;  // plays no part
        const auto range = [](unsigned first, unsigned n) {
            return n == 1 ? fmt::format("v{}", first)
                          : fmt::format("v[{}:{}]", first, first + n - 1);
        };
        const std::string d = range(kC, words);
        std::string line =
            fmt::format("{} {}, {}, {}, {}{}", f.mnemonic, d, range(kA, a.words()),
                        range(kB, b.words()), f.sparse ? range(kIndex, 1) : d, f.modifiers);
        if (part) line += fmt::format(" abid:{}", part);
        lab.run(line);
        CHECK(lab.result.findings.empty());
        unsigned wrong = 0;
        for (unsigned lane = 0; lane < 64; ++lane)
            for (unsigned r = 0; r < words; ++r) {
                const unsigned row =
                    mn == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4 : 4 * (lane / 16) + r;
                const unsigned col = lane % mn;
                double sum = c[row * mn + col];
                for (unsigned k = 0; k < f.k; ++k) sum += va[k * mn + row] * vb[k * mn + col];
                const uint32_t bits = lab.lane(kC + r, lane);
                const double got = f.integer ? double(int32_t(bits)) : std::bit_cast<float>(bits);
                wrong += got != sum;
            }
        CHECK(wrong == 0);
    }
    CHECK(seed == 50 + 50);  // 25 pairs of formats in two shapes, and 50 rows with fixed types
}

TEST_CASE("indices beyond the first part need abid, and cbsz turns it off", "[sim][matrix]") {
    Lab lab;
    for (unsigned v = 0; v < 4; ++v) lab.set(v, 0.0f);
    for (unsigned v = 4; v < 8; ++v) lab.set(v, 0x3c003c00u);  // f16 ones, eight in a lane
    for (unsigned v = 8; v < 16; ++v) lab.set(v, 0u);
    // B: only k 2 of each four is 1, in the second part of the indices.
    for (unsigned v : {9u, 11u, 13u, 15u}) lab.set(v, 0x00003c00u);
    lab.set(16, 0xeeee4444u);  // first part: k 0 and 1; second: 2 and 3
    lab.watch = {0, 1};
    const auto [modifiers, sum] = GENERATE(
        table<const char*, float>({{"", 0.0f}, {" abid:1", 16.0f}, {" cbsz:1 abid:1", 0.0f}}));
    CAPTURE(modifiers);
    lab.run(std::string("v_smfmac_f32_16x16x64_f16 v[0:3], v[4:7], v[8:15], v16") + modifiers);
    CHECK(lab.f32(0, 0) == sum);
    CHECK(lab.f32(1, 63) == sum);
}
