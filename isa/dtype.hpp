// Element types of buffers: how many bits, how an element is read and written. Sub-byte elements
// are packed without gaps, the first in the lowest bits, as the matrix instructions read them.
// The formats themselves are in isa/formats.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zyfa {

enum class DType : uint8_t {
    f32,
    f16,
    bf16,
    e4m3,
    e5m2,
    e2m3,
    e3m2,
    e2m1,
    i8,
    u8,
    i32,
    u32,
    i64,
    u64,
    e8m0
};

struct DTypeInfo {
    const char* name;
    uint8_t bits;
    bool is_float;       // e8m0 is not: it holds only positive powers of two
    double least, most;  // of finite values; 64-bit integers: what a double holds exactly
};
const DTypeInfo& info(DType);
std::optional<DType> find_dtype(std::string_view name);
std::string dtype_names();  // "f32 f16 ..."

uint64_t dtype_bytes(DType, uint64_t elements);  // rounded up to whole bytes

double read_element(DType, const uint8_t* data, uint64_t index);
// Nearest, ties to even. Floats of 16 bits and more overflow to infinity, smaller ones and integers
// to their largest value. e8m0 takes the nearest power of two.
void write_element(DType, uint8_t* data, uint64_t index, double value);

// `count` elements from `index` on, `stride` elements apart.
void read_elements(DType, const uint8_t* data, uint64_t index, int64_t stride, uint64_t count,
                   double* out);

}  // namespace zyfa
