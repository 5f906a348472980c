// Buffers whose bytes are another buffer's elements in the order that a shipped kernel wants.
// Orders and sources: docs/launch-file.md, "Packed buffers".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch_file.hpp"

namespace zyfa {

bool is_packed_layout(std::string_view name);
std::string packed_layout_names();  // "aiter_k_fp6, ..."

// `from` and `bytes`: the source buffers and their contents, in the order of the launch file.
// Error: sources of a wrong number, type or shape.
std::vector<uint8_t> pack(std::string_view layout, std::span<const LaunchBuffer* const> from,
                          std::span<const std::vector<uint8_t>> bytes);

}  // namespace zyfa
