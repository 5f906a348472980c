// Kernels that run on gfx950 silicon must pass: a required finding in one of them means that a
// rule is too strict, or that the kernel relies on time. Time is no proof, so the rules stay, and
// the places are counted here: any other is a fault of ours.
// WAIT-LDS: in P*V each MFMA of the fp8 v3 kernels reads a fragment made by four
// ds_read_b64_tr_b8, behind a wait that leaves that fragment and the next one in flight (lgkmcnt(8)
// where 4 are younger, lgkmcnt(6) where 2 are). In Q*K the same kernels wait for exactly what they
// read (lgkmcnt(2) with 2 younger). (Were a transposed read to count twice, the place with
// lgkmcnt(6) would still be too weak.) Each has an MFMA, 64 cycles, between the read and its use.
// The f6f4 and mxfp6 kernels of v4 do the same; mxfp6 also overwrites fragments in its epilogue
// that it has asked for and not used.
// MFMA-GAP: results read up to 6 wait states early, behind barriers or other MFMAs. Each kind is
// argued in docs/lint.md.
// UNDEF: the f4f4 kernels accumulate onto two registers that nothing has set, and drop the sums.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "check/check.hpp"
#include "isa/file.hpp"
#include "tests/aiter.hpp"
#include "tests/isa/elf_text.hpp"

using namespace zyfa;

namespace {

// Between the read (f.other) and its use (f.address), in program order.
bool has_mfma_between(const std::vector<Decoded>& code, const Finding& f) {
    const auto from = uint32_t(std::stoul(f.other, nullptr, 16));
    return std::any_of(code.begin(), code.end(), [&](const Decoded& d) {
        return d.known && d.inst.info().is_mfma() && d.address > from && d.address < f.address;
    });
}

using Counts = std::map<std::string, unsigned>;
const std::map<std::string, Counts> kKnown = {
    {"fmha_v3_fwd/fwd_hd128_fp8", {{"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd128_fp8_causal", {{"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd128_fp8_causal_group", {{"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd128_fp8_group", {{"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd256_fp8", {{"MFMA-GAP", 12}, {"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd256_fp8_causal", {{"MFMA-GAP", 12}, {"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd256_fp8_causal_group", {{"MFMA-GAP", 12}, {"WAIT-LDS", 64}}},
    {"fmha_v3_fwd/fwd_hd256_fp8_group", {{"MFMA-GAP", 12}, {"WAIT-LDS", 64}}},
    {"fmha_v4_fwd/fwd_hd128_f4f4", {{"UNDEF", 2}}},
    {"fmha_v4_fwd/fwd_hd128_f6f4", {{"MFMA-GAP", 24}, {"WAIT-LDS", 78}}},
    {"fmha_v4_fwd/fwd_hd128_i8fp8", {{"MFMA-GAP", 12}}},
    {"fmha_v4_fwd/fwd_hd128_mxfp4", {{"MFMA-GAP", 24}}},
    {"fmha_v4_fwd/fwd_hd128_mxfp6", {{"MFMA-GAP", 24}, {"WAIT-LDS", 48}}},
};

}  // namespace

TEST_CASE("no shipped kernel breaks a required rule, but at the known places", "[check][aiter]") {
    for (const auto& path : test::aiter_objects()) {
        const std::string name = (path.parent_path().filename() / path.stem()).string();
        CAPTURE(name);
        const auto file = read_file(path);
        const auto code = decode(test::elf_text(file));
        Counts seen;
        for (const Finding& f : check(code, {})) {
            if (f.severity != Severity::error) continue;
            ++seen[f.rule];
            INFO(
                fmt::format("{:#x}: {}\n{}\n{} {}", f.address, f.text, f.other, f.rule, f.message));
            if (f.rule == "WAIT-LDS" && name.starts_with("fmha_v3_fwd")) {
                CHECK(f.text.starts_with("v_mfma_"));
                CHECK(f.other.find("ds_read_b64_tr_b") != f.other.npos);
                CHECK(has_mfma_between(code, f));
            }
        }
        const auto known = kKnown.find(name);
        CHECK(seen == (known == kKnown.end() ? Counts{} : known->second));
    }
}
