// LDS: reduction with lane exchange, transpose, dynamic LDS, byte accesses, atomics.
#include "tests/hip/device.hpp"

template <int Control>
static __device__ float moved(float x) {
    return __builtin_bit_cast(
        float, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, x), Control, 0xf, 0xf, true));
}
static __device__ float from_lane(float x, uint32_t from) {
    return __builtin_bit_cast(
        float, __builtin_amdgcn_ds_bpermute(int(from * 4), __builtin_bit_cast(int, x)));
}
static __device__ float wave_sum(float x) {
    x += moved<0x111>(x);  // row_shr:1
    x += moved<0x112>(x);
    x += moved<0x114>(x);
    x += moved<0x118>(x);
    x = from_lane(x, lane() | 15);
    x += from_lane(x, lane() ^ 16);
    x += from_lane(x, lane() ^ 32);
    return x;
}
extern "C" __global__ void reduce(const float* in, float* out) {
    __shared__ float part[4];
    uint32_t t = threadIdx.x;
    float x = wave_sum(in[blockIdx.x * 256 + t]);
    if (lane() == 0) part[t / 64] = x;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = (part[0] + part[1]) + (part[2] + part[3]);
}

extern "C" __global__ void transpose(const uint32_t* in, uint32_t* out, int n) {
    __shared__ uint32_t tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    int tx = blockIdx.y * 16 + threadIdx.x, ty = blockIdx.x * 16 + threadIdx.y;
    out[ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}

extern __shared__ uint8_t dynamic[];
extern "C" __global__ void reverse_bytes(const uint8_t* in, uint8_t* out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = dynamic[n - 1 - i];
}
extern "C" __global__ void swap_halves(const uint64_t* in, uint64_t* out) {
    __shared__ uint64_t pair[2][64];
    __shared__ uint16_t small[128];
    uint32_t t = threadIdx.x;
    pair[0][t] = in[t];
    pair[1][t] = ~in[t];
    small[2 * t] = uint16_t(in[t] >> 16);
    small[2 * t + 1] = uint16_t(in[t] >> 48);
    __syncthreads();
    out[t] = pair[0][63 - t] ^ pair[1][t ^ 5] << 1 ^ small[127 - t];
}

extern "C" __global__ void histogram(const uint32_t* in, uint32_t* counts, uint32_t* largest,
                                     uint32_t* seen) {
    __shared__ uint32_t bin[16];
    __shared__ uint32_t top, bits;
    __shared__ float total;
    uint32_t t = threadIdx.x;
    if (t < 16) bin[t] = 0;
    if (t == 0) top = bits = 0, total = 0;
    __syncthreads();
    uint32_t v = in[blockIdx.x * blockDim.x + t];
    __hip_atomic_fetch_add(&bin[v & 15], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_max(&top, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_or(&bits, 1u << (v & 31), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __hip_atomic_fetch_add(&total, 0.5f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    if (t < 16)
        __hip_atomic_fetch_add(&counts[t], bin[t], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    if (t == 0) {
        __hip_atomic_fetch_max(largest, top, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        seen[blockIdx.x * 2] = bits;
        seen[blockIdx.x * 2 + 1] = uint32_t(total);
    }
}
