// Our kernels give the same bits in whatever order waves run and loads arrive.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <thread>

#include "tests/kernels/call.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

constexpr bool kSanitized =
#ifdef __SANITIZE_ADDRESS__
    true;
#else
    false;
#endif

uint64_t seeds() {
    if (kSanitized) return 10;
    return std::getenv("ZYFA_FULL") ? 7200 : 200;
}

}  // namespace

TEST_CASE("the output is the same bits in any order", "[kernels][orders]") {
    Call call;
    call.kernel = GENERATE("fp8_d128_causal", "fp8_d128_full");
    call.sq = 70;
    call.sk = 130;
    Options first;
    first.threads = 1;
    const Outcome expected = run(call, first);
    REQUIRE(expected.result.findings.empty());
    std::atomic<uint64_t> next{1}, differ{0}, findings{0};
    const auto work = [&] {
        for (uint64_t seed; (seed = next++) <= seeds();) {
            Options options;
            options.threads = 1;
            options.seed = seed;
            const Outcome got = run(call, options);
            differ += got.o != expected.o || got.lse != expected.lse;
            findings += got.result.findings.size();
        }
    };
    std::thread other(work);
    work();
    other.join();
    CHECK(differ == 0);
    CHECK(findings == 0);

    for (Interleave order :
         {Interleave::late_dma, Interleave::starve, Interleave::reversed, Interleave::lockstep})
        for (unsigned wave = 0; wave < (order == Interleave::starve ? 8u : 1u); ++wave) {
            CAPTURE(int(order), wave);
            Options options;
            options.interleave = order;
            options.starved = wave;
            const Outcome got = run(call, options);
            CHECK(got.o == expected.o);
            CHECK(got.lse == expected.lse);
            CHECK(got.result.findings.empty());
        }
}
