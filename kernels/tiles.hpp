// Address arithmetic that the attention kernels share: 64-bit offsets, buffer descriptors bounded
// by rows, and streams of key or value tiles that go through LDS.
#pragma once

#include "dsl/kernel.hpp"

namespace zyfa {

// sum += index * stride, 64 bits, any sign of stride (two's complement).
void add_product(Kernel& k, Sgpr<2> sum, Sgpr<1> index, Sgpr<2> stride);

// to = from + offset, 64 bits.
void add64(Kernel& k, Sgpr<2> to, Sgpr<2> from, Sgpr<2> offset);

// Raw buffer descriptor: 48-bit base, stride 0, records in bytes. Source: gfx9 buffer resource word
// layout, as AITER's gfx950 binaries fill it.
void make_descriptor(Kernel& k, Sgpr<4> descriptor, Sgpr<2> base);

// descriptor.num_records = rows > 0 ? (rows - 1) * row_bytes + width : 0. Rows past the end then
// read as zero and are never written.
void bound_rows(Kernel& k, Sgpr<4> descriptor, Sgpr<1> rows, Sgpr<1> row_bytes, unsigned width);

// to = head / heads_per_kv, exact for every ratio: (head + 1/2) * rcp(ratio), truncated. The half
// keeps the quotient at least 1/(2 ratio) away from an integer; v_rcp_f32 is good to 1 ulp, so the
// result is right for head < 2^20 (the grid allows 2^16).
void divide_heads(Kernel& k, Sgpr<1> to, Sgpr<1> head, Sgpr<1> ratio);

}  // namespace zyfa
