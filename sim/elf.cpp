#include "sim/elf.hpp"

#include <algorithm>

namespace zyfa {
namespace {

// clang-format off
struct FileHeader {
    uint8_t ident[16]; uint16_t type, machine; uint32_t version; uint64_t entry, phoff, shoff;
    uint32_t flags; uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
struct SectionHeader {
    uint32_t name, type; uint64_t flags, address, offset, size; uint32_t link, info;
    uint64_t align, entry_bytes;
};
struct Symbol { uint32_t name; uint8_t info, other; uint16_t section; uint64_t value, size; };
struct NoteHeader { uint32_t owner_bytes, bytes, type; };
// clang-format on
static_assert(sizeof(FileHeader) == 64 && sizeof(SectionHeader) == 64 && sizeof(Symbol) == 24);

constexpr uint32_t kSymtab = 2, kStrtab = 3, kNote = 7, kNobits = 8, kDynsym = 11;
constexpr uint16_t kRelocatable = 1, kShared = 3, kMachineX86_64 = 62, kMachineAArch64 = 183,
                   kMachineAmdgpu = 224;
constexpr uint8_t kFile = 4;  // STT_FILE
constexpr uint32_t kMach = 0xff, kMachGfx950 = 0x4f, kXnack = 0x300, kSramecc = 0xc00;

struct Mach {
    uint32_t value;
    const char* name;
};
constexpr Mach kMachs[] = {
    {0x2c, "gfx900"},         {0x2f, "gfx906"},  {0x30, "gfx908"},  {0x33, "gfx1010"},
    {0x36, "gfx1030"},        {0x3f, "gfx90a"},  {0x40, "gfx940"},  {0x41, "gfx1100"},
    {0x44, "gfx1103"},        {0x46, "gfx1101"}, {0x47, "gfx1102"}, {0x48, "gfx1200"},
    {0x49, "gfx1250"},        {0x4a, "gfx1151"}, {0x43, "gfx1150"}, {0x4b, "gfx941"},
    {0x4c, "gfx942"},         {0x4e, "gfx1201"}, {0x4f, "gfx950"},  {0x5a, "gfx1251"},
    {0x5f, "gfx9-4-generic"},
};

std::string mach_name(uint32_t flags) {
    for (const Mach& m : kMachs)
        if (m.value == (flags & kMach)) return m.name;
    return fmt::format("machine variant {:#x}", flags & kMach);
}

bool starts_with(ByteSpan file, std::string_view magic) {
    return file.size() >= magic.size() && std::equal(magic.begin(), magic.end(), file.begin());
}

bool inside(uint64_t offset, uint64_t size, uint64_t all) {
    return offset <= all && size <= all - offset;
}

template <class T>
T load(ByteSpan bytes, uint64_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::optional<std::string> text_at(ByteSpan table, uint64_t offset) {
    if (offset >= table.size()) return {};
    const auto begin = table.begin() + offset;
    const auto end = std::find(begin, table.end(), 0);
    if (end == table.end()) return {};
    if (!std::all_of(begin, end, [](uint8_t c) { return c >= 0x20 && c < 0x7f; })) return {};
    return std::string(begin, end);
}

void refuse_containers(const InputName& input, ByteSpan file) {
    constexpr auto no = Exit::unsupported;
    if (starts_with(file, "!<arch>") || starts_with(file, "!<thin>"))
        input.fail(no, "an archive (ar); extract the gfx950 code object first");
    if (starts_with(file, "__CLANG_OFFLOAD_BUNDLE__"))
        input.fail(no, "a clang offload bundle; unbundle the gfx950 code object first");
    if (starts_with(file, "CCOB"))
        input.fail(no, "a compressed clang offload bundle; unbundle the gfx950 code object first");
}

FileHeader read_header(const InputName& input, ByteSpan file) {
    constexpr auto no = Exit::unsupported;
    if (file.empty()) input.fail(Exit::usage, "is empty");
    refuse_containers(input, file);
    const std::string_view magic = "\177ELF";
    if (file.size() < magic.size() && magic.starts_with(std::string_view(
                                          reinterpret_cast<const char*>(file.data()), file.size())))
        input.fail(Exit::usage, "cut off inside the ELF header ({} bytes)", file.size());
    if (!starts_with(file, magic)) input.fail(Exit::usage, "not an ELF file");
    if (file.size() < 6) input.fail(Exit::usage, "cut off inside the ELF header");
    if (file[4] != 2 || file[5] != 1)
        input.fail(no, "not a 64-bit little-endian ELF file, so not for gfx950");
    if (file.size() < sizeof(FileHeader))
        input.fail(Exit::usage, "cut off inside the ELF header ({} bytes)", file.size());
    return load<FileHeader>(file, 0);
}

void check_machine(const InputName& input, ByteSpan file, const FileHeader& h) {
    constexpr auto no = Exit::unsupported;
    if (h.machine == kMachineX86_64 || h.machine == kMachineAArch64) {
        const std::string_view fat = ".hip_fatbin";
        const bool has_fat =
            std::search(file.begin(), file.end(), fat.begin(), fat.end()) != file.end();
        input.fail(no, "a host program or library for {}{}",
                   h.machine == kMachineX86_64 ? "x86-64" : "AArch64",
                   has_fat ? " with device code inside (.hip_fatbin); extract the gfx950 code "
                             "object first"
                           : ", not an AMD GPU code object");
    }
    if (h.machine != kMachineAmdgpu)
        input.fail(no, "ELF machine {} is not an AMD GPU (224)", h.machine);
    if ((h.flags & kMach) != kMachGfx950)
        input.fail(no, "made for {}, not for gfx950", mach_name(h.flags));
    // Read after the variant: another target's feature bits may mean something else.
    if (h.ident[7] != 64) input.fail(no, "OS/ABI {} is not HSA (64)", h.ident[7]);
    if (h.ident[8] < 2 || h.ident[8] > 4)
        input.fail(no, "code object ABI version byte {}; supported are 2, 3 and 4 (v4, v5, v6)",
                   h.ident[8]);
    if ((h.flags & kXnack) == kXnack)
        input.fail(no, "needs XNACK on (gfx950:xnack+); MI355X runs with XNACK off");
    if ((h.flags & kSramecc) == 0x800)
        input.fail(no, "needs SRAM ECC off (gfx950:sramecc-); MI355X runs with it on");
    if (h.type == kRelocatable)
        input.fail(no, "a relocatable object, not linked yet; link it with ld.lld -shared");
    if (h.type != kShared)
        input.fail(Exit::usage, "ELF type {} is not a shared code object (3)", h.type);
}

std::vector<SectionHeader> read_section_headers(const InputName& input, ByteSpan file,
                                                const FileHeader& h) {
    if (h.shoff == 0 || h.shnum == 0)
        input.fail(Exit::usage, "has no section headers (stripped of them, or cut off)");
    if (h.shentsize != sizeof(SectionHeader))
        input.fail(Exit::usage, "section headers of {} bytes instead of {}", h.shentsize,
                   sizeof(SectionHeader));
    if (!inside(h.shoff, uint64_t(h.shnum) * sizeof(SectionHeader), file.size()))
        input.fail(Exit::usage, "cut off: section headers end at byte {}, the file at {}",
                   h.shoff + uint64_t(h.shnum) * sizeof(SectionHeader), file.size());
    std::vector<SectionHeader> headers(h.shnum);
    std::memcpy(headers.data(), file.data() + h.shoff, headers.size() * sizeof(SectionHeader));
    return headers;
}

ByteSpan section_bytes(const InputName& input, ByteSpan file, const SectionHeader& s, size_t i) {
    if (s.type == kNobits || s.type == 0) return {};
    if (!inside(s.offset, s.size, file.size()))
        input.fail(Exit::usage,
                   "cut off: section {} ({} bytes at {}) ends past the file ({} bytes)", i, s.size,
                   s.offset, file.size());
    return file.subspan(s.offset, s.size);
}

std::vector<ElfSymbol> read_symbols(const InputName& input,
                                    const std::vector<SectionHeader>& headers,
                                    const std::vector<ElfSection>& sections, uint32_t table_type) {
    std::vector<ElfSymbol> all;
    for (size_t i = 0; i < headers.size(); ++i) {
        if (headers[i].type != table_type) continue;
        const uint32_t link = headers[i].link;
        if (link >= headers.size() || headers[link].type != kStrtab)
            input.fail(Exit::usage, "symbol table {} has no string table", sections[i].name);
        for (uint64_t at = 0; at + sizeof(Symbol) <= sections[i].bytes.size();
             at += sizeof(Symbol)) {
            const auto s = load<Symbol>(sections[i].bytes, at);
            if (s.name == 0 || s.section == 0 || (s.info & 15) == kFile) continue;
            const auto name = text_at(sections[link].bytes, s.name);
            if (!name)
                input.fail(Exit::usage, "{}: symbol {} has no readable name", sections[i].name,
                           at / sizeof(Symbol));
            all.push_back({*name, s.value, s.size, uint8_t(s.info & 15), (s.info >> 4) != 0});
        }
    }
    return all;
}

}  // namespace

const ElfSection* Elf::section(std::string_view name) const {
    for (const ElfSection& s : sections)
        if (s.name == name) return &s;
    return nullptr;
}

const ElfSymbol* Elf::symbol(std::string_view name) const {
    for (const ElfSymbol& s : symbols)
        if (s.name == name) return &s;
    return nullptr;
}

ByteSpan Elf::at_address(uint64_t address, uint64_t size) const {
    constexpr uint64_t kAlloc = 2;
    for (const ElfSection& s : sections)
        if ((s.flags & kAlloc) && address >= s.address &&
            inside(address - s.address, size, s.bytes.size()))
            return s.bytes.subspan(address - s.address, size);
    return {};
}

std::vector<ElfNote> Elf::notes() const {
    std::vector<ElfNote> all;
    for (const ElfSection& s : sections) {
        if (s.type != kNote) continue;
        uint64_t at = 0;
        while (inside(at, sizeof(NoteHeader), s.bytes.size())) {
            const auto h = load<NoteHeader>(s.bytes, at);
            const uint64_t owner_at = at + sizeof(NoteHeader);
            const uint64_t bytes_at = owner_at + ((uint64_t(h.owner_bytes) + 3) & ~3ull);
            if (!inside(owner_at, h.owner_bytes, s.bytes.size()) ||
                !inside(bytes_at, h.bytes, s.bytes.size()))
                input.fail(Exit::usage, "note at byte {} of {} runs past its section", at, s.name);
            std::string owner(reinterpret_cast<const char*>(s.bytes.data()) + owner_at,
                              h.owner_bytes);
            owner.resize(std::strlen(owner.c_str()));
            all.push_back({owner, h.type, s.bytes.subspan(bytes_at, h.bytes)});
            at = bytes_at + ((uint64_t(h.bytes) + 3) & ~3ull);
        }
    }
    return all;
}

Elf read_elf(ByteSpan file, const std::string& name) {
    const InputName input{name};
    const FileHeader header = read_header(input, file);
    check_machine(input, file, header);
    Elf elf{input, file, header.flags, "gfx950", {}, {}};
    if ((header.flags & kSramecc) == kSramecc) elf.target += ":sramecc+";
    if ((header.flags & kXnack) == 0x200) elf.target += ":xnack-";

    const auto headers = read_section_headers(input, file, header);
    if (header.shstrndx >= headers.size())
        input.fail(Exit::usage, "section name table {} of {} sections", header.shstrndx,
                   headers.size());
    const ByteSpan names = section_bytes(input, file, headers[header.shstrndx], header.shstrndx);
    for (size_t i = 0; i < headers.size(); ++i) {
        const SectionHeader& s = headers[i];
        const auto section_name = text_at(names, s.name);
        if (!section_name) input.fail(Exit::usage, "section {} has no readable name", i);
        elf.sections.push_back({*section_name, s.type, s.flags, s.address,
                                section_bytes(input, file, s, i), s.size, s.link});
    }
    elf.symbols = read_symbols(input, headers, elf.sections, kSymtab);
    if (elf.symbols.empty()) elf.symbols = read_symbols(input, headers, elf.sections, kDynsym);
    return elf;
}

std::vector<ElfPointer> read_pointers(const Elf& elf) {
    constexpr uint32_t kRela = 4, kAbsolute64 = 3, kRelative64 = 13;
    struct Rela {
        uint64_t offset;
        uint32_t type, symbol;
        uint64_t addend;
    };
    std::vector<ElfPointer> all;
    for (const ElfSection& s : elf.sections) {
        if (s.type != kRela || !s.is_loaded()) continue;
        for (uint64_t at = 0; at + sizeof(Rela) <= s.bytes.size(); at += sizeof(Rela)) {
            const auto r = load<Rela>(s.bytes, at);
            if (r.type == kRelative64) {
                all.push_back({r.offset, r.addend});
                continue;
            }
            const ByteSpan symbols =
                s.link < elf.sections.size() ? elf.sections[s.link].bytes : ByteSpan{};
            const uint64_t place = uint64_t(r.symbol) * sizeof(Symbol);
            if (r.type != kAbsolute64 || place + sizeof(Symbol) > symbols.size())
                elf.input.fail(Exit::unsupported, "relocation of type {} in {}", r.type, s.name);
            const auto symbol = load<Symbol>(symbols, place);
            if (symbol.section == 0)
                elf.input.fail(Exit::unsupported, "{} needs a symbol of another object", s.name);
            all.push_back({r.offset, symbol.value + r.addend});
        }
    }
    return all;
}

}  // namespace zyfa
