// Machine: every number that a card has and a program may not invent: sizes, limits, rates,
// latencies, clocks. The truth is isa/machines/*.json, embedded when the library is configured;
// an owner of a card can load his own copy. Each number carries unit, trust, source and the range
// in which it may lie, so that guesses can be listed and swept. See docs/machine.md.
// Hazard distances are not here (isa/hazards.def): they are rules, not calibration.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "isa/inst.hpp"
#include "isa/trust.hpp"

namespace zyfa {

struct Number {
    double value = 0;
    double low = 0, high = 0;  // equal to value when the number is not in doubt
    std::string unit;
    Trust trust = Trust::guess;
    std::string source;

    unsigned count() const { return unsigned(value); }  // for sizes; the loader checks them
};

inline constexpr unsigned kRates = unsigned(Rate::lds_dma) + 1;
std::string_view rate_name(Rate);

// Kinds of LDS access that differ in how the 64 lanes are served.
enum class LdsAccess : uint8_t {
    read_b32,
    read_b64,
    read_b128,
    read_tr_b8,
    read_tr_b16,
    write_b32,
    write_b64,
    write_b128,
    dma_b32,
    dma_b128,
};
inline constexpr unsigned kLdsAccesses = unsigned(LdsAccess::dma_b128) + 1;
std::string_view lds_access_name(LdsAccess);
constexpr unsigned lds_access_bytes(LdsAccess a) {  // of one lane
    constexpr uint8_t kBytes[] = {4, 8, 16, 8, 8, 4, 8, 16, 4, 16};
    return kBytes[unsigned(a)];
}

// The lanes that one phase serves together; only they can conflict with one another.
struct LdsPhases {
    std::vector<uint64_t> lanes;  // one mask per phase; together every lane once
    unsigned banks = 0;
    Trust trust = Trust::guess;
    std::string source;
};

struct Machine {
    std::string name;   // "mi355x"
    std::string model;  // version of the numbers, part of every report
    std::string about;
#define NUMBER(section, key, unit, meaning) Number section##_##key;
#include "isa/machine.def"
    // Cycles for which one wave instruction of a rate class occupies the pipe it issues to.
    std::array<Number, kRates> rates;
    std::array<LdsPhases, kLdsAccesses> lds_phases;

    const Number& rate(Rate r) const { return rates[unsigned(r)]; }
    const LdsPhases& phases(LdsAccess a) const { return lds_phases[unsigned(a)]; }
    // Cycles of the issue port (of the LDS or memory pipe for those) that this instruction takes:
    // its rate, s_nop by its operand, matrix instructions by the width of their sources.
    unsigned issue_cycles(const Inst&) const;
    // Passes of the matrix pipe; 0 for what is no matrix instruction.
    unsigned passes(const Inst&) const;
    unsigned occupancy_waves_per_simd(unsigned vgprs, unsigned agprs) const;
};

// One row of a listing: path "lds/bytes", the number, what it means.
struct MachineRow {
    std::string path;
    const Number* number;
    std::string_view meaning;
};
std::vector<MachineRow> rows(const Machine&);  // in the order of isa/machine.def, rates last

// The numbers shipped with the project.
const Machine& mi355x();
std::string_view mi355x_json();

// Strict: an unknown or missing key, a wrong type or unit, no trust, no source, a value outside its
// range is an Error "file: /json/path: what is wrong".
Machine load_machine(std::string_view json, std::string_view file);

}  // namespace zyfa
