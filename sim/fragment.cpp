#include "sim/fragment.hpp"

#include <cmath>

#include "sim/vector.hpp"

namespace zyfa::sim {

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
Decoder decoder(Format f) {
    switch (f) {
        case Format::e4m3: return decoder(4, 3, 0x7f, false);
        case Format::e5m2: return decoder(5, 2, 0x7c, true);
        case Format::e2m3: return decoder(2, 3, 0x20, false);
        case Format::e3m2: return decoder(3, 2, 0x20, false);
        case Format::e2m1: break;
    }
    return decoder(2, 1, 0x8, false);
}
Decoder decoder(MatrixType t) {
    switch (t) {
        case MatrixType::fp8: return decoder(Format::e4m3);
        case MatrixType::bf8: return decoder(Format::e5m2);
        case MatrixType::f16: return decoder(5, 10, 0x7c00, true);
        case MatrixType::bf16: return decoder(8, 7, 0x7f80, true);
        default: break;
    }
    return {32, 23, 0, 0, ~0u, ~0u, 0x1p-149f};  // f32: as it stands
}

static inline float decode_one(uint32_t code, const Decoder& f, uint32_t magnitude) {
    uint32_t x = code & magnitude;
    uint32_t normal = (x << (23 - f.mantissa)) + f.rebias;
    uint32_t small = u32(float(int32_t(x)) * f.unit);
    uint32_t value = x < f.subnormals ? small : normal;
    uint32_t odd = x == f.infinity ? 0x7f800000 : 0x7fc00000;
    value = x >= f.special ? odd : value;
    return f32(value | (code << (32 - f.bits) & 0x80000000));
}
static constexpr unsigned magnitude_of(unsigned bits) { return (1u << (bits - 1)) - 1; }

// Words of `count` lanes, elements that do not cross words and have consecutive k: one row each.
ZYFA_CLONES static void decode_word(float* __restrict d, const uint32_t* words, unsigned elements,
                                    Decoder f, unsigned count) {
    uint32_t magnitude = magnitude_of(f.bits);
    for (unsigned e = 0; e < elements; ++e) {
        float* row = d + e * count;
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

void decode_operand(const Wave& w, const Ref& r, const Fragment& part, const Decoder& f,
                    float* out) {
    auto at = [&](unsigned lane, unsigned e) { return a_element(part, lane, e).k * part.mn; };
    for (unsigned lane = 0; lane < kLanes; lane += part.mn) {
        if (32 % part.bits == 0) {
            unsigned elements = 32 / part.bits;  // divides part.run()
            for (unsigned word = 0; word < part.words(); ++word)
                decode_word(out + at(lane, word * elements), w.vector[r.index + word].word + lane,
                            elements, f, part.mn);
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
void gather_c(const Wave& w, const Ref& r, unsigned mn, void* c) {
    for (unsigned reg = 0; reg < c_words(mn); ++reg) {
        Lanes room;
        const uint32_t* from = accumulator(w, r, reg, room);
        for (unsigned lane = 0; lane < kLanes; lane += mn)
            std::memcpy(static_cast<uint32_t*>(c) + c_cell(mn, lane, reg).row * mn, from + lane,
                        4 * mn);
    }
}
void scatter_d(Wave& w, const Ref& r, unsigned mn, const void* d) {
    for (unsigned reg = 0; reg < c_words(mn); ++reg)
        for (unsigned lane = 0; lane < kLanes; lane += mn)
            std::memcpy(w.vector[r.index + reg].word + lane,
                        static_cast<const uint32_t*>(d) + c_cell(mn, lane, reg).row * mn, 4 * mn);
}

void decode_integers(const Wave& w, const Ref& r, const Fragment& part, int8_t* out) {
    for (unsigned e = 0; e < part.per_lane(); ++e)
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            Element at = a_element(part, lane, e);
            out[at.k * part.mn + at.row] =
                int8_t(w.vector[r.index + e / 4].word[lane] >> 8 * (e % 4));
        }
}

void set_shape(Product& p, const MatrixShape& shape, const Decoder& a, const Decoder& b,
               unsigned group) {
    p.mn = shape.mn;
    p.k = shape.k;
    p.min_exponent_a = std::ilogb(a.unit) + int(a.mantissa);
    p.min_exponent_b = std::ilogb(b.unit) + int(b.mantissa);
    p.split_even_odd = a.bits <= 8;
    p.group = p.split_even_odd ? group : 8;
}

void multiply(const Wave& w, Product& p, bool is_f32) {
    Accumulate how = w.group->options->accumulate;
    multiply(p, is_f32 && how == Accumulate::cdna3 ? Accumulate::fma : how);
}

}  // namespace zyfa::sim
