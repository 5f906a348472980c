// Operands of the matrix instructions: registers to arrays by the maps of isa/lanes.hpp, and back.
#pragma once

#include "isa/lanes.hpp"
#include "sim/matrix.hpp"
#include "sim/wave.hpp"

namespace zyfa::sim {

// A small float format as numbers for the decoding loop.
struct Decoder {
    unsigned bits, mantissa;
    uint32_t rebias, subnormals;
    uint32_t special, infinity;  // by magnitude: first code that is not finite; infinity, if any
    float unit;                  // of subnormals
};
Decoder decoder(Format);
Decoder decoder(MatrixType);  // not by_format, not i8

// [k][row] from the lanes' strings of elements.
void decode_operand(const Wave&, const Ref&, const Fragment&, const Decoder&, float* out);
void decode_integers(const Wave&, const Ref&, const Fragment&, int8_t* out);

// Accumulator, 32-bit elements: [row][column].
void gather_c(const Wave&, const Ref&, unsigned mn, void* c);
void scatter_d(Wave&, const Ref&, unsigned mn, const void* d);

// Product with what follows from the element types: depth, exponents, and how cdna3 groups.
void set_shape(Product&, const MatrixShape&, const Decoder& a, const Decoder& b, unsigned group);
// As the options say; f32 elements are a chain of fused steps in the cdna3 model.
void multiply(const Wave&, Product&, bool is_f32);

}  // namespace zyfa::sim
