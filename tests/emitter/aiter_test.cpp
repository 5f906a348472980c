// AITER's shipped kernels, decoded into Programs and emitted again: every byte of their code must
// come back, and no rule may refuse a binary that runs on the hardware.
#include <catch2/catch.hpp>
#include <map>

#include "emitter/emit.hpp"
#include "sim/code_object.hpp"
#include "tests/aiter.hpp"

using namespace zyfa;

namespace {

// Cuts the code at branches and targets; branch targets become block numbers.
Program program_of(const CodeObject& o, size_t count) {
    const KernelInfo& k = o.kernels.at(0);
    Program p;
    p.name = "again";
    p.lds_bytes = k.lds_bytes;
    p.workgroup_size = 256;
    // Their bf16 kernels use VGPRs past accum_offset, so 256 of each; which leaves room for one
    // wave.
    p.used = {256, 256, 102};
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

TEST_CASE("AITER's kernels come back byte for byte", "[emitter][aiter]") {
    for (const auto& path : test::aiter_objects()) {
        CAPTURE(path.filename().string());
        const CodeObject o = load_code_object(path.string());
        size_t count = o.code.size();  // up to the last s_endpgm; padding follows
        while (count && o.code[count - 1].text != "s_endpgm") --count;
        const Emitted again = emit(program_of(o, count));
        const auto text = text_section(again.object);
        const size_t bytes = o.code[count - 1].address + 4;
        REQUIRE(text.size() >= bytes);
        REQUIRE(std::equal(text.begin(), text.begin() + long(bytes), o.text.begin()));
    }
}
