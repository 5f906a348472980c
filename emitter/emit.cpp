#include "emitter/emit.hpp"

#include <charconv>
#include <cstring>

#include "isa/text.hpp"

namespace zyfa {
namespace {

constexpr uint32_t kPadWord = 0xbf800000;  // s_nop 0

template <class T>
T load(std::span<const uint8_t> bytes, size_t at) {
    if (at + sizeof(T) > bytes.size()) throw Error("object: cut short", Exit::internal);
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

// What a described instruction means once labels are byte offsets: an accumulator in place is D.
Inst resolved(const Inst& described, const std::vector<uint32_t>& block_address) {
    Inst i = described;
    for (unsigned n = 0; n < i.info().operand_count; ++n) {
        Operand& o = i.operands[n];
        if (o.kind == Operand::Kind::none && i.info().columns[n].use == Use::acc) o = i.operands[0];
        if (o.kind == Operand::Kind::label) o.value = block_address[o.value];
    }
    return i;
}

// Number of the line in "<name>:<line>:..." of an assembler's message, or 0.
size_t line_of(std::string_view message, std::string_view name) {
    const size_t at = message.find(name);
    if (at == message.npos) return 0;
    const char* first = message.data() + at + name.size() + 1;
    size_t line = 0;
    if (first < message.data() + message.size())
        std::from_chars(first, message.data() + message.size(), line);
    return line;
}

}  // namespace

std::span<const uint8_t> text_section(std::span<const uint8_t> object) {
    const auto header = load<uint64_t>(object, 0x28);
    const auto entry = load<uint16_t>(object, 0x3a), count = load<uint16_t>(object, 0x3c),
               names = load<uint16_t>(object, 0x3e);
    const auto name_table = load<uint64_t>(object, header + size_t(names) * entry + 0x18);
    for (unsigned n = 0; n < count; ++n) {
        const size_t section = header + size_t(n) * entry;
        const size_t name = name_table + load<uint32_t>(object, section);
        const auto text = load<std::array<char, 6>>(object, name);
        if (std::memcmp(text.data(), ".text", 6) != 0) continue;
        const auto at = load<uint64_t>(object, section + 0x18),
                   size = load<uint64_t>(object, section + 0x20);
        if (at + size > object.size()) break;
        return object.subspan(at, size);
    }
    throw Error("object: no .text", Exit::internal);
}

Bytes build_object(std::string_view text, std::string_view name) { return assemble(text, name); }

void prove(const Program& p, const Bytes& object) {
    const auto text = text_section(object);
    const std::vector<Decoded> code = decode(text);
    size_t count = 0;
    std::vector<uint32_t> block_address;
    for (const Block& b : p.blocks) {
        block_address.push_back(count < code.size() ? code[count].address : uint32_t(text.size()));
        count += b.insts.size();
    }
    size_t n = 0;
    for (const Block& b : p.blocks) {
        for (const Inst& described : b.insts) {
            const auto fail = [&](const std::string& got) {
                throw Error(described.at,
                            fmt::format("\"{}\" came back from the assembler as \"{}\"",
                                        print(described), got),
                            Exit::internal);
            };
            if (n == code.size()) fail("the end of the code");
            const Decoded& d = code[n++];
            if (!d.known) fail(d.text);
            Inst want = resolved(described, block_address);
            if (!d.inst.same_as(want)) fail(d.text);
            // The same words again: what the printer shows is all there is.
            want.encoding = d.inst.encoding;
            if (print(want) != print(d.inst)) fail(print(d.inst));
        }
    }
    const size_t end = n < code.size() ? code[n].address : text.size();
    const size_t pad = (text.size() - end) / 4;
    if (pad < mi355x().code_prefetch_words.count())
        throw Error(fmt::format("kernel {}: {} words behind the code", p.name, pad),
                    Exit::internal);
    for (size_t at = end; at < text.size(); at += 4)
        if (load<uint32_t>(text, at) != kPadWord)
            throw Error(fmt::format("kernel {}: code goes on behind its end", p.name),
                        Exit::internal);
}

Emitted emit(const Program& p, bool debug_lines) {
    refuse(p);
    Emitted out;
    const Listing listing = list(p, mi355x(), debug_lines);
    out.text = listing.text;
    const std::string name = p.name + ".s";
    try {
        out.object = build_object(out.text, name);
    } catch (const Error& e) {
        const size_t line = line_of(e.what(), name);
        if (!line || line > listing.line_inst.size() || !listing.line_inst[line - 1]) throw;
        throw Error(listing.line_inst[line - 1]->at, e.what(), e.exit);
    }
    prove(p, out.object);
    out.code_object = link(out.object);
    const auto linked = text_section(out.code_object), assembled = text_section(out.object);
    if (!std::equal(linked.begin(), linked.end(), assembled.begin(), assembled.end()))
        throw Error(fmt::format("kernel {}: the linker changed the code", p.name), Exit::internal);
    return out;
}

}  // namespace zyfa
