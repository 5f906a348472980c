// LLVM 22's llc as a referee: one of its machine passes over many small functions at once.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace zyfa::test {

inline bool have_llc() {  // says so if not
    if (std::system("llc-22 --version > /dev/null 2>&1") == 0) return true;
    fmt::print("SKIPPED: comparison with LLVM; no llc-22 (package llvm-22)\n");
    return false;
}

// 1,000, or 20,000 with ZYFA_FULL in the environment.
inline unsigned oracle_programs() { return std::getenv("ZYFA_FULL") ? 20000 : 1000; }

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
