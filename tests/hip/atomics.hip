// Atomics on global memory and through generic pointers.
#include "tests/hip/device.hpp"

extern "C" __global__ void atomics(int* sum, float* fsum, double* dsum, uint64_t* least,
                                   uint32_t* order, uint32_t* ticket, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __hip_atomic_fetch_add(sum, i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(fsum, float(i & 7) * 0.25f, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_add(dsum, 0.5 * i, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_fetch_min(least, uint64_t(1000 - i) << 33, __ATOMIC_RELAXED,
                           __HIP_MEMORY_SCOPE_AGENT);
    uint32_t mine = __hip_atomic_fetch_add(ticket, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    order[mine] = i;
}

// Compare and swap until it holds: saturating addition, one word for 4 threads.
extern "C" __global__ void saturate(uint32_t* words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t* to = &words[i / 4];
    uint32_t old = __hip_atomic_load(to, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
    do {
        next = old > 250 - 60 ? 250 : old + 60;
    } while (!__hip_atomic_compare_exchange_strong(to, &old, next, __ATOMIC_ACQ_REL,
                                                   __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT));
}

// One code path for LDS, scratch and global memory: the address decides.
__device__ __noinline__ int add_to(int* p, int v) {
    *p += v;
    return *p;
}
extern "C" __global__ void generic(int* out, int which) {
    __shared__ int shared[64];
    int own[2] = {7, 8};
    uint32_t t = threadIdx.x;
    shared[t] = 100 * t;
    out[t] = 3;
    int* p = (t + which) % 3 == 0 ? &shared[t] : (t + which) % 3 == 1 ? &own[t & 1] : &out[t];
    int got = add_to(p, t);
    int more = __hip_atomic_fetch_add(&shared[t], 5, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    out[t] = got + more + own[0] * 1000 + own[1] * 100000;
}
