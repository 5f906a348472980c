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
    for (Operand& to : d.inst.operands)
        if (to.kind == Operand::Kind::label)
            to.value = d.address + 4 + uint32_t(int32_t(int16_t(to.value))) * 4;
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

// It also crashes on f8f6f4 matrix instructions that no assembler writes: A or B of a 6- or 4-bit
// format is not a vector register (d5 02 ae d3 cf 5e 0a ad), or a scale is a literal, source code
// 255. 0xd3ac is the prefix with the scales; the instruction proper follows it.
bool has_impossible_matrix_operand(llvm::ArrayRef<uint8_t> bytes, size_t at) {
    constexpr uint32_t kLiteral = 0xff;
    if (word_at(bytes, at) >> 16 == 0xd3ac) {
        const uint32_t scales = word_at(bytes, at + 4);
        if ((scales & 0x1ff) == kLiteral || (scales >> 9 & 0x1ff) == kLiteral) return true;
        at += 8;
    }
    const uint32_t opcode = word_at(bytes, at) >> 16, sources = word_at(bytes, at + 4);
    const bool a_is_vector = sources >> 8 & 1, b_is_vector = sources >> 17 & 1;
    return (opcode == 0xd3ad || opcode == 0xd3ae) && !(a_is_vector && b_is_vector);
}
bool crashes_llvm(llvm::ArrayRef<uint8_t> bytes, size_t at) {
    return has_reserved_sdwa(word_at(bytes, at), word_at(bytes, at + 4)) ||
           has_impossible_matrix_operand(bytes, at);
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
    // LLVM 22.1.8 crashes on an instruction whose literal lies beyond the end (llvm-mc -disassemble
    // on ff b6 64 16), so there is always something to read.
    Bytes padded(code.begin(), code.end());
    padded.resize(code.size() + 16);
    const llvm::ArrayRef<uint8_t> bytes(padded);
    std::string text;
    for (uint32_t at = 0; at < code.size();) {
        Decoded d{at, 0, {}, false, {}};
        llvm::MCInst inst;
        uint64_t size = 0;
        auto status = llvm::MCDisassembler::Fail;
        if (!crashes_llvm(bytes, at))
            status =
                disassembler->getInstruction(inst, size, bytes.drop_front(at), at, llvm::nulls());
        if (status == llvm::MCDisassembler::Success && size > 0 && size <= code.size() - at) {
            text.clear();
            llvm::raw_string_ostream stream(text);
            printer->printInst(&inst, at, "", *t.subtarget, stream);
            d.text = text.substr(text.find_first_not_of(" \t"));
            std::replace(d.text.begin(), d.text.end(), '\t', ' ');
            d.bytes = uint8_t(size);
            read_text(d);
        } else {
            d.bytes = uint8_t(std::min<size_t>(4, code.size() - at));
            d.text = fmt::format(".long 0x{:08x}", word_at(bytes, at));
        }
        at += d.bytes;
        out.push_back(std::move(d));
    }
    return out;
}

}  // namespace zyfa
