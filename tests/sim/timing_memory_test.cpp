// LDS, memory and loops on the cycle model.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/sim/timed.hpp"

using namespace zyfa;
using namespace zyfa::test;
using sim::Spent;
using sim::Transfer;

namespace {

std::vector<Transfer> of_kind(const Timed& t, Transfer::Kind kind) {
    std::vector<Transfer> out;
    for (const Transfer& transfer : t.transfers)
        if (transfer.kind == kind) out.push_back(transfer);
    return out;
}

}  // namespace

TEST_CASE("an LDS read takes its phases, and more with bank conflicts", "[sim][timing]") {
    // Lanes 2^shift bytes apart: 64 banks of 4 bytes.
    auto [line, shift, cycles] = GENERATE(table<std::string, unsigned, unsigned>({
        {"ds_read_b32 v20, v1\n", 2, 1},
        {"ds_read_b32 v20, v1\n", 3, 2},   // every second bank
        {"ds_read_b32 v20, v1\n", 8, 64},  // all lanes in one bank
        {"ds_read_b64 v[20:21], v1\n", 3, 2},
        {"ds_read_b128 v[20:23], v1\n", 4, 4},
        {"ds_read_b128 v[20:23], v1\n", 8, 64},
        {"ds_read_b64_tr_b8 v[20:21], v1\n", 3, 2},
    }));
    CAPTURE(line, shift);
    Timed t;
    t.run(fmt::format("v_lshlrev_b32 v1, {}, v0\n", shift) + line + line +
          "s_waitcnt lgkmcnt(0)\n");
    const auto reads = of_kind(t, Transfer::Kind::lds_read);
    REQUIRE(reads.size() == 2);
    const unsigned phase = mi355x().lds_phase_cycles.count();
    for (const Transfer& r : reads) CHECK(r.end - r.begin == cycles * phase);
    CHECK(reads[1].begin == std::max(reads[0].end, reads[1].issued));
    CHECK(reads[0].arrives ==
          reads[0].begin + (cycles - 1) * phase + mi355x().lds_latency_alone.count());
    // The wait ends when the second one is there.
    CHECK(t.of("s_waitcnt").back().issued == reads[1].arrives);
    CHECK(t.of("s_waitcnt").back().waited == Spent::lgkmcnt);
}

TEST_CASE("waves of all SIMDs share one LDS", "[sim][timing]") {
    Timed t;
    t.waves = 4;
    t.run("v_lshlrev_b32 v1, 4, v0\n" + repeat(10, "ds_read_b128 v[20:23], v1\n") +
          "s_waitcnt lgkmcnt(0)\n");
    auto reads = of_kind(t, Transfer::Kind::lds_read);
    REQUIRE(reads.size() == 40);
    std::sort(reads.begin(), reads.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
    for (size_t n = 1; n < reads.size(); ++n) CHECK(reads[n].begin >= reads[n - 1].end);
    CHECK(reads.back().end - reads.front().begin == 40 * mi355x().rate(Rate::lds_b128).count());
}

TEST_CASE("a wait lets a wave go on as soon as its count is reached", "[sim][timing]") {
    Timed t;
    t.run(
        "v_lshlrev_b32 v1, 4, v0\n"
        "ds_read_b128 v[20:23], v1\nds_read_b128 v[24:27], v1\nds_read_b128 v[28:31], v1\n"
        "s_waitcnt lgkmcnt(2)\ns_waitcnt lgkmcnt(1)\ns_waitcnt lgkmcnt(0)\n");
    const auto reads = of_kind(t, Transfer::Kind::lds_read);
    const auto waits = t.of("s_waitcnt");
    REQUIRE(waits.size() == 4);
    for (size_t n = 0; n < 3; ++n) CHECK(waits[n + 1].issued == reads[n].arrives);
}

TEST_CASE("the first touch of a line comes from HBM, a later one from L2", "[sim][timing]") {
    Timed t;
    const std::string load = "global_load_dwordx4 v[20:23], v1, s[2:3]\ns_waitcnt vmcnt(0)\n";
    t.run("v_lshlrev_b32 v1, 4, v0\n" + load + load);
    const auto loads = of_kind(t, Transfer::Kind::load);
    REQUIRE(loads.size() == 2);
    const double width = mi355x().chip_l2_bytes_per_clock.value * mi355x().chip_xcds.value /
                         mi355x().chip_compute_units.value;
    const auto passage = uint64_t(std::ceil(1024 / width));
    for (const Transfer& l : loads) CHECK(l.bytes == 1024);
    CHECK(loads[0].arrives - loads[0].issued == mi355x().memory_hbm_latency.count() + passage);
    CHECK(loads[1].arrives - loads[1].issued == mi355x().memory_l2_latency.count() + passage);
}

TEST_CASE("loads come back in order and share the return path", "[sim][timing]") {
    Timed t;
    t.run(
        "v_lshlrev_b32 v1, 4, v0\nglobal_load_dwordx4 v[20:23], v1, s[2:3]\ns_waitcnt vmcnt(0)\n"
        "global_load_dwordx4 v[20:23], v1, s[2:3] offset:2048\n"
        "global_load_dwordx4 v[24:27], v1, s[2:3]\ns_waitcnt vmcnt(0)\n");
    const auto loads = of_kind(t, Transfer::Kind::load);
    REQUIRE(loads.size() == 3);
    // The third hits L2, but the second, from HBM, is older.
    CHECK(loads[2].begin == loads[1].end);
    CHECK(loads[1].arrives < loads[2].arrives);
}

TEST_CASE("data of all waves passes one return path", "[sim][timing]") {
    Timed t;
    t.waves = 4;
    // 16 bytes of a request of 64 for each lane: 4096 bytes pass, in 64 cycles.
    t.run(
        "v_lshlrev_b32 v1, 6, v0\ns_lshl_b32 s5, s4, 12\nv_add_u32 v1, s5, v1\n"
        "global_load_dwordx4 v[20:23], v1, s[2:3]\ns_waitcnt vmcnt(0)\n");
    const auto loads = of_kind(t, Transfer::Kind::load);
    REQUIRE(loads.size() == 4);
    for (const Transfer& l : loads) CHECK(l.bytes == 64 * mi355x().memory_request_bytes.count());
    for (size_t n = 1; n < 4; ++n) {
        CHECK(loads[n].issued - loads[0].issued == n * mi355x().rate(Rate::vmem_load).count());
        CHECK(loads[n].begin == loads[n - 1].end);
    }
    CHECK(loads[3].end - loads[0].begin == 4 * 64);
}

TEST_CASE("a direct load to LDS takes LDS write time when its data comes", "[sim][timing]") {
    Timed t;
    t.run(
        "s_mov_b32 m0, 0\nv_lshlrev_b32 v1, 4, v0\ns_mov_b32 s8, s2\ns_mov_b32 s9, s3\n"
        "s_mov_b32 s10, 0x10000\ns_mov_b32 s11, 0x20000\n"
        "buffer_load_dwordx4 v1, s[8:11], 0 offen lds\ns_waitcnt vmcnt(0)\n");
    const auto loads = of_kind(t, Transfer::Kind::lds_dma);
    REQUIRE(loads.size() == 1);
    CHECK(loads[0].end - loads[0].begin == mi355x().rate(Rate::lds_dma).count());
    CHECK(loads[0].arrives == loads[0].end);
    CHECK(t.of("s_waitcnt").back().issued == loads[0].arrives);
}

TEST_CASE("a clock read in a timed run counts cycles", "[sim][timing]") {
    Timed t;
    t.run(
        "s_memtime s[20:21]\ns_nop 15\ns_memtime s[22:23]\ns_waitcnt lgkmcnt(0)\n"
        "s_sub_u32 s20, s22, s20\nv_mov_b32 v20, s20\nv_lshlrev_b32 v1, 2, v0\n"
        "s_cmp_eq_u32 s20, 68\ns_cbranch_scc1 right\ns_nop 9\nright:\n");
    CHECK(t.distances("s_memtime")[0] == 68);  // a slot for the first, 16 for s_nop
    CHECK(t.of("s_nop").size() == 1);          // s_nop 9 was jumped over
}

TEST_CASE("the steady window leaves out the first and last two iterations", "[sim][timing]") {
    const unsigned times = GENERATE(3u, 5u, 20u);
    Timed t;
    t.waves = 8;
    const std::string mfma = "v_mfma_f32_32x32x64_f8f6f4 v[64:79], v[32:39], v[40:47], v[64:79]\n";
    // Half of the waves stay away from the pipe; of it, the loop leaves a half idle.
    t.run(fmt::format("s_movk_i32 s20, {}\nloop:\ns_barrier\n", times) + mfma + mfma +
          repeat(16, "s_nop 15\n") +
          "s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n");
    const auto& steady = t.timing().steady;
    const auto branches = t.of("s_cbranch_scc1", 0);
    REQUIRE(branches.size() == times);
    const unsigned takings = times - 1;
    REQUIRE(steady.has_value() == (takings >= 4));
    if (!steady) return;
    CHECK(steady->first == 2);
    CHECK(steady->last == takings - 2);
    CHECK(steady->begin == branches[1].issued);
    CHECK(steady->cycles == branches[takings - 2].issued - branches[1].issued);
    CHECK(t.text.at(steady->branch).starts_with("s_cbranch_scc1"));
    CHECK(steady->cycles_per_iteration == Approx(double(steady->cycles) / (takings - 3)));
    // Four matrix instructions of 64 cycles on each SIMD and iteration.
    CHECK(steady->busy.matrix == Approx(100 * 4 * 64 / steady->cycles_per_iteration));
    CHECK(steady->busy.useful_matrix == steady->busy.matrix);
    double sum = 0;
    for (double s : steady->spent) sum += s;
    CHECK(sum == Approx(100).epsilon(1e-12));
}

TEST_CASE("a rare path behind the loop belongs to it, a second stay does not", "[sim][timing]") {
    Timed t;
    // Eight iterations; in the fifth a short path out of line. Then all of it once more.
    t.run("s_mov_b32 s21, 2\nagain:\ns_mov_b32 s20, 12\n" + repeat(60, "s_nop 0\n") +
          "loop:\ns_cmp_eq_u32 s20, 5\ns_cbranch_scc1 rare\nback:\n" + repeat(40, "s_nop 0\n") +
          "s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n"
          "s_sub_u32 s21, s21, 1\ns_cmp_lg_u32 s21, 0\ns_cbranch_scc1 again\ns_branch out\n"
          "rare:\ns_nop 1\ns_nop 1\ns_branch back\nout:\n");
    const auto& steady = t.timing().steady;
    REQUIRE(steady);
    CHECK(steady->first == 2);
    CHECK(steady->last == 9);  // 11 takings of each stay
}
