// How a vector-ALU body is written: a plain loop over 64 lanes, compiled for several instruction
// sets and chosen at run time. A body sees finished inputs (modifiers, denormals and DPP applied)
// and gives all lanes; inactive ones are dropped when the result is written.
#pragma once

#include <bit>

#include "sim/dispatch.hpp"
#include "sim/wave.hpp"

// g++ 12 picks an arch= clone by feature only for the x86-64-vN names (checked: arch=haswell is
// never taken on AMD hosts). Resolvers run before the sanitizers are up, so not there.
#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__) || defined(__clang__)
#define ZYFA_CLONES
#else
#define ZYFA_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif

namespace zyfa::sim {

using Body1 = void (*)(uint32_t* __restrict, const uint32_t*);
using Body2 = void (*)(uint32_t* __restrict, const uint32_t*, const uint32_t*);
using Body3 = void (*)(uint32_t* __restrict, const uint32_t*, const uint32_t*, const uint32_t*);

inline float f32(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t u32(float value) { return std::bit_cast<uint32_t>(value); }

// Sources of one vector instruction, ready for a body. `first` = column of the first source.
struct Sources {
    Lanes room[4];
    const uint32_t* in[3];
    uint64_t active;
    // Integer: bits as they stand. Float: neg, abs, denormals by MODE.
    Sources(Wave& w, const Step& s, unsigned first, unsigned count, bool is_float);
};

uint64_t mask_of(const Lanes&);                 // bit n = lane n is not 0
void finish_float(Wave&, const Step&, Lanes&);  // omod, denormals, clamp

}  // namespace zyfa::sim

// One row of integer or bit instructions; a, b, c are uint32_t.
#define BODY1(op, ...)                                                              \
    ZYFA_CLONES static void lanes_##op(uint32_t* __restrict d, const uint32_t* x) { \
        for (unsigned l = 0; l < kLanes; ++l) {                                     \
            uint32_t a = x[l];                                                      \
            d[l] = __VA_ARGS__;                                                     \
        }                                                                           \
    }
#define BODY2(op, ...)                                                            \
    ZYFA_CLONES static void lanes_##op(uint32_t* __restrict d, const uint32_t* x, \
                                       const uint32_t* y) {                       \
        for (unsigned l = 0; l < kLanes; ++l) {                                   \
            uint32_t a = x[l], b = y[l];                                          \
            d[l] = __VA_ARGS__;                                                   \
        }                                                                         \
    }
#define BODY3(op, ...)                                                            \
    ZYFA_CLONES static void lanes_##op(uint32_t* __restrict d, const uint32_t* x, \
                                       const uint32_t* y, const uint32_t* z) {    \
        for (unsigned l = 0; l < kLanes; ++l) {                                   \
            uint32_t a = x[l], b = y[l], c = z[l];                                \
            d[l] = __VA_ARGS__;                                                   \
        }                                                                         \
    }
