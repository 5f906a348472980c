// Assembly lines to decoded machine code: what the checks look at, also while a kernel is being
// made and no code object exists yet.
#pragma once

#include <string_view>
#include <vector>

#include "isa/llvm/mc.hpp"

namespace zyfa {

// `text`: instructions and labels, no directives needed. Error names line and column.
std::vector<Decoded> machine_code(std::string_view text, std::string_view name = "<asm>");

}  // namespace zyfa
