// What a HIP kernel needs of a device header, without ROCm: the attributes, the built-in variables
// and a few names for clang's builtins. For clang-22 -x hip --offload-arch=gfx950 -nogpuinc.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))

using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;

struct WorkItem {
    struct X {
        __device__ operator uint32_t() const { return __builtin_amdgcn_workitem_id_x(); }
    } x;
    struct Y {
        __device__ operator uint32_t() const { return __builtin_amdgcn_workitem_id_y(); }
    } y;
    struct Z {
        __device__ operator uint32_t() const { return __builtin_amdgcn_workitem_id_z(); }
    } z;
};
struct WorkGroup {
    struct X {
        __device__ operator uint32_t() const { return __builtin_amdgcn_workgroup_id_x(); }
    } x;
    struct Y {
        __device__ operator uint32_t() const { return __builtin_amdgcn_workgroup_id_y(); }
    } y;
    struct Z {
        __device__ operator uint32_t() const { return __builtin_amdgcn_workgroup_id_z(); }
    } z;
};
// Code object version 5 and later: block counts, then group sizes, in the implicit arguments.
struct GroupSize {
    template <int N>
    struct Axis {
        __device__ operator uint32_t() const {
            return static_cast<const __constant__ uint16_t*>(
                __builtin_amdgcn_implicitarg_ptr())[6 + N];
        }
    };
    Axis<0> x;
    Axis<1> y;
    Axis<2> z;
};
struct GroupCount {
    template <int N>
    struct Axis {
        __device__ operator uint32_t() const {
            return static_cast<const __constant__ uint32_t*>(__builtin_amdgcn_implicitarg_ptr())[N];
        }
    };
    Axis<0> x;
    Axis<1> y;
    Axis<2> z;
};
static const __device__ WorkItem threadIdx{};
static const __device__ WorkGroup blockIdx{};
static const __device__ GroupSize blockDim{};
static const __device__ GroupCount gridDim{};

static inline __device__ void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static inline __device__ uint32_t lane() {
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
