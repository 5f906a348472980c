// lint on kernels that run on gfx950 silicon, and on ours: what is found in the former is written
// down and argued in docs/lint.md, anything else is a false alarm.
#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <map>

#include "tests/aiter.hpp"
#include "tools/lint.hpp"
#include "tools/subject.hpp"

using namespace zyfa;

namespace {

constexpr const char* kGrantRules[] = {"VGPR-COUNT",    "AGPR-COUNT",   "SGPR-COUNT",
                                       "LDS-RANGE",     "WAIT-DMA",     "IMMEDIATE",
                                       "KERNARG-RANGE", "BARRIER-PATHS"};

}  // namespace

TEST_CASE("descriptor and code of shipped kernels agree, accum_offset apart", "[lint][aiter]") {
    for (const auto& path : test::aiter_objects()) {
        const std::string name = (path.parent_path().filename() / path.stem()).string();
        CAPTURE(name);
        const auto start = std::chrono::steady_clock::now();
        const CodeObject object = load_code_object(path.string());
        const auto all = lint_findings(object, Tier::required, false);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
#ifdef __SANITIZE_ADDRESS__
        CHECK(seconds.count() < 10);
#else
        CHECK(seconds.count() < 1);
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
