// LLVM 22's llc as a referee: one of its machine passes over many small functions at once.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/effects.hpp"

namespace zyfa::test {

inline bool have_llc() {  // says so if not
    if (std::system("llc-22 --version > /dev/null 2>&1") == 0) return true;
    fmt::print("SKIPPED: comparison with LLVM; no llc-22 (package llvm-22)\n");
    return false;
}

// 1,000, or 20,000 with ZYFA_FULL in the environment.
inline unsigned oracle_programs() { return std::getenv("ZYFA_FULL") ? 20000 : 1000; }

// @D4: four words of vector register D, %D4 of accumulation register D. The same letter in both
// columns is the same register.
struct Pattern {
    const char *text, *mir;
};
using Registers = std::map<char, unsigned>;

inline std::string fill(std::string_view pattern, const Registers& registers, bool mir) {
    std::string out;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '@' && pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        const File file = pattern[i] == '@' ? File::v : File::a;
        const unsigned first = registers.at(pattern[++i]);
        unsigned words = 0;
        while (i + 1 < pattern.size() && std::isdigit(pattern[i + 1]))
            words = words * 10 + unsigned(pattern[++i] - '0');
        if (!mir) {
            out += range_name(word_of(file, first), words);
            continue;
        }
        out += "$";
        for (unsigned w = 0; w < words; ++w)
            out += fmt::format("{}{}gpr{}", w ? "_" : "", file == File::v ? "v" : "a", first + w);
    }
    return out;
}

// `bodies`: instructions in LLVM's machine IR, one a line. The same behind the pass. XNACK is off:
// with it LLVM breaks memory clauses by nops.
inline std::vector<std::vector<std::string>> run_llc(
    const std::string& pass, const std::vector<std::vector<std::string>>& bodies) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("zyfa_llc_{}", ::getpid());
    fs::create_directories(folder);
    {
        std::ofstream ir(folder / "in.mir");
        for (size_t n = 0; n < bodies.size(); ++n) {
            ir << "---\nname: f" << n << "\nbody: |\n  bb.0:\n";
            for (const std::string& line : bodies[n]) ir << "    " << line << "\n";
            ir << "    S_ENDPGM 0\n...\n";
        }
    }
    const std::string command = fmt::format(
        "llc-22 -mtriple=amdgcn -mcpu=gfx950 -mattr=-xnack -run-pass {1} {0}/in.mir -o {0}/out.mir",
        folder.string(), pass);
    REQUIRE(std::system(command.c_str()) == 0);
    std::vector<std::vector<std::string>> out(bodies.size());
    std::ifstream result(folder / "out.mir");
    size_t function = 0;
    bool inside = false;
    for (std::string line; std::getline(result, line);) {
        if (line.starts_with("name:")) {
            function = std::stoul(line.substr(line.find('f') + 1));
            inside = false;
        }
        if (line.starts_with("  bb.0:")) inside = true;
        if (line.starts_with("...")) inside = false;
        if (inside && line.starts_with("    ") && line.find("S_ENDPGM") == line.npos)
            out[function].push_back(line.substr(4));
    }
    fs::remove_all(folder);
    return out;
}

}  // namespace zyfa::test
