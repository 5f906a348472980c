// Bytes of the section .text of a 64-bit little-endian ELF file, for tests of the instruction
// table only: no dependence on the loader of sim/.
#pragma once

#include <cstring>
#include <span>
#include <string_view>

#include "isa/error.hpp"

namespace zyfa::test {

inline std::span<const uint8_t> elf_text(std::span<const uint8_t> file) {
    auto at = [&]<class T>(uint64_t offset, T) {
        if (offset + sizeof(T) > file.size()) throw Error("the ELF file is cut short");
        T value;
        std::memcpy(&value, file.data() + offset, sizeof(T));
        return value;
    };
    const uint64_t sections = at(0x28, uint64_t{}), size = at(0x3a, uint16_t{}),
                   count = at(0x3c, uint16_t{}), names = at(0x3e, uint16_t{});
    const uint64_t strings = at(sections + names * size + 0x18, uint64_t{});
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t header = sections + i * size;
        const uint64_t name = strings + at(header, uint32_t{});
        if (name + 6 > file.size() || std::memcmp(file.data() + name, ".text", 6) != 0) continue;
        const uint64_t offset = at(header + 0x18, uint64_t{}),
                       bytes = at(header + 0x20, uint64_t{});
        if (offset + bytes > file.size()) throw Error("the ELF file is cut short");
        return file.subspan(offset, bytes);
    }
    throw Error("no .text in the ELF file");
}

}  // namespace zyfa::test
