// Every row against LLVM's assembler and disassembler, on random instances.
#include <catch2/catch.hpp>

#include <set>

#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/isa/elf_text.hpp"
#include "tests/isa/random_inst.hpp"

using namespace zyfa;

TEST_CASE("an instance of any row of isa/ops.def survives print, assemble, decode and parse",
          "[isa][llvm]") {
    constexpr unsigned kInstances = 200;
    std::set<std::pair<File, uint32_t>> seen;
    for (unsigned op = 0; op < test::kRandomRows; ++op) {
        test::Random random(op + 1);
        std::vector<Inst> insts;
        std::string text;
        for (unsigned i = 0; i < kInstances; ++i) {
            insts.push_back(test::random_inst(Op(op), random));
            text += print(insts.back()) + '\n';
            for (const Operand& o : insts.back().operands)
                if (o.is_reg() && o.file != File::s)
                    for (unsigned w = 0; w < o.words; ++w) seen.insert({o.file, o.value + w});
        }
        Bytes object;
        try {
            object = assemble(text, std::string(kOps[op].name));
        } catch (const Error& e) {
            const std::string what = e.what();
            const size_t line = std::strtoul(what.c_str() + what.find(':') + 1, nullptr, 10);
            FAIL_CHECK(what << "\n  " << (line ? print(insts[line - 1]) : ""));
            continue;
        }
        CAPTURE(kOps[op].name);
        const auto decoded = decode(test::elf_text(object));
        REQUIRE(decoded.size() == kInstances);
        for (unsigned i = 0; i < kInstances; ++i) {
            Decoded d = decoded[i];
            INFO("printed '" << print(insts[i]) << "', LLVM says '" << d.text << "'");
            if (!d.known) {
                FAIL_CHECK("not parsed");
                break;
            }
            Operand& to = d.inst.operands[0];
            if (to.kind == Operand::Kind::label) {
                const int32_t words = (int32_t(to.value) - int32_t(d.address) - 4) / 4;
                to.value = uint16_t(words);
            }
            CHECK(print(d.inst) == d.text);
            CHECK(d.inst.same_as(insts[i]));
            if (!d.inst.same_as(insts[i]) || print(d.inst) != d.text) break;
        }
    }
    CHECK(seen.size() == 512);  // every v and every a
}

TEST_CASE("LLVM 22 does not decode a short matrix operand at the end of the AGPRs", "[isa][llvm]") {
    const auto decodes = [](std::string_view a) {
        const auto object =
            assemble(fmt::format("v_mfma_f32_32x32x64_f8f6f4 v[0:15], {}, v[16:23], 0 cbsz:2", a));
        return decode(test::elf_text(object))[0].known;
    };
    CHECK(decodes("v[250:255]"));
    CHECK(decodes("a[248:253]"));
    // Legal, and the hardware takes it. When this fails, the limit of random_inst.cpp can go.
    CHECK_FALSE(decodes("a[250:255]"));
}
