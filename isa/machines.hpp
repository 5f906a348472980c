// The machine files that come with the project, by name.
#pragma once

#include "isa/machine.hpp"

namespace zyfa {

std::vector<std::string_view> shipped_machines();  // "mi355x" first, which is the default

// nullptr: none of that name.
const Machine* shipped_machine(std::string_view name);

}  // namespace zyfa
