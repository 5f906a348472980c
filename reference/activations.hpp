// Recorded attention inputs of a small trained transformer (data/README.md says which).
#pragma once

#include <filesystem>

#include "reference/generate.hpp"

namespace zyfa {

// Reads <folder>/<set>_q.bin, _k.bin and _v.bin, raw bf16 [rows, d] and [rows, dv], and keeps the
// first `rows` rows (0: all). One head. Error: a missing file, sizes that do not fit each other.
AttentionData load_activations(const std::filesystem::path& folder, const std::string& set,
                               uint64_t d = 128, uint64_t dv = 128, uint64_t rows = 0);

}  // namespace zyfa
