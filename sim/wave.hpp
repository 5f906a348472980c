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
inline constexpr uint32_t kMaxScratchBytes = 1 << 20;  // for each lane; what a host can hold
// Flat addresses of LDS and of scratch start here, each 4 GiB long.
inline constexpr uint64_t kSharedAperture = uint64_t(1) << 48, kPrivateAperture = uint64_t(2) << 48;
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
    void (*body)(Wave&, const Step&) = nullptr;     // SDWA: what runs on the selected parts
    const Decoded* from = nullptr;
    std::array<Ref, kMaxOperands> ref{};
    std::array<Touch, 16> touch{};
    uint8_t touches = 0, passes = 0;  // passes: of the matrix pipe
    bool is_dpp = false, is_memory = false;
    uint8_t rounds = 0;  // result rounded by MODE: 1 as f32, 2 as f64 (f16 bodies do it themselves)
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

// MODE register, live in each wave: round [1:0] f32, [3:2] f64 and f16; denormals [5:4] f32, [7:6]
// f64 and f16 (bit 0: keep those of sources, bit 1: those of results); DX10_CLAMP 8, IEEE 9,
// FP16_OVFL 23, GPR_IDX_EN 27. Source: CDNA3 ISA, "Mode register"; LLVM SIDefines (certain).
struct Mode {
    uint32_t bits = 0;
    bool flush32 = false;                       // denormal f32 sources count as 0
    bool flush_out32 = false;                   // denormal f32 results become 0
    bool flush16 = false, flush_out16 = false;  // the same of f16 and f64
    bool dx10_clamp = false, ieee = false, fp16_ovfl = false;
    uint8_t round32 = 0, round16 = 0;  // 0 nearest even, 1 up, 2 down, 3 to zero

    Mode() = default;
    explicit Mode(uint32_t b)
        : bits(b),
          flush32(!(b >> 4 & 1)),
          flush_out32(!(b >> 5 & 1)),
          flush16(!(b >> 6 & 1)),
          flush_out16(!(b >> 7 & 1)),
          dx10_clamp(b >> 8 & 1),
          ieee(b >> 9 & 1),
          fp16_ovfl(b >> 23 & 1),
          round32(b & 3),
          round16(b >> 2 & 3) {}
    bool indexes() const { return bits >> 27 & 1; }
};

struct Group {
    const Launch* launch = nullptr;
    const Options* options = nullptr;
    const Code* code = nullptr;
    Memory* memory = nullptr;
    Reporter* reporter = nullptr;
    Mode mode;  // at the start of a wave
    uint64_t index = 0;
    std::array<uint32_t, 3> id{};
    Lds lds;
    std::vector<std::unique_ptr<Wave>> waves;
    uint64_t kernarg_address = 0, packet_address = 0, queue_address = 0;
    uint64_t code_address = 0;  // of byte 0 of Launch::code
    bool has_error = false;     // a finding of that severity was made
};

enum class State : uint8_t { running, at_barrier, ended };

inline constexpr unsigned kTemporary = 512;  // registers behind those of the wave, for SDWA
struct Wave {
    Lanes vector[kTemporary + 6];
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
    uint64_t cycle = 0;  // of a timed run: when the current instruction was issued
    RegisterSet pending{}, written{};
    Queue loads, lds, scalars;  // vmcnt; lgkmcnt in order; lgkmcnt out of order
    unsigned dma_in_flight = 0;
    bool loads_overlap = false;  // two loads under way to one register
    Group* group = nullptr;
    Mode mode;
    bool unusual = false;          // MODE asks for other rounding or for register indexing
    std::vector<uint8_t> scratch;  // lane after lane

    void set_mode(uint32_t bits) {
        mode = Mode(bits);
        unusual = mode.round32 || mode.round16 || mode.indexes();
    }
    // What its clocks count: cycles, 4 for each of its instructions when the run is not timed.
    uint64_t clock() const { return group->options->timing ? cycle : instructions * 4; }
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
