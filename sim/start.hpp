// What stands in memory and registers before the first instruction: kernel arguments, dispatch
// packet, queue, the code object's bytes; SGPRs, workitem ids, EXEC, MODE, scratch. Source: LLVM
// AMDGPUUsage "Initial Kernel Execution State" and "Kernel Descriptor", HSA AQL packet (certain).
#pragma once

#include "sim/wave.hpp"

namespace zyfa::sim {

unsigned threads_of(const Launch&);  // of a workgroup
// Error, Exit::unsupported: a launch or a state that is not simulated.
void check_launch(const Launch&);
Mode start_mode(const KernelSetup&);

// Lives as long as the run.
class LaunchMemory {
public:
    LaunchMemory(const Launch&, Memory&);
    ~LaunchMemory();
    LaunchMemory(const LaunchMemory&) = delete;
    void give(Group&) const;

private:
    Memory& memory_;
    uint64_t kernarg_ = 0, packet_ = 0, queue_ = 0, code_ = 0;
    uint64_t image_ = 0;  // 0: not ours to release
};

void start_wave(Wave&, Group&, unsigned number);

}  // namespace zyfa::sim
