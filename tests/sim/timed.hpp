// A few lines of assembly on the cycle model: every issue, transfer and barrier that it tells of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/machine.hpp"
#include "sim/timing/timing.hpp"
#include "tests/sim/lab.hpp"

namespace zyfa::test {

struct Timed : sim::TimingSink {
    Machine machine = mi355x();
    TimingOptions options;
    unsigned waves = 1;
    std::vector<sim::Issue> issues;
    std::vector<sim::Transfer> transfers;
    std::vector<uint64_t> releases, ends;
    std::vector<Decoded> code;
    std::map<uint32_t, std::string> text;  // by address
    Result result;

    // v0 is the lane, s4 the wave, s[2:3] the address of a buffer of 64 KiB; LDS has 64 KiB.
    Timed& run(const std::string& lines);
    // Of the instructions whose text starts so, in order; wave -1: of all waves.
    std::vector<sim::Issue> of(const std::string& mnemonic, int wave = -1) const;
    // Cycles from each to the next.
    std::vector<uint64_t> distances(const std::string& mnemonic, int wave = -1) const;
    const WorkgroupTiming& timing() const { return result.timing->workgroups.at(0); }

    void begin(uint64_t, unsigned) override {}
    void issued(const sim::Issue& i) override { issues.push_back(i); }
    void transferred(const sim::Transfer& t) override { transfers.push_back(t); }
    void barrier_released(uint64_t, uint64_t cycle) override { releases.push_back(cycle); }
    void ended(uint64_t, unsigned, uint64_t cycle) override { ends.push_back(cycle); }
};

std::string repeat(unsigned times, const std::string& lines);

}  // namespace zyfa::test
