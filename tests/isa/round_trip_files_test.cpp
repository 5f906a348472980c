// Every code object of a folder, decoded, printed by our printer and assembled again: the same
// bytes, or the instruction is named with the reason. AITER's hsa/gfx950 has 1,439 of them.
#include <catch2/catch.hpp>
#include <map>

#include "isa/file.hpp"
#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/aiter.hpp"
#include "tests/isa/elf_text.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

namespace {

// How an instruction is written for the assembler.
std::string line_of(const Decoded& d) {
    const auto distance = [&](uint32_t to) {
        return std::to_string(uint16_t(int32_t(to - d.address - 4) / 4));
    };
    return d.known ? print(d.inst, distance) : d.text;
}

// v_mfma_scale_* has two scales; the select bits of a third source (13 and 14 of the first word)
// mean nothing. Some of AITER's objects set them, LLVM 22 does not print them, so the assembler
// clears them.
bool only_idle_scale_bits(const Decoded& d, std::span<const uint8_t> a,
                          std::span<const uint8_t> b) {
    if (!d.text.starts_with("v_mfma_scale_")) return false;
    for (uint32_t n = 0; n < d.bytes; ++n) {
        const uint8_t idle = n == 1 ? 0x60 : 0;
        if ((a[d.address + n] & ~idle) != (b[d.address + n] & ~idle)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("every shipped code object comes back byte for byte", "[isa][aiter][full]") {
    const fs::path root = test::aiter_folder();
    if (root.empty()) return;
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root))
        if (entry.path().extension() == ".co") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (!std::getenv("ZYFA_FULL") && files.size() > 60) {
        fmt::print("SKIPPED: {} of {} code objects; all with ZYFA_FULL\n", files.size() - 60,
                   files.size());
        files.resize(60);
    }
    size_t instructions = 0, unknown = 0, whole = 0, idle = 0;
    std::map<std::string, unsigned> different, no_row;
    for (const auto& path : files) {
        const auto file = read_file(path);
        const auto text = test::elf_text(file);
        const auto code = decode(text);
        std::string again;
        for (const Decoded& d : code) {
            again += line_of(d) + '\n';
            if (!d.known) ++unknown, ++no_row[d.text.substr(0, d.text.find(' '))];
        }
        instructions += code.size();
        std::vector<uint8_t> object;
        try {
            object = assemble(again, path.filename().string());
        } catch (const Error& e) {
            ++different[std::string(e.what()).substr(0, 160)];
            continue;
        }
        const auto bytes = test::elf_text(object);
        if (bytes.size() == text.size() && std::equal(bytes.begin(), bytes.end(), text.begin())) {
            ++whole;
            continue;
        }
        bool excused = bytes.size() == text.size();
        for (const Decoded& d : code) {
            const size_t end = d.address + d.bytes;
            if (end <= bytes.size() &&
                std::equal(text.begin() + d.address, text.begin() + long(end),
                           bytes.begin() + d.address))
                continue;
            if (excused && only_idle_scale_bits(d, text, bytes)) {
                ++idle;
                continue;
            }
            excused = false;
            ++different[d.text + " in " + path.filename().string()];
            break;
        }
        whole += excused;
    }
    fmt::print(
        "{} of {} code objects come back, {} instructions, {} without a row, {} but for idle "
        "bits\n",
        whole, files.size(), instructions, unknown, idle);
    for (const auto& [name, count] : no_row) fmt::print("  no row: {} {}\n", count, name);
    for (const auto& [what, count] : different) fmt::print("  differs: {} {}\n", count, what);
    CHECK(whole == files.size());
}
