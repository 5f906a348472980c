// Exact waits. State: what may be outstanding (isa/counters). A described wait (Inst::need) becomes
// the weakest s_waitcnt that fulfils it, or goes; in front of an instruction that touches a
// register with a load on its way stands the weakest wait that proves it has landed. Numbers that
// the kernel pinned stay and must be strong enough.
#include "isa/counters.hpp"
#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

namespace zyfa {
namespace {

std::string show(Wait w) {
    std::string s;
    if (w.vmcnt < kVmcntMax) s = fmt::format("vmcnt({})", w.vmcnt);
    if (w.lgkmcnt < kLgkmcntMax) s += fmt::format("{}lgkmcnt({})", s.empty() ? "" : " ", w.lgkmcnt);
    return s;
}

class Placer {
public:
    explicit Placer(const Program& program) : program_(program) {
        uint32_t tag = 0;
        for (const Block& block : program.blocks) {
            first_tag_.push_back(tag);
            for (const Inst& inst : block.insts) {
                all_.push_back(&inst);
                effects_.push_back(inst.info().is_branch() || inst.op == Op::s_waitcnt
                                       ? Effects{}
                                       : effects(inst));
            }
            tag += uint32_t(block.insts.size());
        }
    }

    // Carries `state` through the block; writes the new block and checks pinned waits if `out`.
    void through(unsigned b, Counters& state, std::vector<Inst>* out) const {
        const Inst* pinned = nullptr;  // wait right in front
        uint32_t tag = first_tag_[b];
        for (const Inst& inst : program_.blocks[b].insts) {
            const uint32_t mine = tag++;
            if (inst.op == Op::s_waitcnt) {
                described(inst, state, out);
                pinned = inst.pinned ? &inst : nullptr;
                continue;
            }
            const Counters::Needed need = state.needed(effects_[mine]);
            if (need.wait.any()) {
                if (pinned && out) refuse(*pinned, inst, need);
                if (out) put(*out, inst, need.wait, reason(need));
                state.wait(need.wait);
            }
            pinned = nullptr;
            state.commit(effects_[mine], mine, inst.lds_region);
            if (out) out->push_back(inst);
        }
    }

private:
    const Program& program_;
    std::vector<uint32_t> first_tag_;
    std::vector<const Inst*> all_;
    std::vector<Effects> effects_;

    std::string reason(const Counters::Needed& need) const {
        std::string s;
        for (const auto* p : {need.vm, need.lgkm})
            if (p)
                s += fmt::format("{}{} from {}", s.empty() ? "" : ", ",
                                 range_name(p->first, p->words), all_[p->tag]->info().name);
        return s;
    }

    void refuse(const Inst& pinned, const Inst& reader, const Counters::Needed& need) const {
        const Wait have = wait_of(pinned);
        const bool vm = need.wait.vmcnt < kVmcntMax && have.vmcnt < kVmcntMax;
        const bool lgkm = need.wait.lgkmcnt < kLgkmcntMax && have.lgkmcnt < kLgkmcntMax;
        require(!vm && !lgkm, pinned.at, "pinned wait {} is too weak: {} behind it needs {} ({})",
                show(have), reader.info().name, show(need.wait), reason(need));
    }

    void described(const Inst& inst, Counters& state, std::vector<Inst>* out) const {
        Wait wait = wait_of(inst);
        const Wait need = state.needed(inst.need, inst.lds_region);
        if (inst.pinned && !wait.any()) {
            if (out)
                require(!need.any(), inst.at,
                        "phase '{}': the pinned wait is too weak: {} is needed ({})",
                        program_.phases[inst.phase].name, show(need), purpose(inst));
            return;
        }
        if (inst.pinned) {
            if (out)
                require(wait.covers(need), inst.at, "pinned wait {} is too weak: {} is needed",
                        show(wait), show(need));
        } else {
            wait = wait.both(need);
        }
        if (out && inst.pinned) {
            out->push_back(inst);
            out->back().need = Need::none;
            if (inst.note.empty()) out->back().note = purpose(inst);
        } else if (out && wait.any()) {
            put(*out, inst, wait, purpose(inst));
        }
        state.wait(wait);
    }

    std::string purpose(const Inst& inst) const {
        const bool named = inst.lds_region >= 0 && unsigned(inst.lds_region) < program_.lds.size();
        const std::string region = named ? program_.lds[size_t(inst.lds_region)].name : "LDS";
        switch (inst.need) {
            case Need::lds_filled: return region + " filled";
            case Need::lds_drained: return region + " read";
            case Need::scalars: return "scalar loads";
            case Need::all: return "everything";
            case Need::none: break;
        }
        return {};
    }

    // A wait that a pass placed right in front takes the new one in.
    static void put(std::vector<Inst>& out, const Inst& cause, Wait wait, std::string note) {
        if (!out.empty() && out.back().op == Op::s_waitcnt && !out.back().pinned) {
            Inst& last = out.back();
            const Wait both = wait_of(last).both(wait);
            last.mods.vmcnt = both.vmcnt;
            last.mods.lgkmcnt = both.lgkmcnt;
            last.note += (last.note.empty() || note.empty() ? "" : ", ") + note;
            return;
        }
        Inst inst;
        inst.op = Op::s_waitcnt;
        inst.mods.vmcnt = wait.vmcnt;
        inst.mods.lgkmcnt = wait.lgkmcnt;
        inst.at = cause.at;
        inst.section = cause.section;
        inst.phase = cause.phase;
        inst.entry = cause.entry;
        inst.note = std::move(note);
        out.push_back(std::move(inst));
    }
};

}  // namespace

Program place_waits(Program program, const Machine&) {
    const auto through = [placer = Placer(program)](unsigned b, Counters& state,
                                                    std::vector<Inst>* out) {
        placer.through(b, state, out);
    };
    auto blocks = rewrite_along_paths<Counters>(program, through);
    for (unsigned b = 0; b < program.blocks.size(); ++b)
        program.blocks[b].insts = std::move(blocks[b]);
    return program;
}

}  // namespace zyfa
