// Checks of device memory and arguments, orders of waves, hooks.
#include <catch2/catch.hpp>
#include <cstring>
#include <regex>
#include <set>

#include "isa/file.hpp"
#include "sim/replay.hpp"
#include "sim/rules.hpp"
#include "sim/watch.hpp"
#include "tests/sim/lab.hpp"
#include "tests/sim/objects.hpp"

using namespace zyfa;
using namespace zyfa::test;

TEST_CASE("memory that was released is known by name", "[sim][checks]") {
    Lab lab;
    uint64_t at = lab.memory.allocate("old", 256);
    lab.memory.allocate("neighbour", 256);
    lab.memory.release(at);
    lab.pointer(20, at + 16);
    lab.set(1, 0u);
    SECTION("a load") { lab.run("global_load_dword v2, v1, s[20:21]\ns_waitcnt vmcnt(0)"); }
    SECTION("a store") { lab.run("global_store_dword v1, v1, s[20:21]\ns_waitcnt vmcnt(0)"); }
    SECTION("a scalar load") { lab.run("s_load_dword s4, s[20:21], 0x0\ns_waitcnt lgkmcnt(0)"); }
    const Finding* f = lab.finding("USE-AFTER-FREE");
    REQUIRE(f);
    CHECK_THAT(f->message, Catch::Contains("old + 16 of 256 bytes, which was released"));
    CHECK_FALSE(lab.finding("OUT-OF-BOUNDS"));
    CHECK(f->workgroup == 0);
}

TEST_CASE("bytes that nothing has written are reported when read, by the byte", "[sim][checks]") {
    Lab lab;
    uint64_t at = lab.memory.allocate("scratch", 1024);
    lab.memory.forget(at);
    lab.pointer(20, at);
    for (unsigned l = 0; l < 64; ++l) lab.vgprs[1][l] = 4 * l;
    lab.set(2, 7u);
    const std::string store = "global_store_dword v1, v2, s[20:21]\ns_waitcnt vmcnt(0)\n";
    bool bad = true;
    SECTION("never written") { lab.run("global_load_dword v3, v1, s[20:21]\ns_waitcnt vmcnt(0)"); }
    SECTION("the next bytes were") {
        lab.run(store + "global_load_dword v3, v1, s[20:21] offset:4\ns_waitcnt vmcnt(0)");
        REQUIRE(lab.finding("UNINIT-MEMORY"));
        CHECK(lab.finding("UNINIT-MEMORY")->lane == 63);
        CHECK(lab.finding("UNINIT-MEMORY")->location == at + 256);
    }
    SECTION("a scalar load") { lab.run("s_load_dword s4, s[20:21], 0x200\ns_waitcnt lgkmcnt(0)"); }
    SECTION("written by this kernel") {
        lab.run(store + "global_load_dword v3, v1, s[20:21]\ns_waitcnt vmcnt(0)");
        bad = false;
    }
    SECTION("written by the host") {
        lab.memory.write(at, std::vector<uint8_t>(256));
        lab.run("global_load_dword v3, v1, s[20:21]\ns_waitcnt vmcnt(0)");
        bad = false;
    }
    SECTION("switched off") {
        lab.options.uninitialised_memory = false;
        lab.run("global_load_dword v3, v1, s[20:21]\ns_waitcnt vmcnt(0)");
        bad = false;
    }
    CHECK((lab.finding("UNINIT-MEMORY") != nullptr) == bad);
}

TEST_CASE("a scalar load past the kernel arguments names them", "[sim][checks]") {
    Lab lab;
    lab.run("s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)");
    const Finding* f = lab.finding("OUT-OF-BOUNDS");
    REQUIRE(f);
    CHECK_THAT(f->message, Catch::Contains("0 bytes past the end of kernel arguments"));
}

TEST_CASE("a launch with another size of arguments than the metadata is reported",
          "[sim][checks]") {
    auto [size, severity] = GENERATE(table<unsigned, Severity>(
        {{16, Severity::error}, {32, Severity::warning}, {24, Severity::note}}));
    LaunchFile launch = parse_launch_file(
        fmt::format(R"({{"code_object":"x","grid":[1,1,1],"workgroup":[64,1,1],"buffers":{{}},
                     "kernarg":{{"size":{},"fields":[]}}}})",
                    size),
        "launch");
    Prepared p = prepare(launch, load_code_object(small_object(), "small"));
    p.launch.code = p.object.code;
    Result r = execute(p);
    if (size == 24) {
        CHECK(r.findings.empty());
        return;
    }
    REQUIRE(r.findings.size() == 1);
    CHECK(r.findings[0].rule == "KERNARG-SIZE");
    CHECK(r.findings[0].severity == severity);
}

TEST_CASE("every rule that the simulator can report is in its list", "[sim][checks]") {
    std::set<std::string> used;
    const std::regex rule("\"([A-Z]+-[A-Z]+(-[A-Z]+)?|BARRIER|GUARD|ENDLESS|MISALIGNED)\"");
    for (const auto& entry : std::filesystem::directory_iterator(ZYFA_SOURCE_DIR "/sim")) {
        if (entry.path().extension() != ".cpp" || entry.path().filename() == "rules.cpp") continue;
        const std::string text = read_text(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), rule), end; at != end; ++at)
            used.insert((*at)[1]);
    }
    const std::string doc = read_text(ZYFA_SOURCE_DIR "/docs/checks.md");
    std::string before;
    for (const SimRule& r : sim_rules()) {
        CAPTURE(r.name);
        CHECK(used.erase(std::string(r.name)) == 1);
        CHECK(before < r.name);
        CHECK_THAT(doc, Catch::Contains(fmt::format("| `{}` |", r.name)));
        before = r.name;
    }
    CAPTURE(used);
    CHECK(used.empty());
}

TEST_CASE("strict runs stop at the first error and at what is not proven", "[sim][checks]") {
    Lab lab;
    lab.set(1, 1.0f);
    lab.watch = {5};
    SECTION("first error") {
        lab.pointer(20, 64);
        lab.options.stop_at_error = true;
        lab.set(5, 3u);
        lab.run("s_load_dword s4, s[20:21], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v5, 7");
        CHECK_FALSE(lab.result.complete);
        CHECK(lab.result.findings.size() == 1);
    }
    SECTION("not proven") {
        lab.options.proven_only = true;
        try {
            lab.run("v_cvt_pk_u8_f32 v5, v1, 0, v1");
            FAIL("it ran");
        } catch (const Error& e) {
            CHECK(e.exit == Exit::untrusted);
            CHECK_THAT(e.what(), Catch::Contains("v_cvt_pk_u8_f32"));
        }
    }
    SECTION("the same, not reached") {
        lab.options.proven_only = true;
        lab.run("s_branch over\nv_cvt_pk_u8_f32 v5, v1, 0, v1\nover:");
        CHECK(lab.result.complete);
    }
}

TEST_CASE("findings that are not wanted are not made", "[sim][checks]") {
    Lab lab;
    lab.pointer(20, 64);
    lab.options.stop_at_error = true;
    uint32_t seen = 0;
    lab.options.wanted = [&](std::string_view rule, uint32_t address, uint32_t other) {
        CHECK(rule == "OUT-OF-BOUNDS");
        CHECK(other == ~0u);
        seen = address;
        return false;
    };
    lab.run("s_load_dword s4, s[20:21], 0x0\ns_waitcnt lgkmcnt(0)");
    CHECK(lab.result.findings.empty());
    CHECK(lab.result.complete);
    CHECK(seen != 0);
}

namespace {

// The wave numbers in the order in which they come to the instruction after a line.
std::vector<uint32_t> arrivals(Interleave order, unsigned starved, uint64_t seed) {
    struct Watch : sim::Hook {
        sim::Stops stops;
        explicit Watch(std::vector<uint32_t>& waves, uint32_t address)
            : stops({address}, 1000, {}, {}, [&](const sim::Stop& s) { waves.push_back(s.wave); }) {
        }
        void before(const sim::Wave& w, const sim::Step& s) override { stops.before(w, s); }
        void after(const sim::Wave&, const sim::Step&) override {}
    };
    std::vector<uint32_t> waves;
    uint32_t address = 0;
    for (int round = 0; round < 2; ++round) {  // the first one finds the address
        Lab lab;
        lab.waves = 4;
        Watch watch(waves, address);
        lab.options.interleave = order;
        lab.options.starved = starved;
        lab.options.seed = seed;
        if (round) lab.options.hook = &watch;
        lab.run("s_nop 3\ns_barrier\ns_nop 1");
        for (const Decoded& d : lab.code)
            if (d.text == "s_nop 3") address = d.address;
    }
    return waves;
}

}  // namespace

TEST_CASE("each order lets the waves come as it says", "[sim][checks]") {
    using Waves = std::vector<uint32_t>;
    CHECK(arrivals(Interleave::in_turn, 0, 0) == Waves{0, 1, 2, 3});
    CHECK(arrivals(Interleave::lockstep, 0, 0) == Waves{0, 1, 2, 3});
    CHECK(arrivals(Interleave::late_dma, 0, 0) == Waves{0, 1, 2, 3});
    CHECK(arrivals(Interleave::reversed, 0, 0) == Waves{3, 2, 1, 0});
    CHECK(arrivals(Interleave::starve, 1, 0) == Waves{0, 2, 3, 1});
    std::set<Waves> random;
    for (uint64_t seed = 1; seed < 10; ++seed) random.insert(arrivals(Interleave::random, 0, seed));
    CHECK(random.size() > 2);
    CHECK_THROWS_WITH(arrivals(Interleave::starve, 4, 0),
                      Catch::Contains("no wave 4 to starve: the workgroup has 4"));
}

TEST_CASE("loads into LDS land as late as their wait with late-dma, at once in lockstep",
          "[sim][checks]") {
    // Wave 0 fills, nobody waits, all read after the barrier: a fault that one order hides.
    auto [order, value] = GENERATE(table<Interleave, uint32_t>(
        {{Interleave::late_dma, 0xffffffff}, {Interleave::lockstep, 7}}));
    Lab lab;
    lab.setup.lds_bytes = 1024;
    lab.waves = 2;
    uint64_t at = lab.memory.allocate("data", 256);
    std::vector<uint8_t> bytes(256, 0);
    for (unsigned n = 0; n < 256; n += 4) bytes[n] = 7;
    lab.memory.write(at, bytes);
    lab.pointer(20, at);
    lab.sgprs[22] = 256;
    lab.sgprs[23] = 0x00020000;
    for (unsigned l = 0; l < 64; ++l) lab.vgprs[1][l] = 4 * l;
    lab.watch = {4};
    lab.options.interleave = order;
    lab.run(
        "s_mov_b32 m0, 0\ns_cmp_lg_u32 s95, 0\ns_cbranch_scc1 filled\n"
        "buffer_load_dword v1, s[20:23], 0 offen lds\nfilled:\ns_barrier\n"
        "ds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)");
    CHECK(lab.lane(4, 5, 1) == value);
}

TEST_CASE("a stop shows registers, LDS and flags as they are before the instruction",
          "[sim][checks]") {
    Lab lab;
    lab.set(1, 0x11u);
    lab.sgprs[4] = 0xabcd;
    lab.setup.lds_bytes = 64;
    std::vector<sim::Stop> seen;
    uint32_t address = 0;
    for (int round = 0; round < 2; ++round) {
        lab.options.hook = nullptr;
        sim::Stops stops({address}, 1,
                         sim::parse_shown("vgpr:v1-v2,sgpr:s4,lds:0-4,exec,scc,lanes"),
                         {-1, -1, {0, 63}}, [&](const sim::Stop& s) { seen.push_back(s); });
        if (round) lab.options.hook = &stops;
        lab.run("s_cmp_eq_u32 s4, s4\nv_mov_b32 v2, 5\nv_add_u32 v2, v1, v2\ns_nop 2");
        for (const Decoded& d : lab.code)
            if (d.text == "v_add_u32_e32 v2, v1, v2") address = d.address;
    }
    REQUIRE(seen.size() == 1);
    using Pair = std::pair<std::string, std::string>;
    CHECK(seen[0].state == std::vector<Pair>{{"v1", "0x00000011 0x00000011"},
                                             {"v2", "0x00000005 0x00000005"},
                                             {"s4", "0x0000abcd"},
                                             {"lds 0x0000", "ff ff ff ff"},
                                             {"exec", "0xffffffffffffffff"},
                                             {"scc", "1"},
                                             {"lanes", "0-63"}});
}

TEST_CASE("lists of lanes and of what to show are read strictly", "[sim][checks]") {
    CHECK(sim::parse_lanes("0-2,63") == std::vector<unsigned>{0, 1, 2, 63});
    for (const char* bad : {"", "64", "3-1", "a", "1,,2", "-"})
        CHECK_THROWS_WITH(sim::parse_lanes(bad), Catch::Contains("are no lanes"));
    for (const char* bad : {"", "vgpr", "vgpr:v0-v256", "vgpr:s1", "sgpr:s102", "lds:4-4", "execs"})
        CHECK_THROWS_WITH(sim::parse_shown(bad), Catch::Contains("cannot be shown"));
}

TEST_CASE("a printed launch file parses to the same launch", "[sim][checks]") {
    LaunchFile a = parse_launch_file(
        R"({"code_object":"x","kernel":"k","grid":[2,1,3],"workgroup":[64,2,1],"dynamic_lds":16,
            "buffers":{"a":{"shape":[2,3],"strides":[4,1],"dtype":"bf16","init":{"uniform":[-1,2]},
            "seed":5,"scale":0.1},"b":{"shape":[1],"dtype":"f32","values":[0.1],"guard":0},
            "c":{"bytes":5,"init":"poison","released":true},
            "d":{"bytes":64,"init":{"packed":"padded","from":["b"]}}},
            "kernarg":{"size":40,"fields":[{"offset":0,"type":"ptr","value":"a+2"},
            {"offset":8,"type":"ptr","value":null},{"offset":16,"type":"f32","value":"nan"},
            {"offset":20,"type":"bf16","value":1.5},{"offset":24,"type":"i64","value":-2}]}})",
        "a");
    const std::string text = print_launch_file(a);
    LaunchFile b = parse_launch_file(text, "b");
    CHECK(print_launch_file(b) == text);
    CHECK(b.buffers[0].seed == 5);
    CHECK(b.buffers[0].high == 2);
    CHECK(b.buffers[1].values == std::vector<double>{double(0.1)});
    CHECK(b.buffers[2].released);
    CHECK(b.buffers[3].init == Init::packed);
    CHECK(b.buffers[3].layout == "padded");
    CHECK(b.buffers[3].from == std::vector<std::string>{"b"});
    std::array<uint8_t, 40> images[2] = {};
    for (auto [launch, image] : {std::pair{&a, &images[0]}, {&b, &images[1]}})
        for (const KernargField& f : launch->kernarg)
            if (!f.is_pointer)
                for (unsigned n = 0; n < info(f.type).bits / 8; ++n)
                    (*image)[f.offset + n] = uint8_t(f.bits >> (8 * n));
    CHECK(images[0] == images[1]);
    CHECK(b.kernarg[0].add == 2);
    CHECK(b.kernarg[1].buffer.empty());
}
