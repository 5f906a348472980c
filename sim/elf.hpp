// ELF64 little-endian for gfx950, as far as a loader needs it: identity, sections, symbols, notes.
// Nothing in the file is believed: every offset is checked against the bytes that are there.
// Source of the flag values: LLVM 22 BinaryFormat/ELF.h and AMDGPUUsage "Header" (certain).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/error.hpp"

namespace zyfa {

using ByteSpan = std::span<const uint8_t>;

// One-line errors that begin with the input's name.
struct InputName {
    std::string name;
    template <class... A>
    [[noreturn]] void fail(Exit exit, fmt::format_string<A...> text, A&&... a) const {
        throw Error(name + ": " + fmt::format(text, std::forward<A>(a)...), exit);
    }
};

struct ElfSection {
    std::string name;
    uint32_t type;
    uint64_t flags, address;
    ByteSpan bytes;  // empty for SHT_NOBITS
    uint64_t size;
    uint32_t link;
    bool is_loaded() const { return flags & 2; }
};

struct ElfSymbol {
    std::string name;
    uint64_t value, size;
    uint8_t type;  // STT_*
    bool is_global;
};

struct ElfNote {
    std::string owner;
    uint32_t type;
    ByteSpan bytes;
};

struct Elf {
    InputName input;
    ByteSpan file;
    uint32_t flags;      // e_flags
    std::string target;  // "gfx950", with ":xnack-" or ":sramecc+" where the file insists on it
    std::vector<ElfSection> sections;
    std::vector<ElfSymbol> symbols;  // .symtab, or .dynsym of a stripped file

    const ElfSection* section(std::string_view name) const;
    const ElfSymbol* symbol(std::string_view name) const;
    // The file bytes of `size` bytes of loaded memory, or empty if they are not in one section.
    ByteSpan at_address(uint64_t address, uint64_t size) const;
    std::vector<ElfNote> notes() const;
};

// R_AMDGPU_*: `place` gets the address of `target`, both from the start of the loaded image.
struct ElfPointer {
    uint64_t place, target;
};
// Of all loaded relocation sections. Error, Exit::unsupported: one that needs another object.
std::vector<ElfPointer> read_pointers(const Elf&);

// Error, Exit::usage: empty, cut off, not ELF, malformed. Error, Exit::unsupported: well formed but
// for something else (machine, target, features, archive, bundle, host program, unlinked object).
Elf read_elf(ByteSpan file, const std::string& name);

}  // namespace zyfa
