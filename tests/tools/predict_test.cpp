// Whole-chip time: the dispatcher's arithmetic by hand, the share of toggled bits on data that is
// known, and a prediction that hangs together.
#include <catch2/catch.hpp>

#include "sim/timing/chip.hpp"
#include "sim/timing/toggles.hpp"
#include "tests/kernels/call.hpp"
#include "tools/predict.hpp"
#include "tools/sweep.hpp"

using namespace zyfa;

TEST_CASE("workgroups go to dies in turn, there to what is free first", "[predict]") {
    Machine m = mi355x();
    m.chip_compute_units.value = 4;
    m.chip_xcds.value = 2;
    // die 0: 0, 2, 4, 6; die 1: 1, 3, 5
    const std::vector<float> cycles = {10, 1, 20, 1, 5, 1, 5};
    const Dispatched d = dispatch(m, cycles, 1);
    CHECK(d.places == 4);
    CHECK(d.xcd_cycles == std::vector<double>{20, 2});  // 10, 20, then 5 and 5 behind the first
    CHECK(d.cycles == 20);
    CHECK(d.first_idle == 1);
    CHECK(d.busy_pct == Approx(100.0 * 43 / 80));
    // two on each compute unit
    CHECK(dispatch(m, cycles, 2).cycles == 20);
    // long ones last make a tail
    const std::vector<float> rising = {1, 1, 1, 1, 8, 8, 8, 8, 8, 8, 8, 8},
                             falling(rising.rbegin(), rising.rend());
    CHECK(dispatch(m, rising, 1).cycles == 17);
    CHECK(dispatch(m, falling, 1).cycles == 17);
    const std::vector<float> uneven = {1, 1, 1, 1, 1, 1, 1, 1, 4, 4},
                             better(uneven.rbegin(), uneven.rend());
    CHECK(dispatch(m, uneven, 1).cycles == 6);
    CHECK(dispatch(m, better, 1).cycles == 4);
}

TEST_CASE("memory bounds follow from bytes and rates", "[predict]") {
    const Machine& m = mi355x();
    const Traffic t = traffic(m, 2048.0 * 8 * 1000, 8e12 / 1000, 2.0);
    CHECK(t.l2_cycles == Approx(1000));
    CHECK(t.hbm_cycles == Approx(2e6));
}

TEST_CASE("toggled bits are counted against the instruction before", "[predict]") {
    const auto toggled = [](double spread) {
        sim::Toggles toggles;
        Options options;
        options.hook = &toggles;
        test::run({.kernel = "fp8_d128_full@two_phases", .sq = 256, .sk = 512, .spread = spread},
                  options);
        // 4 tiles, 16 instructions for each of 8 waves
        CHECK(toggles.instructions() == 4 * 16 * 8);
        return toggles.percent();
    };
    const double normal = toggled(1);
    CHECK(toggled(0) < normal / 2);  // scores of zeros change nothing, equal weights nothing

    CHECK(normal > 30);  // exponents of e4m3 are not evenly spread
    CHECK(normal < 50);
}

TEST_CASE("a sweep moves one number at a time and puts it back", "[predict]") {
    Machine m = mi355x();
    const Sweep s = sweep(m, [](const Machine& moved) {
        return moved.rates[unsigned(Rate::trans)].value + 100 * moved.issue_dependent_valu.value;
    });
    const Number &trans = m.rates[unsigned(Rate::trans)], &valu = m.issue_dependent_valu;
    CHECK(s.nominal == trans.value + 100 * valu.value);
    REQUIRE(s.numbers.size() == 2);
    CHECK(s.numbers[0].path == "issue/dependent_valu");
    CHECK(s.numbers[0].at_high == trans.value + 100 * valu.high);
    CHECK(s.numbers[1].path == "rates/trans");
    CHECK(s.numbers[1].at_low == trans.low + 100 * valu.value);
    CHECK(s.least() == trans.low + 100 * valu.value);
    CHECK(s.most() == s.numbers[0].at_high);
    CHECK(s.tried > 10);
}

TEST_CASE("a prediction hangs together", "[predict]") {
    const Subject subject = open_subject("fp8_d128_causal");
    const AttentionShape shape = parse_shape("b=2,h=64,hk=8,sq=2048,sk=2048");
    const Prediction p = predict(subject, shape, {}, 1);
    CHECK(p.workgroups == 8 * 128);
    REQUIRE(p.samples.size() == 5);
    double work = 0;
    for (const Sampled& s : p.samples) {
        CHECK(s.key_tiles == 2 * (s.query_tile + 1));
        if (s.interpolated) CHECK(s.interpolated == Approx(double(s.cycles)).epsilon(0.05));
        work += double(s.cycles);
    }
    CHECK(p.flops == Approx(4.0 * 128 * 128 * (2048.0 * 2049 / 2)));
    // Bounds of any schedule: all the work on all places, and the longest workgroup.
    CHECK(p.chip.cycles >= 0.99 * work / 5 * 8 * 128 / 256);
    CHECK(p.chip.cycles >= double(p.samples.back().cycles));
    const Prediction::Time at = p.time(mi355x(), 2.4), half = p.time(mi355x(), 1.2);
    CHECK(at.tflops == Approx(p.flops / at.seconds / 1e12));
    CHECK(at.of_peak_pct > 10);
    CHECK(at.of_peak_pct < 100);
    CHECK(half.seconds == Approx(2 * at.seconds));
    CHECK(std::string(at.bound) == "workgroups");
    // No query sees a key before row 1024 of these: the first workgroups do almost nothing.
    const Prediction late = predict(subject, parse_shape("sq=2048,sk=1024"), {}, 1);
    CHECK(late.samples.front().key_tiles == 0);
    CHECK(late.samples.front().cycles < late.samples.back().cycles / 4);
}
