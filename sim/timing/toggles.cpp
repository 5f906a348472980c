#include "sim/timing/toggles.hpp"

#include <bit>

#include "sim/wave.hpp"

namespace zyfa::sim {

constexpr unsigned kSimds = 4, kWords = 16;  // 8 of A, 8 of B

struct Toggles::Operands {
    bool filled = false;
    Lanes word[kWords];
};

Toggles::Toggles() : last_(new Operands[kSimds]) {}
Toggles::~Toggles() = default;

void Toggles::before(const Wave& w, const Step& s) {
    if (!s.passes) return;
    Operands& last = last_[w.number % kSimds];
    ++instructions_;
    for (unsigned operand : {1u, 2u}) {
        const Ref& r = s.ref[operand];
        for (unsigned n = 0; n < r.words && n < kWords / 2; ++n) {
            Lanes room;
            const uint32_t* now = w.lanes(r, n, room);
            Lanes& before = last.word[(operand - 1) * kWords / 2 + n];
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                if (last.filled) {
                    changed_ += unsigned(std::popcount(now[lane] ^ before.word[lane]));
                    bits_ += 32;
                }
                before.word[lane] = now[lane];
            }
        }
    }
    last.filled = true;
}

}  // namespace zyfa::sim
