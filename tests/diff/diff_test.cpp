#include "diff/diff.hpp"

#include <catch2/catch.hpp>

#include "tests/isa/elf_text.hpp"

using namespace zyfa;

namespace {

std::vector<Decoded> code(const std::string& lines) {
    return decode(test::elf_text(assemble(".text\n" + lines + "\ns_endpgm\n")));
}
struct Counts {
    unsigned added, removed, moved, changed, renamed;
    bool operator==(const Counts&) const = default;
};
Counts counts(const std::string& a, const std::string& b) {
    const auto x = code(a), y = code(b);
    const CodeDiff d = compare(x, y);
    // Every instruction stands in the rows once on its side.
    std::vector<unsigned> in_a(x.size()), in_b(y.size());
    for (const DiffRow& row : d.rows) {
        if (row.a >= 0 && row.kind != DiffRow::Kind::moved_to) ++in_a[size_t(row.a)];
        if (row.b >= 0 && row.kind != DiffRow::Kind::moved_from) ++in_b[size_t(row.b)];
    }
    CHECK(in_a == std::vector<unsigned>(x.size(), 1));
    CHECK(in_b == std::vector<unsigned>(y.size(), 1));
    return {d.added, d.removed, d.moved, d.changed, d.renamed};
}

const std::string kBase =
    "ds_read_b32 v1, v0\n"
    "v_mov_b32 v2, 1.0\n"
    "s_waitcnt lgkmcnt(0)\n"
    "v_add_f32 v3, v1, v2\n"
    "v_mul_f32 v4, v3, v3\n"
    "s_nop 1\n"
    "ds_write_b32 v0, v4\n";

std::string with(const std::string& from, const std::string& to) {
    std::string text = kBase;
    const size_t at = text.find(from);
    REQUIRE(at != text.npos);
    return text.substr(0, at) + to + text.substr(at + from.size());
}

}  // namespace

TEST_CASE("what differs is told by kind", "[diff]") {
    CHECK(counts(kBase, kBase) == Counts{0, 0, 0, 0, 0});
    CHECK(counts(kBase, kBase + "v_nop\n") == Counts{1, 0, 0, 0, 0});
    CHECK(counts(with("s_nop 1\n", ""), kBase) == Counts{1, 0, 0, 0, 0});
    CHECK(counts(kBase, with("s_nop 1\n", "")) == Counts{0, 1, 0, 0, 0});
    CHECK(counts(kBase, with("s_nop 1", "s_nop 3")) == Counts{0, 0, 0, 1, 0});
    CHECK(counts(kBase, with("lgkmcnt(0)", "lgkmcnt(1)")) == Counts{0, 0, 0, 1, 0});
    CHECK(counts("", "") == Counts{0, 0, 0, 0, 0});
    // Moved over others, in front or behind.
    CHECK(counts(kBase, "v_mov_b32 v2, 1.0\n" + with("v_mov_b32 v2, 1.0\n", "")) ==
          Counts{0, 0, 1, 0, 0});
}

TEST_CASE("another number for the same value is a renaming, another value is a change", "[diff]") {
    std::string renamed = with("v_mov_b32 v2, 1.0", "v_mov_b32 v9, 1.0");
    renamed.replace(renamed.find("v1, v2"), 6, "v1, v9");
    CHECK(counts(kBase, renamed) == Counts{0, 0, 0, 0, 2});
    // The product is now of what the addition read, not of what it wrote.
    CHECK(counts(kBase, with("v_mul_f32 v4, v3, v3", "v_mul_f32 v4, v2, v2")) ==
          Counts{0, 0, 0, 1, 0});
}

TEST_CASE("any two pieces of code align without a gap", "[diff]") {
    // Subsequences of one list, so that all kinds of edits occur.
    const std::vector<std::string> lines = {"v_nop\n",           "s_nop 0\n",
                                            "s_barrier\n",       "v_mov_b32 v1, 0\n",
                                            "v_mov_b32 v2, 0\n", "s_mov_b32 s0, 1\n"};
    uint32_t state = 1;
    const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 16; };
    for (unsigned round = 0; round < 200; ++round) {
        std::string a, b;
        for (unsigned n = next() % 12; n--;) a += lines[next() % lines.size()];
        for (unsigned n = next() % 12; n--;) b += lines[next() % lines.size()];
        counts(a, b);
        CHECK(counts(a, a) == Counts{0, 0, 0, 0, 0});
    }
}

TEST_CASE("the main loop is the longest one, with its cost", "[diff]") {
    const auto c = code(
        "small:\nv_nop\ns_cbranch_scc1 small\n"
        "big:\nv_exp_f32 v1, v1\nv_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]\n"
        "s_nop 7\ns_cbranch_scc1 big");
    const LoopCost loop = main_loop(c, mi355x());
    CHECK(loop.instructions == 4);
    CHECK(loop.matrix == 1);
    CHECK(loop.matrix_cycles == 64);
    CHECK(loop.port_cycles ==
          8 + 12);  // timing.md 1: transcendental 8, 32-byte operands hold 3 slots
    CHECK(main_loop(code("v_nop"), mi355x()).instructions == 0);
}
