// Which line of an assembly file each instruction of its machine code comes from.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/finding.hpp"
#include "isa/llvm/mc.hpp"

namespace zyfa {

struct SourceLine {
    uint32_t number = 0;  // from 1; 0: not known
    std::string text;     // as it stands in the file
};

// One for each instruction of `code`. Empty where they cannot be told from reading alone: macros,
// repetitions, conditions, or instructions that do not match.
std::vector<SourceLine> source_lines(std::string_view assembly, std::span<const Decoded> code);

// Gives findings the lines of both ends in place of the disassembler's text.
void show_source(std::vector<Finding>&, std::span<const Decoded> code,
                 const std::vector<SourceLine>&);

}  // namespace zyfa
