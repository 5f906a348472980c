#include "check/arithmetic.hpp"

#include <algorithm>

namespace zyfa {
namespace {

std::optional<uint32_t> one(Op op, uint32_t a) {
    switch (op) {
        case Op::s_mov_b32:
        case Op::v_mov_b32:
        case Op::v_readfirstlane_b32: return a;
        case Op::s_movk_i32: return uint32_t(int32_t(int16_t(a)));
        case Op::s_not_b32:
        case Op::v_not_b32: return ~a;
        default: return std::nullopt;
    }
}

std::optional<uint32_t> two(Op op, uint32_t a, uint32_t b) {
    switch (op) {
        case Op::s_add_u32:
        case Op::s_add_i32:
        case Op::v_add_u32: return a + b;
        case Op::s_sub_u32:
        case Op::s_sub_i32:
        case Op::v_sub_u32: return a - b;
        case Op::v_subrev_u32: return b - a;
        case Op::s_mul_i32:
        case Op::v_mul_lo_u32: return a * b;
        case Op::v_mul_u32_u24: return (a & 0xffffff) * (b & 0xffffff);
        case Op::v_mul_i32_i24:
            return uint32_t(int32_t(a << 8) >> 8) * uint32_t(int32_t(b << 8) >> 8);
        case Op::s_lshl_b32: return a << (b & 31);
        case Op::s_lshr_b32: return a >> (b & 31);
        case Op::s_ashr_i32: return uint32_t(int32_t(a) >> (b & 31));
        case Op::v_lshlrev_b32: return b << (a & 31);
        case Op::v_lshrrev_b32: return b >> (a & 31);
        case Op::v_ashrrev_i32: return uint32_t(int32_t(b) >> (a & 31));
        case Op::s_and_b32:
        case Op::v_and_b32: return a & b;
        case Op::s_andn2_b32: return a & ~b;
        case Op::s_or_b32:
        case Op::v_or_b32: return a | b;
        case Op::s_xor_b32:
        case Op::v_xor_b32: return a ^ b;
        case Op::s_min_u32:
        case Op::v_min_u32: return std::min(a, b);
        case Op::s_max_u32:
        case Op::v_max_u32: return std::max(a, b);
        case Op::s_min_i32:
        case Op::v_min_i32: return uint32_t(std::min(int32_t(a), int32_t(b)));
        case Op::s_max_i32:
        case Op::v_max_i32: return uint32_t(std::max(int32_t(a), int32_t(b)));
        case Op::s_bfe_u32: {
            const unsigned width = b >> 16 & 0x7f, shifted = a >> (b & 31);
            return width >= 32 ? shifted : shifted & ((1u << width) - 1);
        }
        case Op::s_lshl1_add_u32: return (a << 1) + b;
        case Op::s_lshl2_add_u32: return (a << 2) + b;
        case Op::s_lshl3_add_u32: return (a << 3) + b;
        case Op::s_lshl4_add_u32: return (a << 4) + b;
        default: return std::nullopt;
    }
}

std::optional<uint32_t> three(Op op, uint32_t a, uint32_t b, uint32_t c) {
    switch (op) {
        case Op::v_mad_i32_i24:
            return uint32_t(int32_t(a << 8) >> 8) * uint32_t(int32_t(b << 8) >> 8) + c;
        case Op::v_mad_u32_u24: return (a & 0xffffff) * (b & 0xffffff) + c;
        case Op::v_bfe_u32: return (a >> (b & 31)) & ((1u << (c & 31)) - 1);
        case Op::v_bfi_b32: return (a & b) | (~a & c);
        case Op::v_lshl_add_u32: return (a << (b & 31)) + c;
        case Op::v_add_lshl_u32: return (a + b) << (c & 31);
        case Op::v_lshl_or_b32: return (a << (b & 31)) | c;
        case Op::v_and_or_b32: return (a & b) | c;
        case Op::v_or3_b32: return a | b | c;
        case Op::v_add3_u32: return a + b + c;
        case Op::v_xad_u32: return (a ^ b) + c;
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<uint32_t> compute(Op op, std::span<const uint32_t> s) {
    switch (s.size()) {
        case 1: return one(op, s[0]);
        case 2: return two(op, s[0], s[1]);
        case 3: return three(op, s[0], s[1], s[2]);
        default: return std::nullopt;
    }
}

std::optional<bool> compare(Op op, uint32_t a, uint32_t b) {
    const int32_t x = int32_t(a), y = int32_t(b);
    switch (op) {
        case Op::s_cmp_eq_u32:
        case Op::s_cmp_eq_i32:
        case Op::v_cmp_eq_u32:
        case Op::v_cmp_eq_i32: return a == b;
        case Op::s_cmp_lg_u32:
        case Op::s_cmp_lg_i32:
        case Op::v_cmp_ne_u32:
        case Op::v_cmp_ne_i32: return a != b;
        case Op::s_cmp_lt_u32:
        case Op::v_cmp_lt_u32: return a < b;
        case Op::s_cmp_le_u32:
        case Op::v_cmp_le_u32: return a <= b;
        case Op::s_cmp_gt_u32:
        case Op::v_cmp_gt_u32: return a > b;
        case Op::s_cmp_ge_u32:
        case Op::v_cmp_ge_u32: return a >= b;
        case Op::s_cmp_lt_i32:
        case Op::v_cmp_lt_i32: return x < y;
        case Op::s_cmp_le_i32:
        case Op::v_cmp_le_i32: return x <= y;
        case Op::s_cmp_gt_i32:
        case Op::v_cmp_gt_i32: return x > y;
        case Op::s_cmp_ge_i32:
        case Op::v_cmp_ge_i32: return x >= y;
        default: return std::nullopt;
    }
}

std::optional<uint64_t> compute64(Op op, uint64_t a, uint64_t b) {
    switch (op) {
        case Op::s_mov_b64:
        case Op::v_mov_b64: return a;
        case Op::s_and_b64: return a & b;
        case Op::s_andn2_b64: return a & ~b;
        case Op::s_or_b64: return a | b;
        case Op::s_xor_b64: return a ^ b;
        default: return std::nullopt;
    }
}

}  // namespace zyfa
