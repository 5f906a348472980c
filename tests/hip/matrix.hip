// One matrix instruction of each family on integers small enough to be exact.
#include "tests/hip/device.hpp"

using F16x = float __attribute__((ext_vector_type(16)));
using F4 = float __attribute__((ext_vector_type(4)));
using I16x = int __attribute__((ext_vector_type(16)));
using I8x = int __attribute__((ext_vector_type(8)));
using I4 = int __attribute__((ext_vector_type(4)));
using B8x = __bf16 __attribute__((ext_vector_type(8)));
using H8x = _Float16 __attribute__((ext_vector_type(8)));
using B16x = __bf16 __attribute__((ext_vector_type(16)));

// C[i][j] of a 32x32 result: register r of a lane is row 8 * (r / 4) + 4 * (lane / 32) + r % 4.
static __device__ void put(float* out, F16x d) {
    for (int r = 0; r < 16; ++r)
        out[(8 * (r / 4) + 4 * (lane() / 32) + r % 4) * 32 + lane() % 32] = d[r];
}
static __device__ void put(int* out, I16x d) {
    for (int r = 0; r < 16; ++r)
        out[(8 * (r / 4) + 4 * (lane() / 32) + r % 4) * 32 + lane() % 32] = d[r];
}
extern "C" __global__ void bf16_32x32x16(const B8x* a, const B8x* b, float* out) {
    F16x c = {};
    c = __builtin_amdgcn_mfma_f32_32x32x16_bf16(a[lane()], b[lane()], c, 0, 0, 0);
    c = __builtin_amdgcn_mfma_f32_32x32x16_bf16(a[lane()], b[lane()], c, 0, 0, 0);
    put(out, c);
}
extern "C" __global__ void f16_32x32x16(const H8x* a, const H8x* b, float* out) {
    F16x c = {};
    put(out, __builtin_amdgcn_mfma_f32_32x32x16_f16(a[lane()], b[lane()], c, 0, 0, 0));
}
extern "C" __global__ void i8_32x32x32(const I4* a, const I4* b, int* out) {
    I16x c;
    for (int n = 0; n < 16; ++n) c[n] = n;
    put(out, __builtin_amdgcn_mfma_i32_32x32x32_i8(a[lane()], b[lane()], c, 0, 0, 0));
}
extern "C" __global__ void scaled_32x32x64(const I8x* a, const I8x* b, const int* scale_a,
                                           const int* scale_b, float* out) {
    F16x c = {};
    put(out, __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(a[lane()], b[lane()], c, 0, 0, 1,
                                                             scale_a[lane()], 2, scale_b[lane()]));
}
// Sparse: A holds two of every four k.
extern "C" __global__ void sparse_16x16x64(const B8x* a, const B16x* b, const int* index,
                                           float* out) {
    F4 c = {1, 2, 3, 4};
    c = __builtin_amdgcn_smfmac_f32_16x16x64_bf16(a[lane()], b[lane()], c, index[lane()], 0, 0);
    for (int r = 0; r < 4; ++r) out[(4 * (lane() / 16) + r) * 16 + lane() % 16] = c[r];
}
