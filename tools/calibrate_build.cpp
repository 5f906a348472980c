#include "tools/calibrate_build.hpp"

#include "check/machine_code.hpp"
#include "isa/text.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {

namespace {

bool in_section(const Program& p, const Inst& i, std::string_view name) {
    return p.sections[i.section].name == name;
}

size_t padding(const Program& p) {
    size_t count = 0;
    for (const Block& b : p.blocks)
        for (const Inst& i : b.insts) count += i.op == Op::s_nop && in_section(p, i, Bench::kBody);
    return count;
}

std::vector<uint32_t> addresses(const Program& p) {
    const auto label = [](uint32_t block) { return fmt::format("block_{}", block); };
    std::string text;
    for (uint32_t b = 0; b < p.blocks.size(); ++b) {
        text += label(b) + ":\n";
        for (const Inst& i : p.blocks[b].insts) text += print(i, label) + "\n";
    }
    std::vector<uint32_t> out;
    for (const Decoded& d : machine_code(text, p.name)) out.push_back(d.address);
    return out;
}

// An s_nop in front of the opening s_memtime where its body would start at the wrong address.
Program align_bodies(Program p, unsigned misaligned) {
    const std::vector<uint32_t> at = addresses(p);
    uint32_t shift = 0;
    size_t next = 0;
    for (Block& block : p.blocks) {
        std::vector<Inst> placed;
        size_t opening = 0;
        bool opened = false;
        for (const Inst& inst : block.insts) {
            const uint32_t address = at[next++];
            if (in_section(p, inst, Bench::kOpening)) {
                if (!opened) opening = placed.size();
                opened = true;
            } else if (opened && in_section(p, inst, Bench::kBody)) {
                opened = false;
                if ((address + shift) % 8 != misaligned) {
                    Inst nop;
                    nop.op = Op::s_nop;
                    nop.operands[0] = Operand::imm(0);
                    nop.at = inst.at;
                    nop.note = "aligns the body";
                    placed.insert(placed.begin() + long(opening), nop);
                    shift += 4;
                }
            } else {
                opened = false;
            }
            placed.push_back(inst);
        }
        block.insts = std::move(placed);
    }
    return p;
}

}  // namespace

BuiltProbe build(const ProbeKernel& kernel) {
    const Probe& probe = *kernel.probe;
    const Machine& m = mi355x();
    Program p = describe(kernel);
    const size_t meant = padding(p);
    p = place_waits(allocate(std::move(p), m), m);
    if (!probe.open_hazards) p = pad_hazards(std::move(p), m);
    if (padding(p) != meant)
        throw Error(fmt::format("probe {}: hazards put {} s_nop into its body", kernel.name,
                                padding(p) - meant),
                    Exit::internal);
    p = align_bodies(std::move(p), kernel.units ? probe.misaligned : 0);
    if (!probe.open_hazards) p = verify(std::move(p), m);
    Emitted emitted = emit(p);
    return {kernel, std::move(p), std::move(emitted)};
}

const BuiltProbe& built(const ProbeKernel& kernel) {
    static std::map<std::string, BuiltProbe> all;
    const auto it = all.find(kernel.name);
    return it != all.end() ? it->second : all.emplace(kernel.name, build(kernel)).first->second;
}

}  // namespace zyfa
