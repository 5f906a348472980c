// Integer and bit instructions of the vector ALU.
#include <functional>

#include "sim/narrow.hpp"
#include "sim/vector.hpp"

namespace zyfa::sim {

static void run1(Wave& w, const Step& s, Body1 body) {
    Sources a(w, s, 1, 1, false);
    Lanes d;
    body(d.word, a.in[0]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void run2(Wave& w, const Step& s, Body2 body) {
    Sources a(w, s, 1, 2, false);
    Lanes d;
    body(d.word, a.in[0], a.in[1]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void run3(Wave& w, const Step& s, Body3 body) {
    Sources a(w, s, 1, 3, false);
    Lanes d;
    body(d.word, a.in[0], a.in[1], a.in[2]);
    w.write_lanes(s.ref[0], 0, d, a.active);
}
static void compare(Wave& w, const Step& s, Body2 body) {
    Sources a(w, s, 1, 2, false);
    Lanes d;
    body(d.word, a.in[0], a.in[1]);
    w.write64(s.ref[0], mask_of(d) & a.active);
}

#define INTEGER1(op, ...)                           \
    BODY1(op, __VA_ARGS__)                          \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        run1(w, s, lanes_##op);                     \
    }
#define INTEGER2(op, ...)                           \
    BODY2(op, __VA_ARGS__)                          \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        run2(w, s, lanes_##op);                     \
    }
#define INTEGER3(op, ...)                           \
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

static inline int32_t signed24(uint32_t x) { return int32_t(x << 8) >> 8; }
static inline uint32_t low_bits(uint32_t count) { return (1u << (count & 31)) - 1; }
static inline uint32_t field_signed(uint32_t a, uint32_t first, uint32_t width) {
    // The shift is arithmetic: a field that reaches past bit 31 ends in copies of it.
    uint32_t field = uint32_t(int32_t(a) >> (first & 31)) & low_bits(width);
    uint32_t sign = low_bits(width) ^ (low_bits(width) >> 1);
    return (field ^ sign) - sign;
}
static inline uint32_t pick_byte(uint64_t pool, uint32_t select) {
    select &= 0xff;
    if (select < 8) return uint32_t(pool >> 8 * select) & 0xff;
    if (select < 12) return (pool >> (16 * (select - 8) + 15)) & 1 ? 0xff : 0;
    return select == 12 ? 0 : 0xff;
}
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t pool = uint64_t(a) << 32 | b;
    return pick_byte(pool, c) | pick_byte(pool, c >> 8) << 8 | pick_byte(pool, c >> 16) << 16 |
           pick_byte(pool, c >> 24) << 24;
}

// clang-format off
INTEGER1(v_mov_b32, a)
INTEGER1(v_not_b32, ~a)
INTEGER1(v_accvgpr_read_b32, a)
INTEGER1(v_accvgpr_write_b32, a)
INTEGER1(v_accvgpr_mov_b32, a)
INTEGER1(v_prng_b32, next_random(a))
INTEGER2(v_and_b32, a & b)
INTEGER2(v_or_b32, a | b)
INTEGER2(v_xor_b32, a ^ b)
INTEGER2(v_lshlrev_b32, b << (a & 31))
INTEGER2(v_lshrrev_b32, b >> (a & 31))
INTEGER2(v_ashrrev_i32, uint32_t(int32_t(b) >> (a & 31)))
INTEGER3(v_lshl_add_u32, (a << (b & 31)) + c)
INTEGER3(v_add_lshl_u32, (a + b) << (c & 31))
INTEGER3(v_lshl_or_b32, (a << (b & 31)) | c)
INTEGER3(v_and_or_b32, (a & b) | c)
INTEGER3(v_or3_b32, a | b | c)
INTEGER3(v_xad_u32, (a ^ b) + c)
INTEGER3(v_bfe_u32, (a >> (b & 31)) & low_bits(c))
INTEGER3(v_bfe_i32, field_signed(a, b, c))
INTEGER3(v_bfi_b32, (a & b) | (~a & c))
INTEGER3(v_alignbit_b32, uint32_t((uint64_t(a) << 32 | b) >> (c & 31)))
INTEGER3(v_perm_b32, permute(a, b, c))
INTEGER2(v_add_u32, a + b)
INTEGER2(v_sub_u32, a - b)
INTEGER2(v_subrev_u32, b - a)
INTEGER2(v_add_i32, a + b)
INTEGER2(v_sub_i32, a - b)
INTEGER3(v_add3_u32, a + b + c)
INTEGER2(v_mul_lo_u32, a * b)
INTEGER2(v_mul_hi_u32, uint32_t(uint64_t(a) * b >> 32))
INTEGER2(v_mul_i32_i24, uint32_t(int64_t(signed24(a)) * signed24(b)))
INTEGER2(v_mul_u32_u24, (a & 0xffffff) * (b & 0xffffff))
INTEGER3(v_mad_u32_u24, (a & 0xffffff) * (b & 0xffffff) + c)
INTEGER2(v_min_u32, a < b ? a : b)
INTEGER2(v_max_u32, a > b ? a : b)
INTEGER2(v_min_i32, int32_t(a) < int32_t(b) ? a : b)
INTEGER2(v_max_i32, int32_t(a) > int32_t(b) ? a : b)
INTEGER2(v_mbcnt_lo_u32_b32, b + uint32_t(__builtin_popcount(a & (l < 32 ? (1u << l) - 1 : ~0u))))
INTEGER2(v_mbcnt_hi_u32_b32, b + uint32_t(__builtin_popcount(a & (l < 32 ? 0 : (1u << (l - 32)) - 1))))
COMPARE(v_cmp_eq_u32, a == b)
COMPARE(v_cmp_ne_u32, a != b)
COMPARE(v_cmp_lt_u32, a < b)
COMPARE(v_cmp_le_u32, a <= b)
COMPARE(v_cmp_gt_u32, a > b)
COMPARE(v_cmp_ge_u32, a >= b)
COMPARE(v_cmp_eq_i32, a == b)
COMPARE(v_cmp_ne_i32, a != b)
COMPARE(v_cmp_lt_i32, int32_t(a) < int32_t(b))
COMPARE(v_cmp_le_i32, int32_t(a) <= int32_t(b))
COMPARE(v_cmp_gt_i32, int32_t(a) > int32_t(b))
COMPARE(v_cmp_ge_i32, int32_t(a) >= int32_t(b))
// clang-format on

// 64-bit operands; a constant's upper half is in the operand.
template <class T, class Rule>
static void compare64(Wave& w, const Step& s, Rule rule) {
    Lanes room[4];
    const uint32_t* in[4];
    for (unsigned n = 0; n < 4; ++n) in[n] = w.lanes(s.ref[1 + n / 2], n % 2, room[n]);
    uint64_t mask = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        T a = T(in[0][l] | uint64_t(in[1][l]) << 32), b = T(in[2][l] | uint64_t(in[3][l]) << 32);
        mask |= uint64_t(rule(a, b)) << l;
    }
    w.write64(s.ref[0], mask & w.exec());
}
// clang-format off
template <> void execute<Op::v_cmp_eq_u64>(Wave& w, const Step& s) { compare64<uint64_t>(w, s, std::equal_to{}); }
template <> void execute<Op::v_cmp_ne_u64>(Wave& w, const Step& s) { compare64<uint64_t>(w, s, std::not_equal_to{}); }
template <> void execute<Op::v_cmp_lt_u64>(Wave& w, const Step& s) { compare64<uint64_t>(w, s, std::less{}); }
template <> void execute<Op::v_cmp_le_u64>(Wave& w, const Step& s) { compare64<uint64_t>(w, s, std::less_equal{}); }
template <> void execute<Op::v_cmp_gt_u64>(Wave& w, const Step& s) { compare64<uint64_t>(w, s, std::greater{}); }
template <> void execute<Op::v_cmp_ge_u64>(Wave& w, const Step& s) { compare64<uint64_t>(w, s, std::greater_equal{}); }
template <> void execute<Op::v_cmp_eq_i64>(Wave& w, const Step& s) { compare64<int64_t>(w, s, std::equal_to{}); }
template <> void execute<Op::v_cmp_ne_i64>(Wave& w, const Step& s) { compare64<int64_t>(w, s, std::not_equal_to{}); }
template <> void execute<Op::v_cmp_lt_i64>(Wave& w, const Step& s) { compare64<int64_t>(w, s, std::less{}); }
template <> void execute<Op::v_cmp_le_i64>(Wave& w, const Step& s) { compare64<int64_t>(w, s, std::less_equal{}); }
template <> void execute<Op::v_cmp_gt_i64>(Wave& w, const Step& s) { compare64<int64_t>(w, s, std::greater{}); }
template <> void execute<Op::v_cmp_ge_i64>(Wave& w, const Step& s) { compare64<int64_t>(w, s, std::greater_equal{}); }
// clang-format on

template <>
void execute<Op::v_nop>(Wave&, const Step&) {}

template <>
void execute<Op::v_mov_b64>(Wave& w, const Step& s) {
    Lanes room[2], low, high;
    std::memcpy(&low, w.lanes(s.ref[1], 0, room[0]), sizeof low);
    std::memcpy(&high, w.lanes(s.ref[1], 1, room[1]), sizeof high);
    w.write_lanes(s.ref[0], 0, low, w.exec());
    w.write_lanes(s.ref[0], 1, high, w.exec());
}

// d, carry out, a, b[, carry in]
ZYFA_CLONES static void add(uint32_t* __restrict d, uint32_t* __restrict carry, const uint32_t* a,
                            const uint32_t* b, const uint32_t* in) {
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t sum = a[l] + b[l];
        d[l] = sum + in[l];
        carry[l] = uint32_t(sum < a[l]) | uint32_t(d[l] < sum);
    }
}
ZYFA_CLONES static void subtract(uint32_t* __restrict d, uint32_t* __restrict borrow,
                                 const uint32_t* a, const uint32_t* b, const uint32_t* in) {
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t difference = a[l] - b[l];
        d[l] = difference - in[l];
        borrow[l] = uint32_t(a[l] < b[l]) | uint32_t(difference < in[l]);
    }
}
static void with_carry(Wave& w, const Step& s, decltype(&add) body, uint64_t carry_in) {
    Sources a(w, s, 2, 2, false);
    Lanes d, carry, in;
    for (unsigned l = 0; l < kLanes; ++l) in.word[l] = carry_in >> l & 1;
    body(d.word, carry.word, a.in[0], a.in[1], in.word);
    w.write_lanes(s.ref[0], 0, d, a.active);
    w.write64(s.ref[1], mask_of(carry) & a.active);
}
template <>
void execute<Op::v_add_co_u32>(Wave& w, const Step& s) {
    with_carry(w, s, add, 0);
}
template <>
void execute<Op::v_addc_co_u32>(Wave& w, const Step& s) {
    with_carry(w, s, add, w.read64(s.ref[4]));
}
template <>
void execute<Op::v_sub_co_u32>(Wave& w, const Step& s) {
    with_carry(w, s, subtract, 0);
}
template <>
void execute<Op::v_subb_co_u32>(Wave& w, const Step& s) {
    with_carry(w, s, subtract, w.read64(s.ref[4]));
}

ZYFA_CLONES static void select(uint32_t* __restrict d, const uint32_t* a, const uint32_t* b,
                               uint32_t low, uint32_t high) {
    for (unsigned l = 0; l < 32; ++l) d[l] = low >> l & 1 ? b[l] : a[l];
    for (unsigned l = 0; l < 32; ++l) d[32 + l] = high >> l & 1 ? b[32 + l] : a[32 + l];
}
template <>
void execute<Op::v_cndmask_b32>(Wave& w, const Step& s) {
    Sources a(w, s, 1, 2, false);
    for (unsigned n : {0, 1}) {
        const Ref& r = s.ref[1 + n];
        if (!r.neg && !r.abs) continue;
        for (unsigned l = 0; l < kLanes; ++l)
            a.room[n].word[l] =
                (a.in[n][l] & (r.abs ? 0x7fffffff : ~0u)) ^ (r.neg ? 0x80000000 : 0);
        a.in[n] = a.room[n].word;
    }
    uint64_t mask = w.read64(s.ref[3]);
    Lanes d;
    select(d.word, a.in[0], a.in[1], uint32_t(mask), uint32_t(mask >> 32));
    w.write_lanes(s.ref[0], 0, d, a.active);
}

// --- between lanes ---
template <>
void execute<Op::v_readfirstlane_b32>(Wave& w, const Step& s) {
    Lanes room;
    unsigned lane = w.exec() ? __builtin_ctzll(w.exec()) : 0;
    w.write(s.ref[0], w.lanes(s.ref[1], 0, room)[lane]);
}
template <>
void execute<Op::v_readlane_b32>(Wave& w, const Step& s) {
    Lanes room;
    w.write(s.ref[0], w.lanes(s.ref[1], 0, room)[w.read(s.ref[2]) & 63]);
}
template <>
void execute<Op::v_writelane_b32>(Wave& w, const Step& s) {
    w.vector[s.ref[0].index].word[w.read(s.ref[2]) & 63] = w.read(s.ref[1]);
}

static void swap_halves(Wave& w, const Step& s, unsigned half) {
    Lanes& a = w.vector[s.ref[0].index];
    Lanes& b = w.vector[s.ref[1].index];
    uint64_t exec = w.exec();
    if (exec != kAllLanes) w.refuse(s, "a lane swap with lanes off has no documented result");
    for (unsigned row = 0; row < kLanes; row += 2 * half)
        for (unsigned l = row; l < row + half; ++l) std::swap(a.word[l + half], b.word[l]);
}
template <>
void execute<Op::v_permlane32_swap_b32>(Wave& w, const Step& s) {
    swap_halves(w, s, 32);
}
template <>
void execute<Op::v_permlane16_swap_b32>(Wave& w, const Step& s) {
    swap_halves(w, s, 16);
}

}  // namespace zyfa::sim
