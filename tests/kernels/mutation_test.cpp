// Checks that have been seen to speak: without any one barrier or any one wait the simulator must
// report the kernel, whatever its numbers say.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/kernels/call.hpp"
#include "tools/pipeline.hpp"

using namespace zyfa;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool starts_with_mnemonic(const std::string& line, std::string_view mnemonic) {
    size_t first = line.find_first_not_of(' ');
    return first != std::string::npos && line.compare(first, mnemonic.size(), mnemonic) == 0;
}

}  // namespace

TEST_CASE("a kernel without one of its barriers or waits is caught", "[kernels][mutation]") {
    const std::string kernel = "fp8_d128_causal";
    std::vector<std::string> lines = lines_of(build(recipe_or_error(kernel)).emitted.text);
    unsigned barriers = 0, waits = 0;
    for (size_t n = 0; n < lines.size(); ++n) {
        bool barrier = starts_with_mnemonic(lines[n], "s_barrier"),
             wait = starts_with_mnemonic(lines[n], "s_waitcnt");
        if (!barrier && !wait) continue;
        barriers += barrier;
        waits += wait;
        std::string mutant;
        for (size_t m = 0; m < lines.size(); ++m)
            if (m != n) mutant += lines[m] + "\n";
        Bytes object = link(assemble(mutant, "mutant.s"));
        // Five tiles of keys: both buffers are filled, read and filled again.
        test::Outcome r = test::run({.kernel = kernel, .sq = 256, .sk = 300}, {}, {}, &object);
        INFO("without line " << n + 1 << ": " << lines[n]);
        CHECK_FALSE(r.result.findings.empty());
    }
    CHECK(barriers == 2);
    CHECK(waits >= 15);
}
