// AITER's shipped kernels, decoded into Programs and emitted again: every byte of their code must
// come back, and no rule may refuse a binary that runs on the hardware. Kernels with instructions
// that the table lacks are named and left out.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "emitter/emit.hpp"
#include "sim/code_object.hpp"

using namespace zyfa;

namespace {

std::vector<std::string> files() {
    std::vector<std::string> out;
    if (const char* folder = std::getenv("ZYFA_AITER_DIR"))
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == ".co") out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
}

// Cuts the code at branches and targets; branch targets become block numbers.
Program program_of(const CodeObject& o, size_t count) {
    const KernelInfo& k = o.kernels.at(0);
    Program p;
    p.name = "again";
    p.lds_bytes = k.lds_bytes;
    p.workgroup_size = k.max_flat_workgroup_size;
    p.used = {k.vgprs, k.agprs, 102};
    std::map<uint32_t, uint32_t> starts{{0, 0}};
    for (size_t n = 0; n < count; ++n) {
        const Decoded& d = o.code[n];
        REQUIRE(d.known);
        if (!d.inst.info().is_branch()) continue;
        if (d.inst.operands[0].kind == Operand::Kind::label) starts[d.inst.operands[0].value] = 0;
        if (n + 1 < count) starts[o.code[n + 1].address] = 0;
    }
    uint32_t number = 0;
    for (auto& [address, block] : starts) block = number++;
    for (size_t n = 0; n < count; ++n) {
        if (starts.count(o.code[n].address)) p.blocks.emplace_back();
        Inst i = o.code[n].inst;
        for (Operand& operand : i.operands)
            if (operand.kind == Operand::Kind::label) operand.value = starts.at(operand.value);
        p.blocks.back().insts.push_back(i);
    }
    return p;
}

}  // namespace

TEST_CASE("AITER's FP8 kernels come back byte for byte", "[emitter][aiter]") {
    const auto paths = files();
    if (paths.empty()) {
        std::printf("SKIPPED: ZYFA_AITER_DIR names no folder with .co files\n");
        return;
    }
    for (const std::string& path : paths) {
        const CodeObject o = load_code_object(path);
        CAPTURE(path);
        size_t count = o.code.size(), known = 0;  // up to the last s_endpgm; padding follows
        while (known < count && o.code[known].known) ++known;
        while (count && o.code[count - 1].text != "s_endpgm") --count;
        if (known < count) {
            std::printf("%s: not in the instruction table: %s\n",
                        std::filesystem::path(path).filename().c_str(), o.code[known].text.c_str());
            continue;
        }
        const Emitted again = emit(program_of(o, count));
        const auto text = text_section(again.object);
        const size_t bytes = o.code[count - 1].address + 4;
        REQUIRE(text.size() >= bytes);
        REQUIRE(std::equal(text.begin(), text.begin() + long(bytes), o.text.begin()));
    }
}
