// What `zyfa-gen sim` offers beside the result: orders, rules, suppressions, stops, traces, repros.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isa/file.hpp"
#include "tools/runs.hpp"
#include "tools/suppress.hpp"

using namespace zyfa;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "zyfa_sim_XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
};

struct Outcome {
    int status;
    std::string out, err;
    json result() const { return json::parse(out)["results"][0]; }
};

std::string text_of(const std::string& path) { return fs::file_size(path) ? read_text(path) : ""; }

Outcome run(const std::string& arguments, const std::string& before = "") {
    Folder folder;
    const std::string command = before + " '" ZYFA_GEN "' " + arguments + " </dev/null >'" +
                                folder / "out" + "' 2>'" + folder / "err" + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            text_of(folder / "out"), text_of(folder / "err")};
}

const std::string kSmall = "sim fp8_d128_full --shape sq=10,sk=20 --json ";

// Two waves write one LDS word, and a load reads a released buffer.
std::string write_racy(const Folder& folder) {
    static const char* kText = R"(.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl racy
.p2align 8
.type racy,@function
racy:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_mov_b32 v1, 0
  ds_write_b32 v1, v1
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[2:3]
  s_endpgm
.Lend:
.size racy, .Lend-racy
.rodata
.p2align 6
.amdhsa_kernel racy
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 8
  .amdhsa_group_segment_fixed_size 64
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: racy
    .symbol: racy.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 64
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .agpr_count: 0
    .max_flat_workgroup_size: 256
    .args: []
.end_amdgpu_metadata
)";
    write_file(folder / "racy.co", link(assemble(kText)));
    write_file(folder / "launch.json", std::string_view(R"({"code_object":"racy.co",
        "grid":[1,1,1],"workgroup":[128,1,1],
        "buffers":{"a":{"bytes":64,"init":"zeros","released":true}},
        "kernarg":{"size":8,"fields":[{"offset":0,"type":"ptr","value":"a"}]}})"));
    return "sim --replay " + folder / "launch.json" + " --json ";
}

}  // namespace

TEST_CASE("findings carry a command line that shows them", "[tools][sim]") {
    Folder folder;
    const std::string racy = write_racy(folder);
    const Outcome found = run(racy);
    REQUIRE(found.status == 1);
    const json findings = found.result()["findings"];
    REQUIRE(findings.size() == 2);
    CHECK(findings[0]["rule"] == "LDS-RACE");
    CHECK(findings[1]["rule"] == "USE-AFTER-FREE");
    for (const json& f : findings) {
        const std::string line = f["reproduce"];
        REQUIRE(line.starts_with("zyfa-gen sim --replay "));
        const Outcome again = run(line.substr(9) + " --json");
        REQUIRE(again.status == 1);
        REQUIRE(again.result()["stops"].size() == 1);
        CHECK(again.result()["stops"][0]["address"] == f["address"]);
        CHECK(again.result()["stops"][0]["text"] == f["text"]);
    }
    SECTION("rules can be chosen") {
        CHECK(run(racy + "--sanitize none").status == 0);
        CHECK(run(racy + "--sanitize all,-LDS-RACE,-USE-AFTER-FREE").status == 0);
        CHECK(run(racy + "--sanitize LDS-RACE").result()["findings"].size() == 1);
        const Outcome typo = run(racy + "--sanitize LDS-RCAE");
        CHECK(typo.status == 2);
        CHECK_THAT(typo.err, Catch::Contains("did you mean 'LDS-RACE'?"));
    }
    SECTION("what is known can be written down and hidden") {
        const std::string file = folder / "known.txt";
        REQUIRE(run(racy + "--write-suppressions " + file).status == 1);
        const Outcome hidden = run(racy + "--suppress " + file);
        CHECK(hidden.status == 0);
        CHECK(hidden.result()["suppressed"] > 0);
        CHECK(hidden.err.empty());
        write_file(file, read_text(file) + "WAIT-LDS racy 0x10 -  # never there\n");
        const Outcome stale = run(racy + "--suppress " + file);
        CHECK(stale.status == 0);
        CHECK_THAT(stale.err, Catch::Contains("hides nothing in this run"));
    }
    SECTION("strict stops at the first") {
        CHECK(run(racy + "--strict").result()["complete"] == false);
    }
}

TEST_CASE("suppression lines are read strictly", "[tools][sim]") {
    auto [line, message] = GENERATE(table<const char*, const char*>({
        {"LDS-RACE 0x10 0x20", "f:2: a reason is missing"},
        {"LDS-RACE 0x10 0x20 #  ", "f:2: a reason is missing"},
        {"LDS-RCAE 0x10 0x20 # x", "f:2: unknown rule 'LDS-RCAE'"},
        {"LDS-RACE 0x10 # x", "f:2: expected RULE"},
        {"LDS-RACE k 10 0x20 # x", "f:2: '10' is no address"},
        {"LDS-RACE k 0x1z 0x20 # x", "f:2: '0x1z' is no address"},
    }));
    CHECK_THROWS_WITH(parse_suppressions(std::string("# head\n") + line, "f", "k"),
                      Catch::Contains(message));
    const Suppressions s = parse_suppressions(
        "LDS-RACE k 0x10 * # a\nLDS-RACE other 0x14 * # b\nGUARD * - # c\n", "f", "k");
    REQUIRE(s.lines().size() == 2);
    CHECK(s.hides("LDS-RACE", 0x10, 5));
    CHECK_FALSE(s.hides("LDS-RACE", 0x14, 5));
    CHECK(s.hides("GUARD", 3, ~0u));
    CHECK_FALSE(s.hides("GUARD", 3, 4));
    CHECK(s.hits() == 2);
}

TEST_CASE("a saved call replays to the same bits", "[tools][sim]") {
    Folder folder;
    const std::string repro = folder / "r";
    const Outcome a = run(kSmall + "--check --runs 3 --save-repro " + repro);
    REQUIRE(a.status == 0);
    REQUIRE(a.result()["runs"]["constant"] == true);
    REQUIRE(a.result()["runs"]["buffers"] == json({"lse", "o"}));
    const Outcome b = run("sim --json --check --runs 2 --replay " + repro + "/launch.json");
    REQUIRE(b.status == 0);
    CHECK(a.result()["runs"]["hash"] == b.result()["runs"]["hash"]);
    CHECK(a.result()["accuracy"] == b.result()["accuracy"]);
    const auto before = read_file(repro + "/q.bin");
    auto other = before;
    other[0] ^= 1;
    write_file(repro + "/q.bin", other);
    const Outcome c = run("sim --json --runs 2 --replay " + repro + "/launch.json");
    CHECK(a.result()["runs"]["hash"] != c.result()["runs"]["hash"]);
}

TEST_CASE("stops and traces show what was asked for", "[tools][sim]") {
    Folder folder;
    const Outcome stop =
        run(kSmall + "--break softmax --break-count 1 --wave 3 --dump vgpr:v0,scc");
    REQUIRE(stop.status == 0);
    const json stops = stop.result()["stops"];
    REQUIRE_FALSE(stops.empty());
    for (const json& s : stops) {
        CHECK(s["wave"] == 3);
        CHECK(s["state"].size() == 2);
    }
    CHECK_THAT(run(kSmall + "--break sofmax").err, Catch::Contains("did you mean 'softmax'?"));
    CHECK(run(kSmall + "--break 0x2").status == 2);

    const std::string trace = folder / "t.jsonl";
    const Outcome traced = run(kSmall + "--lanes 0,63 --trace " + trace);
    REQUIRE(traced.status == 0);
    std::istringstream lines(read_text(trace));
    uint64_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const json j = json::parse(line);
        for (const auto& [name, value] : j["in"].items())
            if (name[0] == 'v' && name[1] != 'c') REQUIRE(value.size() == 2);
    }
    CHECK(count == traced.result()["wave_instructions"]);
    const Outcome cut = run(kSmall + "--trace-limit 1 --trace " + trace);
    CHECK(cut.status == 4);
    CHECK_THAT(cut.err, Catch::Contains("the trace reached its limit of 1 MB"));
    CHECK(run(kSmall + "--workgroup 7 --trace " + trace).status == 2);
}

TEST_CASE("orders are read strictly", "[tools][sim]") {
    for (const char* order : {"late-dma", "starve:7", "reversed", "lockstep", "seed:3"})
        CHECK(run(kSmall + "--interleave " + order).status == 0);
    for (const char* order : {"late", "starve", "starve:8", "starve:x", "seed:", "seed:1 --runs 2"})
        CHECK(run(kSmall + "--interleave " + order).status == 2);
    CHECK(run(kSmall + "--interleave seed:9").result()["interleave_seed"] == 9);
}

TEST_CASE("an interrupted run prints what it has and exits with 130", "[tools][sim]") {
    const Outcome r =
        run("sim fp8_d128_full --shape h=32,hk=1,sq=2048,sk=8192 --sanitize none --json",
            "timeout --preserve-status -s INT 2");
    CHECK(r.status == 130);
    REQUIRE_FALSE(r.out.empty());
    CHECK(r.result()["complete"] == false);
    CHECK(r.result()["wave_instructions"] > 0);
}

TEST_CASE("docs/isa.md is what the tool prints", "[tools][isa]") {
    INFO("zyfa-gen isa --markdown > docs/isa.md");
    CHECK(run("isa --markdown").out == read_text(ZYFA_SOURCE_DIR "/docs/isa.md"));
    const Outcome filtered = run("isa --filter '^v_exp_f32$' --json");
    REQUIRE(json::parse(filtered.out)["results"].size() == 1);
    CHECK(filtered.result()["rate"] == "trans");
    CHECK(filtered.result()["hazard"] == "trans");
    CHECK(run("isa --filter '('").status == 2);
}
