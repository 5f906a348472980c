// Schedule files: each that we ship makes right kernels, each knob shows in the code or is refused,
// and what cannot work is told with the place in the file.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/plan.hpp"
#include "tests/kernels/call.hpp"
#include "tools/pipeline.hpp"

using namespace zyfa;
using namespace zyfa::test;
using Json = nlohmann::ordered_json;
using Catch::Contains;

namespace {

Json file_of(std::string_view name) { return Json::parse(to_json(shipped_schedule(name))); }
Schedule parsed(const Json& file) { return parse_schedule(file.dump(), "my.json"); }
std::string refusal(const Json& file) {
    try {
        parsed(file);
    } catch (const Error& e) { return e.what(); }
    return "accepted";
}
Emitted made(const Json& file) {
    Chosen chosen = choose("fp8_d128_causal");
    chosen.schedule = parsed(file);
    return build(chosen).emitted;
}
std::string code_of(const Json& file) { return made(file).text; }
// The edited file makes other code that is still right, or is refused with a place.
void check_edit(const Json& file, const std::string& before, double lse) {
    const std::string said = refusal(file);
    if (said != "accepted") {
        CHECK_THAT(said, Contains("my.json: $."));
        return;
    }
    const Emitted after = made(file);
    CHECK(after.text != before);
    const Outcome r = run({.sq = 256, .sk = 1300}, {}, {}, &after.code_object);
    CHECK(r.result.findings.empty());
    CHECK(r.error.row_rel_err_mean < 0.0361);
    CHECK(r.error.lse_max_abs_err < lse);
}

}  // namespace

TEST_CASE("every shipped schedule makes right kernels", "[kernels][schedules]") {
    for (const ShippedSchedule& shipped : shipped_schedules())
        for (const char* kernel : {"fp8_d128_causal", "fp8_d128_full"}) {
            const std::string id = fmt::format("{}@{}", kernel, shipped.name);
            const double lse = choose(id).schedule.sums_weights_rounded() ? 0.03 : 1e-5;
            for (auto [sq, sk] : {std::pair<uint64_t, uint64_t>{1, 1},
                                  {64, 0},
                                  {257, 100},
                                  {300, 333},
                                  {70, 897}}) {
                CAPTURE(id, sq, sk);
                Call call{.kernel = id, .h = 2, .hk = 1, .sq = sq, .sk = sk};
                Options options;
                const Outcome first = run(call, options);
                CHECK(first.result.findings.empty());
                if (sk) {
                    CHECK(first.error.row_rel_err_mean < 0.0361);  // 2^-4 / sqrt(3): P in e4m3
                    CHECK(first.error.lse_max_abs_err < lse);
                }
                CHECK(first.broken_guards.empty());
                for (Interleave order : {Interleave::late_dma, Interleave::reversed,
                                         Interleave::lockstep, Interleave::in_turn}) {
                    options.interleave = order;
                    options.seed = order == Interleave::in_turn ? sq + sk : 0;
                    const Outcome again = run(call, options);
                    CHECK(again.result.findings.empty());
                    CHECK(again.o == first.o);
                    CHECK(again.lse == first.lse);
                }
            }
        }
}

TEST_CASE("a schedule is written as it is read", "[kernels][schedules]") {
    for (const ShippedSchedule& shipped : shipped_schedules()) {
        const Schedule& s = shipped_schedule(shipped.name);
        Schedule again = parse_schedule(to_json(s), "x/" + s.name + ".json");
        CHECK(again == s);
    }
    CHECK(code_of(file_of("lean")) == build(choose("fp8_d128_causal")).emitted.text);
}

TEST_CASE("each knob of a schedule shows in the code", "[kernels][schedules]") {
    Json file = file_of("two_phases");
    const std::string before = code_of(file);
    const auto [pointer, value] = GENERATE(table<const char*, Json>({
        {"/key_tile", 64},
        {"/lds_slots", {{"k", 3}, {"v", 4}}},
        {"/fragments", 5},
        {"/stagger", 0},
        {"/row_sum", "matrix"},
        {"/rescale", {{"lazy", 4}}},
        {"/align_loops", 0},
        {"/align_loops", 32},
        {"/align_wide", false},
        {"/phases/0/fill", "front"},
        {"/phases/0/fill", "back"},
        {"/phases/0/priority", 2},
        {"/phases/1/wait", {{"vmcnt", 0}}},
        {"/phases/0/behind", {"load_v(i+2)", "load_k(i+2)"}},
        {"/phases/0/work", {"pv(i-1)", "qk(i)"}},
        {"/phases/0/work", {"pv(i-1)[0:2]", "qk(i)", "pv(i-1)[2:4]"}},
        {"/phases/1/work", {"mask(i)", "max(i)", "rescale(i)", "exp(i)", "pack(i)", "sum(i)"}},
        {"/phases/0/barrier", false},
        {"/phases/0/behind", {"load_k(i+1)", "load_v(i+2)"}},
    }));
    CAPTURE(pointer, value.dump());
    file[Json::json_pointer(pointer)] = value;
    if (std::string(pointer) == "/row_sum")
        file["/phases/1/work"_json_pointer] = {"mask(i)", "max(i)", "exp(i)", "pack(i)",
                                               "rescale(i)"};
    check_edit(file, before, std::string(pointer) == "/row_sum" ? 0.03 : 1e-5);
}

TEST_CASE("each knob of block exponents shows in the code", "[kernels][schedules]") {
    Json file = file_of("lean");
    const std::string before = code_of(file);
    const auto [pointer, value] = GENERATE(table<const char*, Json>({
        {"/row_sum", "matrix"},
        {"/scale_block", 64},
        {"/fragments", 5},
        {"/lds_slots", {{"k", 4}, {"v", 3}}},
        {"/phases/1/reads", "front"},
        {"/phases/1/reads", "even"},
        {"/phases/1/reads", "back"},
        {"/phases/0/work", {"pv(i-1)", "qk(i)"}},
        {"/phases/0/behind", {"load_k(i+3)", "load_v(i+2)", "sum(i-1)"}},
        {"/phases/1/work",
         {"check(i)", "mask(i)", "max(i)", "sum(i-1)", "rescale(i)", "exp(i)", "pack(i)"}},
    }));
    CAPTURE(pointer, value.dump());
    file[Json::json_pointer(pointer)] = value;
    check_edit(file, before, 0.03);
}

TEST_CASE("exact weights with block exponents, whatever adds them up", "[kernels][schedules]") {
    Json file = file_of("lean");
    const auto sum = GENERATE("valu", "matrix", "sparse");
    const auto block = GENERATE(64, 128);
    CAPTURE(sum, block);
    file["softmax"] = "exact";
    file["row_sum"] = sum;
    file["scale_block"] = block;
    if (std::string(sum) == "valu")
        file["/phases/1/work"_json_pointer] = {"mask(i)", "max(i)", "rescale(i)",
                                               "exp(i)",  "sum(i)", "pack(i)"};
    else
        file["/phases/1/work"_json_pointer] = {"sum(i-1)",   "mask(i)", "max(i)",
                                               "rescale(i)", "exp(i)",  "pack(i)"};
    const Emitted code = made(file);
    const Outcome r = run({.h = 2, .sq = 257, .sk = 1300}, {}, {}, &code.code_object);
    CHECK(r.result.findings.empty());
    CHECK(r.error.frobenius_rel_err < 0.03);
    CHECK(r.error.lse_max_abs_err < (std::string(sum) == "valu" ? 1e-5 : 0.03));
}

TEST_CASE("what a schedule cannot say is refused with its place", "[kernels][schedules]") {
    struct Case {
        const char *base, *pointer;
        Json value;
        const char *where, *what;
    };
    const auto c = GENERATE(values<Case>({
        {"two_phases", "/wave", 1, "$:", "unknown key 'wave'; allowed:"},
        {"two_phases", "/waves", "8", "$.waves:", "whole number"},
        {"two_phases", "/waves", 4, "$.waves:", "256"},
        {"two_phases", "/key_tile", 96, "$.key_tile:", "64 or 128"},
        {"two_phases", "/lds_slots", {{"k", 5}, {"v", 5}}, "$.lds_slots.k:", "65536"},
        {"two_phases", "/softmax", "lean", "$.softmax:", "scale_block"},
        {"two_phases", "/softmax", "fast", "$.softmax:", "exact or lean"},
        {"two_phases", "/scale_block", 32, "$.scale_block:", "0, 64 or key_tile"},
        {"two_phases", "/scale_block", 64, "$.rescale:", "rare"},
        {"two_phases", "/rescale", "rare", "$.rescale:", "scale_block"},
        {"two_phases", "/phases/0/reads", "back", "$.phases[0].reads:", "without matrix work"},
        {"two_phases", "/phases/1/reads", "soon", "$.phases[1].reads:", "even or back"},
        {"lean", "/row_sum", "valu", "$.softmax:", "unrounded"},
        {"lean", "/scale_block", 0, "$.softmax:", "scale_block"},
        {"lean",
         "/phases/1/work",
         {"sum(i-1)", "mask(i)", "max(i)", "rescale(i)", "exp(i)", "pack(i)"},
         "$.phases:",
         "check is missing"},
        {"lean",
         "/phases/1/work",
         {"sum(i-1)", "mask(i)", "max(i)", "rescale(i)", "exp(i)", "check(i)", "pack(i)"},
         "$.phases[1]",
         "exp comes before check"},
        {"lean",
         "/phases/1/work",
         {"sum(i-1)", "check(i)", "mask(i)", "max(i)", "exp(i)", "rescale(i)", "pack(i)"},
         "$.phases[1]",
         "exp comes before rescale"},
        {"lean",
         "/phases/1/work",
         {"check(i)", "mask(i)", "max(i)", "rescale(i)", "sum(i-1)", "exp(i)", "pack(i)"},
         "$.phases[1]",
         "rescale comes before sum"},
        {"lean",
         "/phases/0/behind",
         {"load_k(i+1)", "load_v(i+2)"},
         "$.phases[0].behind[0]",
         "further ahead"},
        {"two_phases", "/align_loops", 48, "$.align_loops:", "0, 32 or 64"},
        {"two_phases", "/align_loops", 128, "$.align_loops:", "0..64"},
        {"two_phases", "/align_wide", 1, "$.align_wide:", "true or false"},
        {"two_phases", "/phases/0/work", {"pv(j)", "qk(i)"}, "$.phases[0].work[0]:", "as in qk(i)"},
        {"two_phases", "/phases/0/work", {"pw(i)", "qk(i)"}, "$.phases[0].work[0]:", "load_k"},
        {"two_phases", "/phases/0/work", {"pv(i-1)[3:5]", "qk(i)"}, "$.phases[0].work[0]:", "0..4"},
        {"two_phases", "/phases/0/work", {"pv(i-1)[0:3]", "qk(i)"}, "$.phases:", "parts of pv"},
        {"two_phases",
         "/phases/0/work",
         {"pv(i-2)", "qk(i)"},
         "$.phases[0].work[0]:",
         "i-1 to i+0"},
        {"two_phases", "/phases/0/fill", "odd", "$.phases[0].fill:", "even, front or back"},
        {"two_phases", "/phases/1/fill", "even", "$.phases[1].fill:", "nothing to spread"},
        {"two_phases", "/phases/0/priority", 4, "$.phases[0].priority:", "0..3"},
        {"two_phases",
         "/phases/1/work",
         {"max(i)", "exp(i)", "sum(i)", "pack(i)", "rescale(i)"},
         "$.phases:",
         "mask is missing"},
        {"two_phases",
         "/phases/1/work",
         {"mask(i)", "exp(i)", "max(i)", "sum(i)", "pack(i)", "rescale(i)"},
         "$.phases[1].work[1]:",
         "exp comes before max"},
        {"two_phases",
         "/phases/0/behind",
         {"load_k(i+2)", "load_v(i+2)", "qk(i)"},
         "$.phases[0].behind[2]:",
         "matrix work stands in 'work'"},
        {"two_phases",
         "/phases/1/behind",
         {"load_k(i+2)"},
         "$.phases[1].behind[0]:",
         "no matrix work in this phase"},
        {"two_phases", "/phases", Json::array(), "$.phases:", "at least one"},
        // One tile less and the loads meet the half that is behind.
        {"two_phases",
         "/lds_slots",
         {{"k", 4}, {"v", 3}},
         "$.phases[0].behind[1]:",
         "$.lds_slots.v must be at least 4"},
        {"two_phases", "/stagger", 2, "$.phases[0].behind[1]:", "$.lds_slots.v must be at least 5"},
        // Where AITER's kernels load V: the race that their binaries have.
        {"seven_barriers",
         "/phases/0/behind",
         {"load_k(i+1)", "load_v(i+1)"},
         "$.phases[0].behind[1]:",
         "before the last wave has read it"},
    }));
    Json file = file_of(c.base);
    file[Json::json_pointer(c.pointer)] = c.value;
    if (std::string(c.base) == "seven_barriers") file["/phases/4/work"_json_pointer] = {"pack(i)"};
    const std::string said = refusal(file);
    CAPTURE(c.pointer, c.value.dump());
    CHECK_THAT(said, Contains(std::string("my.json: ") + c.where));
    CHECK_THAT(said, Contains(c.what));
}

TEST_CASE("a tile is not waited for before it is loaded", "[kernels][schedules]") {
    Json file = file_of("seven_barriers");
    file["/phases/0/behind"_json_pointer] = Json::array();
    file["/phases/0"_json_pointer].erase("fill");
    file["/phases/3/work"_json_pointer].push_back("load_k(i+1)");
    CHECK_THAT(refusal(file), Contains("my.json: $.phases[3].work[3]:"));
    CHECK_THAT(refusal(file), Contains("load it further ahead, or lower $.stagger"));
}

TEST_CASE("a pinned wait that is too weak is refused", "[kernels][schedules]") {
    Json file = file_of("two_phases");
    // Eight loads are in flight, the values that the next phase reads are the first two of them.
    file["/phases/1/wait"_json_pointer] = {{"vmcnt", 4}};
    CHECK(code_of(file).find("vmcnt(4)") != std::string::npos);
    file["/phases/1/wait"_json_pointer] = {{"vmcnt", 7}};
    CHECK_THROWS_WITH(code_of(file), Contains("phase 'softmax': the pinned wait is too weak: "
                                              "vmcnt(6) is needed (v"));
}

TEST_CASE("barriers say where the other half of the waves may be", "[kernels][schedules]") {
    using List = std::vector<Beside>;
    const Schedule& two = shipped_schedule("two_phases");
    CHECK(beside(two, 1, false) == List{{2, -1}});  // the upper half is a barrier behind
    CHECK(beside(two, 2, false) == List{{1, 0}});
    CHECK(beside(two, 1, true) == List{{2, 0}});
    CHECK(beside(two, 2, true) == List{{1, 1}});
    const Schedule& seven = shipped_schedule("seven_barriers");
    CHECK(beside(seven, 1, false) == List{{4, -1}});
    CHECK(beside(seven, 7, false) == List{{3, 0}});
    CHECK(beside(seven, 4, true) == List{{1, 1}});
    // Nothing but a barrier for each tile holds them.
    CHECK(beside(shipped_schedule("free_running"), 1, false) == List{{1, 0}, {2, 0}});
    CHECK(beside(shipped_schedule("free_running"), 2, true) == List{{1, 0}, {2, 0}});
}
