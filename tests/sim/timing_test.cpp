// The rules of the cycle model, one by one, in cycles that follow from the machine file. Each test
// was seen to fail with its rule broken.
#include <catch2/catch.hpp>

#include <numeric>

#include "tests/sim/timed.hpp"

using namespace zyfa;
using namespace zyfa::test;
using sim::Category;
using sim::Spent;

namespace {

constexpr const char* kMfma = "v_mfma_f32_32x32x64_f8f6f4 v[64:79], v[32:39], v[40:47], v[64:79]\n";
constexpr const char* kOtherMfma =
    "v_mfma_f32_32x32x64_f8f6f4 v[80:95], v[32:39], v[40:47], v[80:95]\n";
const std::string kAdd = "v_add_f32 v20, v21, v22\n";
// From here on waves 0 to 3 and waves 4 to 7 run different code.
std::string split(const std::string& low, const std::string& high) {
    return "s_cmp_lt_u32 s4, 4\ns_cbranch_scc0 high\ns_barrier\n" + low +
           "s_branch done\nhigh:\ns_barrier\n" + high + "done:\n";
}

bool all_are(const std::vector<uint64_t>& values, uint64_t value) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(), [&](uint64_t v) { return v == value; });
}

unsigned slots(unsigned n) { return n * mi355x().issue_slot_cycles.count(); }
const unsigned kPipe =
    mi355x().matrix_passes_32x32x64_8bit.count() * mi355x().matrix_pass_cycles.count();
const unsigned kHold = mi355x().rate(Rate::mfma_f8f6f4).count();

}  // namespace

TEST_CASE("matrix instructions behind one another keep the pipe busy", "[sim][timing]") {
    Timed t;
    SECTION("independent ones") { t.run(repeat(32, std::string(kMfma) + kOtherMfma)); }
    SECTION("a chain through one accumulator") { t.run(repeat(64, kMfma)); }
    REQUIRE(t.of("v_mfma").size() == 64);
    CHECK(all_are(t.distances("v_mfma"), kPipe));
    for (const sim::Issue& i : t.of("v_mfma")) CHECK(i.pipe_end - i.pipe_begin == kPipe);
}

TEST_CASE("a stream of one kind issues at its rate", "[sim][timing]") {
    auto [line, rate] = GENERATE(table<std::string, Rate>({
        {"v_add_f32 v20, v21, v22\n", Rate::valu},
        {"v_max3_f32 v20, v21, v22, v23\n", Rate::valu},
        {"v_exp_f32 v20, v21\n", Rate::trans},
        {"v_pk_mul_f32 v[20:21], v[22:23], v[24:25]\n", Rate::packed_f32},
        {"v_mul_lo_u32 v20, v21, v22\n", Rate::quarter},
        {"s_add_u32 s20, s21, s22\n", Rate::salu},
        {"global_load_dword v20, v0, s[2:3]\n", Rate::vmem_load},
    }));
    CAPTURE(line);
    Timed t;
    t.run(repeat(40, line));
    CHECK(all_are(t.distances(line.substr(0, line.find(' '))), mi355x().rate(rate).count()));
}

TEST_CASE("plain vector instructions are free beside a matrix instruction until the port is full",
          "[sim][timing]") {
    const unsigned free = (kPipe - kHold) / mi355x().rate(Rate::valu).count();
    REQUIRE(free == 13);
    const bool other_wave = GENERATE(false, true);
    for (unsigned n = 0; n <= 18; ++n) {
        CAPTURE(other_wave, n);
        Timed t;
        if (other_wave) {
            t.waves = 8;
            t.run(split(repeat(16, std::string("s_setprio 1\n") + kMfma),
                        repeat(16 * n, kAdd) + "\n"));
        } else {
            t.run(repeat(16, kMfma + repeat(n, kAdd)));
        }
        const auto d = t.distances("v_mfma", 0);
        const uint64_t sum = std::accumulate(d.begin(), d.end(), uint64_t(0));
        const uint64_t group = n <= free ? kPipe : kHold + n * mi355x().rate(Rate::valu).count();
        // With priority the matrix wave never waits longer than for the instruction under way.
        if (other_wave) CHECK(sum <= 15 * uint64_t(kPipe + 4));
        else CHECK(sum == 15 * group);
    }
}

TEST_CASE("packed f32 never runs beside a matrix instruction", "[sim][timing]") {
    const std::string line =
        GENERATE(as<std::string>(), "v_pk_fma_f32 v[20:21], v[22:23], v[24:25], v[26:27]\n",
                 "v_dot2_f32_f16 v20, v21, v22, v23\n");
    const unsigned after = kPipe + slots(mi355x().matrix_packed_f32_wait_slots.count());
    Timed t;
    SECTION("of the same wave") {
        t.run(repeat(8, kMfma + line));
        const auto matrix = t.of("v_mfma");
        const auto packed = t.of(line.substr(0, 6));
        REQUIRE(packed.size() == 8);
        for (size_t n = 0; n < 8; ++n) CHECK(packed[n].issued == matrix[n].issued + after);
        for (size_t n = 1; n < 8; ++n) CHECK(packed[n].waited == Spent::matrix);
    }
    SECTION("of the other wave of the SIMD") {
        t.waves = 8;
        t.run(split(
            std::string("s_setprio 1\n") + repeat(4, kMfma + std::string("s_nop 15\ns_nop 3\n")),
            repeat(8, line)));
        for (const sim::Issue& p : t.of(line.substr(0, 6)))
            for (const sim::Issue& m : t.of("v_mfma"))
                if (m.simd == p.simd)
                    CHECK((p.issued < m.pipe_begin || p.issued >= m.issued + after));
    }
}

TEST_CASE("two waves of a SIMD share its port, waves of different SIMDs do not", "[sim][timing]") {
    Timed t;
    t.waves = GENERATE(1u, 4u, 8u);
    t.run(repeat(100, kAdd));
    const auto all = t.of("v_add_f32", 0);
    const uint64_t alone = 100 * mi355x().rate(Rate::valu).count();
    uint64_t last = 0;
    for (const sim::Issue& i : t.of("v_add_f32")) {
        if (i.simd == 0) last = std::max(last, i.issued + i.port_cycles);
    }
    CHECK(last - all[0].issued == (t.waves == 8 ? 2 : 1) * alone);
}

TEST_CASE("the arbiter decides among waves of equal priority, s_setprio before it",
          "[sim][timing]") {
    auto [arbiter, first] = GENERATE(table<Arbiter, int>(
        {{Arbiter::oldest, 0}, {Arbiter::youngest, 4}, {Arbiter::round_robin, -1}}));
    const auto end = [](const Timed& t, int wave) { return t.of("v_add_f32", wave).back().issued; };
    Timed t;
    t.waves = 8;
    t.options.arbiter = arbiter;
    t.run(repeat(64, kAdd));
    const uint64_t a = end(t, 0), b = end(t, 4), half = 64 * mi355x().rate(Rate::valu).count();
    if (first == 0) CHECK(a + half == b);
    if (first == 4) CHECK(b + half == a);
    if (first < 0) CHECK((a > b ? a - b : b - a) == mi355x().rate(Rate::valu).count());
    t.run(split("s_setprio 0\ns_nop 3\n" + repeat(64, kAdd),
                "s_setprio 2\ns_nop 3\n" + repeat(64, kAdd)));
    CHECK(end(t, 4) < end(t, 0));
}

TEST_CASE("a barrier opens when the last wave is there", "[sim][timing]") {
    Timed t;
    t.waves = 8;
    t.run(split("s_nop 15\ns_nop 15\ns_barrier\n", "s_barrier\n"));
    uint64_t last = 0;
    for (unsigned wave = 0; wave < 8; ++wave)
        last = std::max(last, t.of("s_barrier", int(wave)).back().issued);
    REQUIRE(t.releases.size() == 3);
    CHECK(t.releases.back() == last + mi355x().rate(Rate::barrier).count());
    for (const sim::Issue& i : t.of("s_endpgm")) CHECK(i.issued >= t.releases.back());
}

TEST_CASE("s_nop waits one slot more than its operand", "[sim][timing]") {
    Timed t;
    t.run("s_nop 0\ns_nop 7\ns_nop 15\ns_nop 0\n");
    CHECK(t.distances("s_nop") == std::vector<uint64_t>{slots(1), slots(8), slots(16)});
}

TEST_CASE("dependent instructions wait as long as the machine file says", "[sim][timing]") {
    Timed t;
    SECTION("vector") {
        t.machine.issue_dependent_valu.value = GENERATE(4, 5, 8);
        t.run(repeat(20, "v_add_f32 v20, v20, v21\n"));
        CHECK(all_are(t.distances("v_add_f32"), t.machine.issue_dependent_valu.count()));
        t.run(repeat(10, "v_add_f32 v20, v20, v21\nv_add_f32 v22, v22, v23\n"));
        for (uint64_t d : t.distances("v_add_f32")) CHECK(d >= mi355x().rate(Rate::valu).count());
    }
    SECTION("a matrix result is used by a vector instruction") {
        t.run(std::string(kMfma) + "v_add_f32 v20, v64, v21\n");
        const auto add = t.of("v_add_f32").back();
        CHECK(add.issued ==
              t.of("v_mfma").back().issued + kPipe + slots(mi355x().matrix_result_slots.count()));
        CHECK(add.waited == Spent::dependence);
    }
    SECTION("a matrix result is operand A of the next one") {
        t.run(std::string(kMfma) +
              "v_mfma_f32_32x32x64_f8f6f4 v[80:95], v[64:71], v[40:47], v[80:95]\n");
        CHECK(t.distances("v_mfma")[0] == kPipe + slots(mi355x().matrix_result_slots.count()));
    }
}

TEST_CASE("a scaled matrix instruction loses a slot when the pipe stands still", "[sim][timing]") {
    const std::string line =
        "v_mfma_scale_f32_32x32x64_f8f6f4 v[64:79], v[32:39], v[40:47], v[64:79], v48, v49\n";
    Timed t;
    t.run(line + line + "s_nop 15\ns_nop 15\n" + line + kAdd);
    const auto m = t.of("v_mfma_scale");
    const unsigned extra = slots(mi355x().matrix_idle_scaled_slots.count());
    CHECK(m[0].port_cycles == kHold + extra);
    CHECK(m[1].port_cycles == kHold);
    CHECK(m[1].issued == m[0].issued + kPipe + extra);
    CHECK(t.of("v_add_f32").back().issued == m[2].issued + kHold + extra);
}

TEST_CASE("a taken branch and a fetch boundary cost what the machine file says", "[sim][timing]") {
    Timed t;
    t.run("s_branch next\ns_nop 9\nnext:\ns_nop 0\n");
    CHECK(t.of("s_nop")[0].issued ==
          t.of("s_branch")[0].issued + mi355x().issue_taken_branch.count());
    t.machine.issue_straddle_cycles.value = 1;
    t.run(repeat(21, "v_add3_u32 v20, v21, v22, v23\n"));
    const unsigned first = t.code[6].address % 8;
    CHECK(all_are(t.distances("v_add3_u32"), first == 4 ? 5 : 4));
    t.run("s_nop 0\n" + repeat(21, "v_add3_u32 v20, v21, v22, v23\n"));
    CHECK(all_are(t.distances("v_add3_u32"), first == 4 ? 4 : 5));
}

TEST_CASE("every cycle of every wave is in the account", "[sim][timing]") {
    Timed t;
    t.waves = 8;
    t.run("v_lshlrev_b32 v1, 4, v0\n" +
          split("s_setprio 1\n" + repeat(5, std::string(kMfma) + "ds_read_b128 v[24:27], v1\n") +
                    "s_waitcnt lgkmcnt(0)\ns_barrier\n" + repeat(30, "v_exp_f32 v20, v21\n"),
                repeat(30, "v_exp_f32 v20, v21\n") +
                    "global_load_dwordx4 v[24:27], v1, s[2:3]\ns_nop 5\ns_waitcnt vmcnt(0)\n"
                    "v_pk_mul_f32 v[28:29], v[24:25], v[26:27]\ns_barrier\n" +
                    repeat(3, kMfma) + "v_add_f32 v20, v64, v64\n"));
    const WorkgroupTiming& w = t.timing();
    REQUIRE(w.account.size() == 8);
    sim::Account all{}, by_instruction{};
    for (const sim::Account& a : w.account) {
        CHECK(std::accumulate(a.begin(), a.end(), uint64_t(0)) == w.cycles);
        for (unsigned n = 0; n < sim::kSpent; ++n) all[n] += a[n];
    }
    for (Spent s :
         {Spent::issued, Spent::port, Spent::matrix, Spent::nop, Spent::vmcnt, Spent::lgkmcnt,
          Spent::barrier, Spent::fetch, Spent::dependence, Spent::ended}) {
        CAPTURE(spent_name(s));
        CHECK(all[unsigned(s)] > 0);
    }
    for (const InstructionTiming& i : t.result.timing->instructions)
        for (unsigned n = 0; n < sim::kSpent; ++n) by_instruction[n] += i.spent[n];
    all[unsigned(Spent::ended)] = 0;  // no instruction's
    CHECK(by_instruction == all);
    const auto share = t.result.timing->spent();
    CHECK(std::accumulate(share.begin(), share.end(), 0.0) == Approx(100).epsilon(1e-12));
}

TEST_CASE("two timed runs are the same", "[sim][timing]") {
    const std::string lines = "v_lshlrev_b32 v1, 4, v0\n" +
                              repeat(20, std::string(kMfma) + "ds_read_b128 v[24:27], v1\n" + kAdd +
                                             "global_load_dword v30, v1, s[2:3]\ns_barrier\n");
    Timed a, b;
    a.waves = b.waves = 8;
    a.run(lines), b.run(lines);
    REQUIRE(a.issues.size() == b.issues.size());
    for (size_t n = 0; n < a.issues.size(); ++n) {
        CHECK(a.issues[n].issued == b.issues[n].issued);
        CHECK(a.issues[n].wave == b.issues[n].wave);
        if (n) CHECK(a.issues[n - 1].issued <= a.issues[n].issued);
    }
}
