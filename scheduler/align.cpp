// Where code stands for instruction fetch, which takes 32 bytes at a time out of lines of 64:
// - A loop starts at a multiple of Alignment::loops, by s_nop 0 in front of it. LLVM 22 aligns no
//   loops on gfx9; later ones do so by 32 bytes on gfx950 (LLVM PR 181999, measured on MI350X).
// - An 8-byte instruction that begins in one fetch and ends in the next is late by up to 4 cycles
//   where fetch is what a wave waits for (LLVM PR 203934: runs of them on MI210 and MI300, one in
//   four; the "5 instead of 4 cycles" of other measurements on gfx942 is the mean of that). In a
//   loop, a run of 8-byte instructions with such a one in it gets 4 bytes more in front: an s_nop
//   becomes two of as many slots together, or a short instruction takes its long form. No order,
//   no wait and no distance changes. A run without either in front of it stays as it is.
// Trust: measured, but for MI355X inferred.
#include <map>

#include "isa/machine.hpp"
#include "isa/text.hpp"
#include "scheduler/assembled.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {
namespace {

// Loop heads and all blocks from there to the branch back. Code out of line jumps back, too, but
// not to a head.
struct Loops {
    explicit Loops(const Program& program)
        : head(program.blocks.size()), body(program.blocks.size()) {
        for (uint32_t b = 0; b < program.blocks.size(); ++b) {
            if (program.blocks[b].insts.empty()) continue;
            for (const Operand& o : program.blocks[b].insts.back().operands) {
                if (o.kind != Operand::Kind::label || o.value > b ||
                    !program.blocks[o.value].is_loop_head)
                    continue;
                head[o.value] = true;
                for (uint32_t n = o.value; n <= b; ++n) body[n] = true;
            }
        }
    }
    std::vector<bool> head, body;
};

class LongForms {
public:
    // Is there an 8-byte encoding of this 4-byte one? Asked of the assembler once for each opcode.
    bool has(const Inst& inst) {
        if (!inst.info().is_valu() || inst.encoding != Encoding::any) return false;
        const auto [found, is_new] = known_.try_emplace(inst.op, false);
        if (is_new) found->second = assembles(inst);
        return found->second;
    }

private:
    std::map<Op, bool> known_;

    static bool assembles(Inst inst) {
        inst.encoding = Encoding::e64;
        try {
            const auto code = machine_code(print(inst) + "\n");
            return code.size() == 1 && code[0].bytes == 8 && code[0].known &&
                   code[0].inst.op == inst.op;
        } catch (const Error&) { return false; }
    }
};

class Aligner {
public:
    explicit Aligner(const Machine& m) : window_(m.code_fetch_bytes.count()) {}

    // Instructions of one block, which starts at `address`; returns where the next one starts.
    uint32_t block(std::vector<Inst>& insts, std::vector<unsigned> bytes, uint32_t address,
                   bool move) {
        for (size_t k = 0; k < insts.size(); ++k) {
            if (move && bytes[k] == 8 && (k == 0 || bytes[k - 1] != 8)) {
                size_t end = k;
                while (end < insts.size() && bytes[end] == 8) ++end;
                if (is_split(address, unsigned(end - k)) && shift(insts, bytes, address, k))
                    address += 4;
            }
            address += bytes[k];
        }
        return address;
    }

private:
    uint32_t window_;
    LongForms long_forms_;

    bool is_split(uint32_t address, unsigned count) const {
        for (unsigned n = 0; n < count; ++n)
            if ((address + 8 * n) % window_ == window_ - 4) return true;
        return false;
    }

    // 4 bytes more between the run at `k` and the 8-byte instruction before it. `k` stays the place
    // of the run.
    bool shift(std::vector<Inst>& insts, std::vector<unsigned>& bytes, uint32_t address,
               size_t& k) {
        size_t first = k;
        while (first > 0 && bytes[first - 1] == 4) --first;
        for (size_t n = k; n-- > first;) {
            Inst& inst = insts[n];
            if (inst.op != Op::s_nop || inst.pinned || inst.operands[0].value == 0) continue;
            Inst half = inst;
            half.operands[0].value = 0;
            half.note = "half of a nop: aligns";
            --inst.operands[0].value;
            insts.insert(insts.begin() + long(n), std::move(half));
            bytes.insert(bytes.begin() + long(n), 4);
            ++k;
            return true;
        }
        for (size_t n = k; n-- > first;) {
            address -= 4;
            Inst& inst = insts[n];
            if (address % 8 || !long_forms_.has(inst)) continue;
            inst.encoding = Encoding::e64;
            inst.note += inst.note.empty() ? "long form: aligns" : ", long form: aligns";
            bytes[n] = 8;
            return true;
        }
        return false;
    }
};

std::vector<Inst> padding(const Inst& before, uint32_t bytes, uint32_t alignment) {
    Inst nop;
    nop.op = Op::s_nop;
    nop.operands[0] = Operand::imm(0);
    nop.at = before.at;
    std::vector<Inst> list(bytes / 4, nop);
    for (Inst& inst : list) inst.note = fmt::format("aligns the loop to {} bytes", alignment);
    return list;
}

// `list` behind block b, in a block of its own if b ends in a branch; returns whether it does.
bool put_behind(Program& program, uint32_t b, std::vector<Inst> list) {
    std::vector<Inst>& insts = program.blocks[b].insts;
    if (insts.empty() || !insts.back().info().is_branch()) {
        insts.insert(insts.end(), list.begin(), list.end());
        return false;
    }
    const std::string& loop = program.blocks[b + 1].label;
    Block block{loop.empty() ? "" : "before_" + loop, std::move(list), false};
    program.blocks.insert(program.blocks.begin() + b + 1, std::move(block));
    for (Block& other : program.blocks)
        for (Inst& inst : other.insts)
            for (Operand& o : inst.operands)
                if (o.kind == Operand::Kind::label && o.value > b) ++o.value;
    return true;
}

}  // namespace

Program align(Program program, const Machine& machine) {
    const Alignment wanted = program.alignment;
    const std::vector<Decoded> code = assembled(program);
    const Loops loops(program);
    Aligner aligner(machine);
    uint32_t address = 0;
    size_t next = 0;
    // `b` counts the blocks as they came, `at` as they are.
    for (uint32_t b = 0, at = 0; b < loops.head.size(); ++b, ++at) {
        if (loops.head[b] && b > 0 && wanted.loops && address % wanted.loops) {
            const uint32_t bytes = wanted.loops - address % wanted.loops;
            const Block& loop = program.blocks[at];
            address += bytes;
            at += put_behind(
                program, at - 1,
                padding(loop.insts.empty() ? Inst{} : loop.insts[0], bytes, wanted.loops));
        }
        std::vector<Inst>& insts = program.blocks[at].insts;
        std::vector<unsigned> bytes;
        for (size_t n = 0; n < insts.size(); ++n) bytes.push_back(code[next++].bytes);
        address = aligner.block(insts, std::move(bytes), address, loops.body[b] && wanted.wide);
    }
    return program;
}

}  // namespace zyfa
