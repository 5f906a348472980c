// Scalar rows that compilers use beyond those of sim/exec_salu.cpp. Source: CDNA3 ISA, pseudo-code
// (vendor text).
#include <bit>

#include "sim/dispatch.hpp"

namespace zyfa::sim {
namespace {

uint64_t read(Wave& w, const Ref& r) { return r.words == 2 ? w.read64(r) : w.read(r); }
void write(Wave& w, const Ref& r, uint64_t x) {
    if (r.words == 2) w.write64(r, x);
    else w.write(r, uint32_t(x));
}
void set_exec(Wave& w, uint64_t x) {
    w.scalar[kExec] = uint32_t(x);
    w.scalar[kExec + 1] = uint32_t(x >> 32);
}
// a: old, b: first source.
template <class F>
void save_exec(Wave& w, const Step& s, bool gives_new, F f) {
    const uint64_t old = w.exec(), next = f(w.read64(s.ref[1]), old);
    w.write64(s.ref[0], gives_new ? next : old);
    set_exec(w, next);
    w.scc = next != 0;
}
uint32_t find_unlike_sign(uint64_t a, unsigned bits) {
    const uint64_t x = bits == 64 ? a : uint64_t(int64_t(int32_t(uint32_t(a))));
    const uint64_t y = x ^ uint64_t(int64_t(x) >> 63);
    return y ? uint32_t(std::countl_zero(y)) - (64 - bits) : ~0u;
}
uint64_t low_mask(unsigned count) {
    return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}
uint64_t sign_extended(uint64_t x, unsigned bits) {
    if (bits == 0 || bits >= 64) return bits ? x : 0;
    return uint64_t(int64_t(x << (64 - bits)) >> (64 - bits));
}
uint64_t quads(uint64_t x, unsigned bits, bool whole) {
    uint64_t d = 0;
    for (unsigned n = 0; n < bits / 4; ++n)
        if (x >> 4 * n & 15) d |= whole ? uint64_t(15) << 4 * n : uint64_t(1) << n;
    return d;
}
uint64_t doubled(uint64_t x) {
    uint64_t d = 0;
    for (unsigned n = 0; n < 32; ++n) d |= (x >> n & 1) * 3 << 2 * n;
    return d;
}
uint64_t reversed(uint64_t x) {
    uint64_t d = 0;
    for (unsigned n = 0; n < 64; ++n) d |= (x >> n & 1) << (63 - n);
    return d;
}
uint16_t constant16(const Step& s) { return uint16_t(s.ref[1].constant[0]); }

}  // namespace

#define UNARY(op, value)                            \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        const uint64_t a = read(w, s.ref[1]);       \
        write(w, s.ref[0], uint64_t(value));        \
    }
// SCC: the result is not 0
#define UNARY_SCC(op, value)                                       \
    template <>                                                    \
    void execute<Op::op>(Wave & w, const Step& s) {                \
        const uint64_t a = read(w, s.ref[1]), d = uint64_t(value); \
        write(w, s.ref[0], d);                                     \
        w.scc = (s.ref[0].words == 2 ? d : uint32_t(d)) != 0;      \
    }
#define BINARY_SCC(op, value)                                                             \
    template <>                                                                           \
    void execute<Op::op>(Wave & w, const Step& s) {                                       \
        const uint64_t a = read(w, s.ref[1]), b = read(w, s.ref[2]), d = uint64_t(value); \
        write(w, s.ref[0], d);                                                            \
        w.scc = (s.ref[0].words == 2 ? d : uint32_t(d)) != 0;                             \
    }
#define SAVE_EXEC(op, gives_new, ...)                                                      \
    template <>                                                                            \
    void execute<Op::op>(Wave & w, const Step& s) {                                        \
        save_exec(w, s, gives_new, [](uint64_t a, uint64_t exec) { return __VA_ARGS__; }); \
    }
#define TEST(op, ...)                                                \
    template <>                                                      \
    void execute<Op::op>(Wave & w, const Step& s) {                  \
        const uint64_t a = read(w, s.ref[0]), b = read(w, s.ref[1]); \
        w.scc = __VA_ARGS__;                                         \
    }
// clang-format off
UNARY(s_brev_b64, reversed(a))
UNARY(s_bitreplicate_b64_b32, doubled(a))
UNARY(s_ff0_i32_b32, uint32_t(~a) ? std::countr_zero(uint32_t(~a)) : -1)
UNARY(s_ff0_i32_b64, ~a ? std::countr_zero(~a) : -1)
UNARY(s_ff1_i32_b64, a ? std::countr_zero(a) : -1)
UNARY(s_flbit_i32_b64, a ? std::countl_zero(a) : -1)
UNARY(s_flbit_i32, find_unlike_sign(a, 32))
UNARY(s_flbit_i32_i64, find_unlike_sign(a, 64))
UNARY(s_sext_i32_i8, int64_t(int8_t(a)))
UNARY(s_sext_i32_i16, int64_t(int16_t(a)))
UNARY_SCC(s_bcnt0_i32_b32, 32 - std::popcount(uint32_t(a)))
UNARY_SCC(s_bcnt0_i32_b64, 64 - std::popcount(a))
UNARY_SCC(s_abs_i32, int32_t(a) < 0 ? 0 - a : a)
UNARY_SCC(s_wqm_b32, quads(a, 32, true))
UNARY_SCC(s_wqm_b64, quads(a, 64, true))
UNARY_SCC(s_quadmask_b32, quads(a, 32, false))
UNARY_SCC(s_quadmask_b64, quads(a, 64, false))
BINARY_SCC(s_nand_b32, ~(a & b))
BINARY_SCC(s_nand_b64, ~(a & b))
BINARY_SCC(s_nor_b32, ~(a | b))
BINARY_SCC(s_nor_b64, ~(a | b))
BINARY_SCC(s_xnor_b32, ~(a ^ b))
BINARY_SCC(s_xnor_b64, ~(a ^ b))
BINARY_SCC(s_orn2_b32, a | ~b)
BINARY_SCC(s_orn2_b64, a | ~b)
BINARY_SCC(s_bfe_u64, a >> (b & 63) & low_mask(b >> 16 & 127))
BINARY_SCC(s_bfe_i64, sign_extended(uint64_t(int64_t(a) >> (b & 63)) & low_mask(b >> 16 & 127), b >> 16 & 127))
BINARY_SCC(s_absdiff_i32, int32_t(uint32_t(a - b)) < 0 ? b - a : a - b)
SAVE_EXEC(s_xor_saveexec_b64, false, a ^ exec)
SAVE_EXEC(s_andn1_saveexec_b64, false, ~a & exec)
SAVE_EXEC(s_andn2_saveexec_b64, false, a & ~exec)
SAVE_EXEC(s_orn1_saveexec_b64, false, ~a | exec)
SAVE_EXEC(s_orn2_saveexec_b64, false, a | ~exec)
SAVE_EXEC(s_nand_saveexec_b64, false, ~(a & exec))
SAVE_EXEC(s_nor_saveexec_b64, false, ~(a | exec))
SAVE_EXEC(s_xnor_saveexec_b64, false, ~(a ^ exec))
SAVE_EXEC(s_andn1_wrexec_b64, true, ~a & exec)
SAVE_EXEC(s_andn2_wrexec_b64, true, a & ~exec)
TEST(s_bitcmp0_b32, !(a >> (b & 31) & 1))
TEST(s_bitcmp1_b32, a >> (b & 31) & 1)
TEST(s_bitcmp0_b64, !(a >> (b & 63) & 1))
TEST(s_bitcmp1_b64, a >> (b & 63) & 1)

template <> void execute<Op::s_cmpk_eq_i32>(Wave& w, const Step& s) { w.scc = int32_t(w.read(s.ref[0])) == int16_t(constant16(s)); }
template <> void execute<Op::s_cmpk_eq_u32>(Wave& w, const Step& s) { w.scc = w.read(s.ref[0]) == constant16(s); }
template <> void execute<Op::s_cmpk_lg_i32>(Wave& w, const Step& s) { w.scc = int32_t(w.read(s.ref[0])) != int16_t(constant16(s)); }
template <> void execute<Op::s_cmpk_lg_u32>(Wave& w, const Step& s) { w.scc = w.read(s.ref[0]) != constant16(s); }
template <> void execute<Op::s_cmpk_gt_i32>(Wave& w, const Step& s) { w.scc = int32_t(w.read(s.ref[0])) > int16_t(constant16(s)); }
template <> void execute<Op::s_cmpk_gt_u32>(Wave& w, const Step& s) { w.scc = w.read(s.ref[0]) > constant16(s); }
template <> void execute<Op::s_cmpk_ge_i32>(Wave& w, const Step& s) { w.scc = int32_t(w.read(s.ref[0])) >= int16_t(constant16(s)); }
template <> void execute<Op::s_cmpk_ge_u32>(Wave& w, const Step& s) { w.scc = w.read(s.ref[0]) >= constant16(s); }
template <> void execute<Op::s_cmpk_lt_i32>(Wave& w, const Step& s) { w.scc = int32_t(w.read(s.ref[0])) < int16_t(constant16(s)); }
template <> void execute<Op::s_cmpk_lt_u32>(Wave& w, const Step& s) { w.scc = w.read(s.ref[0]) < constant16(s); }
template <> void execute<Op::s_cmpk_le_i32>(Wave& w, const Step& s) { w.scc = int32_t(w.read(s.ref[0])) <= int16_t(constant16(s)); }
template <> void execute<Op::s_cmpk_le_u32>(Wave& w, const Step& s) { w.scc = w.read(s.ref[0]) <= constant16(s); }
template <> void execute<Op::s_lshl1_add_u32>(Wave& w, const Step& s) { const uint64_t d = (uint64_t(w.read(s.ref[1])) << 1) + w.read(s.ref[2]); w.write(s.ref[0], uint32_t(d)); w.scc = d >> 32; }
template <> void execute<Op::s_lshl2_add_u32>(Wave& w, const Step& s) { const uint64_t d = (uint64_t(w.read(s.ref[1])) << 2) + w.read(s.ref[2]); w.write(s.ref[0], uint32_t(d)); w.scc = d >> 32; }
template <> void execute<Op::s_lshl3_add_u32>(Wave& w, const Step& s) { const uint64_t d = (uint64_t(w.read(s.ref[1])) << 3) + w.read(s.ref[2]); w.write(s.ref[0], uint32_t(d)); w.scc = d >> 32; }
template <> void execute<Op::s_lshl4_add_u32>(Wave& w, const Step& s) { const uint64_t d = (uint64_t(w.read(s.ref[1])) << 4) + w.read(s.ref[2]); w.write(s.ref[0], uint32_t(d)); w.scc = d >> 32; }
template <> void execute<Op::s_pack_ll_b32_b16>(Wave& w, const Step& s) { const uint32_t a = w.read(s.ref[1]), b = w.read(s.ref[2]); w.write(s.ref[0], (a & 0xffff) | b << 16); }
template <> void execute<Op::s_pack_lh_b32_b16>(Wave& w, const Step& s) { const uint32_t a = w.read(s.ref[1]), b = w.read(s.ref[2]); w.write(s.ref[0], (a & 0xffff) | (b & 0xffff0000)); }
template <> void execute<Op::s_pack_hh_b32_b16>(Wave& w, const Step& s) { const uint32_t a = w.read(s.ref[1]), b = w.read(s.ref[2]); w.write(s.ref[0], a >> 16 | (b & 0xffff0000)); }
template <> void execute<Op::s_bitset0_b32>(Wave& w, const Step& s) { const uint64_t old = read(w, s.ref[0]); const unsigned at = w.read(s.ref[1]) & 31; write(w, s.ref[0], old & ~(uint64_t(1) << at)); }
template <> void execute<Op::s_bitset0_b64>(Wave& w, const Step& s) { const uint64_t old = read(w, s.ref[0]); const unsigned at = w.read(s.ref[1]) & 63; write(w, s.ref[0], old & ~(uint64_t(1) << at)); }
template <> void execute<Op::s_bitset1_b32>(Wave& w, const Step& s) { const uint64_t old = read(w, s.ref[0]); const unsigned at = w.read(s.ref[1]) & 31; write(w, s.ref[0], old | uint64_t(1) << at); }
template <> void execute<Op::s_bitset1_b64>(Wave& w, const Step& s) { const uint64_t old = read(w, s.ref[0]); const unsigned at = w.read(s.ref[1]) & 63; write(w, s.ref[0], old | uint64_t(1) << at); }
template <> void execute<Op::s_bfm_b64>(Wave& w, const Step& s) { w.write64(s.ref[0], low_mask(w.read(s.ref[1]) & 63) << (w.read(s.ref[2]) & 63)); }
template <> void execute<Op::s_cmov_b64>(Wave& w, const Step& s) { if (w.scc) w.write64(s.ref[0], w.read64(s.ref[1])); }
template <> void execute<Op::s_cmovk_i32>(Wave& w, const Step& s) { if (w.scc) w.write(s.ref[0], uint32_t(int32_t(int16_t(constant16(s))))); }
// clang-format on

}  // namespace zyfa::sim
