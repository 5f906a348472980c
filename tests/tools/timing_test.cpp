// `sim --timing`: AITER's kernels land where the hardware was measured and where a prototype of the
// same rules was (timing rules: docs/model.md), and the command says what its figures rest on.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/file.hpp"
#include "sim/replay.hpp"
#include "sim/timing/timing.hpp"
#include "tests/aiter.hpp"
#include "tests/tools/aiter_cases.hpp"
#include "tests/tools/cli.hpp"

using namespace zyfa;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

// Barrier intervals, and how many selects a wave of either program issues in each: a masked tile
// has 64 of them, another at most a few.
struct Intervals : sim::TimingSink {
    std::map<uint32_t, bool> selects;
    std::vector<uint64_t> opened;
    std::vector<unsigned> low{0}, high{0};  // waves 0 and 4, by interval

    void begin(uint64_t, unsigned) override {}
    void issued(const sim::Issue& i) override {
        if (i.wave % 4 == 0 && selects.at(i.address)) ++(i.wave == 0 ? low : high).back();
    }
    void transferred(const sim::Transfer&) override {}
    void barrier_released(uint64_t, uint64_t cycle) override {
        opened.push_back(cycle);
        low.push_back(0), high.push_back(0);
    }
    void ended(uint64_t, unsigned, uint64_t) override {}

    // Cycles of each seven intervals that hold a whole masked tile of both programs.
    std::vector<uint64_t> masked_tiles() const {
        std::vector<uint64_t> out;
        for (size_t n = 7; n < opened.size(); ++n) {
            unsigned a = 0, b = 0;
            for (size_t k = n - 6; k <= n; ++k) a += low[k] >= 32, b += high[k] >= 32;
            if (a == 1 && b == 1) out.push_back(opened[n] - opened[n - 7]);
        }
        return out;
    }
};

}  // namespace

TEST_CASE("AITER's FP8 kernels are as busy as on the hardware", "[aiter][timing]") {
    if (test::aiter_folder().empty()) return;
    const bool causal = GENERATE(false, true);
    const auto cases = aiter_long_cases();
    const AiterCase c = *std::find_if(cases.begin(), cases.end(), [&](const AiterCase& a) {
        return a.folder == "fmha_v3_fwd" &&
               a.object == (causal ? "fwd_hd128_fp8_causal" : "fwd_hd128_fp8");
    });
    const LaunchFile launch = parse_launch_file(c.text, c.name);
    if (!fs::exists(launch.code_object_path())) {
        fmt::print("SKIPPED: {} is not in ZYFA_AITER_DIR\n", c.object);
        return;
    }
    Prepared p = prepare(launch);
    Intervals intervals;
    for (const Decoded& d : p.object.code)
        intervals.selects[d.address] = d.text.starts_with("v_cndmask");
    TimingOptions timing;
    timing.sink = &intervals;
    Options options;
    options.timing = &timing;
    const Result result = execute(p, options);
    REQUIRE(result.complete);
    const WorkgroupTiming& w = result.timing->workgroups.at(0);
    REQUIRE(w.steady);
    CAPTURE(c.name, w.steady->cycles_per_iteration, w.steady->busy.matrix);
    // Published: 60 %. The loop is unrolled twice; the prototype had 3436 for a tile pair.
    CHECK(w.steady->busy.matrix > 58);
    CHECK(w.steady->busy.matrix < 62);
    CHECK(std::abs(w.steady->cycles_per_iteration / 2 - 3436) < 0.03 * 3436);
    CHECK(w.steady->last - w.steady->first > 20);
    // What it reads without a wait has come in time.
    for (const Finding& f : result.findings) CHECK(!f.rule.starts_with("WAIT"));
    const auto masked = intervals.masked_tiles();
    CHECK(masked.empty() == !causal);
    for (uint64_t cycles : masked) {
        CAPTURE(cycles);
        CHECK(cycles > 5300);
        CHECK(cycles < 5700);
    }
}

// Their waves meet and their loads arrive at other times then; what they write stays the same.
TEST_CASE("AITER's kernels write the same bytes in a timed run", "[aiter][timing]") {
    if (test::aiter_folder().empty()) return;
    for (const AiterCase& c : aiter_cases()) {
        if (!c.is_file) continue;
        const LaunchFile launch = parse_launch_file(c.text, c.name);
        if (!fs::exists(launch.code_object_path())) continue;
        CAPTURE(c.name);
        Prepared plain = prepare(launch), timed = prepare(launch);
        const TimingOptions timing;
        Options options;
        execute(plain, options);
        options.timing = &timing;
        const Result result = execute(timed, options);
        REQUIRE(result.complete);
        const auto a = buffer_bytes(plain, "o"), b = buffer_bytes(timed, "o");
        CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
        for (const WorkgroupTiming& w : result.timing->workgroups)
            for (const sim::Account& account : w.account) {
                uint64_t sum = 0;
                for (uint64_t cycles : account) sum += cycles;
                CHECK(sum == w.cycles);
            }
    }
}

TEST_CASE("a timed run that does not end predicts nothing", "[tools][timing]") {
    const std::string sim =
        "sim fp8_d128_full --shape sq=10,sk=20 --timing --max-instructions 100 ";
    const auto outcome = test::run(sim + "--json");
    REQUIRE(outcome.status == 4);
    CHECK(json::parse(outcome.out)["results"][0]["timing"]["cycles"].is_null());
    CHECK(test::has(test::run(sim).out, "no workgroup has ended"));
}

// ZYFA_WRITE_LAUNCHES=1 writes them anew.
TEST_CASE("the long launch files are those of the cases", "[tools][timing]") {
    for (const AiterCase& c : aiter_long_cases()) {
        const std::string path = std::string(ZYFA_SOURCE_DIR) + "/tests/launches/long/" + c.folder +
                                 "_" + c.object + ".json";
        if (std::getenv("ZYFA_WRITE_LAUNCHES")) write_file(path, c.text);
        CAPTURE(path);
        REQUIRE(fs::exists(path));
        CHECK(read_text(path) == c.text);
    }
}

TEST_CASE("a timed run computes what an untimed one does, and adds up", "[tools][timing]") {
    const std::string kernel = GENERATE(as<std::string>(), "fp8_d128_causal@two_phases",
                                        "fp8_d128_full@seven_barriers", "fp8_d128_full@wide");
    const auto timed =
        test::run("sim " + kernel + " --shape h=2,hk=1,sq=300,sk=1100 --check --timing --json");
    CAPTURE(kernel, timed.err);
    REQUIRE(timed.status == 0);
    const json r = json::parse(timed.out)["results"][0];
    CHECK(r["failures"].empty());
    CHECK(r["findings"].empty());
    const json& t = r["timing"];
    for (const char* share : {"stalls", "steady_stalls"}) {
        if (t[share].is_null()) continue;
        double sum = 0;
        for (const auto& [name, value] : t[share].items()) sum += value.get<double>();
        CHECK(sum == Approx(100).margin(12 * 0.005));  // each is rounded to two digits
    }
    CHECK(t["workgroup_cycles"]["count"] == 4);
    CHECK(t["cycles"] == t["workgroup_cycles"]["most"]);
    CHECK(t["model"] == kTimingModel);
    CHECK(t["arbiter"] == "oldest");
    CHECK(t["machine"].get<std::string>().starts_with("mi355x, numbers "));
    CHECK(t["whole_matrix_busy_pct"].get<double>() > 1);
    CHECK(t["hot"].size() == 10);
}

TEST_CASE("machine file, arbiter and workgroup of a timed run can be chosen", "[tools][timing]") {
    test::Folder folder;
    std::string slower(mi355x_json());
    const std::string from = "\"trans\":       {\"value\": 8,";
    REQUIRE(slower.find(from) != slower.npos);
    slower.replace(slower.find(from), from.size(), "\"trans\":       {\"value\": 16,");
    const std::string file = folder.write("slow.json", slower);
    const std::string sim = "sim fp8_d128_full --shape sq=600,sk=2500 --json --timing ";
    const auto timing = [&](const std::string& more) {
        const auto outcome = test::run(sim + more);
        CAPTURE(outcome.err);
        REQUIRE(outcome.status == 0);
        return json::parse(outcome.out)["results"][0]["timing"];
    };
    const json as_is = timing("--workgroup 1"),
               slow = timing("--workgroup 1 --machine '" + file + "'"),
               turns = timing("--workgroup 1 --arbiter round-robin");
    CHECK(as_is["workgroup_cycles"]["count"] == 1);
    CHECK(slow["cycles"] > as_is["cycles"]);
    CHECK(turns["arbiter"] == "round-robin");
    CHECK(timing("--threads 1") == timing("--threads 2"));
}

TEST_CASE("options that contradict a timed run are refused", "[tools][timing]") {
    auto [options, reason] = GENERATE(table<std::string, std::string>({
        {"--timing --runs 3", "--timing has an order of its own"},
        {"--timing --interleave reversed", "--timing has an order of its own"},
        {"--timing --check --workgroup 0", "--check needs all workgroups"},
        {"--timing --workgroup 7", "no workgroup 7: the grid has 1"},
        {"--timing --arbiter fair", "no such rule"},
        {"--timing --machine /dev/null", "/dev/null"},
        {"--arbiter youngest", "belong to --timing"},
        {"--sweep", "belong to --timing"},
    }));
    const auto outcome = test::run("sim fp8_d128_full --shape sq=10,sk=20 " + options);
    CAPTURE(options, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(test::has(outcome.err, reason));
    CHECK(test::lines(outcome.err) == 1);
}

TEST_CASE("a sweep of a timed run says what the figure hangs on", "[tools][timing]") {
    const auto r =
        test::run("sim fp8_d128_full@two_phases --shape sq=256,sk=4096 --timing --sweep --json");
    REQUIRE(r.status == 0);
    const auto sweep = nlohmann::json::parse(r.out)["results"][0]["timing"]["sweep"];
    CHECK(sweep["figure"] == "useful_matrix_pct");
    CHECK(sweep["least"] < sweep["nominal"]);
    CHECK(sweep["most"] > sweep["nominal"]);
    CHECK(sweep["numbers"][0]["number"] == "rates/trans");  // 64 exponentials for a tile of a wave
    // Too short for a steady window.
    const auto few = test::run("sim fp8_d128_full --shape sq=64,sk=64 --timing --sweep --json");
    CHECK(nlohmann::json::parse(few.out)["results"][0]["timing"]["sweep"]["figure"] == "cycles");
}
