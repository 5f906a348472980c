#include "scheduler/assembled.hpp"

#include "isa/text.hpp"

namespace zyfa {

std::vector<Decoded> assembled(const Program& program) {
    const auto label = [](uint32_t block) { return fmt::format("block_{}", block); };
    std::string text;
    size_t count = 0;
    for (uint32_t b = 0; b < program.blocks.size(); ++b) {
        text += label(b) + ":\n";
        for (const Inst& inst : program.blocks[b].insts) text += print(inst, label) + "\n";
        count += program.blocks[b].insts.size();
    }
    std::vector<Decoded> code = machine_code(text, program.name);
    if (code.size() != count)
        throw Error(fmt::format("{}: {} instructions became {} in machine code", program.name,
                                count, code.size()),
                    Exit::internal);
    return code;
}

}  // namespace zyfa
