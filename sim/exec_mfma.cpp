// Matrix instructions: registers to arrays by the maps of isa/lanes.hpp, and back. All 64 lanes
// take part whatever EXEC is.
#include <cmath>

#include "isa/lanes.hpp"
#include "sim/dispatch.hpp"
#include "sim/matrix.hpp"
#include "sim/vector.hpp"

namespace zyfa::sim {

// A small float format as numbers for the decoding loop.
struct Decoder {
    unsigned bits, mantissa;
    uint32_t rebias, subnormals;
    uint32_t special, infinity;  // by magnitude: first code that is not finite; infinity, if any
    float unit;                  // of subnormals
};
static Decoder decoder(unsigned exponent_bits, unsigned mantissa, uint32_t special, bool infinity) {
    int bias = (1 << (exponent_bits - 1)) - 1;
    return {1 + exponent_bits + mantissa,
            mantissa,
            uint32_t(127 - bias) << 23,
            1u << mantissa,
            special,
            infinity ? special : ~0u,
            std::ldexp(1.0f, 1 - bias - int(mantissa))};
}
static Decoder decoder(Format f) {
    switch (f) {
        case Format::e4m3: return decoder(4, 3, 0x7f, false);
        case Format::e5m2: return decoder(5, 2, 0x7c, true);
        case Format::e2m3: return decoder(2, 3, 0x20, false);
        case Format::e3m2: return decoder(3, 2, 0x20, false);
        case Format::e2m1: break;
    }
    return decoder(2, 1, 0x8, false);
}
static Decoder f16_decoder() { return decoder(5, 10, 0x7c00, true); }
static Decoder bf16_decoder() { return decoder(8, 7, 0x7f80, true); }

static inline float decode_one(uint32_t code, const Decoder& f, uint32_t magnitude) {
    uint32_t x = code & magnitude;
    uint32_t normal = (x << (23 - f.mantissa)) + f.rebias;
    uint32_t small = u32(float(int32_t(x)) * f.unit);
    uint32_t value = x < f.subnormals ? small : normal;
    uint32_t odd = x == f.infinity ? 0x7f800000 : 0x7fc00000;
    value = x >= f.special ? odd : value;
    return f32(value | (code >> (f.bits - 1) & 1) << 31);
}
static constexpr unsigned magnitude_of(unsigned bits) { return (1u << (bits - 1)) - 1; }

// Words of `count` lanes, elements that do not cross words: element e goes to d + at[e].
ZYFA_CLONES static void decode_word(float* __restrict d, const uint32_t* words, const unsigned* at,
                                    unsigned elements, Decoder f, unsigned count) {
    uint32_t magnitude = magnitude_of(f.bits);
    for (unsigned e = 0; e < elements; ++e) {
        float* row = d + at[e];
        for (unsigned n = 0; n < count; ++n)
            row[n] = decode_one(words[n] >> e * f.bits, f, magnitude);
    }
}
ZYFA_CLONES static void decode_crossing(float* __restrict d, const uint32_t* low,
                                        const uint32_t* high, unsigned shift, Decoder f,
                                        unsigned count) {
    uint32_t magnitude = magnitude_of(f.bits);
    for (unsigned n = 0; n < count; ++n)
        d[n] = decode_one((low[n] >> shift) | (high[n] << 1 << (31 - shift)), f, magnitude);
}

// [k][row] from the lanes' strings of elements.
static void decode_operand(const Wave& w, const Ref& r, const Fragment& part, const Decoder& f,
                           float* out) {
    auto at = [&](unsigned lane, unsigned e) { return a_element(part, lane, e).k * part.mn; };
    for (unsigned lane = 0; lane < kLanes; lane += part.mn) {
        if (32 % part.bits == 0) {
            unsigned elements = 32 / part.bits, places[8];
            for (unsigned word = 0; word < part.words(); ++word) {
                for (unsigned e = 0; e < elements; ++e) places[e] = at(lane, word * elements + e);
                decode_word(out, w.vector[r.index + word].word + lane, places, elements, f,
                            part.mn);
            }
            continue;
        }
        for (unsigned e = 0; e < part.per_lane(); ++e) {
            unsigned bit = e * part.bits, word = bit / 32, shift = bit % 32;
            bool crosses = shift + part.bits > 32;
            decode_crossing(out + at(lane, e), w.vector[r.index + word].word + lane,
                            w.vector[r.index + word + crosses].word + lane, shift, f, part.mn);
        }
    }
}

static const uint32_t* accumulator(const Wave& w, const Ref& r, unsigned reg, Lanes& room) {
    return w.lanes(r, r.kind == Ref::Kind::vector ? reg : 0, room);
}
static void gather_c(const Wave& w, const Ref& r, unsigned mn, void* c) {
    for (unsigned reg = 0; reg < c_words(mn); ++reg) {
        Lanes room;
        const uint32_t* from = accumulator(w, r, reg, room);
        for (unsigned lane = 0; lane < kLanes; lane += mn)
            std::memcpy(static_cast<uint32_t*>(c) + c_cell(mn, lane, reg).row * mn, from + lane,
                        4 * mn);
    }
}
static void scatter_d(Wave& w, const Ref& r, unsigned mn, const void* d) {
    for (unsigned reg = 0; reg < c_words(mn); ++reg)
        for (unsigned lane = 0; lane < kLanes; lane += mn)
            std::memcpy(w.vector[r.index + reg].word + lane,
                        static_cast<const uint32_t*>(d) + c_cell(mn, lane, reg).row * mn, 4 * mn);
}

// Scales by block and row; the spread of their exponents within a row or column.
static int read_scales(const Wave& w, const Ref& r, unsigned byte, unsigned mn, unsigned k,
                       float (*out)[32]) {
    int spread = 0;
    for (unsigned row = 0; row < mn; ++row) {
        int least = 255, most = 0;
        for (unsigned block = 0; block < k / kScaleBlock; ++block) {
            uint8_t code = uint8_t(w.vector[r.index].word[scale_lane(mn, row, block)] >> 8 * byte);
            out[block][row] = e8m0_to_float(code);
            least = std::min<int>(least, code);
            most = std::max<int>(most, code);
        }
        spread = std::max(spread, most - least);
    }
    return spread;
}

static void run(Wave& w, const Step& s, Product& p, const MatrixShape& shape, const Decoder& a,
                const Decoder& b) {
    p.mn = shape.mn;
    p.k = shape.k;
    decode_operand(w, s.ref[1], shape.a, a, p.a);
    decode_operand(w, s.ref[2], shape.b, b, p.b);
    p.min_exponent_a = std::ilogb(a.unit) + int(a.mantissa);
    p.min_exponent_b = std::ilogb(b.unit) + int(b.mantissa);
    gather_c(w, s.ref[3], p.mn, p.c);
    multiply(p, w.group->options->accumulate);
    scatter_d(w, s.ref[0], p.mn, p.d);
}

static void f8f6f4(Wave& w, const Step& s) {
    const Mods& m = s.mods();
    MatrixShape shape = matrix_shape(s.from->inst);
    if (shape.mn == 0) w.refuse(s, "cbsz or blgp names no format");
    if (s.ref[1].words != shape.a.words() || s.ref[2].words != shape.b.words())
        w.refuse(s, "register count does not fit the format");
    Product p;
    Decoder a = decoder(Format(m.cbsz)), b = decoder(Format(m.blgp));
    int spread = 0;
    if (info(s.op).operand_count == 6) {
        p.scaled = true;
        spread = read_scales(w, s.ref[4], scale_byte(m, 0), shape.mn, shape.k, p.scale_a) +
                 read_scales(w, s.ref[5], scale_byte(m, 1), shape.mn, shape.k, p.scale_b);
    }
    // Bits from the smallest product (subnormal times subnormal) to the sum of K largest ones.
    auto range = [](const Decoder& f) {
        return (1 << (f.bits - 1 - f.mantissa)) + int(f.mantissa);
    };
    p.narrow = range(a) + range(b) + spread + 7 <= 53;
    p.split_even_odd = true;
    p.group = w.group->options->cdna3_group;
    run(w, s, p, shape, a, b);
}

static void half_floats(Wave& w, const Step& s, const Decoder& f) {
    Product p;
    p.group = 8;
    run(w, s, p, matrix_shape(s.from->inst), f, f);
}

// Stored elements of A, [stored][row], spread to their places: [k][row], 0 elsewhere. taken: the
// same with ones, to tell what is not multiplied at all.
static void spread(Wave& w, const Step& s, const MatrixShape& shape, const float* stored, float* a,
                   uint8_t* taken) {
    std::fill_n(a, shape.k * shape.mn, 0.0f);
    std::fill_n(taken, shape.k * shape.mn, uint8_t(0));
    const Lanes& index = w.vector[s.ref[3].index];
    unsigned per_lane = shape.a.per_lane(), bits = 2 * per_lane;
    // Indices of fewer than 16 elements: with cbsz 0 abid picks the part of the register.
    unsigned part = s.mods().cbsz == 0 ? s.mods().abid % (32 / bits) : 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned e = 0; e < per_lane; ++e) {
            Element at = a_element(shape.a, lane, e);
            unsigned which = index.word[lane] >> (part * bits + 2 * e) & 3;
            unsigned to = sparse_k(at.k, which) * shape.mn + at.row;
            if (taken[to]) w.refuse(s, "two stored elements of A have the same index");
            a[to] = stored[at.k * shape.mn + at.row];
            taken[to] = 1;
        }
}

// With a NaN or an infinity in B the elements that A leaves out must not count: a row at a time.
static void multiply_by_rows(Wave& w, Product& p, const uint8_t* taken) {
    Product one = p;
    for (unsigned row = 0; row < p.mn; ++row) {
        for (unsigned n = 0; n < p.k * p.mn; ++n)
            one.b[n] = taken[n / p.mn * p.mn + row] ? p.b[n] : 0.0f;
        multiply(one, w.group->options->accumulate);
        std::copy_n(one.d + row * p.mn, p.mn, p.d + row * p.mn);
    }
}

static void sparse(Wave& w, const Step& s, const Decoder& a, const Decoder& b, bool split) {
    MatrixShape shape = matrix_shape(s.from->inst);
    Product p;
    float stored[Product::kMost / 2];
    uint8_t taken[Product::kMost];
    p.mn = shape.mn;
    p.k = shape.k;
    p.split_even_odd = split;
    p.group = split ? w.group->options->cdna3_group : 8;
    p.min_exponent_a = std::ilogb(a.unit) + int(a.mantissa);
    p.min_exponent_b = std::ilogb(b.unit) + int(b.mantissa);
    decode_operand(w, s.ref[1], shape.a, a, stored);
    decode_operand(w, s.ref[2], shape.b, b, p.b);
    spread(w, s, shape, stored, p.a, taken);
    gather_c(w, s.ref[0], p.mn, p.c);
    bool all_finite = true;
    for (unsigned n = 0; n < p.k * p.mn; ++n) all_finite &= std::isfinite(p.b[n]);
    if (all_finite) multiply(p, w.group->options->accumulate);
    else multiply_by_rows(w, p, taken);
    scatter_d(w, s.ref[0], p.mn, p.d);
}

// clang-format off
template <> void execute<Op::v_smfmac_f32_16x16x128_fp8_fp8>(Wave& w, const Step& s) { sparse(w, s, decoder(Format::e4m3), decoder(Format::e4m3), true); }
template <> void execute<Op::v_mfma_f32_32x32x64_f8f6f4>(Wave& w, const Step& s) { f8f6f4(w, s); }
template <> void execute<Op::v_mfma_f32_16x16x128_f8f6f4>(Wave& w, const Step& s) { f8f6f4(w, s); }
template <> void execute<Op::v_mfma_scale_f32_32x32x64_f8f6f4>(Wave& w, const Step& s) { f8f6f4(w, s); }
template <> void execute<Op::v_mfma_scale_f32_16x16x128_f8f6f4>(Wave& w, const Step& s) { f8f6f4(w, s); }
template <> void execute<Op::v_mfma_f32_32x32x16_bf16>(Wave& w, const Step& s) { half_floats(w, s, bf16_decoder()); }
template <> void execute<Op::v_mfma_f32_16x16x32_bf16>(Wave& w, const Step& s) { half_floats(w, s, bf16_decoder()); }
template <> void execute<Op::v_mfma_f32_32x32x8_bf16>(Wave& w, const Step& s) { half_floats(w, s, bf16_decoder()); }
template <> void execute<Op::v_mfma_f32_32x32x16_f16>(Wave& w, const Step& s) { half_floats(w, s, f16_decoder()); }
// clang-format on

template <>
void execute<Op::v_mfma_i32_32x32x32_i8>(Wave& w, const Step& s) {
    MatrixShape shape = matrix_shape(s.from->inst);
    int8_t a[1024], b[1024];
    int32_t c[1024], d[1024];
    for (unsigned n : {0, 1}) {
        int8_t* out = n ? b : a;
        for (unsigned e = 0; e < shape.a.per_lane(); ++e)
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                Element at = a_element(shape.a, lane, e);
                out[at.k * shape.mn + at.row] =
                    int8_t(w.vector[s.ref[1 + n].index + e / 4].word[lane] >> 8 * (e % 4));
            }
    }
    gather_c(w, s.ref[3], shape.mn, c);
    multiply_i8(a, b, c, d, shape.mn, shape.k);
    scatter_d(w, s.ref[0], shape.mn, d);
}

}  // namespace zyfa::sim
