#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/tools/cli.hpp"

using namespace zyfa::test;

TEST_CASE("diff tells what one knob moved, and nothing else", "[tools][diff]") {
    Folder folder;
    std::string schedule = run("show fp8_d128_full --schedule").out;
    const size_t at = schedule.find("\"priority\": 1");
    REQUIRE(at != std::string::npos);
    schedule.replace(at, 13, "\"priority\": 3");
    const std::string file = folder.write("mine.json", schedule);

    const Outcome same = run("diff fp8_d128_full fp8_d128_full@lean");
    CHECK(same.status == 0);
    CHECK(same.out.starts_with("the same: "));

    const Outcome differs = run("diff fp8_d128_full 'fp8_d128_full@" + file + "' --color never");
    CHECK(differs.status == 1);
    std::istringstream lines(differs.out);
    unsigned minus = 0, plus = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("@@")) continue;
        if (!line.starts_with("- ") && !line.starts_with("+ ")) break;
        const bool old = line[0] == '-';
        ++(old ? minus : plus);
        CHECK(line.ends_with(old ? "  s_setprio 1" : "  s_setprio 3"));
    }
    CHECK(minus == 9);  // the peeled pass, four copies of the loop, four of the last
    CHECK(plus == 9);
    CHECK(has(differs.out, "0 added, 0 removed, 0 moved, 9 changed; 0 with other registers"));
}

TEST_CASE("diff keeps what it promises to scripts", "[tools][diff]") {
    const Outcome r = run("diff fp8_d128_full@two_phases fp8_d128_full@wide --json");
    CHECK(r.status == 1);
    const auto result = nlohmann::json::parse(r.out)["results"][0];
    for (const char* key : {"added", "removed", "moved", "changed"}) {
        CAPTURE(key);
        CHECK(result[key].is_array());
        CHECK_FALSE(result[key].empty());
    }
    CHECK(result["resources"]["agpr"]["b"] > result["resources"]["agpr"]["a"]);
    CHECK(result["loop"]["a"]["matrix_cycles"] == 4096);
    CHECK(result["cycles"]["a"] > 100000);  // 32 tiles, 2 waves on a SIMD, 1024 matrix cycles each
    CHECK(result["cycles"]["a"] < 200000);
    CHECK(result["cycles"]["model"] == "cycles-1");
    CHECK(run("diff fp8_d128_full").status == 2);
    CHECK(run("diff fp8_d128_full nothing.co").status == 2);
    CHECK(run("diff fp8_d128_full fp8_d128_full@nothing").status == 2);
}
