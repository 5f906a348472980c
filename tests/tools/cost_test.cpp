// `show --cost`: what stands beside the lines is the account of `sim --timing`, cut by place.
#include <catch2/catch.hpp>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "isa/llvm/mc.hpp"
#include "tests/aiter.hpp"
#include "tests/tools/cli.hpp"
#include "tools/code_costs.hpp"

using namespace zyfa;
using nlohmann::json;
using test::has;
using test::run;

namespace {

json result(const std::string& arguments) {
    const auto outcome = run(arguments + " --json");
    CAPTURE(arguments, outcome.err);
    REQUIRE(outcome.status == 0);
    return json::parse(outcome.out)["results"][0];
}

using Sums = std::map<std::string, uint64_t>;

void add(Sums& sums, const json& spending) {
    if (spending.is_null()) return;
    for (const auto& [name, cycles] : spending["cycles"].items())
        sums[name] += cycles.get<uint64_t>();
}

Sums of_instructions(const json& shown, const char* part) {
    Sums sums;
    for (const json& i : shown["instructions"]) add(sums, i["cost"][part]);
    return sums;
}

Sums of_groups(const json& groups, const char* part) {
    Sums sums;
    for (const json& g : groups)
        if (g["depth"] == 0) add(sums, g[part]);
    return sums;
}

uint64_t total(const Sums& sums) {
    return std::accumulate(sums.begin(), sums.end(), uint64_t(0),
                           [](uint64_t sum, const auto& one) { return sum + one.second; });
}

// Each share is printed with two digits.
void same_shares(const json& shares, Sums sums, uint64_t all) {
    for (const auto& [name, percent] : shares.items()) {
        CAPTURE(name);
        CHECK(100 * double(sums[name]) / double(all) ==
              Approx(percent.get<double>()).margin(0.0051));
    }
}

}  // namespace

TEST_CASE("costs beside the lines add up to the account of sim --timing", "[tools][cost]") {
    const std::string what =
        GENERATE(as<std::string>(), "fp8_d128_causal@exact --shape sq=512,sk=2048",
                 "fp8_d128_full@two_phases --shape h=2,hk=1,sq=200,sk=1500",
                 "fp8_d128_full@wide --shape sq=256,sk=1024 --arbiter youngest");
    const json timing = result("sim " + what + " --timing --hot 100000")["timing"];
    const json shown = result("show " + what + " --cost");
    const json& cost = shown["cost"];
    CAPTURE(what);
    for (const char* key : {"cycles", "stalls", "steady_stalls", "steady_iterations", "machine"})
        CHECK(cost["timing"][key] == timing[key]);

    std::map<uint64_t, json> known;
    for (const json& i : timing["hot"]) known[i["address"]] = i;
    size_t executed = 0;
    for (const json& i : shown["instructions"]) {
        const auto at = known.find(i["address"]);
        const json& run = i["cost"]["run"];
        REQUIRE(run.is_null() == (at == known.end()));
        if (run.is_null()) continue;
        ++executed;
        CHECK(run["executed"] == at->second["count"]);
        CHECK(run["cycles"] == at->second["cycles"]);
    }
    CHECK(executed == known.size());

    Sums sums = of_instructions(shown, "run");
    CHECK(of_groups(cost["sections"], "run") == sums);
    CHECK(of_groups(cost["phases"], "run") == sums);
    CHECK(of_groups(cost["sections"], "steady") == of_instructions(shown, "steady"));
    CHECK(of_groups(cost["phases"], "steady") == of_instructions(shown, "steady"));
    if (const uint64_t ended = cost["ended_wave_cycles"]) sums["ended"] = ended;
    CHECK(total(sums) == cost["run_wave_cycles"]);
    same_shares(timing["stalls"], sums, cost["run_wave_cycles"]);
}

TEST_CASE("the entries of a phase are all of it", "[tools][cost]") {
    const json cost = result("show fp8_d128_full@exact --shape sq=256,sk=512 --cost")["cost"];
    unsigned phases = 0;
    for (size_t n = 0; n < cost["phases"].size();) {
        const json& phase = cost["phases"][n++];
        Sums whole, parts;
        add(whole, phase["run"]);
        while (n < cost["phases"].size() && cost["phases"][n]["depth"] == 1)
            add(parts, cost["phases"][n++]["run"]);
        CAPTURE(phase["name"]);
        if (parts.empty()) continue;
        ++phases;
        // What the schedule adds by itself, barriers and priorities, is no entry's.
        for (const auto& [name, cycles] : parts) CHECK(cycles <= whole[name]);
        whole.erase("barrier"), parts.erase("barrier");
        CHECK(total(parts) > 0.9 * double(total(whole)));
    }
    CHECK(phases == 2);
}

TEST_CASE("the steady window has whole iterations and nothing else", "[tools][cost]") {
    const Subject subject = open_subject("fp8_d128_full@two_phases");
    CostOptions options;
    options.shape = "sq=256,sk=4096";
    Json inputs;
    const CodeCosts c = code_costs(subject, options, inputs);
    const WorkgroupTiming* w = c.timing->median_steady();
    REQUIRE(w);
    const SteadyWindow& s = *w->steady;
    REQUIRE(s.of_wave.size() == 8);
    const uint64_t iterations = s.last - s.first + 1;
    uint64_t all = 0;
    for (size_t n = 0; n < c.steady.size(); ++n) {
        const Decoded& d = subject.object.code[n];
        CAPTURE(d.address, d.text);
        all += c.steady[n].sum();
        for (unsigned k = 0; k < sim::kSpent; ++k)
            CHECK(c.steady[n].cycles[k] <= c.run[n].cycles[k]);
        if (d.address >= s.target && d.address <= s.branch) {
            if (d.text.starts_with("v_mfma")) CHECK(c.steady[n].executed == 8 * iterations);
        } else {
            CHECK(c.steady[n].executed == 0);
        }
    }
    CHECK(all == c.steady_cycles);
    // All windows are of one length here, so the mean of their shares is the share of their sum.
    std::array<uint64_t, sim::kSpent> sums{};
    for (const Spending& one : c.steady)
        for (unsigned k = 0; k < sim::kSpent; ++k) sums[k] += one.cycles[k];
    for (const auto& [first, last] : s.of_wave) REQUIRE(last - first == s.cycles);
    for (unsigned k = 0; k < sim::kSpent; ++k)
        CHECK(100 * double(sums[k]) / double(all) == Approx(s.spent[k]).margin(1e-9));
}

TEST_CASE("the text with costs says what it rests on, adds up, and can be assembled",
          "[tools][cost]") {
    const std::string notes = GENERATE(as<std::string>(), "", " --notes"),
                      steady = GENERATE(as<std::string>(), "", " --steady");
    const auto shown =
        run("show fp8_d128_causal@exact --cost --shape sq=256,sk=4096" + notes + steady);
    REQUIRE(shown.status == 0);
    CHECK(assemble(shown.out) == assemble(run("show fp8_d128_causal@exact").out));
    for (const char* part :
         {"predicted by model ", "machine mi355x with numbers ", "arbiter oldest",
          "assumed clock of 1.63 GHz", "input gaussian, seed 1", "sq=256,sk=4096",
          "steady window:", "iterations 2 to ", "  scores\n", "  1 ", "  in all\n", "waves"})
        CHECK(has(shown.out, part));
    // times run% ste% each issue ...: the last row is the sum of those before it. The waves that
    // had ended before others have a share of the run alone.
    std::istringstream lines(shown.out);
    std::vector<double> sum(3), last;
    bool in_table = false;
    for (std::string line; last.empty() && std::getline(lines, line);) {
        if (has(line, "times  run%")) {
            in_table = true;
        } else if (in_table) {
            const auto number = [&](size_t from, size_t width) {
                const std::string cell = line.substr(from, width);
                return cell.find_first_not_of(' ') == cell.npos ? 0 : std::stod(cell);
            };
            const std::vector<double> row = {number(2, 8), number(11, 5), number(17, 5)};
            if (has(line, "  in all")) last = row;
            else
                for (size_t n = 0; n < 3; ++n) sum[n] += row[n];
        }
    }
    REQUIRE(last.size() == 3);
    CHECK(last[0] == sum[0]);
    CHECK(last[1] == 100);
    CHECK(last[2] == 100);
    CHECK(sum[1] == Approx(100).margin(30 * 0.005));
    CHECK(sum[2] == Approx(100).margin(30 * 0.005));
}

TEST_CASE("costs of a code object come with its launch file", "[tools][cost]") {
    test::Folder folder;
    const std::string shape = "--shape sq=256,sk=1024";
    REQUIRE(run("sim fp8_d128_full " + shape + " --save-repro '" + folder / "repro" + "'").status ==
            0);
    std::string object;
    for (const auto& entry : test::fs::directory_iterator(folder / "repro"))
        if (entry.path().extension() == ".co") object = entry.path();
    REQUIRE(!object.empty());
    const std::string with = " --cost --launch '" + folder / "repro" + "/launch.json'";
    const json by_file = result("show '" + object + "'" + with),
               by_id = result("show fp8_d128_full --cost " + shape);
    CHECK(by_file["cost"]["run_wave_cycles"] == by_id["cost"]["run_wave_cycles"]);
    CHECK(of_instructions(by_file, "run") == of_instructions(by_id, "run"));
    CHECK(of_groups(by_file["cost"]["sections"], "run") == of_instructions(by_id, "run"));
    CHECK(has(run("show '" + object + "'" + with).out, "launch file "));
}

TEST_CASE("options of costs that do not fit are refused", "[tools][cost]") {
    auto [arguments, status, reason] = GENERATE(table<std::string, int, std::string>({
        {"fp8_d128_full --cost --stats", 2, "something else"},
        {"fp8_d128_full --cost --schedule", 2, "something else"},
        {"fp8_d128_full --steady", 2, "belong to --cost"},
        {"fp8_d128_full --shape sq=1", 2, "belong to --cost"},
        {"fp8_d128_full --cost --launch x.json --shape sq=1", 2, "brings shape and input"},
        {"fp8_d128_full --cost --shape sq=256,sk=128 --steady", 3, "no steady window"},
        {"fp8_d128_full --cost --shape sq=256,sk=128 --workgroup 3", 2, "the grid has 1"},
        {"fp8_d128_full --cost --shape sq=0,sk=128", 3, "no query row"},
        {"fp8_d128_full --cost --dist llm", 2, "several calls"},
        {"'" ZYFA_SOURCE_DIR "/tests/golden/small.s' --cost", 3, "--launch"},
    }));
    const auto outcome = run("show " + arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == status);
    CHECK(has(outcome.err, reason));
    CHECK(test::lines(outcome.err) == 1);
}
