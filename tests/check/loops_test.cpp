// Which branches back are loops.
#include <catch2/catch.hpp>

#include "check/machine_code.hpp"
#include "isa/llvm/loops.hpp"

using namespace zyfa;

namespace {
std::vector<std::pair<uint32_t, uint32_t>> loops(const char* text) {
    std::vector<std::pair<uint32_t, uint32_t>> all;
    for (const CodeLoop& l : loops_of(machine_code(text))) all.emplace_back(l.first, l.branch);
    return all;
}
}  // namespace

TEST_CASE("a loop is entered at its head, code out of line is none", "[isa]") {
    using Loops = std::vector<std::pair<uint32_t, uint32_t>>;
    CHECK(loops("s_nop 0\nhead: s_nop 1\ns_cbranch_scc1 head\ns_endpgm\n") == Loops{{4, 8}});
    // Out of line, from within a loop: reached without the place that it jumps back to.
    CHECK(loops("head: s_cbranch_vccnz rare\n"
                "back: s_nop 1\n"
                "s_cbranch_scc1 head\n"
                "s_endpgm\n"
                "rare: s_nop 2\n"
                "s_branch back\n") == Loops{{0, 8}});
    // Two, one in the other; the inner one is a single instruction.
    CHECK(loops("outer: s_nop 0\ninner: s_cbranch_scc0 inner\ns_cbranch_scc1 outer\ns_endpgm\n") ==
          Loops{{4, 4}, {0, 8}});
    CHECK(loops("s_branch end\nend: s_endpgm\n").empty());
    CHECK(loops("").empty());
}
