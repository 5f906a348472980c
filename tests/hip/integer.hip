// Integer arithmetic: division, 64 bit, bit fields, small types, clang's bit builtins.
#include "tests/hip/device.hpp"

extern "C" __global__ void divide(const int* a, const int* b, int* q, uint32_t* r, uint64_t* wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = a[i] / b[i] + a[i] % b[i] * 3;
    r[i] = uint32_t(a[i]) / uint32_t(b[i]) ^ uint32_t(a[i]) % uint32_t(b[i]);
    int64_t big = int64_t(a[i]) * 1000003 + b[i];
    wide[i] = uint64_t(big / b[i]) ^ uint64_t(big) % uint32_t(b[i] | 1);
}
extern "C" __global__ void multiply(const uint64_t* a, const uint64_t* b, uint64_t* low,
                                    uint64_t* high) {
    int i = threadIdx.x;
    low[i] = a[i] * b[i] + (a[i] << (b[i] & 63)) + (b[i] >> (a[i] & 63)) +
             uint64_t(int64_t(a[i]) >> (b[i] & 31));
    high[i] = uint64_t((unsigned __int128)(a[i]) * b[i] >> 64) - (a[i] > b[i] ? a[i] : b[i]);
}
extern "C" __global__ void bits(const uint32_t* a, const uint32_t* b, uint32_t* out) {
    int i = threadIdx.x;
    uint32_t x = a[i], y = b[i], s = 0;
    s += __builtin_popcount(x) + 2 * (x ? __builtin_clz(x) : 32) + 4 * (y ? __builtin_ctz(y) : 32);
    s ^= __builtin_bitreverse32(x) + __builtin_bswap32(y);
    s += (x >> 5 & 0x3ff) * (y & 0xffffff) + uint32_t(int32_t(y << 7) >> 20);
    s ^= __builtin_rotateleft32(x, y & 31) + (x & y | ~x & 0x0f0f0f0f);
    s += uint32_t(__builtin_popcountl(uint64_t(x) << 32 | y)) + __builtin_clzl(uint64_t(x) << 32 | 1);
    s += x > y ? x - y : y - x;
    s += uint32_t(int(x) < int(y) ? int(x) : int(y));
    int m = int(x & 0xff), n = int(y & 0xff), k = int(x >> 8 & 0xff);
    s += uint32_t(m > n ? (m < k ? m : k > n ? k : n) : (n < k ? n : k));
    out[i] = s;
}
using Short2 = int16_t __attribute__((ext_vector_type(2)));
using UShort2 = uint16_t __attribute__((ext_vector_type(2)));
extern "C" __global__ void shorts(const Short2* a, const Short2* b, Short2* out, uint16_t* one) {
    int i = threadIdx.x;
    Short2 x = a[i], y = b[i];
    Short2 s = x * y + (x - y);
    s += __builtin_elementwise_max(x, y) + (x << (y & 15)) - (x >> int16_t(3));
    UShort2 u = __builtin_bit_cast(UShort2, x) >> uint16_t(5);
    s ^= __builtin_bit_cast(Short2, __builtin_elementwise_min(u, __builtin_bit_cast(UShort2, y)));
    out[i] = s;
    uint16_t p = uint16_t(x.x), q = uint16_t(y.y);
    one[i] = uint16_t(p * q + (p >> (q & 15)) - (p < q ? p : q) + int16_t(q) / 7);
}
extern "C" __global__ void small(const uint8_t* a, const uint8_t* b, uint8_t* out, int* dot) {
    int i = threadIdx.x;
    uint8_t x = a[4 * i], y = b[4 * i + 1];
    out[i] = uint8_t(x * y + (x >> 2) - (y << 1));
    int sum = 0;
    for (int n = 0; n < 4; ++n) sum += int8_t(a[4 * i + n]) * int8_t(b[4 * i + n]);
    for (int n = 0; n < 4; ++n) sum += a[4 * i + n] > b[4 * i + n] ? a[4 * i + n] : b[4 * i + n];
    dot[i] = sum;
}
