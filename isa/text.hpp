// One instruction as text, spelled as LLVM 22 prints it, and back. Not an assembler: encoding and
// decoding of bytes are LLVM's (isa/llvm). parse() reads what LLVM's disassembler prints.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "isa/inst.hpp"

namespace zyfa {

// `labels(value)` names a branch target; without it the value is printed as a number.
// Virtual registers print as %v12, %s[3:4].
std::string print(const Inst&, const std::function<std::string(uint32_t)>& labels = {});

// nullopt: the mnemonic has no row in ops.def (the caller says so to the user).
// Error: a known mnemonic whose operands do not fit the row.
// Branch targets are read as numbers only and stored as they stand.
std::optional<Inst> parse(std::string_view line);

// `form`: which of the rows that share a mnemonic.
enum class Form : uint8_t { plain, lds_dma, returning };
std::optional<Op> find_op(std::string_view mnemonic, Form form = Form::plain);

}  // namespace zyfa
