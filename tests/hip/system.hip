// Clock, hardware registers, votes, readlane, MODE.
#include "tests/hip/device.hpp"

extern "C" __global__ void clocks(uint64_t* out) {
    uint64_t before = __builtin_amdgcn_s_memtime();
    uint64_t real = __builtin_amdgcn_s_memrealtime();
    for (int n = 0; n < 10; ++n) __builtin_amdgcn_s_sleep(1);
    uint64_t after = __builtin_amdgcn_s_memtime();
    uint32_t mode = __builtin_amdgcn_s_getreg(1 | 0 << 6 | 7 << 11);
    uint32_t xcc = __builtin_amdgcn_s_getreg(20 | 0 << 6 | 3 << 11);
    out[4 * blockIdx.x] = after > before;
    out[4 * blockIdx.x + 1] = __builtin_amdgcn_s_memrealtime() >= real;
    out[4 * blockIdx.x + 2] = mode;
    out[4 * blockIdx.x + 3] = xcc;
}
extern "C" __global__ void votes(const int* in, uint64_t* out, int* first) {
    int x = in[threadIdx.x];
    uint64_t big = __builtin_amdgcn_ballot_w64(x > 10);
    uint64_t odd = 0;
    int seen = -1;
    if (x & 1) {
        odd = __builtin_amdgcn_ballot_w64(x > 3);
        seen = __builtin_amdgcn_readfirstlane(x);
    }
    int ninth = __builtin_amdgcn_readlane(x, 9);
    out[threadIdx.x] = big ^ odd;
    first[threadIdx.x] = seen * 1000 + ninth + __builtin_amdgcn_ds_swizzle(x, 0x041f);
}
// A sum and a product of each pair in each rounding mode of f32. One piece of assembly: the compiler
// moves arithmetic across a change of MODE that it does not know of.
extern "C" __global__ void rounding(const float* a, const float* b, float* out) {
    int i = threadIdx.x;
    float x = a[i], y = b[i];
    for (int mode = 0; mode < 4; ++mode) {
        float sum, product;
        asm volatile(
            "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), %4\n"
            "v_add_f32 %0, %2, %3\n"
            "v_mul_f32 %1, %2, %3\n"
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0"
            : "=&v"(sum), "=&v"(product)
            : "v"(x), "v"(y), "s"(__builtin_amdgcn_readfirstlane(mode)));
        out[8 * i + 2 * mode] = sum;
        out[8 * i + 2 * mode + 1] = product;
    }
}
