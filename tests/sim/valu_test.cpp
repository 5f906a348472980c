#include <catch2/catch.hpp>
#include <cmath>

#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

TEST_CASE("v_fma_f32 rounds once and skips inactive lanes", "[sim][valu]") {
    auto [a, b, c, d] = GENERATE(table<float, float, float, float>({
        {2.f, 3.f, 1.f, 7.f},
        {0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f, 0x1p-46f},  // a product rounded first: 0
    }));
    CAPTURE(a, b, c);
    Lab lab;
    lab.set(1, a);
    lab.set(2, b);
    lab.set(3, c);
    lab.set(4, 0xabad1dea);
    lab.exec = 0xffffffff;
    lab.watch = {4};
    lab.run("v_fma_f32 v4, v1, v2, v3");
    CHECK(lab.f32(4, 0) == d);
    CHECK(lab.f32(4, 31) == d);
    CHECK(lab.lane(4, 32) == 0xabad1dea);
    CHECK(lab.result.findings.empty());
}
