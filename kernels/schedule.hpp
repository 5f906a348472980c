// Schedule: how the inner loop of an attention kernel is laid out in time. What a user tweaks; a
// JSON file each (kernels/schedules/*.json, docs/schedule.md). The kernel description says what
// each piece of work is, the schedule when it is done, by how many waves, with how many buffers.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.hpp"

namespace zyfa {

// Pieces of work on one tile of keys, in the order in which the data of a tile passes through them.
enum class Work : uint8_t { load_k, load_v, qk, mask, check, max, exp, sum, pack, rescale, pv };
// Multiplies operands that are read from LDS.
constexpr bool is_matrix_work(Work w) { return w == Work::qk || w == Work::pv; }
inline constexpr unsigned kWorks = unsigned(Work::pv) + 1;
std::string_view work_name(Work);

// "qk(i+1)[0:2]": parts 0 and 1 of the work on the tile after that of the loop index.
struct Item {
    Work work;
    int tile = 0;                  // from the loop index
    unsigned first = 0, last = 0;  // parts [first, last): key blocks of 32 (qk), columns of 32 (pv)
    TextPlace at{};
    bool operator==(const Item&) const = default;
};
std::string show(const Item&, const struct Schedule&);

// How weights come from scores. exact: v_exp_f32. lean: 2^x is linear between powers of two, so the
// e4m3 code itself is rounded from 8 * x (v_fma_f32 and v_cvt_pk_u8_f32).
enum class Exponential : uint8_t { exact, lean };
// valu: of the unrounded weights, v_add_f32. The others sum the rounded ones on the matrix pipe:
// matrix by v_mfma_f32_16x16x128_f8f6f4 (32 cycles for 64 keys), sparse by
// v_smfmac_f32_16x16x128_fp8_fp8 (16).
enum class RowSum : uint8_t { valu, matrix, sparse };

// Where, around a phase without matrix work, operands of the next one are read from LDS: in the
// matrix phase before, as soon as their registers are free, or here, in front of the work, between
// its items or behind it.
enum class Reads : uint8_t { before, front, even, back };

struct PinnedWait {
    unsigned vmcnt, lgkmcnt;  // 63, 15: not waited for
    bool operator==(const PinnedWait&) const = default;
};

// A stretch of the loop body. A barrier opens it, unless it says otherwise.
struct Phase {
    std::string name;
    bool barrier = true;
    std::optional<unsigned> priority;  // s_setprio
    std::optional<PinnedWait> wait;    // in front of the barrier; proven, never weakened
    std::vector<Item> work;            // in order
    std::vector<Item> behind;          // woven in behind the matrix instructions of `work`
    Fill fill = Fill::even;
    Reads reads = Reads::front;
    TextPlace at{};
    bool has_matrix_work() const {
        return std::any_of(work.begin(), work.end(),
                           [](const Item& i) { return is_matrix_work(i.work); });
    }
    bool operator==(const Phase&) const = default;
};

struct Schedule {
    std::string name;   // of the file, without folder and ending
    std::string about;  // one line
    unsigned waves = 8, wave_rows = 32, key_tile = 128;
    unsigned k_slots = 2, v_slots = 2;  // tiles of keys and of values in LDS
    unsigned fragments = 6;             // matrix operands from LDS in rotation, 8 registers each
    unsigned stagger = 0;               // barriers that the upper half of the waves runs behind
    Exponential softmax = Exponential::exact;
    RowSum row_sum = RowSum::valu;
    // Keys whose weights share an exponent (E8M0, in v_mfma_scale). The reference of a row is then
    // that of its first block and moves only where the exponents end; 0: no exponents, the
    // reference is the maximum so far.
    unsigned scale_block = 0;
    // Lazy: the reference of a row moves when its maximum has risen by more than 2^lazy.
    std::optional<unsigned> lazy;
    Alignment alignment;           // of code, for instruction fetch
    std::vector<unsigned> probes;  // numbers of phases, from 1, whose begin is timed
    std::vector<Phase> phases;

    unsigned key_blocks() const { return key_tile / 32; }     // of 32 keys
    unsigned query_blocks() const { return wave_rows / 32; }  // of 32 queries
    unsigned barriers() const;                                // in one pass through the loop
    bool sums_weights_rounded() const { return row_sum != RowSum::valu; }
    // Sums of a block wait for its exponent, so `sum` is work behind pv.
    bool sums_behind_pv() const { return sums_weights_rounded() && scale_block != 0; }
    bool has_sum_work() const { return !sums_weights_rounded() || scale_block != 0; }
    // The conversion to bytes drops NaN, so scores are looked at before.
    bool checks_scores() const { return softmax == Exponential::lean; }
    bool operator==(const Schedule&) const = default;
};

// Strict: an unknown key, a wrong type, a value or an order that cannot work is an Error
// "file: $.path: what is wrong; what is allowed". `file` names it in errors.
Schedule parse_schedule(std::string_view json, const std::string& file);
// The file that says the same, every default written out.
std::string to_json(const Schedule&);

// Those that come with the project.
struct ShippedSchedule {
    std::string_view name, json;
};
std::span<const ShippedSchedule> shipped_schedules();
const Schedule& shipped_schedule(std::string_view name);  // Error if there is none

}  // namespace zyfa
