// What is known of the numbers in the registers of one certain wave of a workgroup, lane by lane.
// A wave's LDS addresses usually follow from its work-item ids alone; memory and kernel arguments
// are unknown here, and so is all that depends on them. What it says holds on every path.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include "check/flow.hpp"

namespace zyfa {

using LaneNumbers = std::array<uint32_t, 64>;

// Keeps each set of numbers once, so that equal ones have one address.
class LanePool {
public:
    const LaneNumbers* keep(const LaneNumbers&);
    const LaneNumbers* all(uint32_t number);  // the same in each lane

private:
    struct Hash {
        size_t operator()(const LaneNumbers&) const;
    };
    std::unordered_set<LaneNumbers, Hash> kept_;  // nodes stay where they are
};

class Lanes {
public:
    // Work-item ids in v0 as LLVM's AMDGPUUsage packs them: x | y << 10 | z << 20.
    Lanes(LanePool&, unsigned wave, const std::array<uint32_t, 3>& workgroup);

    const LaneNumbers* operator[](Word w) const { return words_[w]; }  // nullptr: not known
    const LaneNumbers* of(const Operand&) const;                       // of its first word
    std::optional<uint32_t> scalar(Word) const;
    std::optional<uint64_t> exec() const { return pair(kExecWord); }

    // Whether a conditional branch is taken; nothing if that is not known.
    std::optional<bool> takes(const Inst&) const;

    void advance(const Step&);
    void join(const Lanes&);
    bool operator==(const Lanes&) const = default;

private:
    LanePool* pool_;
    std::array<const LaneNumbers*, kWordCount> words_{};

    std::optional<uint64_t> pair(Word first) const;
    std::optional<uint64_t> pair_of(const Operand&) const;

    struct Results {  // registers whose numbers are known behind an instruction
        std::array<std::pair<Word, const LaneNumbers*>, 4> list{};
        unsigned count = 0;
        void add(Word w, const LaneNumbers* n) { list[count++] = {w, n}; }
    };
    void add_pair(Results&, Word first, uint64_t value) const;
    void scalar_op(const Inst&, Results&) const;
    void vector_op(const Inst&, Results&) const;
};

}  // namespace zyfa
