// Each kind of finding, and the same lines put right.
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

void prepare(Lab& lab) {
    uint64_t at = lab.memory.allocate("data", 8192);
    lab.pointer(20, at);
    lab.sgprs[22] = 8192;
    lab.sgprs[23] = 0x00020000;
    lab.setup.lds_bytes = 8192;
    for (unsigned l = 0; l < 64; ++l) {
        lab.vgprs[1][l] = 4 * l;
        lab.vgprs[2][l] = 16 * l;
    }
    lab.set(3, 3u);
}

// Wave 0 fills the first KiB.
const std::string kFill =
    "s_cmp_lg_u32 s95, 0\ns_cbranch_scc1 filled\n"
    "ds_write_b32 v1, v3\nds_write_b32 v1, v3 offset:256\nds_write_b32 v1, v3 offset:512\n"
    "ds_write_b32 v1, v3 offset:768\ns_waitcnt lgkmcnt(0)\nfilled:\ns_barrier\n";

}  // namespace

TEST_CASE("a finding for each fault, none when it is put right", "[sim][findings]") {
    using Row = std::tuple<const char*, unsigned, std::string, std::string>;
    auto [rule, waves, wrong, right] = GENERATE(values<Row>({
        {"WAIT-VMEM", 1, "buffer_load_dword v4, v1, s[20:23], 0 offen\nv_add_u32 v5, v4, v1",
         "buffer_load_dword v4, v1, s[20:23], 0 offen\ns_waitcnt vmcnt(0)\nv_add_u32 v5, v4, v1"},
        {"WAIT-VMEM", 1,
         "buffer_load_dword v4, v1, s[20:23], 0 offen\nbuffer_load_dword v6, v1, s[20:23], 0 "
         "offen\ns_waitcnt vmcnt(1)\nv_mov_b32 v5, v6",
         "buffer_load_dword v4, v1, s[20:23], 0 offen\nbuffer_load_dword v6, v1, s[20:23], 0 "
         "offen\ns_waitcnt vmcnt(1)\nv_mov_b32 v5, v4"},
        {"WAIT-VMEM", 1, "buffer_load_dword v4, v1, s[20:23], 0 offen\nv_mov_b32 v4, v1",
         "buffer_load_dword v4, v1, s[20:23], 0 offen\nbuffer_load_dword v4, v1, s[20:23], 0 "
         "offen"},
        {"WAIT-LDS", 1, kFill + "ds_read_b128 v[4:7], v2\nv_mov_b32 v8, v7",
         kFill + "ds_read_b128 v[4:7], v2\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v8, v7"},
        {"WAIT-SMEM", 1, "s_load_dword s30, s[20:21], 0x0\ns_add_u32 s31, s30, 1",
         "s_load_dword s30, s[20:21], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s31, s30, 1"},
        // A scalar load beside it: which of the two is back is not known.
        {"WAIT-LDS", 1,
         kFill + "ds_read_b32 v4, v1\ns_load_dword s30, s[20:21], 0x0\ns_waitcnt lgkmcnt(1)\n"
                 "v_mov_b32 v8, v4",
         kFill + "ds_read_b32 v4, v1\ns_load_dword s30, s[20:21], 0x0\ns_waitcnt lgkmcnt(0)\n"
                 "v_mov_b32 v8, v4"},
        {"WAIT-DMA", 1,
         "s_mov_b32 m0, 0\nbuffer_load_dword v1, s[20:23], 0 offen lds\nds_read_b32 v4, v1",
         "s_mov_b32 m0, 0\nbuffer_load_dword v1, s[20:23], 0 offen lds\ns_waitcnt vmcnt(0)\n"
         "ds_read_b32 v4, v1"},
        {"WAIT-LDS", 1,
         kFill + "s_mov_b32 m0, 0\nds_read_b32 v4, v1\nbuffer_load_dword v1, s[20:23], 0 offen lds",
         kFill + "s_mov_b32 m0, 0\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n"
                 "buffer_load_dword v1, s[20:23], 0 offen lds"},
        {"OUT-OF-BOUNDS", 1, "global_load_dword v4, v1, s[20:21] offset:-4\ns_waitcnt vmcnt(0)",
         "global_load_dword v4, v1, s[20:21] offset:4\ns_waitcnt vmcnt(0)"},
        {"OUT-OF-BOUNDS", 1, "ds_write_b32 v1, v3 offset:8000", "ds_write_b32 v1, v3 offset:7936"},
        {"OUT-OF-BOUNDS", 1, "s_load_dword s30, s[20:21], 0x2000",
         "s_load_dword s30, s[20:21], 0x1ffc"},
        {"MISALIGNED", 1, kFill + "ds_read_b128 v[4:7], v1\ns_waitcnt lgkmcnt(0)",
         kFill + "ds_read_b128 v[4:7], v2\ns_waitcnt lgkmcnt(0)"},
        {"UNINIT-LDS", 1, "ds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)",
         "ds_write_b32 v1, v3\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)"},
        {"UNINIT-VGPR", 1, "v_mov_b32 v4, v100", "v_mov_b32 v100, 0\nv_mov_b32 v4, v100"},
        {"UNINIT-SGPR", 1, "s_mov_b32 s30, s50", "s_mov_b32 s50, 0\ns_mov_b32 s30, s50"},
        // Wave 1 reads what wave 0 writes.
        {"LDS-RACE", 2, kFill + "v_mov_b32 v9, 0\nds_write_b32 v9, v3\ns_waitcnt lgkmcnt(0)\n",
         kFill + "v_mov_b32 v9, s95\nv_lshlrev_b32 v9, 2, v9\nds_write_b32 v9, v3\n"
                 "s_waitcnt lgkmcnt(0)\n"},
        {"LDS-RACE", 2, "ds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\n",
         "s_cmp_lg_u32 s95, 0\ns_cbranch_scc1 done\nds_write_b32 v1, v3\ns_waitcnt "
         "lgkmcnt(0)\ndone:\n"},
        // s_barrier does not wait: the wait must come first.
        {"LDS-RACE", 2,
         "s_cmp_lg_u32 s95, 0\ns_cbranch_scc1 two\nds_write_b32 v1, v3\ns_barrier\ns_waitcnt "
         "lgkmcnt(0)\ns_branch done\ntwo:\ns_barrier\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n"
         "done:\n",
         "s_cmp_lg_u32 s95, 0\ns_cbranch_scc1 two\nds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\n"
         "s_barrier\ns_branch done\ntwo:\ns_barrier\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n"
         "done:\n"},
        // A direct-to-LDS load into what the other wave still reads.
        {"LDS-RACE", 2,
         kFill +
             "s_mov_b32 m0, 0\ns_cmp_lg_u32 s95, 0\ns_cbranch_scc1 two\n"
             "buffer_load_dword v1, s[20:23], 0 offen lds\ns_waitcnt vmcnt(0)\ns_barrier\n"
             "s_branch done\ntwo:\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\ns_barrier\ndone:\n",
         kFill +
             "s_mov_b32 m0, 0\ns_cmp_lg_u32 s95, 0\ns_cbranch_scc1 two\ns_barrier\n"
             "buffer_load_dword v1, s[20:23], 0 offen lds\ns_waitcnt vmcnt(0)\n"
             "s_branch done\ntwo:\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\ns_barrier\ndone:\n"},
        {"BARRIER", 2, "s_cmp_lg_u32 s95, 0\ns_cbranch_scc1 done\ns_barrier\ndone:\n",
         "s_barrier\n"},
    }));
    uint64_t seed = GENERATE(0u, 1u, 7u);
    CAPTURE(rule, wrong, seed);
    Lab bad;
    bad.waves = waves;
    bad.options.seed = seed;
    prepare(bad);
    bad.run(wrong);
    // With a seed a load may be back early enough by luck; the race watch does not depend on it.
    bool by_luck = seed && std::string(rule).starts_with("WAIT");
    if (!by_luck) REQUIRE(bad.finding(rule));
    Lab good;
    good.waves = waves;
    good.options.seed = seed;
    prepare(good);
    good.run(right);
    for (const Finding& f : good.result.findings)
        FAIL(f.rule << " " << f.text << " | " << f.other << " | " << f.message);
}

TEST_CASE("a finding names both ends and counts its repeats", "[sim][findings]") {
    Lab lab;
    prepare(lab);
    lab.waves = 4;
    lab.run("buffer_load_dword v4, v1, s[20:23], 0 offen\nv_add_u32 v5, v4, v1");
    const Finding* f = lab.finding("WAIT-VMEM");
    REQUIRE(f);
    CHECK_THAT(f->text, Catch::Contains("v_add_u32_e32 v5, v4, v1"));
    CHECK_THAT(f->other, Catch::Contains("buffer_load_dword v4, v1, s[20:23], 0 offen"));
    CHECK(f->count == 4);
    CHECK(f->wave == 0);
}

TEST_CASE("a vector register read too early is poison", "[sim][findings]") {
    Lab lab;
    prepare(lab);
    lab.watch = {5};
    lab.run("buffer_load_dword v4, v1, s[20:23], 0 offen\nv_mov_b32 v5, v4");
    CHECK(lab.finding("WAIT-VMEM"));
    CHECK(lab.lane(5, 3) == 0x7fff7fffu);
}

TEST_CASE("sixteen LDS reads later the first is known to be back", "[sim][findings]") {
    unsigned more = GENERATE(14u, 15u);
    Lab lab;
    prepare(lab);
    std::string lines = kFill + "ds_read_b32 v4, v1\n";
    for (unsigned n = 0; n < more; ++n) lines += fmt::format("ds_read_b32 v{}, v1\n", 10 + n);
    lab.run(lines + "v_mov_b32 v5, v4");
    CHECK(bool(lab.finding("WAIT-LDS")) == (more == 14));
}

TEST_CASE("an endless loop is cut where asked", "[sim][run]") {
    Lab lab;
    lab.options.max_wave_instructions = 1000;
    lab.run("again:\ns_branch again");
    CHECK(lab.finding("ENDLESS"));
    CHECK(!lab.result.complete);
}

TEST_CASE("workgroups: same memory, counts and findings for any number of threads", "[sim][run]") {
    std::vector<Decoded> code = assemble_and_decode(
        "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
        "v_lshlrev_b32 v1, 2, v0\n"
        "s_lshl_b32 s10, s2, 9\n"
        "s_mul_i32 s11, s3, 0x1000\n"
        "s_add_u32 s10, s10, s11\n"
        "v_add_u32 v1, s10, v1\n"
        "v_lshlrev_b32 v2, 10, v0\n"
        "v_add_u32 v2, s10, v2\n"
        "v_mov_b32 v3, v99\n"
        "s_waitcnt lgkmcnt(0)\n"
        "global_store_dword v1, v2, s[8:9]\n"
        "s_endpgm\n");
    std::vector<uint8_t> first;
    std::vector<Finding> findings;
    for (unsigned threads : {1u, 2u, 5u}) {
        Memory memory;
        uint64_t out = memory.allocate("out", 8 * 4 * 512);
        Launch launch;
        launch.code = code;
        launch.setup.name = "grid";
        launch.setup.workgroup_id = {true, true, false};
        launch.setup.kernarg_bytes = 8;
        launch.grid = {8, 4, 1};
        launch.workgroup = {128, 1, 1};
        launch.kernarg.resize(8);
        std::memcpy(launch.kernarg.data(), &out, 8);
        Options options;
        options.threads = threads;
        Result r = run(launch, memory, options);
        CHECK(r.complete);
        CHECK(r.wave_instructions == 8 * 4 * 2 * code.size());
        auto bytes = memory.bytes_of("out");
        if (threads == 1) {
            first.assign(bytes.begin(), bytes.end());
            findings = r.findings;
            uint32_t word;
            std::memcpy(&word, &first[(3 * 8 + 5) * 512 + 100 * 4], 4);
            CHECK(word == 100 * 1024 + 5 * 512 + 3 * 4096);
        }
        CHECK(std::equal(bytes.begin(), bytes.end(), first.begin(), first.end()));
        REQUIRE(r.findings.size() == findings.size());
        for (size_t n = 0; n < findings.size(); ++n) {
            CHECK(r.findings[n].rule == findings[n].rule);
            CHECK(r.findings[n].count == findings[n].count);
            CHECK(r.findings[n].wave == findings[n].wave);
        }
    }
}

TEST_CASE("v registers past accum_offset are the accumulators", "[sim]") {
    Lab lab;
    lab.setup.vgprs = 160;
    lab.setup.agprs = 96;
    lab.watch = {1, 2};
    lab.run(
        "v_mov_b32 v161, 7\nv_accvgpr_read_b32 v1, a1\n"
        "v_accvgpr_write_b32 a2, v1\nv_add_u32 v2, 1, v162\n");
    REQUIRE(lab.lane(1, 5) == 7);
    REQUIRE(lab.lane(2, 5) == 8);
}
