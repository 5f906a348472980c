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

uint32_t word_at(llvm::ArrayRef<uint8_t> bytes, size_t at) {
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
        word |= uint32_t(bytes[at + i]) << (8 * i);
    return word;
}

// LLVM 22.1.8 crashes while it prints an SDWA instruction with a reserved selector (llvm-mc
// -disassemble on f9 a0 1f 04 c4 ff d1 20). Fields: ISA text, "SDWA".
bool has_reserved_sdwa(uint32_t word, uint32_t sdwa) {
    const bool is_sdwa = !(word >> 31) && (word & 0x1ff) == 0xf9;
    const uint32_t prefix = word >> 25;
    const bool is_vop1 = prefix == 0x3f, is_vopc = prefix == 0x3e;
    const uint32_t dst_sel = sdwa >> 8 & 7, dst_unused = sdwa >> 11 & 3, src0_sel = sdwa >> 16 & 7,
                   src1_sel = sdwa >> 24 & 7;
    return is_sdwa && ((!is_vopc && (dst_sel == 7 || dst_unused == 3)) || src0_sel == 7 ||
                       (!is_vop1 && src1_sel == 7));
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
        auto status = llvm::MCDisassembler::Fail;
        if (!has_reserved_sdwa(word_at(bytes, at), word_at(bytes, at + 4)))
            status =
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
            d.text = fmt::format(".long 0x{:08x}", word_at(bytes, at));
        }
        at += d.bytes;
        out.push_back(std::move(d));
    }
    return out;
}

}  // namespace zyfa
