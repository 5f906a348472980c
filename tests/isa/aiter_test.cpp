// The instructions of kernels that run on gfx950 silicon: AITER's fp8 v3 forward code objects.
// They are not part of the project; ZYFA_AITER_DIR names a folder that holds them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "isa/file.hpp"
#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/isa/elf_text.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kWhole[] = {"fwd_hd128_fp8.co", "fwd_hd128_fp8_causal.co",
                                       "fwd_hd128_fp8_group.co", "fwd_hd128_fp8_causal_group.co"};

std::vector<fs::path> code_objects() {
    const char* folder = std::getenv("ZYFA_AITER_DIR");
    std::vector<fs::path> out;
    if (folder)
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().extension() == ".co") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    if (out.empty()) fmt::print("SKIPPED: ZYFA_AITER_DIR names no folder with .co files\n");
    return out;
}
bool is_whole(const fs::path& path) {
    return std::find(std::begin(kWhole), std::end(kWhole), path.filename().string()) !=
           std::end(kWhole);
}

}  // namespace

TEST_CASE("every instruction of AITER's code objects decodes, and rows cover the fp8 v3 kernels",
          "[isa][aiter]") {
    for (const auto& path : code_objects()) {
        CAPTURE(path.filename().string());
        const auto file = read_file(path);
        const auto text = test::elf_text(file);
        uint32_t next = 0;
        std::map<std::string, unsigned> missing;
        for (const auto& d : decode(text)) {
            REQUIRE(d.address == next);
            next += d.bytes;
            INFO(d.text);
            REQUIRE(!d.text.starts_with(".long"));
            if (!d.known) ++missing[d.text.substr(0, d.text.find(' '))];
        }
        REQUIRE(next == text.size());
        for (const auto& [mnemonic, count] : missing) {
            INFO(mnemonic << " x " << count);
            CHECK_FALSE((is_whole(path)));
            // A known mnemonic that is not understood would be a hole in the parser.
            CHECK_FALSE(find_op(mnemonic));
        }
    }
}

TEST_CASE("printed again, AITER's fp8 v3 kernels assemble to the same bytes", "[isa][aiter]") {
    for (const auto& path : code_objects()) {
        if (!is_whole(path)) continue;
        CAPTURE(path.filename().string());
        const auto file = read_file(path);
        const auto text = test::elf_text(file);
        const auto decoded = decode(text);
        std::string again;
        for (const auto& d : decoded) {
            const uint32_t from = d.address;
            const auto distance = [&](uint32_t to) {
                return std::to_string(uint16_t(int32_t(to - from - 4) / 4));
            };
            const std::string line = print(d.inst, distance);
            REQUIRE(line == d.text);
            again += line + '\n';
        }
        const auto object = assemble(again, path.filename().string());
        const auto bytes = test::elf_text(object);
        REQUIRE(bytes.size() == text.size());
        REQUIRE(std::equal(bytes.begin(), bytes.end(), text.begin()));
    }
}
