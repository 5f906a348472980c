// The instructions of kernels that run on gfx950 silicon: AITER's forward code objects.
#include <catch2/catch.hpp>

#include <algorithm>

#include "isa/file.hpp"
#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/aiter.hpp"
#include "tests/isa/elf_text.hpp"

using namespace zyfa;

TEST_CASE("every instruction of AITER's code objects decodes and has a row", "[isa][aiter]") {
    for (const auto& path : test::aiter_objects()) {
        CAPTURE(path.filename().string());
        const auto file = read_file(path);
        const auto text = test::elf_text(file);
        uint32_t next = 0;
        for (const auto& d : decode(text)) {
            REQUIRE(d.address == next);
            next += d.bytes;
            INFO(d.text);
            REQUIRE(!d.text.starts_with(".long"));
            CHECK(d.known);
        }
        REQUIRE(next == text.size());
    }
}

TEST_CASE("printed again, AITER's kernels assemble to the same bytes", "[isa][aiter]") {
    for (const auto& path : test::aiter_objects()) {
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
