// State of one wave and of its workgroup, and the form in which instructions are run: a Step is a
// decoded instruction with its operands resolved once. Registers are 32-bit words by lane;
// v0..v255 and a0..a255 stand in one array, scalar registers under their encoding (vcc 106,
// m0 124, exec 126).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "isa/error.hpp"
#include "isa/llvm/mc.hpp"
#include "sim/lds.hpp"
#include "sim/queue.hpp"
#include "sim/report.hpp"
#include "sim/run.hpp"

namespace zyfa::sim {

inline constexpr unsigned kLanes = 64;
inline constexpr uint64_t kAllLanes = ~uint64_t(0);
struct alignas(64) Lanes {
    uint32_t word[kLanes];
};

// Registers as bits: v from 0, a from accum_offset (KernelSetup::vgprs) on, s 512..639.
inline constexpr unsigned kSetWords = 10, kScalarBit = 512;
using RegisterSet = std::array<uint64_t, kSetWords>;

// An operand, resolved.
struct Ref {
    enum class Kind : uint8_t { none, vector, scalar, constant };
    Kind kind = Kind::none;
    uint8_t words = 1;
    bool neg = false, abs = false;
    uint16_t index = 0;                  // vector: as above; scalar: encoding
    std::array<uint32_t, 2> constant{};  // value, and its upper half as a 64-bit operand
};

// A part of a register set that an instruction reads or writes.
struct Touch {
    uint8_t word;
    bool read, write;
    uint64_t bits;
};

struct Wave;
struct Step {
    void (*execute)(Wave&, const Step&) = nullptr;  // nullptr: no row in ops.def
    const Decoded* from = nullptr;
    std::array<Ref, kMaxOperands> ref{};
    std::array<Touch, 16> touch{};
    uint8_t touches = 0, passes = 0;  // passes: of the matrix pipe
    bool is_dpp = false, is_memory = false;
    Op op = Op::s_nop;
    uint32_t index = 0, target = 0;  // step numbers
    const Mods& mods() const { return from->inst.mods; }
};

struct Code {
    std::vector<Step> steps;
    std::vector<uint32_t> at;  // step number by address / 4, kNone inside an instruction
    std::map<uint32_t, std::string> refused;    // step number: why it has no body
    std::map<uint32_t, std::string> untrusted;  // the same, with Options::proven_only
    static constexpr uint32_t kNone = ~uint32_t(0);
};

// MODE as this launch has it.
struct Mode {
    bool flush32, dx10_clamp, ieee;
};

struct Group {
    const Launch* launch = nullptr;
    const Options* options = nullptr;
    const Code* code = nullptr;
    Memory* memory = nullptr;
    Reporter* reporter = nullptr;
    Mode mode{};
    uint64_t index = 0;
    std::array<uint32_t, 3> id{};
    Lds lds;
    std::vector<std::unique_ptr<Wave>> waves;
    uint64_t kernarg_address = 0;
    bool has_error = false;  // a finding of that severity was made
};

enum class State : uint8_t { running, at_barrier, ended };

struct Wave {
    Lanes vector[512];
    std::array<uint32_t, 128> scalar{};
    bool scc = false;
    State state = State::running;
    uint16_t number = 0;
    uint32_t pc = 0;     // step number
    uint32_t epoch = 0;  // barriers passed
    uint64_t instructions = 0;
    // Least time the wave has spent, in issue slots of 4 cycles: one for an instruction, an MFMA
    // waits for the one before it to leave the matrix pipe.
    uint64_t slots = 0, matrix_free = 0;
    RegisterSet pending{}, written{};
    Queue loads, lds, scalars;  // vmcnt; lgkmcnt in order; lgkmcnt out of order
    unsigned dma_in_flight = 0;
    bool loads_overlap = false;  // two loads under way to one register
    Group* group = nullptr;

    uint64_t exec() const { return scalar64(kExec); }
    uint64_t scalar64(unsigned first) const {
        return scalar[first] | uint64_t(scalar[first + 1]) << 32;
    }
    uint32_t read(const Ref&, unsigned word = 0) const;  // scalar or constant
    uint64_t read64(const Ref&) const;
    void write(const Ref& r, uint32_t value, unsigned word = 0) { scalar[r.index + word] = value; }
    void write64(const Ref& r, uint64_t value) {
        scalar[r.index] = uint32_t(value);
        scalar[r.index + 1] = uint32_t(value >> 32);
    }

    // The 64 lanes of a source's word; scalars and constants are spread over `room`.
    const uint32_t* lanes(const Ref&, unsigned word, Lanes& room) const;
    void write_lanes(const Ref&, unsigned word, const Lanes& values, uint64_t active);

    void note(const char* rule, Severity, const Step& here, const Step* other, std::string message,
              int lane = -1, uint64_t location = 0);
    [[noreturn]] void refuse(const Step&, const std::string& why, Exit = Exit::unsupported) const;
};

}  // namespace zyfa::sim
