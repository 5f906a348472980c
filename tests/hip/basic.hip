// Index arithmetic, the byte and short widths of memory, bounds.
#include "tests/hip/device.hpp"

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Two-dimensional grid; every hidden argument that names a size.
extern "C" __global__ void where_am_i(uint32_t* out) {
    uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
             z = blockIdx.z * blockDim.z + threadIdx.z;
    uint32_t width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    out[(z * height + y) * width + x] =
        threadIdx.x | threadIdx.y << 6 | blockIdx.x << 12 | blockIdx.y << 18 | blockIdx.z << 24;
}

// Sizes from the dispatch packet instead.
extern "C" __global__ void packet(uint32_t* out) {
    auto* p = static_cast<const __constant__ uint16_t*>(__builtin_amdgcn_dispatch_ptr());
    auto* w = reinterpret_cast<const __constant__ uint32_t*>(p);
    uint32_t i = blockIdx.x * p[2] + threadIdx.x;
    out[i] = p[2] * 1000000 + w[3] * 1000 + p[3] * 10 + p[4];
}

extern "C" __global__ void bytes(const uint8_t* u8, const int8_t* i8, const uint16_t* u16,
                                 const int16_t* i16, uint8_t* out8, uint16_t* out16, int* out32,
                                 int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int sum = u8[i] + i8[i] * 3 + u16[i] * 5 - i16[i];
    out8[i] = uint8_t(sum >> 2);
    out16[i] = uint16_t(sum ^ 0x5a5a);
    out32[i] = sum + (u8[i] > 100 ? int8_t(u8[i]) : i16[n - 1 - i]);
}

struct Wide {
    float x, y, z;
};
extern "C" __global__ void wide(const Wide* in, float __attribute__((ext_vector_type(4))) * out,
                                const double* two, double* sum) {
    int i = threadIdx.x;
    Wide w = in[i];
    out[i] = {w.z, w.y, w.x, w.x + w.z};
    sum[i] = two[2 * i] + two[2 * i + 1];
}
