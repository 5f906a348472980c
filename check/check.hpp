// check: proves, or refutes, waits, hazards and operand rules on machine code alone. It knows
// nothing of kernels and schedules, so the same proof covers our output and a vendor's binary.
// It sees one wave: races between waves are the simulator's business.
//
// It follows every branch that the code names, both ways, and iterates until nothing changes, so
// loops are covered across their back edges. A path that the hardware never takes counts all the
// same; the findings that suffer from it are warnings.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/finding.hpp"
#include "isa/hazards.hpp"
#include "isa/llvm/mc.hpp"

namespace zyfa {

struct CheckOptions {
    // required: rules that only LLVM keeps are left out. llvm_conservative: they are errors.
    Tier tier = Tier::required;
    // Notes on top: waits stronger than necessary, rules that only LLVM keeps.
    bool pedantic = false;
    std::vector<uint32_t> entries{0};  // where waves start, byte offsets
    // Registers with a value at entry: s0.., v0... The defaults are the most that the ABI hands
    // over.
    unsigned entry_sgprs = 20, entry_vgprs = 1;
};

// In order of address.
std::vector<Finding> check(std::span<const Decoded> code, const CheckOptions& = {});

struct Rule {
    std::string_view name, text, source;
    Trust trust;
    Severity severity;
    bool pedantic;               // only reported on request
    Tier tier = Tier::required;  // llvm_conservative: an error where CheckOptions::tier asks for it
};
// All rules, hazard rows included (one entry for a row).
std::vector<Rule> describe_rules();

}  // namespace zyfa
