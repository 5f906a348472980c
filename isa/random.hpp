// Random numbers that are the same on every machine and compiler (the standard library's
// distributions are not). xoshiro256** seeded by splitmix64 (Blackman and Vigna, public domain
// algorithms); normal values by Box and Muller in double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace zyfa {

class Random {
public:
    explicit Random(uint64_t seed) {
        for (uint64_t& word : state) {
            seed += 0x9e3779b97f4a7c15u;
            uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
            word = z ^ (z >> 31);
        }
    }
    uint64_t bits() {
        const uint64_t result = std::rotl(state[1] * 5, 7) * 9, t = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= t;
        state[3] = std::rotl(state[3], 45);
        return result;
    }
    double uniform() { return double(bits() >> 11) * 0x1p-53; }  // [0, 1)
    uint64_t below(uint64_t n) {                                 // n > 0; bias below 2^-64 * n
        return uint64_t((static_cast<unsigned __int128>(bits()) * n) >> 64);
    }
    double normal() {
        if (has_spare) {
            has_spare = false;
            return spare;
        }
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        const double angle = 2 * std::numbers::pi * uniform();
        spare = radius * std::sin(angle);
        has_spare = true;
        return radius * std::cos(angle);
    }

private:
    uint64_t state[4];
    double spare = 0;
    bool has_spare = false;
};

}  // namespace zyfa
