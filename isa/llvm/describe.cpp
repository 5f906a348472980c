#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrDesc.h>

#include "isa/llvm/mc.hpp"
#include "isa/llvm/target.hpp"

namespace zyfa {
namespace {

// Keeps the instructions that the assembler would have encoded.
struct Capture : llvm::MCStreamer {
    std::vector<llvm::MCInst>& seen;
    Capture(llvm::MCContext& context, std::vector<llvm::MCInst>& seen)
        : MCStreamer(context), seen(seen) {}

    void emitInstruction(const llvm::MCInst& i, const llvm::MCSubtargetInfo&) override {
        seen.push_back(i);
    }
    bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
    void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
};

std::vector<std::string> names(const mc::Target& t, llvm::ArrayRef<llvm::MCPhysReg> registers) {
    std::vector<std::string> out;
    for (auto r : registers) out.emplace_back(t.registers->getName(r));
    return out;
}

}  // namespace

Described describe(std::string_view line) {
    mc::Target t;
    std::vector<llvm::MCInst> seen;
    mc::run_assembler(t, line, "<line>", [&](llvm::MCContext& context) {
        auto streamer = std::make_unique<Capture>(context, seen);
        t.target->createNullTargetStreamer(*streamer);
        return streamer;
    });
    if (seen.size() != 1) throw Error(fmt::format("'{}' is not one instruction", line));

    const llvm::MCInst& inst = seen[0];
    const llvm::MCInstrDesc& desc = t.instructions->get(inst.getOpcode());
    unsigned mode = t.subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo);
    Described d;
    d.opcode = std::string(t.instructions->getName(inst.getOpcode()));
    d.defs = desc.getNumDefs();
    d.implicit_uses = names(t, desc.implicit_uses());
    d.implicit_defs = names(t, desc.implicit_defs());
    // An instruction can hold more operands than its description has (ds_read_b64_tr_b8: 5 and 4),
    // and LLVM does not survive an index past the end.
    unsigned described = std::min<unsigned>(inst.getNumOperands(), desc.getNumOperands());
    for (unsigned i = 0; i < described; ++i) {
        const llvm::MCOperandInfo& o = desc.operands()[i];
        const llvm::MCOperand& value = inst.getOperand(i);
        int words = 0;
        if (value.isReg() && value.getReg().isValid()) {
            int id = t.instructions->getOpRegClassID(o, mode);
            if (id >= 0) words = int(t.registers->getRegClass(unsigned(id)).getSizeInBits() / 32);
        }
        d.operand_words.push_back(words);
        d.tied.push_back(desc.getOperandConstraint(i, llvm::MCOI::TIED_TO));
    }
    return d;
}

}  // namespace zyfa
