// AITER's code objects for gfx950, for the tests that use them. They are not part of the project:
// ZYFA_AITER_DIR names a folder like ROCm/aiter's hsa/gfx950.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace zyfa::test {

inline std::filesystem::path aiter_folder() {  // empty, and says so: there is none
    const char* folder = std::getenv("ZYFA_AITER_DIR");
    if (folder && *folder) return folder;
    fmt::print("SKIPPED: AITER's kernels; set ZYFA_AITER_DIR to a folder like hsa/gfx950\n");
    return {};
}

// Those of its folders fmha_v3_fwd, fmha_v4_fwd and mla, sorted by path.
inline std::vector<std::filesystem::path> aiter_objects() {
    std::vector<std::filesystem::path> out;
    const std::filesystem::path root = aiter_folder();
    if (root.empty()) return out;
    for (const char* folder : {"fmha_v3_fwd", "fmha_v4_fwd", "mla"}) {
        if (!std::filesystem::is_directory(root / folder)) {
            fmt::print("SKIPPED: {} is not in ZYFA_AITER_DIR\n", folder);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(root / folder))
            if (entry.path().extension() == ".co") out.push_back(entry.path());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace zyfa::test
