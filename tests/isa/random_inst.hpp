// Random instances of a row that gfx950 can encode: alignment of register tuples, one scalar
// register or literal for a vector instruction, no literal beside VOP3. Same seed, same instances.
#pragma once

#include <random>

#include "isa/inst.hpp"

namespace zyfa::test {

struct Random {
    explicit Random(uint32_t seed) : engine(seed) {}
    uint32_t bits() { return uint32_t(engine()); }
    unsigned below(unsigned n) { return bits() % n; }
    bool one_in(unsigned n) { return below(n) == 0; }

private:
    std::mt19937 engine;
};

// Rows of isa/ops_general.def stand behind this one. Random instances cover the rows before it; the
// others are held against LLVM's text by the kernels of tests/hip.
inline constexpr unsigned kRandomRows = unsigned(Op::s_brev_b64);

// The encoding is always named where a row has several, so that LLVM has no choice.
Inst random_inst(Op, Random&);

}  // namespace zyfa::test
