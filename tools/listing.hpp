// Assembly for people: of a kernel of ours (its commented text) or of any code object (decoded),
// with address and bytes in front as a comment, so that the text can be assembled again.
#pragma once

#include "sim/code_object.hpp"
#include "tools/output.hpp"
#include "tools/pipeline.hpp"

namespace zyfa {

struct ListingOptions {
    bool address = true, raw = true;
};

// An instruction and the line that shows it.
struct ListedLine {
    std::string text;
    const Decoded* decoded = nullptr;  // null: label, comment, directive
    const Inst* inst = nullptr;        // of a kernel of ours
    std::string front{};               // stands before it, in the comment of address and words
};

std::vector<ListedLine> list_kernel(const Built&, const std::vector<Decoded>& code);
std::vector<ListedLine> list_code_object(const CodeObject&);
std::string listing(const std::vector<ListedLine>&, std::span<const uint8_t> text,
                    const ListingOptions&);

// "d3ae8000 02040d10": the 32-bit words of an instruction.
std::string raw_words(const Decoded&, std::span<const uint8_t> text);

// Instructions at the end of the code, behind the last s_endpgm or jump, that only instruction
// prefetch reads: s_nop, s_code_end.
size_t padding_of(std::span<const Decoded> code);

// What stands in the code before its padding, counted once per place (loops are not multiplied):
// {"instructions", "padding", "matrix":[{"op","count","cycles_each","cycles"}], "matrix_cycles",
// "classes":{"vector":n,..}}
Json opcode_mix(std::span<const Decoded> code);
std::string opcode_mix_text(const Json& mix);

}  // namespace zyfa
