// What to ask of the cycle model (Options::timing) and what it answers (Result::timing). The run
// is the same one that gives the functional result: an instruction executes when it issues, a load
// delivers when its data arrives, in one order of time for the whole workgroup. Every figure is a
// prediction from the numbers of the machine file; rules, sources and limits are in docs/model.md.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/machine.hpp"
#include "sim/timing/sink.hpp"

namespace zyfa {

// Version of the rules; the numbers have their own (Machine::model). Part of every report.
inline constexpr std::string_view kTimingModel = "cycles-1";

// Who goes first among waves of equal priority that could issue to one port in one cycle. The
// hardware's rule is not public.
enum class Arbiter : uint8_t { oldest, round_robin, youngest };
std::string_view arbiter_name(Arbiter);

struct TimingOptions {
    const Machine* machine = &mi355x();  // must outlive the run
    Arbiter arbiter = Arbiter::oldest;
    sim::TimingSink* sink = nullptr;  // the run is on one thread then
    // Matrix instructions that do the kernel's real work, by address. Empty: those of 32 rows.
    std::function<bool(uint32_t address)> useful;
};

// Shares of a time in percent of what the pipes could have done.
struct Busy {
    double matrix = 0, useful_matrix = 0, port = 0, lds = 0, memory_path = 0;
};

// Whole iterations of the loop in which the workgroup spends most of its time, the first and last
// two dropped. `branch` to `target` is its back edge.
struct SteadyWindow {
    uint32_t branch = 0, target = 0;          // of the lowest wave that has the window
    unsigned first = 0, last = 0;             // iterations of that wave's longest stay in the loop
    uint64_t begin = 0, cycles = 0;           // of that wave
    double cycles_per_iteration = 0;          // mean over the SIMDs
    Busy busy;                                // mean over the SIMDs
    std::array<double, sim::kSpent> spent{};  // percent, mean over the waves that have a window
    // By wave: what it issues behind the first of these cycles, up to and with the second, is its
    // window. Equal: it has none.
    std::vector<std::array<uint64_t, 2>> of_wave;
};

struct WorkgroupTiming {
    uint64_t index = 0, cycles = 0;
    unsigned waves = 0;
    Busy busy;                          // over all its cycles
    std::vector<sim::Account> account;  // by wave; each adds up to `cycles`
    std::optional<SteadyWindow> steady;
};

// One instruction over all waves and workgroups. Cycles stand at the instruction that waited.
struct InstructionTiming {
    uint32_t address = 0;
    std::string text;
    uint64_t count = 0;
    sim::Account spent{};
    uint64_t waited() const;  // cycles, all but `issued`
};

struct Timing {
    std::string machine, numbers;  // name and Machine::model
    Arbiter arbiter = Arbiter::oldest;
    std::vector<WorkgroupTiming> workgroups;      // sorted by index
    std::vector<InstructionTiming> instructions;  // executed ones, sorted by address

    // The workgroup whose window has the median matrix share; null: none has a window.
    const WorkgroupTiming* median_steady() const;
    uint64_t cycles(double quantile) const;         // of the workgroups: 0, 0.5, 1
    double whole_matrix_busy() const;               // percent of all SIMDs' cycles
    std::array<double, sim::kSpent> spent() const;  // percent, over all waves and workgroups
};

}  // namespace zyfa
