// What a reader of machine code wants to know of each line: in how many loops it stands, how many
// registers hold a value that is still read, which accesses a wait waits for, and where instruction
// fetch cuts an instruction in two.
#pragma once

#include "check/check.hpp"

namespace zyfa {

struct Note {
    unsigned loops = 0;
    unsigned vgprs = 0, agprs = 0, sgprs = 0;  // live in front of the instruction
    std::vector<uint32_t> waits_for;           // s_waitcnt: addresses, oldest first
    bool split = false;  // begins in one fetch (Machine::code_fetch_bytes) and ends in the next
};

// One for each instruction. Registers: words that some path reads before it writes them all; a
// write counts whatever EXEC is. Waits: on any path that leads there.
std::vector<Note> annotate(std::span<const Decoded> code, const std::vector<uint32_t>& entries);

}  // namespace zyfa
