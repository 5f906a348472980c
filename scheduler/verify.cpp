// The last word: the program is assembled, decoded again, compared with what was meant, and
// checked as any foreign binary would be.
#include "check/check.hpp"
#include "check/machine_code.hpp"
#include "isa/text.hpp"
#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

namespace zyfa {
namespace {

std::string label(uint32_t block) { return fmt::format("block_{}", block); }

// The assembler chooses the encoding; all else must come back as it was meant.
std::string plain(Inst i) {
    if (i.encoding != Encoding::dpp) i.encoding = Encoding::any;
    for (Operand& o : i.operands) o.literal = false;
    return print(i);
}

bool same(const Inst& meant, const Inst& got) {
    for (unsigned n = 0; n < meant.info().operand_count; ++n)
        if (meant.operands[n].kind == Operand::Kind::label) return meant.op == got.op;
    return plain(meant) == plain(got);
}

}  // namespace

Program verify(Program program, const Machine&) {
    successors(program);  // refuses malformed flow
    std::string text;
    std::vector<const Inst*> insts;
    for (uint32_t b = 0; b < program.blocks.size(); ++b) {
        text += label(b) + ":\n";
        for (const Inst& inst : program.blocks[b].insts) {
            text += print(inst, label) + "\n";
            insts.push_back(&inst);
        }
    }
    const std::vector<Decoded> code = machine_code(text, program.name);
    if (code.size() != insts.size())
        throw Error(fmt::format("{}: {} instructions became {} in machine code", program.name,
                                insts.size(), code.size()),
                    Exit::internal);
    for (unsigned i = 0; i < code.size(); ++i)
        require(code[i].known && same(*insts[i], code[i].inst), insts[i]->at,
                "'{}' became '{}' in machine code", print(*insts[i]), code[i].text);

    CheckOptions options;
    options.tier = Tier::llvm_conservative;
    unsigned bad = 0;
    std::string first;
    Where at{};
    for (const Finding& f : check(code, options)) {
        if (f.severity == Severity::note || bad++) continue;
        unsigned i = 0;
        while (code[i].address != f.address) ++i;
        at = insts[i]->at;
        first = fmt::format("{}: {}\n  {}", f.rule, f.message, f.text);
        if (!f.other.empty()) first += fmt::format("\n  behind {}", f.other);
    }
    if (bad)
        throw Error(
            at, fmt::format("{}{}", first, bad > 1 ? fmt::format("\n  and {} more", bad - 1) : ""),
            Exit::internal);
    return program;
}

}  // namespace zyfa
