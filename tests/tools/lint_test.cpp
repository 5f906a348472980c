// lint on kernels that run on gfx950 silicon, and on ours: what is found in the former is written
// down and argued in docs/lint.md, anything else is a false alarm.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>

#include "tests/aiter.hpp"
#include "tools/lint.hpp"
#include "tools/subject.hpp"

using namespace zyfa;

namespace {

constexpr const char* kGrantRules[] = {"VGPR-COUNT", "AGPR-COUNT",    "SGPR-COUNT",   "LDS-RANGE",
                                       "IMMEDIATE",  "KERNARG-RANGE", "BARRIER-PATHS"};

}  // namespace

TEST_CASE("descriptor and code of shipped kernels agree, accum_offset apart", "[lint][aiter]") {
    for (const auto& path : test::aiter_objects()) {
        const std::string name = (path.parent_path().filename() / path.stem()).string();
        CAPTURE(name);
        const std::clock_t start = std::clock();  // of this process: others may be busy
        const CodeObject object = load_code_object(path.string());
        const auto all = lint_findings(object, Tier::required, false);
        const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
#ifdef __SANITIZE_ADDRESS__
        CHECK(seconds < 10);
#else
        CHECK(seconds < 1);
#endif
        // bf16 of v3 and mla use v0 to v255 with an accum_offset of 160 and 128, and no a0..
        const bool small_offset =
            name.starts_with("fmha_v3_fwd/fwd_hd128_bf16") || name.starts_with("mla/");
        std::map<std::string, unsigned> seen;
        for (const Finding& f : all) {
            if (std::find(std::begin(kGrantRules), std::end(kGrantRules), f.rule) ==
                std::end(kGrantRules))
                continue;
            INFO(f.rule << " " << f.text << ": " << f.message);
            ++seen[f.rule];
            CHECK(f.severity == Severity::note);
        }
        CHECK(seen == (small_offset ? std::map<std::string, unsigned>{{"VGPR-COUNT", 1}}
                                    : std::map<std::string, unsigned>{}));
    }
}

// Errors LDS-REUSE and LDS-FILL, and warnings of those and of WAIT-DMA (docs/lint.md). That each
// race the simulator sees is among them is checked with the simulator's runs (aiter_test.cpp).
using LdsCounts = std::array<unsigned, 3>;
const std::map<std::string, LdsCounts> kLdsOrder = {
    {"fmha_v3_fwd/fwd_hd128_bf16", {0, 0, 64}},
    {"fmha_v3_fwd/fwd_hd128_bf16_causal", {0, 0, 75}},
    {"fmha_v3_fwd/fwd_hd128_bf16_causal_group", {0, 0, 75}},
    {"fmha_v3_fwd/fwd_hd128_bf16_group", {0, 0, 64}},
    {"fmha_v3_fwd/fwd_hd128_fp8", {16, 0, 0}},
    {"fmha_v3_fwd/fwd_hd128_fp8_causal", {4, 0, 12}},
    {"fmha_v3_fwd/fwd_hd128_fp8_causal_group", {4, 0, 12}},
    {"fmha_v3_fwd/fwd_hd128_fp8_group", {16, 0, 0}},
    {"fmha_v3_fwd/fwd_hd192_hd128_bf16", {20, 0, 0}},
    {"fmha_v3_fwd/fwd_hd192_hd128_bf16_causal", {40, 0, 10}},
    {"fmha_v3_fwd/fwd_hd192_hd128_bf16_causal_group", {40, 0, 10}},
    {"fmha_v3_fwd/fwd_hd192_hd128_bf16_group", {20, 0, 0}},
    {"fmha_v3_fwd/fwd_hd256_fp8", {16, 0, 0}},
    {"fmha_v3_fwd/fwd_hd256_fp8_causal", {4, 0, 12}},
    {"fmha_v3_fwd/fwd_hd256_fp8_causal_group", {4, 0, 12}},
    {"fmha_v3_fwd/fwd_hd256_fp8_group", {16, 0, 0}},
    {"fmha_v4_fwd/fwd_hd128_f4f4", {8, 58, 0}},
    {"fmha_v4_fwd/fwd_hd128_f6f4", {10, 0, 0}},
    {"fmha_v4_fwd/fwd_hd128_f8f6", {15, 0, 0}},
    {"fmha_v4_fwd/fwd_hd128_fp8", {20, 0, 0}},
    {"fmha_v4_fwd/fwd_hd128_i8fp8", {20, 0, 0}},
    {"fmha_v4_fwd/fwd_hd128_mxfp4", {20, 0, 0}},
    {"fmha_v4_fwd/fwd_hd128_mxfp6", {20, 0, 0}},
    {"mla/mla_pfl_qh192_vh128_m32x8_n128x1_causal0", {4, 0, 34}},
    {"mla/mla_pfl_qh192_vh128_m32x8_n128x1_causal1", {4, 0, 34}},
};

TEST_CASE("LDS of shipped kernels is in order, but at the known places", "[lint][aiter]") {
    for (const auto& path : test::aiter_objects()) {
        const std::string name = (path.parent_path().filename() / path.stem()).string();
        CAPTURE(name);
        LdsCounts seen{};
        for (const Finding& f :
             lint_findings(load_code_object(path.string()), Tier::required, false)) {
            const bool reuse = f.rule == "LDS-REUSE", fill = f.rule == "LDS-FILL";
            if (!reuse && !fill && f.rule != "WAIT-DMA" && f.rule != "BARRIER-COUNT") continue;
            CHECK(f.rule != "BARRIER-COUNT");
            ++seen[f.severity == Severity::warning ? 2 : reuse ? 0 : 1];
        }
        const auto known = kLdsOrder.find(name);
        CHECK(seen == (known == kLdsOrder.end() ? LdsCounts{} : known->second));
    }
}

TEST_CASE("our kernels have no finding at all", "[lint]") {
    for (const char* id : {"fp8_d128_causal", "fp8_d128_full"}) {
        CAPTURE(id);
        const Subject subject = open_subject(id);
        for (const Finding& f : lint_findings(subject.object, Tier::llvm_conservative, false)) {
            INFO(f.rule << " " << f.text << ": " << f.message);
            CHECK(false);
        }
    }
}

TEST_CASE("a descriptor that grants too little is noticed", "[lint]") {
    std::vector<CodeObject> objects;
    for (const auto& path : test::aiter_objects())
        objects.push_back(load_code_object(path.string()));
    objects.push_back(open_subject("fp8_d128_causal").object);
    struct Cut {
        const char* rule;
        void (*make)(Grant&);
    };
    static constexpr Cut kCuts[] = {
        {"VGPR-COUNT", [](Grant& g) { g.registers = 96; }},
        {"SGPR-COUNT", [](Grant& g) { g.sgprs = 32; }},
        {"KERNARG-RANGE", [](Grant& g) { g.kernarg_bytes = 64; }},
    };
    for (const CodeObject& object : objects)
        for (const Cut& cut : kCuts) {
            CAPTURE(object.name, cut.rule);
            Grant grant = grant_of(object.kernels.at(0));
            cut.make(grant);
            const auto found = check_grant(object.code, grant);
            CHECK(std::any_of(found.begin(), found.end(), [&](const Finding& f) {
                return f.rule == cut.rule && f.severity != Severity::note;
            }));
        }
}
