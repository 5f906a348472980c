// f32 and f64 arithmetic, conversions, classes.
#include "tests/hip/device.hpp"

extern "C" __global__ void math(const float* a, const float* b, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i];
    float* o = out + 12 * i;
    o[0] = x / y;
    o[1] = __builtin_sqrtf(__builtin_fabsf(x));
    o[2] = __builtin_fmaf(x, y, -x);
    o[3] = __builtin_amdgcn_exp2f(x);
    o[4] = __builtin_floorf(x) + __builtin_ceilf(y);
    o[5] = __builtin_truncf(x) - __builtin_rintf(y);
    o[6] = __builtin_fminf(x, y) * __builtin_fmaxf(x, 1.5f);
    o[7] = __builtin_copysignf(x, y) + __builtin_amdgcn_fractf(x);
    o[8] = __builtin_ldexpf(x, int(y)) + __builtin_amdgcn_frexp_mantf(y);
    o[9] = float(__builtin_amdgcn_frexp_expf(x)) + float(int(x)) + float(uint32_t(y * y));
    o[10] = __builtin_amdgcn_fmed3f(x, y, 0.25f) + (x < y ? x : 2.0f * y);
    o[11] = (__builtin_isnan(x) ? 1.0f : 0.0f) + (__builtin_isinf(y) ? 2.0f : 0.0f) +
            (x == y ? 4.0f : 0.0f) + (__builtin_isnormal(x) ? 8.0f : 0.0f);
}
extern "C" __global__ void doubles(const double* a, const double* b, double* out, int64_t* whole) {
    int i = threadIdx.x;
    double x = a[i], y = b[i];
    double* o = out + 8 * i;
    o[0] = x / y;
    o[1] = __builtin_sqrt(x * x + 1.0);
    o[2] = __builtin_fma(x, y, 0.1) - x * 3.0;
    o[3] = __builtin_floor(x) + __builtin_rint(y) - __builtin_trunc(x * 2.5) + __builtin_ceil(y);
    o[4] = __builtin_fmin(x, y) + __builtin_fmax(x, -y);
    o[5] = float(x) + double(float(y)) * 2.0;
    o[6] = double(int(x * 100)) + double(uint32_t(y * y * 7)) + double(int64_t(i) << 33);
    o[7] = __builtin_ldexp(x, i & 15) + (x > y ? 1.0 : -0.5) + (__builtin_isnan(y) ? 9.0 : 0.0);
    whole[i] = int64_t(x * 1e6) + int64_t(uint64_t(y * y * 1e3)) + int(float(x));
}
