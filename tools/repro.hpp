// A call written down whole: launch file, code object and the bytes of every buffer, in a folder
// that `sim --replay` runs to the same bits on any machine.
#pragma once

#include "sim/replay.hpp"

namespace zyfa {

// Before the run. Returns the path of the launch file. Buffers keep their names and order, so that
// they get the same addresses.
std::string save_repro(const std::string& folder, LaunchFile, const Prepared&,
                       std::span<const uint8_t> code_object);

}  // namespace zyfa
