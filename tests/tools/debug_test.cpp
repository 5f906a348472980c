// build -g: what LLVM's own tools read out of it. An address leads to the kernel's source and, as
// callers of that, to the entry and the phase of the schedule file.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/tools/cli.hpp"

using namespace zyfa::test;
using json = nlohmann::json;

namespace {

std::string output_of(const std::string& command) {
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    std::string out;
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, got);
    REQUIRE(pclose(pipe) == 0);
    return out;
}

// Line and column of the n-th appearance in a file of the project, "17:27".
std::string place_of(const std::string& text, const std::string& part, unsigned nth = 0) {
    size_t at = text.find(part);
    while (nth--) at = text.find(part, at + 1);
    REQUIRE(at != text.npos);
    const size_t line = text.rfind('\n', at) + 1;
    return fmt::format("{}:{}", lines(text.substr(0, at)) + 1, at - line + 1);
}
std::string line_of(const std::string& text, const std::string& part) {
    const std::string place = place_of(text, part);
    return place.substr(0, place.find(':'));
}

}  // namespace

TEST_CASE("debug information leads from a matrix instruction to source and schedule", "[tools]") {
    if (std::system("command -v llvm-symbolizer-22 llvm-dwarfdump-22 >/dev/null 2>&1") != 0) {
        WARN("llvm-symbolizer-22 or llvm-dwarfdump-22 is not installed: not tested");
        return;
    }
    Folder folder;
    // One line further down.
    const std::string mine = fmt::format("{{\n{}", read("kernels/schedules/lean.json").substr(1));
    const bool shipped = GENERATE(true, false);
    const std::string name = shipped ? "lean.json" : "mine.json";
    const std::string schedule = shipped ? read("kernels/schedules/lean.json") : mine;
    std::string id = "fp8_d128_full";
    if (!shipped) id += fmt::format("@{}", folder.write("mine.json", mine));
    REQUIRE(run("build -g '" + id + "' -O '" + folder / "" + "'").status == 0);
    const std::string object = folder / "fp8_d128_full.o", source = read("kernels/fp8_loop.cpp"),
                      softmax = read("kernels/softmax.cpp");
    const std::string text = read(folder / "fp8_d128_full.s");
    CHECK(!has(text, folder.path.string()));

    // It runs and reads as without.
    REQUIRE(run("lint '" + folder / "fp8_d128_full.co" + "'").status == 0);
    const json with = json::parse(run("show '" + folder / "fp8_d128_full.co" + "' --json").out);
    const json plain = json::parse(run("show '" + id + "' --json").out);
    CHECK(with["results"][0]["instructions"] == plain["results"][0]["instructions"]);
    CHECK(has(output_of("llvm-dwarfdump-22 --verify '" + folder / "fp8_d128_full.co" + "'"),
              "No errors."));
    CHECK(has(output_of("llvm-dwarfdump-22 --debug-line '" + object + "'"),
              fmt::format("fp8_d128_full@{}", name)));

    std::vector<uint64_t> matrix;
    for (const json& i : plain["results"][0]["instructions"])
        if (i["text"].get<std::string>().find("32x32x64") != std::string::npos)
            matrix.push_back(i["address"]);
    REQUIRE(matrix.size() > 2);
    const auto check = [&](uint64_t address, const std::string& entry, const std::string& from) {
        const std::string got = output_of("llvm-symbolizer-22 --inlines --obj='" + object + "' " +
                                          std::to_string(address));
        CAPTURE(address, got);
        const std::string file = fmt::format("./fp8_d128_full@{}:", name);
        CHECK(got.starts_with(fmt::format("{}\n./kernels/{}:", entry, from)));
        CHECK(has(got, fmt::format("\nmatrix\n{}{}\n", file,
                                   place_of(schedule, fmt::format("\"{}\"", entry)))));
        CHECK(has(got, fmt::format("\nfp8_d128_full\n{}{}\n", file, place_of(schedule, "{", 2))));
    };
    check(matrix.front(), "qk(i)", "fp8_loop.cpp:" + line_of(source, "multiply(k, rows.s["));
    check(matrix.back(), "pv(i-1)",
          "softmax.cpp:" + line_of(softmax, "multiply_scaled(k, rows.o["));
    // Outside of the loop there is only the source.
    CHECK(lines(output_of("llvm-symbolizer-22 --inlines --obj='" + object + "' 0")) == 3);
}
