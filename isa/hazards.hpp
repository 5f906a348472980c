// The hazard table (isa/hazards.def) and a window over the instructions just issued. The same
// window tells the scheduler how many slots are missing and a checker whether a binary is wrong.
// It counts issue slots, not time: no credit for stalls.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/effects.hpp"
#include "isa/trust.hpp"

namespace zyfa {

enum class Tier : uint8_t { required, llvm_conservative };

enum class Writer : uint8_t {
    xdl_result,
    xdl_c,
    smfma_result,  // f32 MFMA, outside the XDL pipe
    trans_result,
    half_result,
    valu_result,
    valu_not_swap,
    valu_not_dot,
    dot_result,
    valu_sgpr,
    valu_exec,
    salu_m0,
    store_data,
    set_hwreg,  // its number stands in place of a register
};
enum class Reader : uint8_t {
    any_read,   // VALU, LDS, VMEM: any operand
    any_write,  // VALU or a load
    valu_write,
    valu_touch,  // VALU, read or written
    plain_valu,  // VALU read, not transcendental
    matrix_ab,
    matrix_any,
    c_same,     // accumulator input, exactly the writer's registers
    c_changed,  // the same, but another opcode, and not a proven pair
    c_overlap,
    c_smfma,  // accumulator input of an f32 MFMA, overlapping or handed over by another opcode
    memory_sgpr,
    lane_select,
    lane_source,
    valu_sgpr_read,
    dpp_source,
    permlane,  // an operand of a lane swap; behind an EXEC write any lane swap
    matrix,
    lane_any,
    dpp,
    lds_dma,    // the instruction itself
    dot_read,   // any_read, but for the accumulator input of the same dot product
    dot_write,  // any_write, but by the same dot product
    div_fmas,   // its VCC
    matrix_write,
    vmem,         // the instruction itself
    touch_hwreg,  // s_getreg, s_setreg of the same hardware register
};

struct HazardRow {
    std::string_view rule;
    Writer writer;
    Reader reader;
    std::array<uint8_t, 4> slots;
    Tier tier;
    Trust trust;
    std::string_view source, about;
};
std::span<const HazardRow> hazard_rows();
inline constexpr unsigned kHazardReach = 20;  // no row asks for more

class HazardWindow {
public:
    struct Missing {
        unsigned slots = 0;               // to add before the instruction; 0 = fine
        unsigned have = 0, need = 0;      // "19 of 20"
        const HazardRow* rule = nullptr;  // the row that asks for most
        uint32_t producer = 0;            // tag of the instruction that it waits for
        Word first = 0;                   // register that they share
    };
    // Worst row of the given tier or a stricter one; llvm_conservative = all rows.
    Missing missing(const Effects&, Tier = Tier::llvm_conservative) const;
    Missing missing(const Inst& i, Tier t = Tier::llvm_conservative) const {
        return missing(effects(i), t);
    }
    unsigned slots_missing(const Inst& i, Tier t = Tier::llvm_conservative) const {
        return missing(i, t).slots;
    }
    // Every row that is short, one entry for a rule, worst producer first in issue order.
    std::vector<Missing> all_missing(const Effects&, Tier) const;

    void commit(const Effects&, uint32_t tag);
    void commit(const Inst& i, uint32_t tag = 0) { commit(effects(i), tag); }
    void pass(unsigned slots);  // as s_nop slots-1 does

    // Worst case of two paths.
    void join(const HazardWindow&);
    bool operator==(const HazardWindow&) const = default;

private:
    struct Event {  // ordered: what, then how long ago
        uint32_t producer;
        Writer writer;
        Word first;
        uint8_t words;
        uint8_t passes;
        Op chain;
        uint8_t age;
        auto operator<=>(const Event&) const = default;
    };
    std::vector<Event> events_;  // sorted; one per producer, writer and register range
    void add(Event);
    static bool meets(const Event&, Reader, const Effects&, Word& shared);
};

}  // namespace zyfa
