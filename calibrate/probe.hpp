// Probes: micro-kernels that settle what the timing of gfx950 leaves open, and the arithmetic that
// turns their cycles into numbers of the machine file. A probe is a real kernel: the same code
// object is run by the cycle model and by a card. Not done here: scheduling, running, comparing
// (tools/calibrate_*). What each unknown is and what a card alone can tell: docs/calibrate.md.
//
// Probes keep their instructions as written: no pass may reorder them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/bench.hpp"
#include "isa/machine.hpp"

namespace zyfa {

enum class Half : uint8_t { lower, upper };  // waves below and from waves / 2 on

// What the data buffer holds. `chain`: 64-bit addresses of the next node, `nodes` of them,
// `stride` bytes apart, the last one names the first.
struct ProbeData {
    enum class Kind : uint8_t { none, zeros, random, chain };
    Kind kind = Kind::none;
    uint64_t bytes = 0;  // zeros, random
    uint64_t nodes = 0, stride = 0;
    // A cold line is cold for the cycle model wherever it lies: it does with a smaller stride.
    uint64_t model_stride = 0;
    uint64_t size(bool model) const;
};

struct Probe {
    std::string id;
    unsigned unknown = 0;   // U1 .. U21
    std::string about;      // what one unit of the body is
    unsigned waves = 1;     // waves i and i + 4 share a SIMD
    unsigned repeat = 256;  // units of the body
    // The same with fewer units (0: the frame alone) is subtracted. Bodies that fill a queue first
    // need some.
    unsigned base = 0;
    // Sets up registers, returns what writes one unit. `upper`: of the upper waves.
    using Units = std::function<void(unsigned unit)>;
    using Body = std::function<Units(Bench&)>;
    Body lower, upper;
    uint64_t lanes = ~uint64_t(0);
    unsigned misaligned = 0;    // bytes: the body starts at this address mod 8 (0 or 4)
    bool open_hazards = false;  // the wait states that hazards need are left out on purpose (U11)
    ProbeData data;
    unsigned rounds = 4;        // the first is dropped
    unsigned card_rounds = 16;  // of a run on a card
    unsigned card_workgroups = 1;
    // Each round is a pair of lanes, number 64 * i + j being what is left of the rounds modulo
    // 4096.
    bool pairs = false;
};
inline constexpr unsigned kLanePairs = 64 * 64;

// Cycles by kernel name: median over rounds of the slowest wave of a half.
struct Ticks {
    double lower = 0, upper = 0;
    double gigahertz = 0;       // shader clock beside s_memrealtime; 0: not known
    std::vector<double> pairs;  // cycles by pair of lanes: the least of its rounds
    double of(Half h) const { return h == Half::lower ? lower : upper; }
};

class Measured {
public:
    explicit Measured(const Machine& prior) : prior(prior) {}
    std::map<std::string, Ticks> ticks;  // by kernel name
    const Machine& prior;                // sizes and counts that are certain: SIMDs, lanes, lines

    // Cycles of one unit, the base taken off. Error: such a probe has not been run.
    double unit(std::string_view probe, Half = Half::lower) const;
    bool has(std::string_view probe) const;
};

// A value, and the range in which nothing measured tells one from another (equal: a point).
struct Fitted {
    double value = 0, low = 0, high = 0;
    Fitted(double v) : value(v), low(v), high(v) {}
    Fitted(double v, double l, double h) : value(v), low(l), high(h) {}
};

// A number of the machine file, and what determines it.
struct FieldFit {
    std::string path;  // "issue/taken_branch", as rows() names it
    unsigned unknown = 0;
    std::vector<std::string> probes;
    std::string how;  // the formula, in words
    std::function<Fitted(const Measured&)> fit;
    std::string card_only;  // why the cycle model cannot be asked; empty: it can
};

// What an unknown comes to when it is not, or not only, a number of the machine file.
struct UnknownNote {
    unsigned unknown;
    std::string what, not_a_number;  // empty: fields hold all of it
    // What the cycles of `probes` say about it, in words. Thresholds lie half way between what the
    // two answers would give.
    std::vector<std::string> probes{};
    std::function<std::string(const Measured&)> reading{};
};

struct Calibration {
    std::vector<Probe> probes;
    std::vector<FieldFit> fields;
    std::vector<UnknownNote> unknowns;
    const Probe& probe(std::string_view id) const;
};
const Calibration& calibration();

// The kernels that a probe needs: its body `repeat` and `base` times.
struct ProbeKernel {
    std::string name;
    unsigned units = 0;
    const Probe* probe = nullptr;
};
ProbeKernel measured_kernel(const Probe&);
ProbeKernel base_kernel(const Probe&);  // without units: shared by all probes of that shape
std::vector<ProbeKernel> kernels_of(const Calibration&);  // each name once
Program describe(const ProbeKernel&);

// --- the groups, one file each ---
void add_issue(Calibration&);   // U2..U5, U7, U10: vector and scalar issue
void add_matrix(Calibration&);  // U1, U6, U11, U18: matrix pipe and issue port
void add_waves(Calibration&);   // U8, U9, U21: barriers, priorities, two waves of a SIMD
void add_lds(Calibration&);     // U12..U15: LDS and direct-to-LDS
void add_memory(Calibration&);  // U15..U17: vector and scalar memory
void add_whole(Calibration&);   // U19, U20: clock, instruction fetch

}  // namespace zyfa
