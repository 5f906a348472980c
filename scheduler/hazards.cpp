// Fills missing issue slots with s_nop, across block edges and loop back edges. All tiers of
// isa/hazards.def hold for what we emit.
#include "isa/hazards.hpp"

#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

namespace zyfa {
namespace {

constexpr unsigned kNopSlots = 16;  // s_nop 15

void put(std::vector<Inst>& out, unsigned slots, const Inst& reader, const std::string& note) {
    // A nop right in front that a pass made grows first.
    if (!out.empty() && out.back().op == Op::s_nop && !out.back().pinned) {
        Operand& count = out.back().operands[0];
        const unsigned more = std::min(slots, kNopSlots - 1 - count.value);
        count.value += more;
        slots -= more;
        if (more) out.back().note += (out.back().note.empty() ? "" : ", ") + note;
    }
    while (slots) {
        const unsigned some = std::min(slots, kNopSlots);
        Inst nop;
        nop.op = Op::s_nop;
        nop.operands[0] = Operand::imm(some - 1);
        nop.at = reader.at;
        nop.section = reader.section;
        nop.phase = reader.phase;
        nop.entry = reader.entry;
        nop.note = note;
        out.push_back(std::move(nop));
        slots -= some;
    }
}

class Padder {
public:
    explicit Padder(const Program& program) : program_(program) {
        for (const Block& block : program.blocks) {
            first_tag_.push_back(uint32_t(all_.size()));
            for (const Inst& inst : block.insts) {
                all_.push_back(&inst);
                effects_.push_back(effects(inst));
            }
        }
    }

    void through(unsigned b, HazardWindow& window, std::vector<Inst>* out) const {
        uint32_t tag = first_tag_[b];
        for (const Inst& inst : program_.blocks[b].insts) {
            const Effects& e = effects_[tag];
            const HazardWindow::Missing m = window.missing(e);
            if (m.slots) {
                if (out)
                    put(*out, m.slots, inst,
                        fmt::format("{} {} slots behind {}", m.rule->rule, m.need,
                                    all_[m.producer]->info().name));
                window.pass(m.slots);
            }
            window.commit(e, tag++);
            if (out) out->push_back(inst);
        }
    }

private:
    const Program& program_;
    std::vector<uint32_t> first_tag_;
    std::vector<const Inst*> all_;
    std::vector<Effects> effects_;
};

}  // namespace

Program pad_hazards(Program program, const Machine&) {
    const auto through = [padder = Padder(program)](unsigned b, HazardWindow& state,
                                                    std::vector<Inst>* out) {
        padder.through(b, state, out);
    };
    auto blocks = rewrite_along_paths<HazardWindow>(program, through);
    for (unsigned b = 0; b < program.blocks.size(); ++b)
        program.blocks[b].insts = std::move(blocks[b]);
    return program;
}

}  // namespace zyfa
