// Files as whole byte strings: the only way in which the project opens or writes one. Every failure
// is one line that names the file, so that a command can print it as it stands.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zyfa {

// Larger inputs are refused: the largest shipped attention code object is below 1 MB, and a wrong
// path should not cost minutes.
inline constexpr uint64_t kMaxFileBytes = 64ull << 20;

// Error (Exit::usage): missing, a directory, not a regular file, unreadable, empty, over the limit.
// "-" reads standard input.
std::vector<uint8_t> read_file(const std::filesystem::path&, uint64_t max_bytes = kMaxFileBytes);
std::string read_text(const std::filesystem::path&, uint64_t max_bytes = kMaxFileBytes);

// Writes to a temporary name in the same folder, then renames: a reader sees the old file or the
// new one, never half of it. Symbolic links are followed; devices and pipes are written to in
// place.
// "-" writes to standard output.
void write_file(const std::filesystem::path&, std::span<const uint8_t>);
void write_file(const std::filesystem::path&, std::string_view);

}  // namespace zyfa
