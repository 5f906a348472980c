// f16 and bf16: scalars, pairs, mixed fused multiply-add, conversions.
#include "tests/hip/device.hpp"

using Half = _Float16;
using Half2 = _Float16 __attribute__((ext_vector_type(2)));
using Bf16 = __bf16;
using Bf162 = __bf16 __attribute__((ext_vector_type(2)));

extern "C" __global__ void halves(const Half* a, const Half* b, Half* out, float* wide) {
    int i = threadIdx.x;
    Half x = a[i], y = b[i];
    Half* o = out + 8 * i;
    o[0] = x + y;
    o[1] = x * y - x;
    o[2] = __builtin_fmaf16(x, y, Half(0.5));
    o[3] = x / (y * y + Half(1));
    o[4] = __builtin_sqrtf16(x * x);
    o[5] = __builtin_fminf16(x, y) + __builtin_fmaxf16(x, Half(2));
    o[6] = __builtin_floorf16(x) - __builtin_rintf16(y) + __builtin_truncf16(x);
    o[7] = x < y ? Half(int16_t(i)) : Half(__builtin_fabsf16(y));
    wide[i] = float(x) * float(y) + float(int16_t(x * Half(4))) + float(uint16_t(y * y));
}
extern "C" __global__ void half_pairs(const Half2* a, const Half2* b, Half2* out, float* dot) {
    int i = threadIdx.x;
    Half2 x = a[i], y = b[i];
    Half2 s = x * y + x;
    s = __builtin_elementwise_max(s, y) - __builtin_elementwise_min(x, Half2(Half(0.25)));
    s = __builtin_elementwise_fma(s, -x, y.yx);
    out[i] = s;
    float sum = float(x.x) * float(y.x) + float(x.y) * float(y.y);
    dot[i] = __builtin_amdgcn_fdot2(x, y, sum, false) + __builtin_fmaf(float(x.x), float(y.y), sum);
}
extern "C" __global__ void pack_half(const float* a, uint32_t* out) {
    int i = threadIdx.x;
    Half2 p = {Half(a[2 * i]), Half(a[2 * i + 1])};
    out[2 * i] = __builtin_bit_cast(uint32_t, p);
    out[2 * i + 1] = __builtin_bit_cast(
        uint32_t, __builtin_amdgcn_cvt_pkrtz(a[2 * i], a[2 * i + 1]));
}
extern "C" __global__ void brains(const Bf16* a, const Bf16* b, Bf16* out, const Bf162* c,
                                  Bf162* pairs, float* wide) {
    int i = threadIdx.x;
    Bf16 x = a[i], y = b[i];
    out[4 * i] = x + y;
    out[4 * i + 1] = x * y;
    out[4 * i + 2] = x > y ? x : -y;
    out[4 * i + 3] = Bf16(float(i) * 0.37f);
    pairs[i] = c[i] * Bf162{x, y} + c[i];
    wide[i] = float(x) * 2.0f + float(c[i].y);
}
