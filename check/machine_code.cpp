#include "check/machine_code.hpp"

#include <cstring>

namespace zyfa {
namespace {

template <class T>
T at(std::span<const uint8_t> bytes, size_t offset) {
    if (offset + sizeof(T) > bytes.size()) throw Error("object file is cut short", Exit::internal);
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

// Section .text of a 64-bit little-endian ELF object as LLVM has just written it.
std::span<const uint8_t> text_section(std::span<const uint8_t> elf) {
    const auto table = at<uint64_t>(elf, 0x28);
    const auto entry = at<uint16_t>(elf, 0x3a), count = at<uint16_t>(elf, 0x3c),
               names = at<uint16_t>(elf, 0x3e);
    const auto header = [&](unsigned n) { return size_t(table + uint64_t(n) * entry); };
    const auto name_bytes = at<uint64_t>(elf, header(names) + 0x18);
    for (unsigned n = 0; n < count; ++n) {
        const size_t name = size_t(name_bytes + at<uint32_t>(elf, header(n)));
        if (name + 6 > elf.size() || std::memcmp(elf.data() + name, ".text", 6) != 0) continue;
        const auto offset = at<uint64_t>(elf, header(n) + 0x18);
        const auto size = at<uint64_t>(elf, header(n) + 0x20);
        if (offset + size > elf.size()) throw Error("object file is cut short", Exit::internal);
        return elf.subspan(offset, size);
    }
    throw Error("object file has no .text", Exit::internal);
}

}  // namespace

std::vector<Decoded> machine_code(std::string_view text, std::string_view name) {
    const Bytes object = assemble(text, name);
    return decode(text_section(object));
}

}  // namespace zyfa
