// Program: what a kernel description becomes and what every scheduler pass takes and returns.
#pragma once

#include <string>
#include <vector>

#include "isa/inst.hpp"
#include "isa/text_place.hpp"

namespace zyfa {

enum class Pipe : uint8_t { scalar, vector, matrix, lds, memory };

// A named stretch of the kernel: the unit that schedules, comments and reports speak of.
struct Section {
    std::string name;
    Pipe pipe;
};

// How work without matrix instructions is spread behind those that have them.
enum class Fill : uint8_t { even, front, back };

// A stretch of time of the kernel that the scheduler keeps together: instructions that stand
// `behind` are woven into the others of the same phase, and leave it in neither direction.
struct PhaseInfo {
    std::string name;
    Fill fill = Fill::even;
    unsigned number = 0;  // in the schedule, from 1; 0: not one of it
    TextPlace at{};       // in the schedule file
};

// What a schedule asks for, in its own words: "qk(i)".
struct ScheduleEntry {
    std::string name;
    TextPlace at;  // in the schedule file
};

// A virtual register range. Its words have numbers of their own, first .. first+words-1, per file.
struct Value {
    std::string name;
    File file;
    uint32_t first;
    uint8_t words;
    uint8_t align;    // in words
    int pinned = -1;  // physical first word that the ABI or the kernel prescribes, or -1
    Where at;
};

// A basic block: straight-line instructions, at most one branch, at the end.
struct Block {
    std::string label;  // unique; printed
    std::vector<Inst> insts;
    bool is_loop_head = false;
};

struct LdsRegion {
    std::string name;
    uint32_t first_byte, bytes;
};

struct KernelArg {
    std::string name;
    uint32_t offset, bytes;
    bool is_pointer;
    std::string about;  // units, shape
};

struct Resources {
    unsigned vgprs = 0, agprs = 0, sgprs = 0;
};

// Where code stands for instruction fetch. Costs bytes, and slots only in front of a loop.
struct Alignment {
    uint32_t loops = 64;  // bytes that the address of a loop is a multiple of, 0: any
    bool wide = true;     // no 8-byte instruction in a loop across two fetches, where that is free
    bool operator==(const Alignment&) const = default;
};

struct Program {
    std::string name;  // kernel symbol
    std::vector<Section> sections{{"", Pipe::scalar}};
    std::vector<PhaseInfo> phases{{"", Fill::even}};
    std::vector<ScheduleEntry> entries{{}};
    std::string schedule;  // name of its file for people, "fp8_d128_causal@wide.json", or empty
    std::vector<Value> values;
    std::vector<Block> blocks;  // in layout order; a block falls through to the next
    std::vector<LdsRegion> lds;
    std::vector<KernelArg> args;
    uint32_t kernarg_bytes = 0, lds_bytes = 0, workgroup_size = 0;
    Resources used;  // after register allocation
    bool flush_f32_denormals = true;
    Alignment alignment;
    std::vector<unsigned> probes;  // numbers of the phases whose begin is timed (isa/stamps.hpp)
};

}  // namespace zyfa
