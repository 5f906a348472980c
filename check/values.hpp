// What is known of the numbers in a wave's registers: constants, and the address of the kernel
// arguments. Everything that it cannot follow is unknown, so what it says holds on every path. Also
// whether a number was made from the work-item id, and may differ from wave to wave.
#pragma once

#include <array>

#include "check/flow.hpp"

namespace zyfa {

struct Number {
    enum class Kind : uint8_t {
        unknown,
        constant,
        kernarg_low,   // address of the kernel arguments + number
        kernarg_high,  // its upper half
        entry,         // EXEC: as at the start, lane 0 among others
    };
    Kind kind = Kind::unknown;
    bool per_wave = false;
    uint32_t value = 0;
    bool is(Kind k) const { return kind == k; }
    bool operator==(const Number&) const = default;
};

class Values {
public:
    // `kernarg`: the SGPR pair that holds the address of the arguments, or -1.
    static Values at_entry(int kernarg);

    const Number& operator[](Word w) const { return words_[w]; }
    // The 32-bit number that an operand stands for. Whole registers and immediates only.
    Number of(const Operand&) const;
    bool exec_untouched() const {
        return words_[kExec].is(Number::Kind::entry) && words_[kExec + 1].is(Number::Kind::entry);
    }

    void advance(const Step&);
    void join(const Values&);
    bool operator==(const Values&) const = default;

private:
    std::array<Number, kWordCount> words_{};
    Number result(const Inst&) const;
    bool any_per_wave(const Effects&) const;
};

}  // namespace zyfa
