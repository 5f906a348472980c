#include <catch2/catch.hpp>

#include <thread>

#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/isa/elf_text.hpp"
#include "tests/isa/random_inst.hpp"

using namespace zyfa;

namespace {

std::string error_of(auto&& f) {
    try {
        f();
    } catch (const Error& e) { return e.what(); }
    return "";
}
std::vector<Decoded> through_llvm(std::string_view text) {
    const auto object = assemble(text);
    return decode(test::elf_text(object));
}

}  // namespace

TEST_CASE("the first diagnostic of the assembler names file, line and column", "[isa][llvm]") {
    CHECK(error_of([] { assemble("s_nop 0\n  v_add_f32 v0, v1\nv_bad\n", "k.s"); }) ==
          "k.s:2:3: too few operands for instruction");
    CHECK(error_of([] {
              assemble("s_branch nowhere_defined + 2.5\n", "k.s");
          }).starts_with("k.s:1:"));
    // Found only when the labels have addresses.
    std::string far = "s_branch end\n";
    for (unsigned i = 0; i < 40000; ++i) far += "s_nop 0\n";
    CHECK(error_of([&] { assemble(far + "end:\ns_endpgm\n", "k.s"); }).starts_with("k.s:1:"));
}

TEST_CASE("a byte order mark in front of assembly is skipped", "[isa][llvm]") {
    CHECK(assemble("\xef\xbb\xbfs_endpgm\n") == assemble("s_endpgm\n"));
    CHECK(error_of([] { assemble("\xef\xbb\xbfv_bad\n", "k.s"); }).starts_with("k.s:1:1:"));
}

TEST_CASE("one object links to a shared code object, anything else says why", "[isa][llvm]") {
    const auto object = assemble(".globl f\n.type f,@function\nf:\ns_endpgm\n");
    const auto linked = link(object);
    REQUIRE(linked.size() > 64);
    CHECK(linked[16] == 3);  // ET_DYN
    CHECK(linked[8] == 4);   // code object version 6
    CHECK(linked == link(object));
    const auto words = error_of([] { link(std::vector<uint8_t>{1, 2, 3}); });
    CHECK(words.find("failed with status 1") != words.npos);
    CHECK(words.find("/tmp") == words.npos);
}

TEST_CASE("branch targets are byte offsets", "[isa][llvm]") {
    const auto code =
        through_llvm("top:\ns_nop 0\ns_cbranch_scc0 end\ns_branch top\nend:\ns_endpgm");
    REQUIRE(code.size() == 4);
    CHECK(code[1].inst.operands[0] == Operand::label(12));
    CHECK(code[2].inst.operands[0] == Operand::label(0));
    CHECK(code[2].inst.address == 8);
    CHECK(code[2].text == "s_branch 65533");
}

TEST_CASE("a scaled matrix instruction is one instruction of 16 bytes", "[isa][llvm]") {
    const std::string text =
        "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15], v32, v33 "
        "op_sel:[1,0,0] op_sel_hi:[0,1,0]";
    const auto object = assemble(text);
    const auto bytes = test::elf_text(object);
    const auto code = decode(bytes);
    REQUIRE(code.size() == 1);
    CHECK(code[0].bytes == 16);
    CHECK(code[0].inst.bytes == 16);
    CHECK(print(code[0].inst) == text);
    CHECK(code[0].inst.mods.op_sel == 1);
    CHECK(code[0].inst.mods.op_sel_hi == 2);
    for (size_t cut = 0; cut < 16; ++cut) {  // the tail is missing
        uint32_t end = 0;
        for (const auto& d : decode(bytes.first(cut))) end = d.address + d.bytes;
        CHECK(end == cut);
    }
}

// LLVM prints a target as a distance, the table keeps the address.
static bool has_label(const Inst& inst) {
    return std::ranges::any_of(inst.operands,
                               [](const Operand& o) { return o.kind == Operand::Kind::label; });
}

TEST_CASE("decode walks over any bytes without a gap and without an exception", "[isa][llvm]") {
    test::Random random(7);
    std::vector<uint8_t> bytes;
    for (unsigned i = 0; i < 50000; ++i) {
        // Half of the words start as a vector, matrix, LDS, scalar or memory instruction does.
        uint32_t word = random.bits();
        if (random.one_in(2))
            word =
                (word & 0xffffff) | std::array{0xd0u, 0xd1u, 0xd2u, 0xd3u, 0xd8u,
                                               0xe0u, 0xdcu, 0xc0u, 0x7eu, 0xbfu}[random.below(10)]
                                        << 24;
        if (random.one_in(8)) word = 0xd3ac0000 + (random.below(3) << 16) + (word & 0xffff);
        if (random.one_in(8)) word = 0x7e0000f9 + random.below(2) + (word & 0x1fffe00);
        for (unsigned shift : {0, 8, 16, 24}) bytes.push_back(uint8_t(word >> shift));
    }
    bytes.resize(bytes.size() + 3, 0xff);
    uint32_t next = 0, known = 0;
    for (const auto& d : decode(bytes)) {
        REQUIRE(d.address == next);
        REQUIRE(d.bytes > 0);
        next += d.bytes;
        if (!d.known) continue;
        ++known;
        if (!has_label(d.inst)) {
            CAPTURE(d.text);
            REQUIRE(print(d.inst) == d.text);
        }
    }
    CHECK(next == bytes.size());
    CHECK(known > 2000);
    CHECK(decode({}).empty());
}

TEST_CASE("what makes LLVM itself crash comes back as a word", "[isa][llvm]") {
    // Each found by running llvm-mc -disassemble of LLVM 22.1.8 on random bytes.
    auto bytes = GENERATE(values<std::vector<uint8_t>>({
        {0xf9, 0xa0, 0x1f, 0x04, 0xc4, 0xff, 0xd1, 0x20},  // reserved SDWA selector
        {0xff, 0xb6, 0x64, 0x16},                          // the literal is missing
        {0xd5, 0x02, 0xae, 0xd3, 0xcf, 0x5e, 0x0a, 0xad},  // matrix operand in a scalar
        {0x01, 0x00, 0xac, 0xd3, 0xff, 0x08, 0x88, 0xbf, 0xe4, 0x0a, 0xad, 0xd3, 0xc0, 0x67, 0xdb,
         0xd2},  // a scale is a literal
    }));
    const auto code = decode(bytes);
    REQUIRE(!code.empty());
    CHECK(code[0].text.starts_with(".long 0x"));
    CHECK(code[0].bytes == 4);
    CHECK_FALSE(code[0].known);
}

TEST_CASE("threads assemble and decode at the same time", "[isa][llvm]") {
    std::string text;
    test::Random random(3);
    for (unsigned i = 0; i < 300; ++i)
        text += print(test::random_inst(Op::v_fma_f32, random)) + '\n';
    const auto alone = assemble(text);
    std::array<bool, 4> same{};
    std::vector<std::thread> threads;
    for (auto& ok : same)
        threads.emplace_back([&ok, &text, &alone] {
            const auto object = assemble(text);
            ok = object == alone && decode(test::elf_text(object)).size() == 300;
        });
    for (auto& t : threads) t.join();
    CHECK(same == std::array<bool, 4>{true, true, true, true});
}
