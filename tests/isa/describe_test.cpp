// The table against LLVM's own instruction descriptions: operand widths, number of results, ties
// and implicit registers. A slip in a row would otherwise be believed by every part at once.
#include <catch2/catch.hpp>

#include <algorithm>

#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/isa/random_inst.hpp"

using namespace zyfa;

namespace {

using Names = std::vector<std::string>;

Names sorted(Names names) {
    std::sort(names.begin(), names.end());
    return names;
}

struct ImplicitRegisters {
    Names uses, defs;
};
ImplicitRegisters expected_implicit(const Inst& inst) {
    switch (inst.info().implicit) {
        case Implicit::none: return {};
        case Implicit::scc_r: return {{"SCC"}, {}};
        case Implicit::scc_w: return {{}, {"SCC"}};
        case Implicit::scc_rw: return {{"SCC"}, {"SCC"}};
        case Implicit::vcc_r: return {{"VCC"}, {}};
        case Implicit::exec_r:
        case Implicit::exec: return {{"EXEC"}, {}};
        case Implicit::exec_mode: return {{"EXEC", "MODE"}, {}};
        case Implicit::exec_rw_scc_w: return {{"EXEC"}, {"EXEC", "SCC"}};
        case Implicit::m0_exec: return {{"EXEC", "M0"}, {}};
        case Implicit::exec_rw: return {{"EXEC"}, {"EXEC"}};
        case Implicit::exec_rw_mode: return {{"EXEC", "MODE"}, {"EXEC"}};
        case Implicit::vcc_exec_mode: return {{"EXEC", "MODE", "VCC"}, {}};
        case Implicit::exec_flat: return {{"EXEC", "FLAT_SCR"}, {}};
        case Implicit::mode_r: return {{"MODE"}, {}};
        case Implicit::mode_rw: return {{"MODE"}, {"MODE"}};
        case Implicit::m0_mode_rw: return {{"M0", "MODE"}, {"M0", "MODE"}};
    }
    return {};
}

// Widths of the register operands, in the order of LLVM's operands.
std::vector<int> expected_words(const Inst& inst) {
    std::vector<int> words;
    const OpInfo& row = inst.info();
    for (unsigned i = 0; i < row.operand_count; ++i)
        if (inst.operands[i].is_reg()) words.push_back(inst.operands[i].words);
    return words;
}

// An instance that keeps its operands explicit in LLVM's operand list: not e32, where vcc is
// implied, nor DPP, where the old destination is one operand more.
Inst explicit_instance(Op op, test::Random& random) {
    for (;;) {
        Inst inst = test::random_inst(op, random);
        if (inst.encoding == Encoding::any || inst.encoding == Encoding::e64) return inst;
    }
}

}  // namespace

TEST_CASE("widths, results, ties and implicit registers of the rows of isa/ops.def are LLVM's",
          "[isa][llvm]") {
    for (unsigned op = 0; op < test::kRandomRows; ++op) {
        test::Random random(1000 + op);
        const OpInfo& row = kOps[op];
        for (unsigned n = 0; n < 6; ++n) {
            const Inst inst = explicit_instance(Op(op), random);
            const std::string text = print(inst);
            const Described d = describe(text);
            INFO(text << "  (" << d.opcode << ")");

            std::vector<int> words;
            unsigned tied = 0;
            for (size_t i = 0; i < d.operand_words.size(); ++i) {
                if (d.tied[i] >= 0)
                    ++tied;  // the other half of an operand that is read and written
                else if (d.operand_words[i] > 0) words.push_back(d.operand_words[i]);
            }
            auto expected = expected_words(inst);
            // Here LLVM has the old destination as a source of its own, not tied to the new one.
            const bool untied = row.name.starts_with("v_cvt_scalef32_sr_pk_fp4_");
            if (untied) expected.push_back(1);
            if (row.is_global() || untied) {  // LLVM has the base before the offset in some forms
                std::sort(words.begin(), words.end());
                std::sort(expected.begin(), expected.end());
            }
            CHECK(words == expected);

            unsigned written = 0, both = 0;
            for (const Column& c : row.columns) {
                written += is_written(c.use);
                both += c.use == Use::mod || c.use == Use::smod;
            }
            CHECK(d.defs == written);
            // LLVM reads no old value for s_cmov_b32; the ISA keeps the destination when scc is 0.
            CHECK(tied == (inst.op == Op::s_cmov_b32 || untied ? 0 : both));

            auto implicit = expected_implicit(inst);
            // LDS instructions needed M0 before gfx9; the encodings kept from then still say so.
            if (row.is_lds() && std::count(d.implicit_uses.begin(), d.implicit_uses.end(), "M0"))
                implicit.uses.push_back("M0");
            CHECK(sorted(d.implicit_uses) == implicit.uses);
            CHECK(sorted(d.implicit_defs) == implicit.defs);
        }
    }
}
