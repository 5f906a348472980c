#include "kernels/tiles.hpp"

namespace zyfa {

void add_product(Kernel& k, Sgpr<2> sum, Sgpr<1> index, Sgpr<2> stride) {
    auto low = k.sgpr<1>("product_low"), high = k.sgpr<1>("product_high"),
         top = k.sgpr<1>("product_top");
    k.s_mul_i32(low, index, stride[0]);
    k.s_mul_hi_u32(high, index, stride[0]);
    k.s_mul_i32(top, index, stride[1]);
    k.s_add_u32(high, high, top);
    k.s_add_u32(sum[0], sum[0], low);
    k.s_addc_u32(sum[1], sum[1], high);
}

void add64(Kernel& k, Sgpr<2> to, Sgpr<2> from, Sgpr<2> offset) {
    k.s_add_u32(to[0], from[0], offset[0]);
    k.s_addc_u32(to[1], from[1], offset[1]);
}

void make_descriptor(Kernel& k, Sgpr<4> descriptor, Sgpr<2> base) {
    k.s_mov_b32(descriptor[0], base[0]);
    k.s_and_b32(descriptor[1], base[1], 0xffff);
    k.s_mov_b32(descriptor[3], 0x00020000);
}

void bound_rows(Kernel& k, Sgpr<4> descriptor, Sgpr<1> rows, Sgpr<1> row_bytes, unsigned width) {
    auto bytes = k.sgpr<1>("row_extent");
    k.s_sub_i32(bytes, rows, 1);
    k.s_mul_i32(bytes, bytes, row_bytes);
    k.s_add_u32(bytes, bytes, width);
    k.s_cmp_gt_i32(rows, 0);
    k.s_cselect_b32(descriptor[2], bytes, 0);
}

void divide_heads(Kernel& k, Sgpr<1> to, Sgpr<1> head, Sgpr<1> ratio) {
    auto numerator = k.vgpr<1>("head"), denominator = k.vgpr<1>("heads_per_kv");
    k.v_cvt_f32_u32(numerator, head);
    k.v_cvt_f32_u32(denominator, ratio);
    k.v_add_f32(numerator, 0.5f, numerator);
    k.v_rcp_f32(denominator, denominator);
    k.v_mul_f32(numerator, numerator, denominator);
    k.v_cvt_u32_f32(numerator, numerator);
    k.v_readfirstlane_b32(to, numerator);
}

}  // namespace zyfa
