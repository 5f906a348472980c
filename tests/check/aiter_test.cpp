// Kernels that run on gfx950 silicon must pass: a required finding in one of them means that a
// rule is too strict. They are not part of the project; ZYFA_AITER_DIR names their folder.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "check/check.hpp"
#include "isa/file.hpp"
#include "tests/isa/elf_text.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

TEST_CASE("no shipped kernel breaks a required rule", "[check][aiter]") {
    const char* folder = std::getenv("ZYFA_AITER_DIR");
    std::vector<fs::path> files;
    if (folder)
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".co") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty()) fmt::print("SKIPPED: ZYFA_AITER_DIR names no folder with .co files\n");
    for (const auto& path : files) {
        CAPTURE(path.filename().string());
        const auto file = read_file(path);
        const auto code = decode(test::elf_text(file));
        CheckOptions options;
        options.pedantic = true;
        std::map<std::pair<std::string, int>, unsigned> seen;
        for (const Finding& f : check(code, options)) {
            ++seen[{f.rule, int(f.severity)}];
            INFO(
                fmt::format("{:#x}: {}\n{}\n{} {}", f.address, f.text, f.other, f.rule, f.message));
            CHECK(f.severity != Severity::error);
        }
        fmt::print("{}: {} instructions", path.filename().string(), code.size());
        constexpr const char* kSeverity[] = {"error", "warning", "note"};
        for (const auto& [key, count] : seen)
            fmt::print(", {} {} {}", count, key.first, kSeverity[key.second]);
        fmt::print("\n");
    }
}
