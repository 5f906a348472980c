#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/Support/raw_ostream.h>

#include "isa/llvm/mc.hpp"
#include "isa/llvm/target.hpp"
#include "isa/text.hpp"

namespace zyfa {
namespace {

void read_text(Decoded& d) {
    try {
        auto parsed = parse(d.text);
        if (!parsed) return;
        d.inst = *parsed;
        d.known = true;
    } catch (const Error&) {
        return;  // a form of a known mnemonic that the rows leave out
    }
    d.inst.address = d.address;
    d.inst.bytes = d.bytes;
    if (d.inst.info().columns[0].use == Use::target) {
        Operand& to = d.inst.operands[0];
        to.value = d.address + 4 + uint32_t(int32_t(int16_t(to.value))) * 4;
    }
}

}  // namespace

std::vector<Decoded> decode(std::span<const uint8_t> code) {
    mc::Target t;
    llvm::MCContext context(t.triple, t.asm_info.get(), t.registers.get(), t.subtarget.get());
    std::unique_ptr<llvm::MCDisassembler> disassembler(
        t.target->createMCDisassembler(*t.subtarget, context));
    std::unique_ptr<llvm::MCInstPrinter> printer(
        t.target->createMCInstPrinter(t.triple, 0, *t.asm_info, *t.instructions, *t.registers));

    std::vector<Decoded> out;
    out.reserve(code.size() / 6);
    llvm::ArrayRef<uint8_t> bytes(code.data(), code.size());
    std::string text;
    for (uint32_t at = 0; at < bytes.size();) {
        Decoded d{at, 0, {}, false, {}};
        llvm::MCInst inst;
        uint64_t size = 0;
        auto status =
            disassembler->getInstruction(inst, size, bytes.drop_front(at), at, llvm::nulls());
        if (status == llvm::MCDisassembler::Success && size > 0 && size <= bytes.size() - at) {
            text.clear();
            llvm::raw_string_ostream stream(text);
            printer->printInst(&inst, at, "", *t.subtarget, stream);
            d.text = text.substr(text.find_first_not_of(" \t"));
            std::replace(d.text.begin(), d.text.end(), '\t', ' ');
            d.bytes = uint8_t(size);
            read_text(d);
        } else {
            d.bytes = uint8_t(std::min<size_t>(4, bytes.size() - at));
            uint32_t word = 0;
            for (unsigned i = 0; i < d.bytes; ++i) word |= uint32_t(bytes[at + i]) << (8 * i);
            d.text = fmt::format(".long 0x{:08x}", word);
        }
        at += d.bytes;
        out.push_back(std::move(d));
    }
    return out;
}

}  // namespace zyfa
