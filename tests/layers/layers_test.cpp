// Who may include whom. The table is the architecture: nouns in isa/, verbs over them that do not
// know one another, LLVM behind isa/llvm/. Every include of the tree is held against it.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "isa/file.hpp"

namespace fs = std::filesystem;

namespace {

using Layers = std::vector<std::string_view>;

// Beside itself, a layer includes these. A layer is a folder; isa/llvm is one of its own.
const std::map<std::string_view, Layers> kMayInclude = {
    {"isa", {}},
    {"isa/llvm", {"isa"}},
    {"dsl", {"isa"}},
    {"check", {"isa", "isa/llvm"}},
    {"diff", {"isa", "isa/llvm"}},
    {"scheduler", {"isa", "check"}},
    {"emitter", {"isa", "isa/llvm"}},
    {"kernels", {"dsl", "isa"}},
    {"calibrate", {"dsl", "isa"}},
    {"sim", {"isa", "isa/llvm"}},
    {"reference", {"isa"}},
    {"report", {"isa", "isa/llvm", "check", "sim"}},
    {"runtime", {"isa", "sim"}},  // and kernels/abi.hpp
};
constexpr std::string_view kCompose[] = {"tools", "tests"};  // include everything

std::string_view layer_of(std::string_view path) {
    if (path.starts_with("isa/llvm/")) return "isa/llvm";
    const size_t slash = path.find('/');
    return slash == path.npos ? std::string_view{} : path.substr(0, slash);
}
bool is_ours(std::string_view layer) {
    return kMayInclude.count(layer) ||
           std::find(std::begin(kCompose), std::end(kCompose), layer) != std::end(kCompose);
}

// Empty when `file` may include `name`, as written between "" or <>; else the reason.
std::string objection(std::string_view file, std::string_view name, bool quoted) {
    const auto from = layer_of(file), to = layer_of(name);
    if (!quoted) {
        const bool is_llvm = name.starts_with("llvm/") || name.starts_with("llvm-c/");
        if (is_llvm && from != "isa/llvm" && !file.starts_with("tests/vectors/"))
            return "LLVM headers stay behind isa/llvm";
        return is_ours(to) ? "our own headers stand in quotes" : "";
    }
    if (!is_ours(to)) return "quoted includes name a path from the root";
    if (file.ends_with(".hip") && name != "kernels/abi.hpp" && name != "tests/hip/device.hpp")
        return "HIP sources stand alone";
    if (from == to || !kMayInclude.count(from)) return "";
    if (from == "runtime" && name == "kernels/abi.hpp") return "";
    if (name == "isa/llvm/target.hpp") return "it is private to isa/llvm";
    const auto& allowed = kMayInclude.at(from);
    if (std::find(allowed.begin(), allowed.end(), to) != allowed.end()) return "";
    return fmt::format("{} does not include {}", from, to);
}

bool is_source(const fs::path& path) {
    static constexpr std::string_view kEndings[] = {".hpp", ".cpp", ".h", ".hip", ".def", ".inc"};
    return std::find(std::begin(kEndings), std::end(kEndings), path.extension().string()) !=
           std::end(kEndings);
}

struct Include {
    std::string name;
    bool quoted;
};
std::vector<Include> includes(std::string_view text) {
    std::vector<Include> out;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto skip_blanks = [&] {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        };
        skip_blanks();
        if (!line.starts_with('#')) continue;
        line.remove_prefix(1);
        skip_blanks();
        if (!line.starts_with("include")) continue;
        line.remove_prefix(7);
        skip_blanks();
        if (line.empty() || (line[0] != '"' && line[0] != '<')) continue;
        const bool quoted = line[0] == '"';
        line.remove_prefix(1);
        out.push_back({std::string(line.substr(0, line.find(quoted ? '"' : '>'))), quoted});
    }
    return out;
}

}  // namespace

TEST_CASE("no file includes a layer that its own layer does not know", "[layers]") {
    const fs::path root = ZYFA_SOURCE_DIR;
    unsigned files = 0, seen = 0;
    std::vector<std::string> folders(std::begin(kCompose), std::end(kCompose));
    for (const auto& [layer, allowed] : kMayInclude)
        if (layer.find('/') == layer.npos) folders.emplace_back(layer);
    for (const auto& folder : folders) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            if (!entry.is_regular_file() || !is_source(entry.path())) continue;
            const std::string file = fs::relative(entry.path(), root).generic_string();
            ++files;
            for (const auto& include : includes(zyfa::read_text(entry.path()))) {
                ++seen;
                const auto why = objection(file, include.name, include.quoted);
                if (!why.empty()) FAIL_CHECK(file << " includes " << include.name << ": " << why);
            }
        }
    }
    CHECK(files > 50);
    CHECK(seen > 200);
}

TEST_CASE("every folder with sources has its place in the table", "[layers]") {
    for (const auto& entry : fs::directory_iterator(ZYFA_SOURCE_DIR)) {
        if (!entry.is_directory() || !fs::exists(entry.path() / "CMakeLists.txt")) continue;
        CAPTURE(entry.path().filename().string());
        CHECK(is_ours(entry.path().filename().string()));
    }
}

TEST_CASE("the rule itself objects to what it should", "[layers]") {
    CHECK(objection("dsl/kernel.hpp", "isa/inst.hpp", true).empty());
    CHECK(objection("isa/llvm/decode.cpp", "llvm/MC/MCInst.h", false).empty());
    CHECK(objection("runtime/launch.cpp", "kernels/abi.hpp", true).empty());
    CHECK(objection("tests/sim/x_test.cpp", "scheduler/pass.hpp", true).empty());
    CHECK(objection("tools/main.cpp", "CLI/CLI.hpp", false).empty());

    CHECK_FALSE(objection("isa/text.cpp", "isa/llvm/mc.hpp", true).empty());
    CHECK_FALSE(objection("dsl/kernel.hpp", "isa/llvm/mc.hpp", true).empty());
    CHECK_FALSE(objection("scheduler/pass.cpp", "isa/llvm/mc.hpp", true).empty());
    CHECK_FALSE(objection("sim/run.cpp", "dsl/kernel.hpp", true).empty());
    CHECK_FALSE(objection("sim/run.cpp", "isa/llvm/target.hpp", true).empty());
    CHECK_FALSE(objection("sim/run.cpp", "llvm/MC/MCInst.h", false).empty());
    CHECK_FALSE(objection("runtime/launch.cpp", "kernels/recipes.hpp", true).empty());
    CHECK_FALSE(objection("kernels/bf16/fwd.hip", "isa/inst.hpp", true).empty());
    CHECK_FALSE(objection("isa/text.cpp", "text.hpp", true).empty());
    CHECK_FALSE(objection("isa/text.cpp", "isa/text.hpp", false).empty());
    CHECK(includes("  # include \"a/b.hpp\"\n// #include <no>\n#include <x>").size() == 2);
}
