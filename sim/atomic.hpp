// The operations of memory and LDS atomics on values. Sources: CDNA3 ISA, pseudo-code of DS_* and
// GLOBAL_ATOMIC_* (vendor text).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/formats.hpp"

namespace zyfa::sim {

enum class Atomic : uint8_t {
    swap,
    add,
    sub,
    rsub,
    smin,
    umin,
    smax,
    umax,
    bit_and,
    bit_or,
    bit_xor,
    inc,
    dec,
    fadd,
    fmin,
    fmax,
    pk_f16,
    pk_bf16,
    cmpswap,
};

template <class T>
T float_atomic(Atomic op, T old, T data) {
    using F = std::conditional_t<sizeof(T) == 8, double, float>;
    const F a = std::bit_cast<F>(old), b = std::bit_cast<F>(data);
    switch (op) {
        case Atomic::fadd: return std::bit_cast<T>(F(a + b));
        case Atomic::fmin: return b < a ? data : old;
        default: return b > a ? data : old;
    }
}
inline uint32_t packed_atomic(Atomic op, uint32_t old, uint32_t data) {
    uint32_t out = 0;
    for (unsigned shift : {0, 16}) {
        const auto a = uint16_t(old >> shift), b = uint16_t(data >> shift);
        const uint16_t sum = op == Atomic::pk_f16
                                 ? float_to_f16(f16_to_float(a) + f16_to_float(b))
                                 : float_to_bf16(bf16_to_float(a) + bf16_to_float(b));
        out |= uint32_t(sum) << shift;
    }
    return out;
}

// `compare`: what memory must hold for cmpswap.
template <class T>
T atomic_result(Atomic op, T old, T data, T compare) {
    using I = std::make_signed_t<T>;
    switch (op) {
        case Atomic::swap: return data;
        case Atomic::add: return old + data;
        case Atomic::sub: return old - data;
        case Atomic::rsub: return data - old;
        case Atomic::smin: return T(std::min(I(old), I(data)));
        case Atomic::umin: return std::min(old, data);
        case Atomic::smax: return T(std::max(I(old), I(data)));
        case Atomic::umax: return std::max(old, data);
        case Atomic::bit_and: return old & data;
        case Atomic::bit_or: return old | data;
        case Atomic::bit_xor: return old ^ data;
        case Atomic::inc: return old >= data ? 0 : old + 1;
        case Atomic::dec: return old == 0 || old > data ? data : old - 1;
        case Atomic::fadd:
        case Atomic::fmin:
        case Atomic::fmax: return float_atomic(op, old, data);
        case Atomic::pk_f16:
        case Atomic::pk_bf16:
            if constexpr (sizeof(T) == 4) return packed_atomic(op, old, data);
            return old;
        case Atomic::cmpswap: return old == compare ? data : old;
    }
    return old;
}

// Returns the old value.
template <class T>
T update(uint8_t* at, Atomic op, T data, T compare) {
    T old;
    std::memcpy(&old, at, sizeof old);
    const T next = atomic_result(op, old, data, compare);
    std::memcpy(at, &next, sizeof next);
    return old;
}

}  // namespace zyfa::sim
