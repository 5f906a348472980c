// LLVM 22's MC library for amdgcn gfx950: text to object bytes, bytes to instructions.
// Nothing else in the project includes an LLVM header.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/inst.hpp"

namespace zyfa {

using Bytes = std::vector<uint8_t>;

// Assembles a whole .s file to a relocatable ELF object. Error (Exit::usage) with
// "name:line:col: text" of the first diagnostic.
Bytes assemble(std::string_view text, std::string_view name = "<asm>");

// Links one object to a shared code object (ld.lld-22 -shared as a subprocess). Error if lld is
// missing or fails; its words are kept.
Bytes link(std::span<const uint8_t> object);

// One decoded place in .text.
struct Decoded {
    uint32_t address;  // byte offset from the start of the span
    uint8_t bytes;     // 4, 8, 12 or 16
    std::string text;  // as LLVM prints it
    bool known;        // false: no row in ops.def; inst is empty
    Inst inst;         // branch targets are byte offsets from the start of the span
};
// Decodes all of `code`. Words that LLVM cannot decode come back with text ".long 0x...",
// known = false. Never throws on content.
std::vector<Decoded> decode(std::span<const uint8_t> code);

// LLVM version string, for reports.
std::string llvm_version();

// 64 hexadecimal digits; names inputs in reports.
std::string sha256(std::span<const uint8_t> content);

// What LLVM's instruction descriptions say of a text line, for the referee tests.
struct Described {
    std::string opcode;              // LLVM's internal name
    std::vector<int> operand_words;  // register operands in MCInst order, 0 = not a register
    unsigned defs;
    std::vector<int> tied;  // per operand: index it is tied to, or -1
    std::vector<std::string> implicit_uses, implicit_defs;
};
Described describe(std::string_view line);  // Error if the line does not assemble

}  // namespace zyfa
