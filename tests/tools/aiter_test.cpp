// AITER's FP8 forward kernels, the very files that run on MI355X, against attention in double
// precision. The files are not part of this project: ZYFA_AITER_DIR names the folder that has them.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "isa/error.hpp"
#include "tools/attention_check.hpp"

using namespace zyfa;

namespace {

bool have_aiter() {
    const char* folder = std::getenv("ZYFA_AITER_DIR");
    if (folder && *folder) return true;
    std::puts("SKIPPED: AITER kernels; set ZYFA_AITER_DIR to the folder of fwd_hd128_fp8*.co");
    return false;
}

LaunchFile launch_of(const std::string& name) {
    return load_launch_file(ZYFA_SOURCE_DIR "/tests/launches/" + name + ".json");
}

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

}  // namespace

TEST_CASE("AITER's FP8 kernels compute attention in the simulator", "[aiter]") {
    if (!have_aiter()) return;
    const std::string name =
        GENERATE("aiter_one_tile", "aiter_causal_512", "aiter_tails", "aiter_tails_causal",
                 "aiter_group", "aiter_group_causal", "aiter_gqa_batch_causal");
    CAPTURE(name);
    const LaunchFile launch = launch_of(name);
    const Ran ran = replay(launch);
    const AttentionError& e = ran.verdict.error;
    std::printf("%-24s O %.4f rms, LSE %.2e, %llu rows, %llu wave instructions, %.1f s\n",
                name.c_str(), e.frobenius_rel_err, e.lse_max_abs_err,
                static_cast<unsigned long long>(e.rows_checked),
                static_cast<unsigned long long>(ran.result.wave_instructions), ran.result.seconds);
    for (const std::string& failure : ran.verdict.failures) UNSCOPED_INFO(failure);
    CHECK(ran.verdict.ok());
    REQUIRE(ran.result.complete);
    REQUIRE(e.rows_checked == e.rows_in_all);
    REQUIRE(e.frobenius_rel_err > 1e-3);  // P is rounded to e4m3: a smaller error is no FP8 kernel
    for (const Finding& f : ran.result.findings) {
        INFO(f.rule << " at " << f.address << ": " << f.message);
        CHECK(f.rule != "OUT-OF-BOUNDS");
        CHECK(f.rule != "GUARD");
    }
}

TEST_CASE("the check notices a wrong argument", "[aiter]") {
    if (!have_aiter()) return;
    LaunchFile launch = launch_of("aiter_one_tile");
    for (KernargField& f : launch.kernarg)
        if (f.offset == 0x50) f.bits += 1 << 18;  // softmax scale 3 % larger
    const Ran ran = replay(launch);
    REQUIRE_FALSE(ran.verdict.ok());
    REQUIRE(ran.verdict.error.lse_max_abs_err > 1e-4);
}
