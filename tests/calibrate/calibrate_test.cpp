// calibrate: the cycle model is the device whose numbers are known, so that every formula can be
// held against what it is to find; and the command around it.
#include "tools/calibrate.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "isa/file.hpp"
#include "tests/tools/cli.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

void set(Json& machine, std::string_view path, double value) {
    const size_t slash = path.find('/');
    machine.at(std::string(path.substr(0, slash)))
        .at(std::string(path.substr(slash + 1)))["value"] = value;
}

// Every number that calibrate finds, anywhere in its range; those that say the same thing twice
// (rates of LDS and of matrix instructions) still do.
Machine random_machine(unsigned seed) {
    std::mt19937 random(seed);
    Json json = Json::parse(mi355x_json());
    const auto pick = [&](double low, double high) {
        return double(std::uniform_int_distribution<int>(int(low), int(high))(random));
    };
    for (const MachineRow& r : rows(mi355x())) {
        const bool found =
            std::any_of(calibration().fields.begin(), calibration().fields.end(),
                        [&](const FieldFit& f) { return f.path == r.path && f.card_only.empty(); });
        if (found && r.number->low < r.number->high && !r.path.starts_with("rates/mfma") &&
            !r.path.starts_with("rates/lds_b") && r.path != "rates/lds_write")
            set(json, r.path, pick(r.number->low, r.number->high));
    }
    const double width = seed % 2 ? pick(12, 32) : pick(12, 1024);
    set(json, "matrix/hold_bytes_per_slot", width);
    for (const auto& [path, bytes] : {std::pair{"rates/mfma_f8f6f4", 32},
                                      {"rates/mfma_16bit", 16},
                                      {"rates/mfma_8bit", 32},
                                      {"rates/mfma_i8", 16},
                                      {"rates/mfma_f32", 4}})
        set(json, path, 4 * (1 + bytes / int(width)));
    const double phase = pick(1, 2);
    set(json, "lds/phase_cycles", phase);
    set(json, "lds/read_bytes_per_clock", 256 / phase);
    set(json, "lds/write_bytes_per_clock", 128 / phase);
    for (const auto& [path, phases] : {std::pair{"rates/lds_b32", 1},
                                       {"rates/lds_b64", 2},
                                       {"rates/lds_b128", 4},
                                       {"rates/lds_write", 4}})
        set(json, path, phases * phase);
    set(json, "memory/request_bytes", 32 << int(pick(0, 2)));
    return load_machine(json.dump(), fmt::format("machine of seed {}", seed));
}

const std::vector<ProbeKernel>& kernels_of_fields() {
    static const std::vector<ProbeKernel> all = [] {
        std::vector<const FieldFit*> fields;
        for (const FieldFit& f : calibration().fields)
            if (f.card_only.empty()) fields.push_back(&f);
        return kernels_for(fields);
    }();
    return all;
}

void recovers(const Machine& machine, Arbiter arbiter) {
    const auto device = sim_device(machine, arbiter);
    const Measured measured = measure(*device, kernels_of_fields(), machine);
    unsigned found = 0;
    for (const FieldResult& r : judge(measured, machine, false)) {
        if (!r.fitted) continue;
        ++found;
        CAPTURE(r.field->path, r.file.value, r.fitted->value, r.fitted->low, r.fitted->high);
        CHECK(r.within);
        // A cycle is more than the whole range of some (issue/straddle_cycles): small numbers must
        // round to what the file says.
        if (r.file.unit != "bytes/clk" && r.file.value <= 16 && r.fitted->low == r.fitted->high)
            CHECK(std::abs(r.fitted->value - r.file.value) < 0.5);
    }
    CHECK(found == 53);
}

}  // namespace

TEST_CASE("every number of the shipped machine file is found again", "[calibrate]") {
    recovers(mi355x(), Arbiter::oldest);
}

TEST_CASE("so is every number anywhere in its range, whatever the arbiter", "[calibrate]") {
    const unsigned seeds = std::getenv("ZYFA_FULL") ? 40 : 4;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        recovers(random_machine(seed), Arbiter(seed % 3));
    }
}

TEST_CASE("a number that the device does not have is seen", "[calibrate]") {
    Json json = Json::parse(mi355x_json());
    set(json, "issue/taken_branch", 24);
    const Machine other = load_machine(json.dump(), "other");
    const FieldFit* branch = nullptr;
    for (const FieldFit& f : calibration().fields)
        if (f.path == "issue/taken_branch") branch = &f;
    REQUIRE(branch);
    const auto kernels = kernels_for(std::array{branch});
    const auto device = sim_device(other);
    const Measured measured = measure(*device, kernels, mi355x());
    unsigned seen = 0;
    for (const FieldResult& r : judge(measured, mi355x(), false)) {
        CAPTURE(r.field->path);
        CHECK(r.within == (r.field != branch));
        seen += r.field == branch;
    }
    CHECK(seen == 1);
}

TEST_CASE("each unknown has fields, or a reason why it is no number", "[calibrate]") {
    std::set<unsigned> noted;
    for (const UnknownNote& n : calibration().unknowns) {
        CAPTURE(n.unknown);
        CHECK(noted.insert(n.unknown).second);
        const bool has_field = std::any_of(calibration().fields.begin(), calibration().fields.end(),
                                           [&](auto& f) { return f.unknown == n.unknown; });
        CHECK((has_field || !n.not_a_number.empty()));
    }
    CHECK(noted.size() == 21);
    for (const FieldFit& f : calibration().fields)
        for (const std::string& id : f.probes) CHECK_NOTHROW(calibration().probe(id));
    for (const UnknownNote& n : calibration().unknowns)
        for (const std::string& id : n.probes) CHECK_NOTHROW(calibration().probe(id));
}

TEST_CASE("what is no number is read from the cycles", "[calibrate]") {
    const unsigned wanted[] = {4, 5, 9, 11, 17, 20, 21};
    const auto kernels = kernels_for(wanted);
    const auto read = [&](const Machine& m, Arbiter arbiter) {
        const auto device = sim_device(m, arbiter);
        std::map<unsigned, std::string> all;
        for (const Reading& r : readings(measure(*device, kernels, mi355x())))
            all[r.unknown] = r.text;
        CHECK(all.size() == std::size(wanted));
        return all;
    };
    const auto says = [](const std::string& text, std::string_view word) {
        CAPTURE(text, word);
        CHECK(text.find(word) != std::string::npos);
    };
    auto all = read(mi355x(), Arbiter::oldest);
    says(all[4], "4 cycles each");
    says(all[5], "4 cycles each");
    says(all[9], "--arbiter oldest");
    says(all[9], "s_setprio comes before");
    says(all[11], "it waits: 16 cycles");
    says(all[17], "no limit seen");
    says(all[20], "no cost seen");
    says(all[21], "no: two waves take 8.0 cycles");
    Json json = Json::parse(mi355x_json());
    json["rates"]["vmem_load"]["range"] = {1, 32};
    set(json, "rates/vmem_load", 4);  // the 63 loads that vmcnt counts are then what holds a wave
    set(json, "matrix/result_slots", 0);
    json["rates"]["valu"]["range"] = {4, 8};
    set(json, "rates/valu", 8);
    all = read(load_machine(json.dump(), "other"), Arbiter::round_robin);
    says(all[4], "not the 4 cycles of their class: v_cvt_pk_fp8_f32_stream 8.0");
    says(all[9], "--arbiter round-robin");
    says(all[11], "it does not wait");
    says(all[17], "up to 60 of them");
    all = read(mi355x(), Arbiter::youngest);
    says(all[9], "--arbiter youngest");
}

TEST_CASE("lanes that LDS serves together are found from pairs that conflict", "[calibrate]") {
    Json json = Json::parse(mi355x_json());
    json["lds_phases"]["read_tr_b8"]["value"] = json["lds_phases"]["read_b128"]["value"];
    const Machine other = load_machine(json.dump(), "other");
    const unsigned wanted[] = {14};
    const auto device = sim_device(other);
    const auto all = readings(measure(*device, kernels_for(wanted), mi355x()));
    REQUIRE(all.size() == 1);
    CHECK(all[0].text ==
          "ds_read_b64_tr_b8 0-3,12-15,20-27; 4-11,16-19,28-31; 32-35,44-47,52-59; "
          "36-43,48-51,60-63, not as in the file. ds_read_b64_tr_b16 0-31; 32-63 as in the file. "
          "ds_read_b64 0-31; 32-63 as in the file");
}

TEST_CASE("without HIP a card is refused with a reason", "[calibrate]") {
    const Outcome o = run("calibrate U10 --device hip", "LD_LIBRARY_PATH=/nonexistent");
    if (o.status == 0 || o.status == 1) return;  // this machine has a card
    CHECK(o.status == 3);
    CHECK(o.out.empty());
    CHECK(o.err.find("HIP") != std::string::npos);
}

TEST_CASE("a card is asked through HIP, and its answer compared", "[calibrate]") {
    const std::string hip = "LD_LIBRARY_PATH='" HIP_DOUBLE "'";
    const Outcome o = run("calibrate U10 --device hip --json", hip);
    REQUIRE(o.status == 1);  // 1000 cycles for everything agree with no file
    const Json result = Json::parse(o.out)["results"][0];
    CHECK(result["device"] == "double of a card");
    CHECK(result["card"] == true);
    REQUIRE(result["kernels"].size() > 8);
    for (const Json& k : result["kernels"]) {
        CHECK(k["cycles_lower"] == 1000);
        CHECK(k["gigahertz"].get<double>() == Approx(2));
    }
    Folder folder;
    const std::string file = folder.path / "measured.json";
    write_file(file, o.out);
    const Outcome sides = run("calibrate U10 --compare '" + file + "'");
    CHECK(sides.status == 1);
    CHECK(sides.out.find("double of a card") != std::string::npos);
    CHECK(sides.out.find("s_branch_taken") != std::string::npos);

    const Outcome none = run("calibrate U10 --device hip", hip + " HIP_DOUBLE_NO_DEVICE=1");
    CHECK(none.status == 3);
    CHECK(none.err.find("sees no device") != std::string::npos);
    const Outcome other = run("calibrate U10 --device hip", hip + " HIP_DOUBLE_OTHER_ARCH=1");
    CHECK(other.status == 3);
    CHECK(other.err.find("made for gfx950") != std::string::npos);
}

TEST_CASE("a file of fitted numbers loads, and its trust is that of the device", "[calibrate]") {
    Folder folder;
    const std::string file = folder.path / "fitted.json";
    REQUIRE(run("calibrate U10 -o '" + file + "'").status == 0);
    const Machine m = load_machine(read_text(file), file);
    CHECK(m.issue_taken_branch.trust == Trust::emulated);
    CHECK(m.issue_taken_branch.low == m.issue_taken_branch.high);
    CHECK(m.issue_taken_branch.source.find("zyfa-gen calibrate") == 0);
    CHECK(m.memory_l2_latency.trust == Trust::guess);  // not asked for
}

TEST_CASE("phases of a kernel are timed and compared", "[calibrate]") {
    Folder folder;
    const std::string
        file = folder.path / "phases.json",
        call = "calibrate --phases fp8_d128_full@two_phases --shape sq=256,sk=2000 --json";
    const Outcome timed = run(call);
    REQUIRE(timed.status == 0);
    const Json result = Json::parse(timed.out)["results"][0];
    CHECK(result["phases"] == Json({"matrix", "softmax"}));
    CHECK(result["schedule"]["probes"] == true);
    CHECK(result["stamps"].size() == 8);
    write_file(file, timed.out);

    const Outcome same = run("calibrate --compare '" + file + "'");
    CHECK(same.status == 0);
    CHECK(same.out.find("no pass differs") != std::string::npos);
    // Exponentials of 12 cycles on the other side: softmax is what differs most.
    Json machine = Json::parse(mi355x_json());
    set(machine, "rates/trans", 12);
    const std::string slower = folder.path / "slower.json";
    write_file(slower, machine.dump());
    const Outcome sides =
        run("calibrate --json --compare '" + file + "' --machine '" + slower + "'");
    CHECK(sides.status == 0);
    const Json compared = Json::parse(sides.out)["results"][0]["comparison"];
    REQUIRE(compared["phases"].size() == 4);
    for (const Json& p : compared["phases"]) {
        CHECK(p["ratio"].get<double>() < 0.95);
        CHECK(p["ratio"].get<double>() ==
              Approx(p["measured_cycles"].get<double>() / p["predicted_cycles"].get<double>()));
        CHECK(p["stretches"].get<size_t>() > 4 * 14);  // 16 tiles, 4 waves
    }
    CHECK(compared["loop"].size() == 2);
    REQUIRE(compared["differ_most"].size() > 2);
    const auto apart = [&](size_t n) {
        const Json& w = compared["differ_most"][n];
        return w["predicted_cycles"].get<double>() - w["measured_cycles"].get<double>();
    };
    CHECK(apart(0) >= apart(1));
    CHECK(apart(0) > 100);

    const Outcome card = run(call + " --device hip", "LD_LIBRARY_PATH='" HIP_DOUBLE "'");
    REQUIRE(card.status == 0);
    write_file(file, card.out);
    const Outcome beside = run("calibrate --json --compare '" + file + "'");
    CHECK(beside.status == 0);
    const Json measured = Json::parse(beside.out)["results"][0];
    CHECK(measured["device"] == "double of a card");
    for (const Json& p : measured["comparison"]["phases"]) CHECK(p["measured_cycles"] == 1000);

    Json broken = Json::parse(card.out);
    broken["results"][0]["stamps"][0].erase(0);
    write_file(file, broken.dump());
    const Outcome refused = run("calibrate --compare '" + file + "'");
    CHECK(refused.status == 2);
    CHECK(refused.err.find("63 stamps") != std::string::npos);
    CHECK(run("calibrate --phases fp8_d128_full --workgroup 9").status == 2);
    CHECK(run("calibrate --shape sq=256,sk=2000").status == 2);
}
