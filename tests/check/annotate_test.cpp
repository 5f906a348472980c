#include "check/annotate.hpp"

#include <catch2/catch.hpp>

#include "tests/isa/elf_text.hpp"

using namespace zyfa;

TEST_CASE("lines are annotated with loops, live registers and what waits wait for", "[check]") {
    const auto code =
        decode(test::elf_text(assemble(".text\n"
                                       "v_mov_b32 v1, 0\n"  // 0
                                       "top:\n"
                                       "ds_read_b64 v[2:3], v0\n"                // 1
                                       "buffer_load_dword v4, off, s[4:7], 0\n"  // 2
                                       "ds_read_b32 v5, v0\n"                    // 3
                                       "s_waitcnt lgkmcnt(1)\n"                  // 4
                                       "v_add_f32 v1, v2, v1\n"                  // 5
                                       "s_waitcnt vmcnt(0) lgkmcnt(0)\n"         // 6
                                       "v_add_f32 v1, v4, v1\n"                  // 7
                                       "s_cbranch_scc1 top\n"                    // 8
                                       "ds_write_b32 v0, v1\n"                   // 9
                                       "s_endpgm\n")));
    const auto notes = annotate(code, {0});
    REQUIRE(notes.size() == 11);
    const auto addresses = [&](std::vector<unsigned> list) {
        std::vector<uint32_t> out;
        for (unsigned n : list) out.push_back(code[n].address);
        return out;
    };
    CHECK(notes[0].loops == 0);
    CHECK(notes[1].loops == 1);
    CHECK(notes[8].loops == 1);
    CHECK(notes[9].loops == 0);
    CHECK(notes[0].vgprs == 1);  // v0
    CHECK(notes[1].vgprs == 2);  // v0, v1
    CHECK(notes[5].vgprs == 4);  // v0, v1, v2, v4; nothing reads v3 and v5
    CHECK(notes[10].vgprs == 0);
    CHECK(notes[1].sgprs == 4);
    CHECK(notes[4].waits_for == addresses({1}));
    CHECK(notes[6].waits_for == addresses({2, 3}));
    CHECK(notes[5].waits_for.empty());
}

TEST_CASE("an instruction is split that begins in one fetch of 32 bytes and ends in the next",
          "[check]") {
    std::string text = ".text\n";
    for (unsigned n = 0; n < 6; ++n) text += "s_nop 0\n";
    for (unsigned n = 0; n < 2; ++n) text += "v_fma_f32 v0, v1, v2, v3\n";  // at 24 and 32
    text += "s_nop 0\n";
    for (unsigned n = 0; n < 5; ++n) text += "v_fma_f32 v0, v1, v2, v3\n";  // 44, 52, 60, ..
    const auto code = decode(test::elf_text(assemble(text + "s_endpgm\n")));
    const auto notes = annotate(code, {0});
    std::vector<uint32_t> split;
    for (size_t n = 0; n < notes.size(); ++n)
        if (notes[n].split) split.push_back(code[n].address);
    CHECK(split == std::vector<uint32_t>{60});
}
