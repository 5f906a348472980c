// A Program as machine code, while it is still being made.
#pragma once

#include <vector>

#include "check/machine_code.hpp"
#include "isa/program.hpp"

namespace zyfa {

// One for each instruction, in layout order, from address 0; branch targets are addresses. Error: a
// line does not assemble, or the assembler made more or fewer of it.
std::vector<Decoded> assembled(const Program&);

}  // namespace zyfa
