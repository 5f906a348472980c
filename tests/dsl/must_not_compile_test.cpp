#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

struct Compiled {
    bool ok;
    std::string words;
};
Compiled compile(const std::filesystem::path& file) {
    std::string command = fmt::format("{} -std=c++20 -fsyntax-only -I{} {} 2>&1", ZYFA_COMPILER,
                                      ZYFA_SOURCE_DIR, file.string());
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string words;
    char buffer[4096];
    while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) words.append(buffer, n);
    return {pclose(pipe) == 0, words};
}

}  // namespace

TEST_CASE("a kernel with a wrong register does not compile, and the message shows the width",
          "[dsl]") {
    unsigned seen = 0;
    for (auto& entry : std::filesystem::directory_iterator(std::filesystem::path(ZYFA_SOURCE_DIR) /
                                                           "tests/must_not_compile")) {
        std::ifstream in(entry.path());
        std::string first;
        std::getline(in, first);
        Compiled c = compile(entry.path());
        INFO(entry.path().filename().string() << "\n" << c.words);
        if (entry.path().stem() == "control") {
            CHECK(c.ok);
            continue;
        }
        REQUIRE(first.starts_with("// expect: "));
        CHECK_FALSE(c.ok);
        CHECK(c.words.find(first.substr(11)) != std::string::npos);
        CHECK(c.words.find(entry.path().filename().string()) != std::string::npos);
        ++seen;
    }
    CHECK(seen >= 10);
}
