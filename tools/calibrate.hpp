// Calibration: runs probes on a device, compares what follows from their cycles with a machine
// file, and writes the file anew.
#pragma once

#include <optional>

#include "tools/calibrate_device.hpp"
#include "tools/output.hpp"

namespace zyfa {

// Fields agree within this much of a cycle or of their value, whichever is more.
inline constexpr double kCyclesApart = 1, kShareApart = 0.05;

// By its path, as rows() names it.
const Number& number_of(const Machine&, std::string_view path);

struct FieldResult {
    const FieldFit* field = nullptr;
    Number file;
    std::optional<Fitted> fitted;  // none: not on this device, or its probes were not run
    std::string why_not;
    bool within = true;
};

// Kernels that the fields need, or that belong to the unknowns; each once.
std::vector<ProbeKernel> kernels_for(std::span<const FieldFit* const>);
std::vector<ProbeKernel> kernels_for(std::span<const unsigned> unknowns);  // empty: all

// `watch` hears each kernel's name before it runs.
using WatchKernel = std::function<void(const std::string& name)>;
Measured measure(ProbeDevice&, std::span<const ProbeKernel>, const Machine& prior,
                 const WatchKernel& watch = {});

// All fields of the calibration whose probes have been run, in its order.
std::vector<FieldResult> judge(const Measured&, const Machine&, bool card);

// What is no number, in words; unknowns whose probes have been run.
struct Reading {
    unsigned unknown;
    std::string text;
};
std::vector<Reading> readings(const Measured&);

// The machine file `text` with the fitted values in it. Trust `measured` for a card, `emulated` for
// the cycle model; the source names the device and the formula; the range is what nothing measured
// tells apart, mostly a point.
std::string fitted_machine(std::string_view text, std::span<const FieldResult>,
                           const std::string& device, bool card);

// Measured cycles as `--json` prints them, and read back from such a document.
Json to_json(const Measured&, std::span<const ProbeKernel>);
Json recorded_result(const std::string& path);  // of the document; Error: it is another one
struct Recorded {
    std::string device;
    bool card = false;
    std::map<std::string, Ticks> ticks;
};
Recorded load_recorded(const std::string& path);

// All kernels as code objects into a folder, and probes.json that says how each is launched.
// Returns the number of kernels.
size_t emit_probes(const std::string& folder, std::span<const ProbeKernel>);

}  // namespace zyfa
