// A launch file made real on the simulator: buffers allocated and filled, kernel arguments built,
// kernel run, buffers dumped. The same file gives the same bytes on every machine.
#pragma once

#include "sim/code_object.hpp"
#include "sim/launch_file.hpp"
#include "sim/memory.hpp"
#include "sim/run.hpp"

namespace zyfa {

struct Prepared {
    CodeObject object;
    Memory memory;
    Launch launch;               // its code is that of `object`
    std::vector<Finding> notes;  // KERNARG-SIZE
};

// Error: what the file asks for does not fit the kernel (workgroup, name), or a file of the launch
// cannot be read. A wrong size of the arguments is a finding: the kernel runs with what it is
// given.
Prepared prepare(const LaunchFile&, CodeObject);
Prepared prepare(const LaunchFile&);  // loads launch.code_object_path()

// The initial bytes of one buffer, without guards.
std::vector<uint8_t> initial_bytes(const LaunchFile&, const LaunchBuffer&);

std::span<const uint8_t> buffer_bytes(const Prepared&, const std::string& name);
// run(), plus the notes and a finding GUARD for each buffer whose guard bytes have changed.
Result execute(Prepared&, const Options& = {});
// Writes the files that `dump` names.
void dump(const LaunchFile&, const Prepared&);

}  // namespace zyfa
