// v_cvt_scalef32_*: one body, driven by the mnemonic [sr_][count_]TO_FROM. Which parts of registers
// are read and written, the order of elements, and the seed of each element after the first:
// vendor pseudo-code (CDNA ISA document; tinygrad's extract). The pseudo-code leaves the scaling
// itself to named functions: TO narrow divides by 2^(e - 127), FROM narrow multiplies (inferred
// from MLIR's scaling_truncf and scaling_extf); exponent 255 gives NaN (inferred, as E8M0).
// Overflow is NaN for fp8, infinity for bf8, the largest number for fp6, bf6, fp4 (inferred).
#include "sim/narrow.hpp"
#include "sim/vector.hpp"

namespace zyfa::sim {
namespace {

enum class Number : uint8_t { f32, f16, bf16, fp8, bf8, fp6, bf6, fp4 };
constexpr std::pair<std::string_view, Number> kNumbers[] = {
    {"f32", Number::f32}, {"f16", Number::f16}, {"bf16", Number::bf16}, {"fp8", Number::fp8},
    {"bf8", Number::bf8}, {"fp6", Number::fp6}, {"bf6", Number::bf6},   {"fp4", Number::fp4}};

constexpr bool is_wide(Number n) { return n <= Number::bf16; }
constexpr Format format_of(Number n) {
    switch (n) {
        case Number::fp8: return Format::e4m3;
        case Number::bf8: return Format::e5m2;
        case Number::fp6: return Format::e2m3;
        case Number::bf6: return Format::e3m2;
        default: return Format::e2m1;
    }
}
constexpr unsigned bits_of(Number n) {
    return n == Number::f32 ? 32 : is_wide(n) ? 16 : info(format_of(n)).bits();
}

struct Conversion {
    bool random = false;
    unsigned count = 1;
    Number to = Number::f32, from = Number::f32;
};
constexpr Conversion conversion(std::string_view name) {
    Conversion c;
    std::string_view rest = name.substr(std::string_view("v_cvt_scalef32_").size());
    const auto eat = [&](std::string_view word) {
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return true;
    };
    const auto number = [&] {
        for (const auto& [text, n] : kNumbers)
            if (eat(text)) return n;
        throw "no such number format";
    };
    c.random = eat("sr_");
    c.count = eat("2xpk16_") || eat("pk32_") ? 32 : eat("pk_") ? 2 : 1;
    c.to = number();
    if (!eat("_")) throw "no source format";
    c.from = number();
    if (!rest.empty()) throw "more than a conversion";
    return c;
}

// Bits [first, first + bits) of a lane's words.
uint32_t field(const uint32_t* words, unsigned first, unsigned bits) {
    uint64_t pair = words[first / 32];
    if (first % 32 + bits > 32) pair |= uint64_t(words[first / 32 + 1]) << 32;
    return uint32_t(pair >> first % 32 & ((uint64_t(1) << bits) - 1));
}
void put_field(uint32_t* words, unsigned first, unsigned bits, uint32_t value) {
    for (unsigned n = 0; n < bits; ++n) {
        uint32_t bit = 1u << (first + n) % 32;
        uint32_t& word = words[(first + n) / 32];
        word = value >> n & 1 ? word | bit : word & ~bit;
    }
}

float widen(Number n, uint32_t code) {
    switch (n) {
        case Number::f32: return f32(code);
        case Number::f16: return f16_to_float(uint16_t(code));
        case Number::bf16: return bf16_to_float(uint16_t(code));
        default: return to_float(format_of(n), uint8_t(code));
    }
}
uint32_t narrow(Number n, float x) {
    switch (n) {
        case Number::f32: return u32(x);
        case Number::f16: return float_to_f16(x);
        case Number::bf16: return float_to_bf16(x);
        default: return nearest(format_of(n), x);
    }
}

void convert(Wave& w, const Step& s, const Conversion& c) {
    const OpInfo& row = info(s.op);
    const unsigned last = row.operand_count - 1u, op_sel = s.mods().op_sel;
    const unsigned sources = last - 1 - c.random;
    const unsigned from_bits = bits_of(c.from), to_bits = bits_of(c.to);
    // A source element smaller than its register is picked by entries 0 and 1 of op_sel.
    const unsigned part = c.count * from_bits;
    const unsigned skip = is_wide(c.from) ? 0
                          : part == 16    ? 16 * (op_sel & 1)
                          : part == 8     ? 8 * (op_sel & 3)
                                          : 0;
    const unsigned result_bits = c.count * to_bits;
    const unsigned to_skip = result_bits < 32 ? 8u * written_part(s.from->inst).first : 0;
    Lanes scale_room, random_room;
    const uint32_t* scale = w.lanes(s.ref[last], 0, scale_room);
    const uint32_t* random = c.random ? w.lanes(s.ref[last - 1], 0, random_room) : nullptr;
    for (unsigned n = 1; n <= last; ++n)
        if ((s.ref[n].neg || s.ref[n].abs) && !(n <= sources && c.from == Number::f32))
            w.refuse(s, "a sign modifier on this source is not simulated");
    uint64_t active = w.exec();
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(active >> l & 1)) continue;
        uint32_t in[2][32] = {}, out[32] = {};
        for (unsigned n = 0; n < sources; ++n)
            for (unsigned word = 0; word < s.ref[1 + n].words; ++word) {
                Lanes room;
                uint32_t x = w.lanes(s.ref[1 + n], word, room)[l];
                if (s.ref[1 + n].abs) x &= 0x7fffffff;
                in[n][word] = x ^ (s.ref[1 + n].neg ? 0x80000000 : 0);
            }
        unsigned words = s.ref[0].words;
        for (unsigned n = 0; n < words; ++n) out[n] = w.vector[s.ref[0].index + n].word[l];
        uint32_t seed = random ? random[l] : 0;
        int exponent = int(scale[l] >> 23 & 0xff) - 127;
        for (unsigned e = 0; e < c.count; ++e) {
            uint32_t code = field(in[e % sources], skip + e / sources * from_bits, from_bits);
            float x = scaled(widen(c.from, code), is_wide(c.to) ? exponent : -exponent);
            uint32_t result = c.random ? stochastic(format_of(c.to), x, seed) : narrow(c.to, x);
            put_field(out, to_skip + e * to_bits, to_bits, result);
            seed = next_random(seed);
        }
        for (unsigned n = 0; n < words; ++n) w.vector[s.ref[0].index + n].word[l] = out[n];
    }
}

}  // namespace

#define OP(name, ...)                                         \
    template <>                                               \
    void execute<Op::name>(Wave & w, const Step& s) {         \
        static constexpr Conversion kRow = conversion(#name); \
        convert(w, s, kRow);                                  \
    }
#include "isa/ops_scale.def"
#undef OP

}  // namespace zyfa::sim
