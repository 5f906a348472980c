// Arithmetic of the matrix instructions on plain arrays, free of registers and lanes: operands come
// as [k][row] and [k][column], the result is [row][column]. MODE and EXEC play no part; denormals
// are kept; any NaN gives the quiet NaN 0x7fc00000.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/run.hpp"

namespace zyfa::sim {

struct Product {
    static constexpr unsigned kMost = 2048;  // elements of one operand
    unsigned mn = 0, k = 0;
    // Exponents of A and B below which the format has only subnormals.
    int min_exponent_a = 0, min_exponent_b = 0;
    bool split_even_odd = false;  // cdna3: 8-bit formats
    unsigned group = 16;          // cdna3: products that are aligned together
    bool narrow = false;          // all partial sums of products are exact in double
    bool scaled = false;
    alignas(64) float a[kMost], b[kMost];
    alignas(64) float scale_a[4][32], scale_b[4][32];  // by block of 32 k, and row or column
    alignas(64) float c[1024], d[1024];
};

void multiply(Product&, Accumulate);
// i32 = i32 + i8 * i8, wrapping; operands laid out as above.
void multiply_i8(const int8_t* a, const int8_t* b, const int32_t* c, int32_t* d, size_t mn,
                 size_t k);

}  // namespace zyfa::sim
