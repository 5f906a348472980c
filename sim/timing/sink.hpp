// What the cycle model tells while a workgroup runs: each issue with the reason why it was not
// earlier, each transfer of LDS and memory, each barrier. Timelines and listings are made from
// this; the model itself reads nothing back. All times are predicted shader cycles since the
// workgroup started on its compute unit; a range is [begin, end).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/run.hpp"

namespace zyfa::sim {

// Who serves an instruction: one of each per SIMD and slot. `internal` (s_nop, s_waitcnt,
// s_setprio and the like) takes a slot of its wave only.
enum class Category : uint8_t {
    vector,
    matrix,
    scalar,
    scalar_memory,
    vector_memory,
    lds,
    branch,
    internal
};
inline constexpr unsigned kCategories = unsigned(Category::internal) + 1;
std::string_view category_name(Category);

// Where the time of a wave goes. Every cycle from the start of the workgroup to its end is one of
// these, so that they add up to the workgroup's cycles for every wave.
enum class Spent : uint8_t {
    issued,       // the slot in which an instruction is issued
    port,         // the issue port of its category is taken, by another wave or by itself
    matrix,       // the matrix pipe is taken (matrix instructions, packed f32, dot products)
    nop,          // s_nop and s_sleep: the slots behind the first
    vmcnt,        // memory: s_waitcnt, or no room in the counter
    lgkmcnt,      // LDS and scalar memory: the same
    barrier,      // s_barrier: until the last wave is there, and the release
    fetch,        // taken branches, instructions across a fetch boundary
    dependence,   // the result of an earlier instruction of the wave
    lds_path,     // the way to LDS is taken by other accesses of the compute unit
    memory_path,  // the vector memory path is
    ended,        // the wave has ended, others have not
};
inline constexpr unsigned kSpent = unsigned(Spent::ended) + 1;
std::string_view spent_name(Spent);
using Account = std::array<uint64_t, kSpent>;  // cycles

// One instruction of one wave.
struct Issue {
    uint64_t workgroup = 0;
    uint16_t wave = 0, simd = 0;
    uint32_t address = 0;  // byte offset in .text
    uint64_t number = 0;   // of this wave's instructions, from 0
    Category category = Category::internal;
    uint64_t able = 0;             // the wave had issued what stands before it, and could try
    uint64_t issued = 0;           // it left; issued - able cycles were waited
    Spent waited = Spent::issued;  // for what most of them; `issued`: it did not wait
    uint32_t port_cycles = 0;      // of the SIMD's vector port from `issued` on; 0: none
    uint64_t pipe_begin = 0, pipe_end = 0;  // matrix pipe; equal: none
};

// A use of LDS or of the memory path by one access.
struct Transfer {
    enum class Kind : uint8_t { lds_read, lds_write, lds_dma, load, store, scalar };
    Kind kind = Kind::load;
    uint16_t wave = 0;
    uint32_t address = 0;  // of the instruction
    uint64_t issued = 0;
    uint64_t begin = 0, end = 0;  // the shared pipe is busy with it
    uint64_t arrives = 0;         // data is there, the counter falls
    uint32_t bytes = 0;
    uint32_t conflicts = 0;  // LDS: cycles beyond those without bank conflict
};

// Called in the order of `issued` (Transfer: of `arrives`; barrier: of `cycle`), from one thread;
// a run with a sink is on one thread, workgroup after workgroup.
class TimingSink {
public:
    virtual ~TimingSink() = default;
    virtual void begin(uint64_t workgroup, unsigned waves) = 0;
    virtual void issued(const Issue&) = 0;
    // Behind issued(): where the wave's time went from Issue::able until it could try its next
    // instruction. Over all issues of a wave these add up to its account.
    virtual void spent(const Issue&, const Account&) {}
    virtual void transferred(const Transfer&) = 0;
    virtual void barrier_released(uint64_t workgroup, uint64_t cycle) = 0;
    virtual void ended(uint64_t workgroup, unsigned wave, uint64_t cycle) = 0;
};

}  // namespace zyfa::sim
