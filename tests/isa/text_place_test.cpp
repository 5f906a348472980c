#include "isa/text_place.hpp"

#include <catch2/catch.hpp>

using namespace zyfa;

TEST_CASE("a path leads to the place of its value in a JSON text", "[isa]") {
    constexpr std::string_view kText =
        "{ \"about\": \"a \\\"b\\\" {[,:\",\n"
        "  \"n\": {\"k\": 4, \"v\": [1, 2]},\n"
        "  \"phases\": [{\"work\": []},\n"
        "    {\"x\": true, \"work\": [\"qk(i)\", [3], \"pv(i)\"]}\n"
        "  ]}";
    const auto [path, line, column] = GENERATE(table<const char*, unsigned, unsigned>({
        {"$", 1, 1},
        {"$.about", 1, 12},
        {"$.n", 2, 8},
        {"$.n.v", 2, 22},
        {"$.n.v[1]", 2, 26},
        {"$.phases[0]", 3, 14},
        {"$.phases[1]", 4, 5},
        {"$.phases[1].work[0]", 4, 26},
        {"$.phases[1].work[1]", 4, 35},
        {"$.phases[1].work[2]", 4, 40},
        {"$.phases[0].work[0]", 0, 0},
        {"$.phases[2]", 0, 0},
        {"$.none", 0, 0},
        {"$.about.x", 0, 0},
        {"$.about[0]", 0, 0},
    }));
    CAPTURE(path);
    const TextPlace place = place_in_json(kText, path);
    CHECK(place.line == line);
    CHECK(place.column == column);
}
