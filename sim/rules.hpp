// The checks of the simulator as a list: name, what a finding means, how sure it is and where that
// comes from. docs/checks.md explains them at length; tests hold both against the code.
#pragma once

#include <span>
#include <string_view>

#include "isa/finding.hpp"
#include "isa/trust.hpp"

namespace zyfa {

struct SimRule {
    std::string_view name;
    Severity severity;  // of its worst finding
    Trust trust;
    std::string_view about, source;
};

std::span<const SimRule> sim_rules();  // in order of name
const SimRule* find_sim_rule(std::string_view name);

}  // namespace zyfa
