// AITER's gfx950 attention kernels, the very files that run on MI355X, in the simulator: each must
// compute what its own formula says (reference/emulate.hpp), far closer than it is to softmax.
// The files are not part of this project. ZYFA_AITER_DIR names a folder like ROCm/aiter's
// hsa/gfx950, or a flat one with the files of fmha_v3_fwd. docs/fidelity.md has the figures.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "isa/error.hpp"
#include "isa/file.hpp"
#include "reference/emulate.hpp"
#include "tests/aiter.hpp"
#include "tests/tools/aiter_cases.hpp"
#include "tools/attention_check.hpp"
#include "tools/lint.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

namespace {

struct Ran {
    Result result;
    Verdict verdict;
    std::vector<uint8_t> output;
};
Ran replay(const LaunchFile& launch, const Options& options = {}) {
    Prepared p = prepare(launch);
    const AttentionInputs inputs = attention_inputs(launch, p);
    Ran ran;
    ran.result = execute(p, options);
    ran.verdict = check_attention(launch, inputs, p);
    const auto o = buffer_bytes(p, launch.check->o);
    ran.output.assign(o.begin(), o.end());
    return ran;
}

std::map<std::string, uint64_t> pairs_by_rule(const Result& result) {
    std::map<std::string, uint64_t> rules;
    for (const Finding& f : result.findings) ++rules[f.rule];
    return rules;
}

void report(const AiterCase& c, const Ran& ran) {
    const AttentionError &model = ran.verdict.error, &softmax = ran.verdict.to_softmax;
    std::string findings;
    for (const auto& [rule, count] : pairs_by_rule(ran.result))
        findings += fmt::format(" {} {}", rule, count);
    fmt::print("{:<66} model {:.1e} softmax {:.2f} %", c.name, model.frobenius_rel_err,
               100 * softmax.frobenius_rel_err);
    if (model.lse_checked)
        fmt::print(", LSE {:.1e} {:.1e}", model.lse_max_abs_err, softmax.lse_max_abs_err);
    fmt::print(", {:.1f} s{}\n", ran.result.seconds, findings);
    fflush(stdout);
}

// What the kernels are known to do (docs/fidelity.md); everything else is a failure.
bool is_expected(const AiterCase& c, const Finding& f) {
    const bool v4 = c.folder == "fmha_v4_fwd";
    const auto ends_with = [&](std::string_view s) { return c.object.ends_with(s); };
    if (f.rule == "LDS-RACE") {  // a fill of LDS from memory against a read of what stood there
        const auto is_fill = [](std::string_view s) { return s.find("lds") != s.npos; };
        const auto is_read = [](std::string_view s) { return s.find("ds_read") != s.npos; };
        if (is_fill(f.text) && is_fill(f.other))
            return (v4 && ends_with("f4f4")) ||
                   (!v4 && c.object.starts_with("fwd_hd128_bf16_causal"));
        return (is_fill(f.text) && is_read(f.other)) || (is_read(f.text) && is_fill(f.other));
    }
    if (f.rule == "WAIT-TIME")
        return !v4 ? c.object.find("fp8") != c.object.npos
                   : ends_with("mxfp6") || ends_with("f6f4");
    if (f.rule == "MISALIGNED") return v4 && (ends_with("mxfp4") || ends_with("f4f4"));
    if (f.rule == "UNINIT-VGPR") return v4 && ends_with("f4f4");
    if (f.rule == "BARRIER") return v4 && (ends_with("f8f6") || ends_with("f6f4"));
    return false;
}

// Instructions that fill LDS where the simulator sees a race, and those where lint says so.
std::set<uint32_t> racing_fills(const std::vector<Finding>& findings) {
    std::set<uint32_t> fills;
    for (const Finding& f : findings) {
        if (f.rule != "LDS-RACE" && f.rule != "LDS-FILL" && f.rule != "LDS-REUSE") continue;
        if (f.text.find("lds") != f.text.npos) fills.insert(f.address);
        else if (f.rule == "LDS-RACE") fills.insert(uint32_t(std::stoul(f.other, nullptr, 16)));
    }
    return fills;
}

fs::path launch_path(const AiterCase& c) {
    return fs::path(ZYFA_SOURCE_DIR) / "tests/launches" / (c.folder + "_" + c.object + ".json");
}

}  // namespace

TEST_CASE("AITER's kernels compute their own formula in the simulator", "[aiter]") {
    const fs::path folder = test::aiter_folder();
    if (folder.empty()) return;
    std::set<std::string> absent;
    for (const AiterCase& c : aiter_cases()) {
        DYNAMIC_SECTION(c.name) {
            const LaunchFile launch = parse_launch_file(c.text, c.name);
            if (!fs::exists(launch.code_object_path())) {
                absent.insert(c.folder + "/" + c.object);
                continue;
            }
            const Ran ran = replay(launch);
            report(c, ran);
            for (const std::string& failure : ran.verdict.failures) UNSCOPED_INFO(failure);
            CHECK(ran.verdict.ok());
            CHECK(ran.result.complete);
            CHECK(ran.verdict.error.rows_checked == ran.verdict.error.rows_in_all);
            // The kernels round P: one that agrees with softmax as well as with its formula would
            // say nothing about the formula.
            CHECK(ran.verdict.to_softmax.frobenius_rel_err > 1e-3);
            // Except where waves part by a number from memory (mxfp8), lint knows each race too.
            const auto lint = lint_findings(load_code_object(launch.code_object_path().string()),
                                            Tier::required, true);
            if (std::none_of(lint.begin(), lint.end(), [](const Finding& f) {
                    return f.rule == "LDS-UNPROVEN" && f.message.starts_with("waves part");
                })) {
                const auto proven = racing_fills(lint);
                for (const uint32_t fill : racing_fills(ran.result.findings)) {
                    CAPTURE(fill);
                    CHECK(proven.contains(fill));
                }
            }
            for (const Finding& f : ran.result.findings) {
                INFO(f.rule << " at " << f.address << ": " << f.message << "; with " << f.other);
                INFO(f.text);
                CHECK(is_expected(c, f));
            }
        }
    }
    for (const std::string& name : absent)
        std::printf("SKIPPED: %s is not in ZYFA_AITER_DIR\n", name.c_str());
}

// Waves 4 to 7 load the V tile after next while one of them may still read the V tile before, for
// PV: in each copy of the loop, the four loads of a wave against the 32 transposed reads.
TEST_CASE("the race in AITER's FP8 kernel is found between the right instructions", "[aiter]") {
    if (test::aiter_folder().empty()) return;
    const auto& cases = aiter_cases();
    const auto c = std::find_if(cases.begin(), cases.end(), [](const AiterCase& a) {
        return a.object == "fwd_hd128_fp8_causal";
    });
    REQUIRE(c != cases.end());
    const LaunchFile launch = parse_launch_file(c->text, c->name);
    if (!fs::exists(launch.code_object_path())) return;
    const std::set<uint32_t> loads = {0x256c, 0x2598, 0x25c4, 0x25f0, 0x4a3c, 0x4a68,
                                      0x4a94, 0x4ac0, 0x581c, 0x5848, 0x5874, 0x58a0};
    bool described = false;
    for (const Finding& f : replay(launch).result.findings) {
        if (f.rule != "LDS-RACE") continue;
        CAPTURE(f.address, f.text, f.other);
        CHECK(loads.count(f.address) == 1);
        CHECK(f.other.find(": ds_read_b64_tr_b8 ") != f.other.npos);
        described |= f.address == 0x256c && f.other.starts_with("0x1ce8: ");
    }
    CHECK(described);
}

// Their descriptor of V ends after rows * row bytes, which cuts the last tile of a packed V: with
// 333 keys channels 0 to 63 stand before the cut, 96 to 127 behind it and get zeros from that tile.
TEST_CASE("AITER's kernels with packed V lose a part of the last tile", "[aiter]") {
    if (test::aiter_folder().empty()) return;
    for (const AiterCase& c : aiter_ragged_cases()) {
        CAPTURE(c.name);
        const LaunchFile launch = parse_launch_file(c.text, c.name);
        if (!fs::exists(launch.code_object_path())) continue;
        Prepared p = prepare(launch);
        const AttentionInputs inputs = attention_inputs(launch, p);
        const AttentionRows model = emulate(inputs.attention, *find_formula(launch.check->model));
        execute(p);
        const TensorView o = contiguous_view(DType::bf16, buffer_bytes(p, "o"), {1, 100, 2, 128});
        uint64_t wrong[4] = {};  // by 32 channels
        for (size_t i = 0; i < model.rows.size(); ++i)
            for (unsigned channel = 0; channel < 128; ++channel)
                wrong[channel / 32] += o.at(0, model.rows[i].row, model.rows[i].head, channel) !=
                                       model.o[i * 128 + channel];
        REQUIRE(model.rows.size() == 200);
        CHECK(wrong[0] == 0);
        CHECK(wrong[1] == 0);
        CHECK(wrong[3] > 200 * 32 * 9 / 10);
    }
}

TEST_CASE("the launch files of AITER's kernels are those of the table", "[aiter]") {
    const bool write = std::getenv("ZYFA_WRITE_LAUNCHES") != nullptr;
    for (const AiterCase& c : aiter_cases()) {
        if (!c.is_file) continue;
        if (write) write_file(launch_path(c), {(const uint8_t*)c.text.data(), c.text.size()});
        INFO(launch_path(c).string());
        REQUIRE(fs::exists(launch_path(c)));
        CHECK(read_text(launch_path(c)) == c.text);
    }
}

TEST_CASE("the check notices a wrong argument", "[aiter]") {
    if (test::aiter_folder().empty()) return;
    const AiterCase c = aiter_cases().front();
    LaunchFile launch = parse_launch_file(c.text, c.name);
    REQUIRE(replay(launch).verdict.ok());
    for (KernargField& f : launch.kernarg)
        if (f.offset == 0x50) f.bits += 1 << 18;  // softmax scale 3 % larger
    const Ran ran = replay(launch);
    REQUIRE_FALSE(ran.verdict.ok());
    REQUIRE(ran.verdict.error.lse_max_abs_err > 1e-4);
}
