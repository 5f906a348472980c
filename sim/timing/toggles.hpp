// How many bits of matrix operands change from one matrix instruction to the next on a SIMD: a
// stand-in for power, which decides the clock of a dense kernel. Not a power model.
#pragma once

#include <memory>
#include <vector>

#include "sim/watch.hpp"

namespace zyfa::sim {

// Sees every instruction (Options::hook). Waves i and i + 4 share a SIMD.
class Toggles final : public Hook {
public:
    Toggles();
    ~Toggles() override;
    void before(const Wave&, const Step&) override;
    void after(const Wave&, const Step&) override {}

    uint64_t instructions() const { return instructions_; }
    // Share of the bits of A and B that differ from those of the instruction before, in percent.
    // Random data: 50.
    double percent() const { return bits_ ? 100 * double(changed_) / double(bits_) : 0; }

private:
    struct Operands;
    std::unique_ptr<Operands[]> last_;  // by SIMD
    uint64_t instructions_ = 0, bits_ = 0, changed_ = 0;
};

}  // namespace zyfa::sim
