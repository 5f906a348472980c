// A scheduled Program to gfx950 assembly, object and code object. The text is the product: it is
// written for people, and it is proved, because LLVM accepts lines whose bytes mean something else
// (offset:4096 becomes no offset, s_nop 16 wraps). The proof: the assembled bytes, decoded again,
// must be the Program's instructions, one by one, with every branch at its block.
// Not done here: hazards, waits, races (check/).
#pragma once

#include <string>
#include <vector>

#include "isa/llvm/mc.hpp"
#include "isa/machine.hpp"
#include "isa/program.hpp"

namespace zyfa {

struct Emitted {
    std::string text;   // the whole .s file
    Bytes object;       // relocatable ELF
    Bytes code_object;  // linked, loadable
};

// Same Program, same bytes, on any machine. Error names the line of the kernel source. With
// `debug_lines` there is DWARF: a line table with file and line of the kernel's source, and as
// column the number of the phase (the head of the text says which is which); phases and entries of
// the schedule as inlined functions that are called from their places in its file
// (emitter/scopes.hpp).
Emitted emit(const Program&, bool debug_lines = false);

// The steps of emit(), in order.

// Refuses what LLVM would take, or take wrongly: sizes, offsets, alignment, formats, argument
// layout, registers that are virtual or beyond those declared.
void refuse(const Program&, const Machine& = mi355x());

struct Listing {
    std::string text;
    std::vector<const Inst*> line_inst;  // by line number from 0; nullptr where none stands
};
// Needs a Program that refuse() lets pass.
Listing list(const Program&, const Machine& = mi355x(), bool debug_lines = false);
std::string print(const Program&);  // refuse(), then the text of list()

// A Program between two passes, for readers: registers may be virtual, nothing is refused, and it
// does not assemble. Each line says its phase and section, and whether it will be woven in.
std::string draft(const Program&);

// Descriptor directives and metadata, the tail of the text.
std::string print_metadata(const Program&, const Machine& = mi355x());

Bytes build_object(std::string_view text, std::string_view name = "<kernel>");

// Error (Exit::internal) at the first instruction that did not survive text -> bytes -> text.
void prove(const Program&, const Bytes& object);

// The bytes of .text in a relocatable object that build_object() made.
std::span<const uint8_t> text_section(std::span<const uint8_t> object);

// Number of the first AGPR, and registers of both kinds together, as the descriptor counts them.
unsigned accum_offset(const Resources&, const Machine& = mi355x());
unsigned total_vgprs(const Resources&, const Machine& = mi355x());

// The label of a block as it stands in the text; kEndLabel stands behind the last instruction.
inline constexpr const char* kEndLabel = ".Lend_of_kernel";
std::string label_name(const Program&, uint32_t block);

}  // namespace zyfa
