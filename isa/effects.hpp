// Effects: what one instruction does to a wave's registers and counters, in the terms that the
// hazard table, the wait bookkeeping and the checker ask for. Physical registers only.
// Also made from the text of an instruction that has no row in ops.def: then every register that
// the text names counts as read, and destinations are guessed to the safe side.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "isa/inst.hpp"

namespace zyfa {

// One number for each 32-bit register word of a wave: s0..s127 (named ones at their encodings),
// v0..v255, a0..a255, scc.
using Word = uint16_t;
inline constexpr Word kFirstV = 128, kFirstA = 384, kSccWord = 640, kWordCount = 641;
inline constexpr Word kExecWord = kExec, kVccWord = kVcc, kM0Word = kM0;

Word word_of(File, uint32_t number);
std::string word_name(Word);                         // "v12", "s3", "vcc_lo", "scc"
std::string range_name(Word first, unsigned words);  // "v[12:15]"
inline bool is_scalar(Word w) { return w < kFirstV || w == kSccWord; }

enum class Kind : uint8_t { other, salu, smem, valu, trans, matrix, lds, vmem };

// How a register takes part, as far as a rule distinguishes it.
enum class Role : uint8_t {
    plain,
    matrix_ab,    // matrix operand A or B, or a scale
    matrix_c,     // accumulator input, of a dot product, too
    dpp,          // vector source of an instruction with DPP
    lane_select,  // scalar that picks a lane
    memory_sgpr,  // resource, offset or base of a vector memory access
    store_data,
    kept,  // destination whose other bits or lanes are kept: a read for order, not for meaning
};

struct Reach {
    Word first;
    uint8_t words;
    Role role;
    bool overlaps(Word other, unsigned n) const {
        return first < other + n && other < first + words;
    }
};

template <unsigned N>
struct Reaches {
    std::array<Reach, N> list{};
    uint8_t count = 0;
    void add(Reach r) {
        if (count < N) list[count++] = r;
    }
    auto begin() const { return list.begin(); }
    auto end() const { return list.begin() + count; }
    bool touches(Word first, unsigned words) const {
        for (const Reach& r : *this)
            if (r.overlaps(first, words)) return true;
        return false;
    }
};

enum class Flow : uint8_t { next, jump, fork, stop, unknown };

struct Effects {
    Kind kind = Kind::other;
    Counter counter = Counter::none;
    Flow flow = Flow::next;
    bool known = true;
    bool half = false;       // conversion that writes the high part of a register
    bool smfma = false;      // f32 MFMA
    bool permlane = false;   // swaps lanes between two registers
    bool lane_read = false;  // v_readlane, v_readfirstlane
    bool lane_any = false;   // those and v_writelane
    bool dpp = false;
    bool lds_dma = false;
    bool dot = false;            // dot product of packed values
    bool div_fmas = false;       // reads VCC as flags of the division
    bool hwreg_write = false;    // s_setreg
    int8_t hwreg = -1;           // number of the hardware register that s_getreg, s_setreg name
    bool wide_store = false;     // more than 64 bits, in the form that reads its data late
    bool load = false;           // writes registers when it completes
    bool both_counters = false;  // flat access
    uint8_t passes = 0;          // matrix passes
    Op chain = Op::s_nop;        // matrix or dot opcode for accumulator chains; scaled = unscaled
    uint8_t slots = 1;           // issue slots that it gives to those who wait: s_nop N is N + 1
    Reaches<14> reads;
    Reaches<8> writes;
};

Effects effects(const Inst&);
Effects effects_of_text(std::string_view line);

}  // namespace zyfa
