// Floating point instructions of the vector ALU, f32. Rounding is to nearest even (the host's);
// denormals, NaN rules and clamping follow MODE. Source of the min/max rules: vendor pseudo-code
// of V_MAX_F32, V_MED3_F32 (CDNA ISA document).
#include <cmath>

#include "sim/vector.hpp"

namespace zyfa::sim {

static void run1(Wave& w, const Step& s, Body1 body) {
    Sources a(w, s, 1, 1, true);
    Lanes d;
    body(d.word, a.in[0]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void run2(Wave& w, const Step& s, Body2 body) {
    Sources a(w, s, 1, 2, true);
    Lanes d;
    body(d.word, a.in[0], a.in[1]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void run3(Wave& w, const Step& s, Body3 body) {
    Sources a(w, s, 1, 3, true);
    Lanes d;
    body(d.word, a.in[0], a.in[1], a.in[2]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void compare(Wave& w, const Step& s, Body2 body) {
    Sources a(w, s, 1, 2, true);
    Lanes d;
    body(d.word, a.in[0], a.in[1]);
    w.write64(s.ref[0], mask_of(d) & a.active);
}

#define FLOAT1(op, ...)                             \
    BODY1(op, __VA_ARGS__)                          \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        run1(w, s, lanes_##op);                     \
    }
#define FLOAT2(op, ...)                             \
    BODY2(op, __VA_ARGS__)                          \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        run2(w, s, lanes_##op);                     \
    }
#define FLOAT3(op, ...)                             \
    BODY3(op, __VA_ARGS__)                          \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        run3(w, s, lanes_##op);                     \
    }
#define COMPARE(op, ...)                            \
    BODY2(op, __VA_ARGS__)                          \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        compare(w, s, lanes_##op);                  \
    }

static inline bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
static inline bool is_signaling(uint32_t x) { return is_nan(x) & !(x & 0x00400000); }
// As the bits stand, ordered like the numbers they are (no NaN): -0 below +0.
static inline int32_t order(uint32_t x) {
    return int32_t(x) < 0 ? int32_t(x ^ 0x7fffffff) : int32_t(x);
}
static inline uint32_t larger(uint32_t a, uint32_t b) {
    uint32_t number = order(a) > order(b) ? a : b;
    return is_nan(a) ? b : is_nan(b) ? a : number;
}
static inline uint32_t smaller(uint32_t a, uint32_t b) {
    uint32_t number = order(a) < order(b) ? a : b;
    return is_nan(a) ? b : is_nan(b) ? a : number;
}
static inline uint32_t middle(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t low = smaller(a, b), high = larger(a, b);
    uint32_t inner = larger(low, smaller(high, c));
    return is_nan(a) | is_nan(b) | is_nan(c) ? smaller(low, c) : inner;
}
// IEEE-754-2019 maximum: any NaN gives NaN.
static inline uint32_t larger_or_nan(uint32_t a, uint32_t b) {
    uint32_t number = order(a) > order(b) ? a : b;
    return is_nan(a) ? a | 0x00400000 : is_nan(b) ? b | 0x00400000 : number;
}
static inline uint32_t round_even(uint32_t a) {
    float x = f32(a), magic = std::copysign(0x1p23f, x);
    float rounded = (x + magic) - magic;
    return std::fabs(x) < 0x1p23f ? u32(std::copysign(rounded, x)) : u32(x + 0.0f);
}

// clang-format off
FLOAT2(v_add_f32, u32(f32(a) + f32(b)))
FLOAT2(v_sub_f32, u32(f32(a) - f32(b)))
FLOAT2(v_subrev_f32, u32(f32(b) - f32(a)))
FLOAT2(v_mul_f32, u32(f32(a) * f32(b)))
FLOAT3(v_fma_f32, u32(std::fma(f32(a), f32(b), f32(c))))
FLOAT3(v_maximum3_f32, larger_or_nan(larger_or_nan(a, b), c))
FLOAT1(v_rndne_f32, round_even(a))
FLOAT1(v_floor_f32, u32(std::floor(f32(a))))
COMPARE(v_cmp_eq_f32, f32(a) == f32(b))
COMPARE(v_cmp_neq_f32, !(f32(a) == f32(b)))
COMPARE(v_cmp_lt_f32, f32(a) < f32(b))
COMPARE(v_cmp_le_f32, f32(a) <= f32(b))
COMPARE(v_cmp_gt_f32, f32(a) > f32(b))
COMPARE(v_cmp_ge_f32, f32(a) >= f32(b))
COMPARE(v_cmp_nge_f32, !(f32(a) >= f32(b)))
COMPARE(v_cmp_u_f32, (f32(a) != f32(a)) | (f32(b) != f32(b)))
COMPARE(v_cmp_o_f32, (f32(a) == f32(a)) & (f32(b) == f32(b)))
BODY2(v_max_f32, larger(a, b))
BODY2(v_min_f32, smaller(a, b))
BODY3(v_max3_f32, larger(larger(a, b), c))
BODY3(v_min3_f32, smaller(smaller(a, b), c))
BODY3(v_med3_f32, middle(a, b, c))
// clang-format on

// With MODE.IEEE a signaling NaN of either source is the result, made quiet. The three-operand
// forms are two-operand forms in a row, so a NaN of the first pair meets c as a quiet one.
ZYFA_CLONES static void quiet2(uint32_t* d, const uint32_t* a, const uint32_t* b) {
    for (unsigned l = 0; l < kLanes; ++l)
        d[l] = is_signaling(a[l])   ? a[l] | 0x00400000
               : is_signaling(b[l]) ? b[l] | 0x00400000
                                    : d[l];
}
ZYFA_CLONES static void quiet3(uint32_t* d, const uint32_t* a, const uint32_t* b,
                               const uint32_t* c) {
    for (unsigned l = 0; l < kLanes; ++l)
        if (is_signaling(c[l])) d[l] = c[l] | 0x00400000;
        else if (is_signaling(a[l]) || is_signaling(b[l])) d[l] = c[l];
}
static void extreme2(Wave& w, const Step& s, Body2 body) {
    Sources a(w, s, 1, 2, true);
    Lanes d;
    body(d.word, a.in[0], a.in[1]);
    if (w.mode.ieee) quiet2(d.word, a.in[0], a.in[1]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void extreme3(Wave& w, const Step& s, Body3 body) {
    Sources a(w, s, 1, 3, true);
    Lanes d;
    body(d.word, a.in[0], a.in[1], a.in[2]);
    if (w.mode.ieee) quiet3(d.word, a.in[0], a.in[1], a.in[2]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
template <>
void execute<Op::v_max_f32>(Wave& w, const Step& s) {
    extreme2(w, s, lanes_v_max_f32);
}
template <>
void execute<Op::v_min_f32>(Wave& w, const Step& s) {
    extreme2(w, s, lanes_v_min_f32);
}
template <>
void execute<Op::v_max3_f32>(Wave& w, const Step& s) {
    extreme3(w, s, lanes_v_max3_f32);
}
template <>
void execute<Op::v_min3_f32>(Wave& w, const Step& s) {
    extreme3(w, s, lanes_v_min3_f32);
}
template <>
void execute<Op::v_med3_f32>(Wave& w, const Step& s) {
    extreme3(w, s, lanes_v_med3_f32);
}

BODY2(v_ldexp_f32, u32(float(std::ldexp(double(f32(a)), int32_t(b) < -400  ? -400
                                                        : int32_t(b) > 400 ? 400
                                                                           : int32_t(b)))))
template <>
void execute<Op::v_ldexp_f32>(Wave& w, const Step& s) {
    Sources b(w, s, 2, 1, false);
    Sources a(w, s, 1, 1, true);
    Lanes d;
    lanes_v_ldexp_f32(d.word, a.in[0], b.in[0]);
    finish_float(w, s, d);
    w.write_lanes(s.ref[0], 0, d, a.active);
}

// Packed: for each half of the result op_sel (low) and op_sel_hi (high) choose the register of
// each source, neg_lo and neg_hi its sign.
ZYFA_CLONES static void packed_source(uint32_t* __restrict d, const uint32_t* a, uint32_t flip,
                                      bool flush) {
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t x = a[l] ^ flip;
        d[l] = !flush || (x & 0x7f800000) ? x : x & 0x80000000;
    }
}
static void packed(Wave& w, const Step& s, unsigned count, Body3 body) {
    const Mods& m = s.mods();
    Lanes d[2];
    for (unsigned half : {0, 1}) {
        unsigned select = half ? m.op_sel_hi : m.op_sel, flip = half ? m.neg_hi : m.neg_lo;
        Lanes room, in[3];
        for (unsigned n = 0; n < count; ++n) {
            // A constant fills both halves (trust: guess).
            const Ref& r = s.ref[1 + n];
            unsigned word = r.kind == Ref::Kind::constant ? 0 : select >> n & 1;
            packed_source(in[n].word, w.lanes(r, word, room), flip >> n & 1 ? 0x80000000 : 0,
                          w.mode.flush32);
        }
        body(d[half].word, in[0].word, in[1].word, in[2].word);
        finish_float(w, s, d[half]);
    }
    w.write_lanes(s.ref[0], 0, d[0], w.exec());
    w.write_lanes(s.ref[0], 1, d[1], w.exec());
}
BODY3(pk_mul, (void(c), u32(f32(a) * f32(b))))
BODY3(pk_add, (void(c), u32(f32(a) + f32(b))))
template <>
void execute<Op::v_pk_fma_f32>(Wave& w, const Step& s) {
    packed(w, s, 3, lanes_v_fma_f32);
}
template <>
void execute<Op::v_pk_mul_f32>(Wave& w, const Step& s) {
    packed(w, s, 2, lanes_pk_mul);
}
template <>
void execute<Op::v_pk_add_f32>(Wave& w, const Step& s) {
    packed(w, s, 2, lanes_pk_add);
}

}  // namespace zyfa::sim
