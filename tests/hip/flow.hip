// Control flow that lanes do not share, calls, switches, scratch arrays.
#include "tests/hip/device.hpp"

extern "C" __global__ void collatz(const uint32_t* in, uint32_t* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t v = in[i];
    uint32_t steps = 0;
    while (v != 1) {
        if (steps == 60) break;
        ++steps;
        if (v % 3 == 0 && steps > 40) continue;
        v = v & 1 ? 3 * v + 1 : v / 2;
    }
    out[i] = steps;
}

extern "C" __global__ void dispatch(const int* in, int* out) {
    int i = threadIdx.x, x = in[i], y = 0;
    for (int n = 0; n < 3; ++n) {
        switch ((x + n) % 13) {
            case 0: y += 11; break;
            case 1: y ^= x; break;
            case 2: y = y * 3 + 1; break;
            case 3: y -= n; [[fallthrough]];
            case 4: y <<= 2; break;
            case 5: y += x * x; break;
            case 6: y = ~y; break;
            case 7: return;
            case 8: y |= 0x100; break;
            case 9: y = y > 5 ? y - 5 : 5 - y; break;
            case 10: y += n * 7; break;
            default: y += 1000;
        }
    }
    out[i] = y;
}

__device__ __noinline__ int third(int a, int b) { return a * 7 - b; }
__device__ __noinline__ int second(int a, int b) { return third(a + b, b) + third(b, a); }
__device__ __noinline__ float mixed(float x, int n, double d) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x * float(i) + float(d);
    return sum;
}
extern "C" __global__ void calls(const int* in, int* out, float* fout) {
    int i = threadIdx.x;
    int x = in[i];
    if (x & 1) x = second(x, i);
    else x = third(x, 5) + second(i, 3);
    out[i] = x;
    fout[i] = mixed(0.5f, i & 7, 0.25);
}
using Function = int (*)(int, int);
__device__ __noinline__ int larger(int a, int b) { return a > b ? a : b; }
extern "C" __global__ void by_pointer(const int* in, int* out) {
    Function f[2] = {third, larger};
    int i = threadIdx.x;
    out[i] = f[in[i] & 1](i, 20);
}

// Arrays with an index that only the run knows live in scratch.
extern "C" __global__ void sort8(const int* in, int* out, const int* pick) {
    int a[8], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int n = 0; n < 8; ++n) a[n] = in[8 * i + n];
    for (int n = 1; n < 8; ++n) {
        int v = a[n], m = n;
        for (; m > 0 && a[m - 1] > v; --m) a[m] = a[m - 1];
        a[m] = v;
    }
    for (int n = 0; n < 8; ++n) out[8 * i + n] = a[(n + pick[i]) & 7];
}
static const __device__ uint32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ uint32_t counter = 40;
extern "C" __global__ void constants(const uint32_t* in, uint32_t* out) {
    int i = threadIdx.x;
    out[i] = table[in[i] & 15] + counter;
}
