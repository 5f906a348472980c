// Lab: a few lines of assembly run by every wave of one workgroup, with registers set before and
// read after. Around the lines stands code that loads the inputs (global loads, waited for) and
// stores the watched registers; it uses v254, v255 and s88..s99.
#pragma once

#include <array>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "isa/llvm/mc.hpp"
#include "sim/run.hpp"

namespace zyfa::test {

using Values = std::array<uint32_t, 64>;  // of one register

struct Lab {
    Memory memory;
    KernelSetup setup;
    Options options;
    unsigned waves = 1;
    uint64_t exec = ~uint64_t(0);      // while the lines run
    std::map<unsigned, Values> vgprs;  // inputs of every wave; 256.. = AGPRs
    std::map<unsigned, uint32_t> sgprs;
    std::vector<unsigned> watch;  // registers to read back; 256.. = AGPRs
    std::vector<unsigned> watch_scalar;
    Result result;
    std::vector<Decoded> code;

    Lab();
    void set(unsigned v, uint32_t bits) { vgprs[v].fill(bits); }
    void set(unsigned v, float x) { set(v, std::bit_cast<uint32_t>(x)); }
    void pointer(unsigned s, uint64_t address) {
        sgprs[s] = uint32_t(address);
        sgprs[s + 1] = uint32_t(address >> 32);
    }
    void run(const std::string& lines);

    uint32_t lane(unsigned v, unsigned l, unsigned wave = 0) const { return out.at({wave, v})[l]; }
    float f32(unsigned v, unsigned l = 0) const { return std::bit_cast<float>(lane(v, l)); }
    uint32_t sgpr(unsigned s) const { return scalars.at(s); }  // of wave 0
    const Finding* finding(const std::string& rule) const;     // nullptr: none of that rule

private:
    std::map<std::pair<unsigned, unsigned>, Values> out;
    std::map<unsigned, uint32_t> scalars;
};

// .text of a relocatable object, decoded.
std::vector<Decoded> assemble_and_decode(const std::string& lines);

}  // namespace zyfa::test
