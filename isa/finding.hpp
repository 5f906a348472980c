// Finding: a fault in a program, with both of its ends. Returned as data by check and sim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zyfa {

enum class Severity : uint8_t { error, warning, note };

struct Finding {
    std::string rule;  // stable name: WAIT-LOAD, WAIT-LDS, MFMA-GAP, LDS-RACE, OUT-OF-BOUNDS..
    Severity severity = Severity::error;
    uint32_t address = 0;               // byte offset in .text of the instruction that is wrong
    std::string text;                   // that instruction, whole; of an assembly file its line
    std::string other;                  // the other end: "0x1234: buffer_load_dwordx4 ..." or empty
    uint32_t line = 0, other_line = 0;  // of an assembly file, from 1; then `other` has it, too
    std::string message;                // one sentence: what is wrong and by how much
    int wave = -1, lane = -1;           // sim only
    int64_t workgroup = -1;             // sim only: its number, x fastest
    uint64_t location = 0;              // sim only: byte address in LDS or device memory
    uint64_t count = 1;                 // sim only: how often the same pair was seen
};

}  // namespace zyfa
