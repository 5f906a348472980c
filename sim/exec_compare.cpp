// Vector compares of every type, and v_cmpx, which writes EXEC too. A relation is the set of the
// outcomes less, equal, greater, unordered for which it holds. Source: CDNA3 ISA, VOPC (certain).
#include "sim/vector.hpp"
#include "sim/wide.hpp"

namespace zyfa::sim {

static void finish_compare(Wave& w, const Step& s, uint64_t result, bool exec_too) {
    w.write64(s.ref[0], result);
    if (!exec_too) return;
    w.scalar[kExec] = uint32_t(result);
    w.scalar[kExec + 1] = uint32_t(result >> 32);
    w.written[(kScalarBit + kExec) / 64] |= uint64_t(3) << kExec % 64;
}

template <class T>
static unsigned outcome(T a, T b) {
    return a < b ? 1 : a == b ? 2 : a > b ? 4 : 8;
}

template <class T, unsigned Relation, bool X>
static void compare32(Wave& w, const Step& s) {
    constexpr bool kFloat = std::is_same_v<T, float>;
    Sources a(w, s, 1, 2, kFloat);
    uint64_t result = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        T x, y;
        if constexpr (kFloat) x = f32(a.in[0][l]), y = f32(a.in[1][l]);
        else x = T(a.in[0][l]), y = T(a.in[1][l]);
        result |= uint64_t((outcome(x, y) & Relation) != 0) << l;
    }
    finish_compare(w, s, result & a.active, X);
}
template <unsigned Relation, bool X>
static void compare_f16(Wave& w, const Step& s) {
    const Halves a(w, s, 1, 0), b(w, s, 2, 1);
    uint64_t result = 0;
    for (unsigned l = 0; l < kLanes; ++l)
        result |= uint64_t((outcome(a.value(l), b.value(l)) & Relation) != 0) << l;
    finish_compare(w, s, result & w.exec(), X);
}
template <class T, unsigned Relation, bool X>
static void compare64(Wave& w, const Step& s) {
    const Wide a(w, s, 1, std::is_same_v<T, double>), b(w, s, 2, std::is_same_v<T, double>);
    uint64_t result = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        T x, y;
        if constexpr (std::is_same_v<T, double>) x = a.f64(l), y = b.f64(l);
        else x = T(a.bits[l]), y = T(b.bits[l]);
        result |= uint64_t((outcome(x, y) & Relation) != 0) << l;
    }
    finish_compare(w, s, result & w.exec(), X);
}

// Bits of the class mask: signaling and quiet NaN, -infinity, -normal, -denormal, -0, then the
// positive ones from +0 to +infinity.
static uint32_t class_of(uint64_t bits, unsigned exponent_bits, unsigned mantissa_bits) {
    const uint64_t mantissa = bits & ((uint64_t(1) << mantissa_bits) - 1);
    const uint64_t top = (uint64_t(1) << exponent_bits) - 1, exponent = bits >> mantissa_bits & top;
    const bool negative = bits >> (mantissa_bits + exponent_bits) & 1;
    if (exponent == top && mantissa) return mantissa >> (mantissa_bits - 1) & 1 ? 2 : 1;
    const unsigned kind = exponent == top ? 0 : exponent ? 1 : mantissa ? 2 : 3;
    return negative ? 4u << kind : 512u >> kind;
}
static void classes(Wave& w, const Step& s, const uint64_t* bits, unsigned exponent_bits,
                    unsigned mantissa_bits, bool exec_too) {
    Lanes room;
    const uint32_t* mask = w.lanes(s.ref[2], 0, room);
    uint64_t result = 0;
    for (unsigned l = 0; l < kLanes; ++l)
        result |= uint64_t((class_of(bits[l], exponent_bits, mantissa_bits) & mask[l]) != 0) << l;
    finish_compare(w, s, result & w.exec(), exec_too);
}
// The class is that of the bits: MODE's denormal bits play no part.
static void class32(Wave& w, const Step& s, bool exec_too) {
    Lanes room;
    const uint32_t* in = w.lanes(s.ref[1], 0, room);
    uint64_t bits[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
        bits[l] = (in[l] & (s.ref[1].abs ? 0x7fffffff : ~0u)) ^ (s.ref[1].neg ? 0x80000000 : 0);
    classes(w, s, bits, 8, 23, exec_too);
}
static void class16(Wave& w, const Step& s, bool exec_too) {
    Lanes room;
    const uint32_t* in = w.lanes(s.ref[1], 0, room);
    uint64_t bits[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
        bits[l] = (in[l] & (s.ref[1].abs ? 0x7fff : 0xffff)) ^ (s.ref[1].neg ? 0x8000 : 0);
    classes(w, s, bits, 5, 10, exec_too);
}
static void class64(Wave& w, const Step& s, bool exec_too) {
    const Wide a(w, s, 1, false);
    uint64_t bits[kLanes];
    for (unsigned l = 0; l < kLanes; ++l)
        bits[l] = (a.bits[l] & (s.ref[1].abs ? ~uint64_t(0) >> 1 : ~uint64_t(0))) ^
                  (s.ref[1].neg ? uint64_t(1) << 63 : 0);
    classes(w, s, bits, 11, 52, exec_too);
}

// clang-format off
template <> void execute<Op::v_cmp_eq_i16>(Wave& w, const Step& s) { compare32<int16_t, 2, false>(w, s); }
template <> void execute<Op::v_cmp_ne_i16>(Wave& w, const Step& s) { compare32<int16_t, 5, false>(w, s); }
template <> void execute<Op::v_cmp_lt_i16>(Wave& w, const Step& s) { compare32<int16_t, 1, false>(w, s); }
template <> void execute<Op::v_cmp_le_i16>(Wave& w, const Step& s) { compare32<int16_t, 3, false>(w, s); }
template <> void execute<Op::v_cmp_gt_i16>(Wave& w, const Step& s) { compare32<int16_t, 4, false>(w, s); }
template <> void execute<Op::v_cmp_ge_i16>(Wave& w, const Step& s) { compare32<int16_t, 6, false>(w, s); }
template <> void execute<Op::v_cmp_eq_u16>(Wave& w, const Step& s) { compare32<uint16_t, 2, false>(w, s); }
template <> void execute<Op::v_cmp_ne_u16>(Wave& w, const Step& s) { compare32<uint16_t, 5, false>(w, s); }
template <> void execute<Op::v_cmp_lt_u16>(Wave& w, const Step& s) { compare32<uint16_t, 1, false>(w, s); }
template <> void execute<Op::v_cmp_le_u16>(Wave& w, const Step& s) { compare32<uint16_t, 3, false>(w, s); }
template <> void execute<Op::v_cmp_gt_u16>(Wave& w, const Step& s) { compare32<uint16_t, 4, false>(w, s); }
template <> void execute<Op::v_cmp_ge_u16>(Wave& w, const Step& s) { compare32<uint16_t, 6, false>(w, s); }
template <> void execute<Op::v_cmp_lt_f16>(Wave& w, const Step& s) { compare_f16<1, false>(w, s); }
template <> void execute<Op::v_cmp_eq_f16>(Wave& w, const Step& s) { compare_f16<2, false>(w, s); }
template <> void execute<Op::v_cmp_le_f16>(Wave& w, const Step& s) { compare_f16<3, false>(w, s); }
template <> void execute<Op::v_cmp_gt_f16>(Wave& w, const Step& s) { compare_f16<4, false>(w, s); }
template <> void execute<Op::v_cmp_lg_f16>(Wave& w, const Step& s) { compare_f16<5, false>(w, s); }
template <> void execute<Op::v_cmp_ge_f16>(Wave& w, const Step& s) { compare_f16<6, false>(w, s); }
template <> void execute<Op::v_cmp_o_f16>(Wave& w, const Step& s) { compare_f16<7, false>(w, s); }
template <> void execute<Op::v_cmp_u_f16>(Wave& w, const Step& s) { compare_f16<8, false>(w, s); }
template <> void execute<Op::v_cmp_nge_f16>(Wave& w, const Step& s) { compare_f16<9, false>(w, s); }
template <> void execute<Op::v_cmp_nlg_f16>(Wave& w, const Step& s) { compare_f16<10, false>(w, s); }
template <> void execute<Op::v_cmp_ngt_f16>(Wave& w, const Step& s) { compare_f16<11, false>(w, s); }
template <> void execute<Op::v_cmp_nle_f16>(Wave& w, const Step& s) { compare_f16<12, false>(w, s); }
template <> void execute<Op::v_cmp_neq_f16>(Wave& w, const Step& s) { compare_f16<13, false>(w, s); }
template <> void execute<Op::v_cmp_nlt_f16>(Wave& w, const Step& s) { compare_f16<14, false>(w, s); }
template <> void execute<Op::v_cmp_class_f16>(Wave& w, const Step& s) { class16(w, s, false); }
template <> void execute<Op::v_cmp_lg_f32>(Wave& w, const Step& s) { compare32<float, 5, false>(w, s); }
template <> void execute<Op::v_cmp_nlg_f32>(Wave& w, const Step& s) { compare32<float, 10, false>(w, s); }
template <> void execute<Op::v_cmp_ngt_f32>(Wave& w, const Step& s) { compare32<float, 11, false>(w, s); }
template <> void execute<Op::v_cmp_nle_f32>(Wave& w, const Step& s) { compare32<float, 12, false>(w, s); }
template <> void execute<Op::v_cmp_nlt_f32>(Wave& w, const Step& s) { compare32<float, 14, false>(w, s); }
template <> void execute<Op::v_cmp_class_f32>(Wave& w, const Step& s) { class32(w, s, false); }
template <> void execute<Op::v_cmp_lt_f64>(Wave& w, const Step& s) { compare64<double, 1, false>(w, s); }
template <> void execute<Op::v_cmp_eq_f64>(Wave& w, const Step& s) { compare64<double, 2, false>(w, s); }
template <> void execute<Op::v_cmp_le_f64>(Wave& w, const Step& s) { compare64<double, 3, false>(w, s); }
template <> void execute<Op::v_cmp_gt_f64>(Wave& w, const Step& s) { compare64<double, 4, false>(w, s); }
template <> void execute<Op::v_cmp_lg_f64>(Wave& w, const Step& s) { compare64<double, 5, false>(w, s); }
template <> void execute<Op::v_cmp_ge_f64>(Wave& w, const Step& s) { compare64<double, 6, false>(w, s); }
template <> void execute<Op::v_cmp_o_f64>(Wave& w, const Step& s) { compare64<double, 7, false>(w, s); }
template <> void execute<Op::v_cmp_u_f64>(Wave& w, const Step& s) { compare64<double, 8, false>(w, s); }
template <> void execute<Op::v_cmp_nge_f64>(Wave& w, const Step& s) { compare64<double, 9, false>(w, s); }
template <> void execute<Op::v_cmp_nlg_f64>(Wave& w, const Step& s) { compare64<double, 10, false>(w, s); }
template <> void execute<Op::v_cmp_ngt_f64>(Wave& w, const Step& s) { compare64<double, 11, false>(w, s); }
template <> void execute<Op::v_cmp_nle_f64>(Wave& w, const Step& s) { compare64<double, 12, false>(w, s); }
template <> void execute<Op::v_cmp_neq_f64>(Wave& w, const Step& s) { compare64<double, 13, false>(w, s); }
template <> void execute<Op::v_cmp_nlt_f64>(Wave& w, const Step& s) { compare64<double, 14, false>(w, s); }
template <> void execute<Op::v_cmp_class_f64>(Wave& w, const Step& s) { class64(w, s, false); }
template <> void execute<Op::v_cmpx_eq_i16>(Wave& w, const Step& s) { compare32<int16_t, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_ne_i16>(Wave& w, const Step& s) { compare32<int16_t, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_i16>(Wave& w, const Step& s) { compare32<int16_t, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_le_i16>(Wave& w, const Step& s) { compare32<int16_t, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_i16>(Wave& w, const Step& s) { compare32<int16_t, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_i16>(Wave& w, const Step& s) { compare32<int16_t, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_u16>(Wave& w, const Step& s) { compare32<uint16_t, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_ne_u16>(Wave& w, const Step& s) { compare32<uint16_t, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_u16>(Wave& w, const Step& s) { compare32<uint16_t, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_le_u16>(Wave& w, const Step& s) { compare32<uint16_t, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_u16>(Wave& w, const Step& s) { compare32<uint16_t, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_u16>(Wave& w, const Step& s) { compare32<uint16_t, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_i32>(Wave& w, const Step& s) { compare32<int32_t, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_ne_i32>(Wave& w, const Step& s) { compare32<int32_t, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_i32>(Wave& w, const Step& s) { compare32<int32_t, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_le_i32>(Wave& w, const Step& s) { compare32<int32_t, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_i32>(Wave& w, const Step& s) { compare32<int32_t, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_i32>(Wave& w, const Step& s) { compare32<int32_t, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_u32>(Wave& w, const Step& s) { compare32<uint32_t, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_ne_u32>(Wave& w, const Step& s) { compare32<uint32_t, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_u32>(Wave& w, const Step& s) { compare32<uint32_t, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_le_u32>(Wave& w, const Step& s) { compare32<uint32_t, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_u32>(Wave& w, const Step& s) { compare32<uint32_t, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_u32>(Wave& w, const Step& s) { compare32<uint32_t, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_i64>(Wave& w, const Step& s) { compare64<int64_t, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_ne_i64>(Wave& w, const Step& s) { compare64<int64_t, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_i64>(Wave& w, const Step& s) { compare64<int64_t, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_le_i64>(Wave& w, const Step& s) { compare64<int64_t, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_i64>(Wave& w, const Step& s) { compare64<int64_t, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_i64>(Wave& w, const Step& s) { compare64<int64_t, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_u64>(Wave& w, const Step& s) { compare64<uint64_t, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_ne_u64>(Wave& w, const Step& s) { compare64<uint64_t, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_u64>(Wave& w, const Step& s) { compare64<uint64_t, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_le_u64>(Wave& w, const Step& s) { compare64<uint64_t, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_u64>(Wave& w, const Step& s) { compare64<uint64_t, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_u64>(Wave& w, const Step& s) { compare64<uint64_t, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_lt_f16>(Wave& w, const Step& s) { compare_f16<1, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_f16>(Wave& w, const Step& s) { compare_f16<2, true>(w, s); }
template <> void execute<Op::v_cmpx_le_f16>(Wave& w, const Step& s) { compare_f16<3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_f16>(Wave& w, const Step& s) { compare_f16<4, true>(w, s); }
template <> void execute<Op::v_cmpx_lg_f16>(Wave& w, const Step& s) { compare_f16<5, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_f16>(Wave& w, const Step& s) { compare_f16<6, true>(w, s); }
template <> void execute<Op::v_cmpx_o_f16>(Wave& w, const Step& s) { compare_f16<7, true>(w, s); }
template <> void execute<Op::v_cmpx_u_f16>(Wave& w, const Step& s) { compare_f16<8, true>(w, s); }
template <> void execute<Op::v_cmpx_nge_f16>(Wave& w, const Step& s) { compare_f16<9, true>(w, s); }
template <> void execute<Op::v_cmpx_nlg_f16>(Wave& w, const Step& s) { compare_f16<10, true>(w, s); }
template <> void execute<Op::v_cmpx_ngt_f16>(Wave& w, const Step& s) { compare_f16<11, true>(w, s); }
template <> void execute<Op::v_cmpx_nle_f16>(Wave& w, const Step& s) { compare_f16<12, true>(w, s); }
template <> void execute<Op::v_cmpx_neq_f16>(Wave& w, const Step& s) { compare_f16<13, true>(w, s); }
template <> void execute<Op::v_cmpx_nlt_f16>(Wave& w, const Step& s) { compare_f16<14, true>(w, s); }
template <> void execute<Op::v_cmpx_class_f16>(Wave& w, const Step& s) { class16(w, s, true); }
template <> void execute<Op::v_cmpx_lt_f32>(Wave& w, const Step& s) { compare32<float, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_f32>(Wave& w, const Step& s) { compare32<float, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_le_f32>(Wave& w, const Step& s) { compare32<float, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_f32>(Wave& w, const Step& s) { compare32<float, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_lg_f32>(Wave& w, const Step& s) { compare32<float, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_f32>(Wave& w, const Step& s) { compare32<float, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_o_f32>(Wave& w, const Step& s) { compare32<float, 7, true>(w, s); }
template <> void execute<Op::v_cmpx_u_f32>(Wave& w, const Step& s) { compare32<float, 8, true>(w, s); }
template <> void execute<Op::v_cmpx_nge_f32>(Wave& w, const Step& s) { compare32<float, 9, true>(w, s); }
template <> void execute<Op::v_cmpx_nlg_f32>(Wave& w, const Step& s) { compare32<float, 10, true>(w, s); }
template <> void execute<Op::v_cmpx_ngt_f32>(Wave& w, const Step& s) { compare32<float, 11, true>(w, s); }
template <> void execute<Op::v_cmpx_nle_f32>(Wave& w, const Step& s) { compare32<float, 12, true>(w, s); }
template <> void execute<Op::v_cmpx_neq_f32>(Wave& w, const Step& s) { compare32<float, 13, true>(w, s); }
template <> void execute<Op::v_cmpx_nlt_f32>(Wave& w, const Step& s) { compare32<float, 14, true>(w, s); }
template <> void execute<Op::v_cmpx_class_f32>(Wave& w, const Step& s) { class32(w, s, true); }
template <> void execute<Op::v_cmpx_lt_f64>(Wave& w, const Step& s) { compare64<double, 1, true>(w, s); }
template <> void execute<Op::v_cmpx_eq_f64>(Wave& w, const Step& s) { compare64<double, 2, true>(w, s); }
template <> void execute<Op::v_cmpx_le_f64>(Wave& w, const Step& s) { compare64<double, 3, true>(w, s); }
template <> void execute<Op::v_cmpx_gt_f64>(Wave& w, const Step& s) { compare64<double, 4, true>(w, s); }
template <> void execute<Op::v_cmpx_lg_f64>(Wave& w, const Step& s) { compare64<double, 5, true>(w, s); }
template <> void execute<Op::v_cmpx_ge_f64>(Wave& w, const Step& s) { compare64<double, 6, true>(w, s); }
template <> void execute<Op::v_cmpx_o_f64>(Wave& w, const Step& s) { compare64<double, 7, true>(w, s); }
template <> void execute<Op::v_cmpx_u_f64>(Wave& w, const Step& s) { compare64<double, 8, true>(w, s); }
template <> void execute<Op::v_cmpx_nge_f64>(Wave& w, const Step& s) { compare64<double, 9, true>(w, s); }
template <> void execute<Op::v_cmpx_nlg_f64>(Wave& w, const Step& s) { compare64<double, 10, true>(w, s); }
template <> void execute<Op::v_cmpx_ngt_f64>(Wave& w, const Step& s) { compare64<double, 11, true>(w, s); }
template <> void execute<Op::v_cmpx_nle_f64>(Wave& w, const Step& s) { compare64<double, 12, true>(w, s); }
template <> void execute<Op::v_cmpx_neq_f64>(Wave& w, const Step& s) { compare64<double, 13, true>(w, s); }
template <> void execute<Op::v_cmpx_nlt_f64>(Wave& w, const Step& s) { compare64<double, 14, true>(w, s); }
template <> void execute<Op::v_cmpx_class_f64>(Wave& w, const Step& s) { class64(w, s, true); }
// clang-format on

}  // namespace zyfa::sim
