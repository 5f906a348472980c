#include "scheduler/paths.hpp"

namespace zyfa {

std::vector<std::vector<unsigned>> successors(const Program& program) {
    const unsigned count = unsigned(program.blocks.size());
    std::vector<std::vector<unsigned>> next(count);
    for (unsigned b = 0; b < count; ++b) {
        const Block& block = program.blocks[b];
        bool falls = true;
        for (unsigned i = 0; i < block.insts.size(); ++i) {
            const Inst& inst = block.insts[i];
            if (!inst.info().is_branch()) continue;
            require(i + 1 == block.insts.size(), inst.at, "{} stands inside block '{}'",
                    inst.info().name, block.label);
            if (inst.op == Op::s_endpgm) {
                falls = false;
                continue;
            }
            const uint32_t to = inst.operands[0].value;
            require(inst.operands[0].kind == Operand::Kind::label && to < count, inst.at,
                    "{} leads to no block", inst.info().name);
            falls = inst.op != Op::s_branch;
            next[b].push_back(to);
        }
        if (!falls) continue;
        if (b + 1 == count) {
            const Where at = block.insts.empty() ? Where{} : block.insts.back().at;
            throw Error(at, fmt::format("kernel {} runs past its end: block '{}' needs s_endpgm",
                                        program.name, block.label));
        }
        if (next[b].empty() || next[b][0] != b + 1) next[b].push_back(b + 1);
    }
    return next;
}

}  // namespace zyfa
