// What the semantics rest on. ZYFA_AITER_DIR, if given, names a folder with AITER's code objects.
#include "sim/proof.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

TEST_CASE("each row says what its semantics rest on", "[sim][proof]") {
    using sim::evidence;
    using sim::Proof;
    CHECK(sim::evidence_gaps() == std::vector<std::string_view>{});
    for (unsigned n = 0; n < kOpCount; ++n) {
        CAPTURE(kOps[n].name);
        REQUIRE(evidence(Op(n)).source);
        CHECK_FALSE(std::string(evidence(Op(n)).source).empty());
    }
    CHECK(evidence(Op::v_mfma_f32_32x32x64_f8f6f4).proof == Proof::hardware_binary);
    CHECK(evidence(Op::ds_read_b64_tr_b8).proof == Proof::hardware_binary);
    CHECK(evidence(Op::v_smfmac_f32_32x32x64_bf8_fp8).proof == Proof::inferred);
    CHECK(evidence(Op::v_cvt_scalef32_sr_pk_fp4_f32).proof == Proof::guess);
    CHECK(evidence(Op::v_xor_b32).proof == Proof::vendor_text);
}

TEST_CASE("what is inferred is reported when it runs", "[sim][proof]") {
    const auto [line, open] = GENERATE(table<const char*, bool>({
        {"v_add_u32 v1, v1, v1", false},
        {"v_ashr_pk_u8_i32 v1, v1, v1, v1", true},
        {"v_cvt_sr_fp8_f32 v1, v1, v1", true},
        {"v_exp_f32 v1, v1", true},
    }));
    Lab lab;
    lab.set(1, 1.0f);
    lab.run(line);
    CAPTURE(line);
    CHECK(lab.result.unproven.empty() != open);
}
