// Scalar instructions. SCC rules after the vendor pseudo-code (CDNA ISA document).
#include <bit>

#include "sim/dispatch.hpp"

namespace zyfa::sim {

#define MOVE(op, value)                                 \
    template <>                                         \
    void execute<Op::op>(Wave & w, const Step& s) {     \
        [[maybe_unused]] uint32_t a = w.read(s.ref[1]); \
        w.write(s.ref[0], value);                       \
    }
// d = value, SCC = scc
#define UNARY(op, value, scc_rule)                  \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        uint32_t a = w.read(s.ref[1]), d = value;   \
        w.scc = scc_rule;                           \
        w.write(s.ref[0], d);                       \
    }
#define BINARY(op, value, scc_rule)                          \
    template <>                                              \
    void execute<Op::op>(Wave & w, const Step& s) {          \
        uint32_t a = w.read(s.ref[1]), b = w.read(s.ref[2]); \
        uint32_t d = value;                                  \
        w.scc = scc_rule;                                    \
        w.write(s.ref[0], d);                                \
    }
#define BINARY64(op, value, scc_rule)                                             \
    template <>                                                                   \
    void execute<Op::op>(Wave & w, const Step& s) {                               \
        uint64_t a = w.read64(s.ref[1]);                                          \
        uint64_t b = s.ref[2].words == 2 ? w.read64(s.ref[2]) : w.read(s.ref[2]); \
        uint64_t d = value;                                                       \
        w.scc = scc_rule;                                                         \
        w.write64(s.ref[0], d);                                                   \
    }
#define COMPARE(op, rule)                                    \
    template <>                                              \
    void execute<Op::op>(Wave & w, const Step& s) {          \
        uint32_t a = w.read(s.ref[0]), b = w.read(s.ref[1]); \
        w.scc = rule;                                        \
    }

static int32_t i(uint32_t x) { return int32_t(x); }
static bool add_overflows(uint32_t a, uint32_t b) { return (~(a ^ b) & (a ^ (a + b))) >> 31; }
static bool subtract_overflows(uint32_t a, uint32_t b) { return ((a ^ b) & (a ^ (a - b))) >> 31; }
static uint32_t low_bits(uint32_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }
static uint32_t field(uint32_t a, uint32_t b) { return (a >> (b & 31)) & low_bits(b >> 16 & 127); }
static uint32_t signed_field(uint32_t a, uint32_t b) {
    uint32_t width = b >> 16 & 127, first = b & 31;
    if (width == 0) return 0;
    if (width + first > 31) return uint32_t(i(a) >> first);
    uint32_t sign = 1u << (width - 1);
    return (field(a, b) ^ sign) - sign;
}

// clang-format off
MOVE(s_mov_b32, a)
MOVE(s_brev_b32, [](uint32_t x) { uint32_t r = 0; for (int n = 0; n < 32; ++n) r |= (x >> n & 1) << (31 - n); return r; }(a))
MOVE(s_ff1_i32_b32, a ? uint32_t(std::countr_zero(a)) : ~0u)
MOVE(s_flbit_i32_b32, a ? uint32_t(std::countl_zero(a)) : ~0u)
UNARY(s_not_b32, ~a, d != 0)
UNARY(s_bcnt1_i32_b32, uint32_t(std::popcount(a)), d != 0)
BINARY(s_add_u32, a + b, d < a)
BINARY(s_addc_u32, a + b + w.scc, uint64_t(a) + b + w.scc > 0xffffffff)
BINARY(s_sub_u32, a - b, b > a)
BINARY(s_subb_u32, a - b - w.scc, uint64_t(b) + w.scc > a)
BINARY(s_add_i32, a + b, add_overflows(a, b))
BINARY(s_sub_i32, a - b, subtract_overflows(a, b))
BINARY(s_mul_i32, a * b, w.scc)
BINARY(s_mul_hi_u32, uint32_t(uint64_t(a) * b >> 32), w.scc)
BINARY(s_mul_hi_i32, uint32_t(int64_t(i(a)) * i(b) >> 32), w.scc)
BINARY(s_and_b32, a & b, d != 0)
BINARY(s_or_b32, a | b, d != 0)
BINARY(s_xor_b32, a ^ b, d != 0)
BINARY(s_andn2_b32, a & ~b, d != 0)
BINARY64(s_and_b64, a & b, d != 0)
BINARY64(s_or_b64, a | b, d != 0)
BINARY64(s_xor_b64, a ^ b, d != 0)
BINARY64(s_andn2_b64, a & ~b, d != 0)
BINARY(s_lshl_b32, a << (b & 31), d != 0)
BINARY(s_lshr_b32, a >> (b & 31), d != 0)
BINARY(s_ashr_i32, uint32_t(i(a) >> (b & 31)), d != 0)
BINARY64(s_lshl_b64, a << (b & 63), d != 0)
BINARY64(s_lshr_b64, a >> (b & 63), d != 0)
BINARY64(s_ashr_i64, uint64_t(int64_t(a) >> (b & 63)), d != 0)
BINARY(s_bfe_u32, field(a, b), d != 0)
BINARY(s_bfe_i32, signed_field(a, b), d != 0)
BINARY(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31), w.scc)
BINARY(s_min_i32, i(a) < i(b) ? a : b, i(a) < i(b))
BINARY(s_min_u32, a < b ? a : b, a < b)
BINARY(s_max_i32, i(a) >= i(b) ? a : b, i(a) >= i(b))
BINARY(s_max_u32, a >= b ? a : b, a >= b)
BINARY(s_cselect_b32, w.scc ? a : b, w.scc)
BINARY64(s_cselect_b64, w.scc ? a : b, w.scc)
COMPARE(s_cmp_eq_i32, a == b)
COMPARE(s_cmp_lg_i32, a != b)
COMPARE(s_cmp_gt_i32, i(a) > i(b))
COMPARE(s_cmp_ge_i32, i(a) >= i(b))
COMPARE(s_cmp_lt_i32, i(a) < i(b))
COMPARE(s_cmp_le_i32, i(a) <= i(b))
COMPARE(s_cmp_eq_u32, a == b)
COMPARE(s_cmp_lg_u32, a != b)
COMPARE(s_cmp_gt_u32, a > b)
COMPARE(s_cmp_ge_u32, a >= b)
COMPARE(s_cmp_lt_u32, a < b)
COMPARE(s_cmp_le_u32, a <= b)
template <> void execute<Op::s_cmp_eq_u64>(Wave& w, const Step& s) { w.scc = w.read64(s.ref[0]) == w.read64(s.ref[1]); }
template <> void execute<Op::s_cmp_lg_u64>(Wave& w, const Step& s) { w.scc = w.read64(s.ref[0]) != w.read64(s.ref[1]); }
template <> void execute<Op::s_mov_b64>(Wave& w, const Step& s) { w.write64(s.ref[0], w.read64(s.ref[1])); }
// clang-format on

template <>
void execute<Op::s_not_b64>(Wave& w, const Step& s) {
    uint64_t d = ~w.read64(s.ref[1]);
    w.scc = d != 0;
    w.write64(s.ref[0], d);
}
template <>
void execute<Op::s_bcnt1_i32_b64>(Wave& w, const Step& s) {
    uint32_t d = uint32_t(std::popcount(w.read64(s.ref[1])));
    w.scc = d != 0;
    w.write(s.ref[0], d);
}
static void save_exec(Wave& w, const Step& s, uint64_t exec) {
    uint64_t old = w.exec();
    w.write64(s.ref[0], old);
    w.scalar[kExec] = uint32_t(exec);
    w.scalar[kExec + 1] = uint32_t(exec >> 32);
    w.scc = exec != 0;
}
template <>
void execute<Op::s_and_saveexec_b64>(Wave& w, const Step& s) {
    save_exec(w, s, w.read64(s.ref[1]) & w.exec());
}
template <>
void execute<Op::s_or_saveexec_b64>(Wave& w, const Step& s) {
    save_exec(w, s, w.read64(s.ref[1]) | w.exec());
}
template <>
void execute<Op::s_cmov_b32>(Wave& w, const Step& s) {
    if (w.scc) w.write(s.ref[0], w.read(s.ref[1]));
}

static uint32_t constant16(const Step& s) {
    return uint32_t(int32_t(int16_t(s.ref[1].constant[0])));
}
template <>
void execute<Op::s_movk_i32>(Wave& w, const Step& s) {
    w.write(s.ref[0], constant16(s));
}
template <>
void execute<Op::s_addk_i32>(Wave& w, const Step& s) {
    uint32_t a = w.read(s.ref[0]), b = constant16(s);
    w.scc = add_overflows(a, b);
    w.write(s.ref[0], a + b);
}
template <>
void execute<Op::s_mulk_i32>(Wave& w, const Step& s) {
    w.write(s.ref[0], w.read(s.ref[0]) * constant16(s));
}

}  // namespace zyfa::sim
