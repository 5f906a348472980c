// Where probes run: the cycle model of the simulator, or a card through HIP.
#pragma once

#include <memory>

#include "runtime/hip.hpp"
#include "sim/timing/timing.hpp"
#include "tools/calibrate_build.hpp"

namespace zyfa {

class ProbeDevice {
public:
    virtual ~ProbeDevice() = default;
    virtual std::string name() const = 0;  // for reports and sources
    virtual bool is_card() const = 0;
    Ticks run(const BuiltProbe&);

protected:
    virtual uint64_t allocate(uint64_t bytes) = 0;
    virtual void write(uint64_t address, std::span<const uint8_t>) = 0;
    virtual void read(uint64_t address, std::span<uint8_t>) = 0;
    virtual void release(uint64_t address) = 0;
    virtual void launch(const BuiltProbe&, unsigned workgroups,
                        std::span<const uint8_t> kernarg) = 0;
};

// `machine` must outlive the device.
std::unique_ptr<ProbeDevice> sim_device(const Machine& machine, Arbiter = Arbiter::oldest);
// Error (Exit::unsupported): there is no HIP, or no device.
std::unique_ptr<ProbeDevice> hip_device();

// What a launch needs; the same for both devices and for the file that --emit writes.
struct ProbeLaunch {
    unsigned threads = 0, workgroups = 0, rounds = 0;
    uint64_t out_bytes = 0, data_bytes = 0;
};
ProbeLaunch launch_of(const ProbeKernel&, bool card);
// Contents of the data buffer at `address`.
std::vector<uint8_t> data_of(const Probe&, bool card, uint64_t address);
// From the words of the output buffer: median over workgroups and rounds of the slowest wave.
Ticks reduce(const ProbeKernel&, const ProbeLaunch&, std::span<const uint32_t> words);

}  // namespace zyfa
