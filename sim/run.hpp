// One launch of a kernel on the functional simulator: machine code in, memory effects, counts and
// findings out; with Options::timing also the cycles that the model of sim/timing predicts.
// Workgroups run on host threads; the result does not depend on how many. Loading a code object is
// sim/code_object.hpp, filling buffers is sim/launch_file.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/finding.hpp"
#include "isa/llvm/mc.hpp"
#include "sim/memory.hpp"

namespace zyfa {

// What the kernel descriptor says of the state a wave starts in (LLVM AMDGPUUsage, "Initial Kernel
// Execution State", gfx950). User SGPRs stand in this order: dispatch packet, queue, kernel
// arguments, dispatch id, flat scratch init, private segment size, preloaded arguments.
struct KernelSetup {
    std::string name;
    uint32_t entry = 0;  // byte offset in code
    uint32_t lds_bytes = 0, kernarg_bytes = 0;
    uint32_t vgprs = 256;  // architectural VGPRs = accum_offset
    uint32_t agprs = 0, sgprs = 102;
    bool dispatch_ptr = false, queue_ptr = false;
    bool kernarg_ptr = true;
    bool dispatch_id = false, flat_scratch_init = false, private_segment_size = false;
    uint32_t preload_words = 0, preload_offset = 0;      // of kernel arguments, in words
    uint32_t user_sgprs = 0;                             // 0: as many as the above need
    std::array<bool, 3> workgroup_id{true, true, true};  // next SGPRs, in the enabled order
    bool workgroup_info = false;                         // one SGPR behind the ids
    unsigned workitem_dims = 1;                          // v0 = x | y << 10 | z << 20
    uint32_t scratch_bytes = 0;                          // for each lane
    uint8_t round32 = 0, round16 = 0;                    // 0 = to nearest even
    uint8_t denorm32 = 0, denorm16 = 3;                  // 0 = flush, 3 = keep
    bool dx10_clamp = true, ieee = true, fp16_ovfl = false;
};

// The loaded bytes of a code object, address 0 first: constants, code, variables. `pointers` are
// places that hold the address of another byte of the image (R_AMDGPU_RELATIVE64).
struct CodeImage {
    std::vector<uint8_t> bytes;
    uint64_t text = 0;                                    // where Launch::code starts
    std::vector<std::pair<uint64_t, uint64_t>> pointers;  // place, byte of the image
};
// Puts it into memory, once for all launches that share its variables. Returns its address.
uint64_t load_image(const CodeImage&, Memory&);

struct Launch {
    std::span<const Decoded> code;
    KernelSetup setup;
    std::array<uint32_t, 3> grid{1, 1, 1};        // workgroups
    std::array<uint32_t, 3> workgroup{64, 1, 1};  // threads
    uint32_t dynamic_lds = 0;                     // bytes
    std::vector<uint8_t> kernarg;
    // More than any wave of this call can need, so one that gets there is endless; 0: not known.
    uint64_t most_wave_instructions = 0;
    // Needed by code that reads its own constants or variables. With an address: already loaded by
    // load_image(); else it is loaded for this run alone.
    const CodeImage* image = nullptr;
    uint64_t image_address = 0;
};

// How a matrix instruction adds up. `exact`: all products and C exactly, one rounding. `cdna3`:
// groups of aligned and truncated products, as measured on MI300X (MMA-Sim, arXiv 2511.10909).
// `fma`: one fused multiply-add after the other in k order. What gfx950 does is not public: see
// every claim under all three.
enum class Accumulate : uint8_t { exact, cdna3, fma };

// In which order waves run and loads arrive, within what counters and barriers allow. `in_turn`:
// one instruction each, loads as late as allowed. `random`: by Options::seed. `late_dma`: each wave
// runs until it has to wait for others, then in the reverse order, loads from memory as late as
// allowed, LDS reads at once.
// `starve`: one wave runs only when no other can. `reversed`: in_turn, the last wave first.
// `lockstep`: one instruction each, everything arrives at once.
enum class Interleave : uint8_t { in_turn, random, late_dma, starve, reversed, lockstep };

namespace sim {
class Hook;  // sim/watch.hpp
}
struct TimingOptions;  // sim/timing/timing.hpp
struct Timing;

struct Options {
    Accumulate accumulate = Accumulate::exact;
    unsigned cdna3_group = 16;  // products per group of the cdna3 model, 8-bit and smaller formats
    Interleave interleave = Interleave::in_turn;
    unsigned starved = 0;  // `starve`: number of the wave
    // Of `random`, which it turns on when it is not 0 and no other order is asked for. Also picks
    // the bits that registers and LDS start with.
    uint64_t seed = 0;
    unsigned threads = 0;  // 0: all cores
    // A register read before the wait that covers its load is a finding, and poison; a scalar
    // register is poison only when strict, else it has the loaded value.
    bool strict = false;
    // An LDS read older than its latency arrives without a wait, with a warning; false: it is an
    // error like any other read that nothing covers.
    bool lds_takes_time = true;
    bool races = true;                 // watch LDS for unordered accesses
    bool uninitialised = true;         // registers and LDS
    bool uninitialised_memory = true;  // device memory that Memory::forget() names
    bool stop_at_error = false;        // at the first finding of severity error
    // Stop with Exit::untrusted where a semantic is met that is inferred or guessed.
    bool proven_only = false;
    // Findings that it refuses are not made; several threads ask. Empty: all are wanted. `other` is
    // the address of the other end, ~0 when there is none.
    std::function<bool(std::string_view rule, uint32_t address, uint32_t other)> wanted;
    // Sees every instruction; the run is then on one thread. Null costs nothing.
    sim::Hook* hook = nullptr;
    // Waves run and loads arrive when the cycle model says so; `interleave` counts no more. Null:
    // no time. Must outlive the run.
    const TimingOptions* timing = nullptr;
    int64_t only_workgroup = -1;              // of the grid, x fastest; -1: all
    const std::atomic<bool>* stop = nullptr;  // when it turns true the run ends, incomplete
    uint64_t max_wave_instructions = 0;       // per wave; 0: no limit
    std::function<bool(uint64_t done, uint64_t total)> progress;  // workgroups; false stops the run
};

struct Result {
    uint64_t wave_instructions = 0, valu = 0, mfma = 0;
    std::vector<Finding> findings;      // sorted by address and rule; equal pairs are counted
    std::vector<std::string> unproven;  // semantics met that no hardware evidence covers
    std::vector<std::pair<std::string, uint64_t>> executed;  // per mnemonic, sorted by name
    std::shared_ptr<const Timing> timing;                    // null unless Options::timing
    double seconds = 0;
    bool complete = true;  // false: stopped before the end, by whatever option
};

// Error (Exit::unsupported): an instruction, mode or descriptor outside the simulator's reach was
// met; the text names kernel, workgroup, wave, address and instruction.
Result run(const Launch&, Memory&, const Options& = {});

}  // namespace zyfa
