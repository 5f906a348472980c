// The last word: the program is assembled, decoded again, compared with what was meant, and
// checked as any foreign binary would be.
#include "check/check.hpp"
#include "isa/text.hpp"
#include "scheduler/assembled.hpp"
#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

namespace zyfa {
namespace {

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
    std::vector<const Inst*> insts;
    for (const Block& block : program.blocks)
        for (const Inst& inst : block.insts) insts.push_back(&inst);
    const std::vector<Decoded> code = assembled(program);
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
