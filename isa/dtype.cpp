#include "isa/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "isa/formats.hpp"

namespace zyfa {
namespace {

constexpr double kTwo53 = 9007199254740992.0;

// clang-format off
constexpr DTypeInfo kDTypes[] = {
    {"f32",  32, true,  -3.4028234663852886e38, 3.4028234663852886e38},
    {"f16",  16, true,  -65504, 65504},
    {"bf16", 16, true,  -3.3895313892515355e38, 3.3895313892515355e38},
    {"e4m3", 8,  true,  -448, 448},
    {"e5m2", 8,  true,  -57344, 57344},
    {"e2m3", 6,  true,  -7.5, 7.5},
    {"e3m2", 6,  true,  -28, 28},
    {"e2m1", 4,  true,  -6, 6},
    {"i8",   8,  false, -128, 127},
    {"u8",   8,  false, 0, 255},
    {"i32",  32, false, -2147483648.0, 2147483647.0},
    {"u32",  32, false, 0, 4294967295.0},
    {"i64",  64, false, -kTwo53, kTwo53},
    {"u64",  64, false, 0, kTwo53},
    {"e8m0", 8,  false, 0x1p-127, 0x1p127},
};
// clang-format on

template <class T>
T load(const uint8_t* data, uint64_t index) {
    T value;
    std::memcpy(&value, data + index * sizeof value, sizeof value);
    return value;
}

template <class T>
void store(uint8_t* data, uint64_t index, T value) {
    std::memcpy(data + index * sizeof value, &value, sizeof value);
}

uint8_t packed(const uint8_t* data, uint64_t index, unsigned bits) {
    const uint64_t bit = index * bits;
    unsigned word = data[bit / 8] >> (bit % 8);
    if (bit % 8 + bits > 8) word |= unsigned(data[bit / 8 + 1]) << (8 - bit % 8);
    return word & ((1u << bits) - 1);
}

void pack(uint8_t* data, uint64_t index, unsigned bits, uint8_t code) {
    for (unsigned i = 0; i < bits; ++i) {
        const uint64_t bit = index * bits + i;
        const uint8_t one = uint8_t(1u << (bit % 8));
        data[bit / 8] = (code >> i) & 1 ? data[bit / 8] | one : data[bit / 8] & ~one;
    }
}

template <class T>
T to_integer(DType type, double value) {
    if (std::isnan(value)) return 0;
    return T(std::clamp(std::nearbyint(value), info(type).least, info(type).most));
}

uint8_t to_e8m0(double value) {
    if (std::isnan(value)) return 0xff;
    if (!(value > 0)) return 0;
    return e8m0_of_exponent(int(std::nearbyint(std::clamp(std::log2(value), -200.0, 200.0))));
}

}  // namespace

const DTypeInfo& info(DType type) { return kDTypes[unsigned(type)]; }

std::optional<DType> find_dtype(std::string_view name) {
    for (unsigned i = 0; i < std::size(kDTypes); ++i)
        if (name == kDTypes[i].name) return DType(i);
    return {};
}

std::string dtype_names() {
    std::string all;
    for (const DTypeInfo& t : kDTypes) {
        if (!all.empty()) all += ' ';
        all += t.name;
    }
    return all;
}

uint64_t dtype_bytes(DType type, uint64_t elements) {
    const unsigned bits = info(type).bits;
    return bits >= 8 ? elements * (bits / 8) : elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

double read_element(DType type, const uint8_t* data, uint64_t index) {
    switch (type) {
        case DType::f32: return load<float>(data, index);
        case DType::f16: return f16_to_float(load<uint16_t>(data, index));
        case DType::bf16: return bf16_to_float(load<uint16_t>(data, index));
        case DType::e4m3: return e4m3_to_float(data[index]);
        case DType::e5m2: return e5m2_to_float(data[index]);
        case DType::e2m3: return e2m3_to_float(packed(data, index, 6));
        case DType::e3m2: return e3m2_to_float(packed(data, index, 6));
        case DType::e2m1: return e2m1_to_float(packed(data, index, 4));
        case DType::i8: return int8_t(data[index]);
        case DType::u8: return data[index];
        case DType::i32: return load<int32_t>(data, index);
        case DType::u32: return load<uint32_t>(data, index);
        case DType::i64: return double(load<int64_t>(data, index));
        case DType::u64: return double(load<uint64_t>(data, index));
        case DType::e8m0: return e8m0_to_float(data[index]);
    }
    return 0;
}

void write_element(DType type, uint8_t* data, uint64_t index, double value) {
    const auto narrow = float(value);
    switch (type) {
        case DType::f32: return store(data, index, narrow);
        case DType::f16: return store(data, index, float_to_f16(narrow));
        case DType::bf16: return store(data, index, float_to_bf16(narrow));
        case DType::e4m3: data[index] = float_to_e4m3_saturating(narrow); return;
        case DType::e5m2: data[index] = float_to_e5m2_saturating(narrow); return;
        case DType::e2m3: return pack(data, index, 6, float_to_e2m3(narrow));
        case DType::e3m2: return pack(data, index, 6, float_to_e3m2(narrow));
        case DType::e2m1: return pack(data, index, 4, float_to_e2m1(narrow));
        case DType::i8: data[index] = uint8_t(to_integer<int8_t>(type, value)); return;
        case DType::u8: data[index] = to_integer<uint8_t>(type, value); return;
        case DType::i32: return store(data, index, to_integer<int32_t>(type, value));
        case DType::u32: return store(data, index, to_integer<uint32_t>(type, value));
        case DType::i64: return store(data, index, to_integer<int64_t>(type, value));
        case DType::u64: return store(data, index, to_integer<uint64_t>(type, value));
        case DType::e8m0: data[index] = to_e8m0(value); return;
    }
}

void read_elements(DType type, const uint8_t* data, uint64_t index, int64_t stride, uint64_t count,
                   double* out) {
    for (uint64_t i = 0; i < count; ++i)
        out[i] = read_element(type, data, index + uint64_t(int64_t(i) * stride));
}

}  // namespace zyfa
