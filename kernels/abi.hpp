// Kernel argument block of the attention kernels: one layout, read by the kernels, filled by the
// runtime and the tools. Host side only needs this header.
//
// Shapes: q [b, sq, hq, d_qk], k [b, sk, hk, d_qk], v [b, sk, hk, d_v], o [b, sq, hq, d_v] bf16,
// lse [b, hq, sq] fp32, natural logarithm. The last dimension has stride 1. Strides are in
// elements. Base addresses and row, head and batch strides are multiples of 16 bytes, a row stride
// is below 2^24 bytes; lse may start at any multiple of 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zyfa {

struct AttentionArgs {
    uint64_t q, k, v, o;
    uint64_t lse;                              // 0: not wanted
    uint64_t q_descale, k_descale, v_descale;  // fp32, index batch*stride_b + kv_head*stride_h
    int64_t q_stride_b, q_stride_h, q_stride_row;
    int64_t k_stride_b, k_stride_h, k_stride_row;
    int64_t v_stride_b, v_stride_h, v_stride_row;
    int64_t o_stride_b, o_stride_h, o_stride_row;
    int64_t lse_stride_b, lse_stride_h;          // rows of lse lie side by side
    int64_t descale_stride_b, descale_stride_h;  // 0, 0: one value for the whole tensor
    uint32_t sq, sk;                             // any length, 0 too
    uint32_t heads_per_kv;                       // hq / hk, any ratio >= 1
    float softmax_scale;                         // plain, e.g. 1/sqrt(d); descales not included
};
inline constexpr uint32_t kAttentionArgsBytes = 208;
static_assert(sizeof(AttentionArgs) == kAttentionArgsBytes);

struct AttentionField {
    const char* name;
    uint32_t offset, bytes;
    bool is_pointer;
    const char* about;
};
#define ZYFA_POINTER(name, about) {#name, offsetof(AttentionArgs, name), 8, true, about}
#define ZYFA_VALUE(name, about) \
    {#name, offsetof(AttentionArgs, name), sizeof(AttentionArgs::name), false, about}
inline constexpr std::array kAttentionFields = std::to_array<AttentionField>({
    ZYFA_POINTER(q, "e4m3 [b, sq, hq, d_qk]"),
    ZYFA_POINTER(k, "e4m3 [b, sk, hk, d_qk]"),
    ZYFA_POINTER(v, "e4m3 [b, sk, hk, d_v]"),
    ZYFA_POINTER(o, "bf16 [b, sq, hq, d_v]"),
    ZYFA_POINTER(lse, "fp32 [b, hq, sq], natural log, or null"),
    ZYFA_POINTER(q_descale, "fp32"),
    ZYFA_POINTER(k_descale, "fp32"),
    ZYFA_POINTER(v_descale, "fp32"),
    ZYFA_VALUE(q_stride_b, "elements"),
    ZYFA_VALUE(q_stride_h, "elements"),
    ZYFA_VALUE(q_stride_row, "elements"),
    ZYFA_VALUE(k_stride_b, "elements"),
    ZYFA_VALUE(k_stride_h, "elements"),
    ZYFA_VALUE(k_stride_row, "elements"),
    ZYFA_VALUE(v_stride_b, "elements"),
    ZYFA_VALUE(v_stride_h, "elements"),
    ZYFA_VALUE(v_stride_row, "elements"),
    ZYFA_VALUE(o_stride_b, "elements"),
    ZYFA_VALUE(o_stride_h, "elements"),
    ZYFA_VALUE(o_stride_row, "elements"),
    ZYFA_VALUE(lse_stride_b, "elements"),
    ZYFA_VALUE(lse_stride_h, "elements"),
    ZYFA_VALUE(descale_stride_b, "elements, 0 for one value"),
    ZYFA_VALUE(descale_stride_h, "elements, 0 for one value"),
    ZYFA_VALUE(sq, "query rows"),
    ZYFA_VALUE(sk, "key rows"),
    ZYFA_VALUE(heads_per_kv, "hq / hk"),
    ZYFA_VALUE(softmax_scale, "without descales"),
});
#undef ZYFA_POINTER
#undef ZYFA_VALUE

// Workgroups: query heads, batch entries, query tiles. Heads first: workgroups go to dies in turn
// (HipKittens), so that with a multiple of 8 heads each die has K and V of its own heads in L2, and
// a causal launch starts with the longest tile of every head. Threads: as many as the code object's
// .max_flat_workgroup_size says, 512 or 256 by schedule.
struct AttentionGrid {
    uint32_t x, y, z;
};
inline constexpr uint32_t kQueryTile = 256;
inline AttentionGrid attention_grid(uint32_t b, uint32_t hq, uint32_t sq) {
    return {hq, b, (sq + kQueryTile - 1) / kQueryTile};
}

}  // namespace zyfa
