// Fills missing issue slots with work that stands further down: an instruction that waits for a
// hazard to pass lets a later one of its phase go first, if nothing between the two minds. What is
// left over the next pass fills with s_nop.
#include <algorithm>
#include <numeric>

#include "isa/hazards.hpp"
#include "scheduler/dependences.hpp"
#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

namespace zyfa {
namespace {

constexpr unsigned kReach = 64;  // instructions further down that may come first

// Memory, matrix and LDS instructions keep their order among themselves: it is the schedule's.
enum class Lane : uint8_t { free, matrix, lds, memory, fixed };
Lane lane_of(const Inst& i) {
    const OpInfo& row = i.info();
    if (row.is_mfma()) return Lane::matrix;
    if (row.is_lds()) return Lane::lds;
    if (row.is_vmem() || row.is_smem()) return Lane::memory;
    if (row.is_branch() || i.op == Op::s_waitcnt || i.op == Op::s_barrier || i.op == Op::s_nop ||
        i.op == Op::s_setprio || i.op == Op::s_sleep || i.op == Op::s_endpgm)
        return Lane::fixed;
    return Lane::free;
}

class Filler {
public:
    Filler(const Block& block, uint32_t first_tag) : block_(block), first_tag_(first_tag) {
        for (const Inst& i : block.insts) effects_.push_back(effects(i));
        needs_.resize(block.insts.size());
        for (const Edge& e : dependences(block)) needs_[e.to].push_back(e.from);
    }

    std::vector<unsigned> run(HazardWindow window) {
        std::vector<unsigned> left(block_.insts.size()), order;
        std::iota(left.begin(), left.end(), 0u);
        std::vector<bool> placed(left.size());
        while (!left.empty()) {
            size_t take = 0;
            const unsigned slots = window.missing(effects_[left[0]]).slots;
            if (slots) take = other(left, placed, window);
            if (slots && !take) window.pass(slots);
            const unsigned n = left[take];
            left.erase(left.begin() + long(take));
            placed[n] = true;
            window.commit(effects_[n], first_tag_ + n);
            order.push_back(n);
        }
        return order;
    }

private:
    const Block& block_;
    uint32_t first_tag_;
    std::vector<Effects> effects_;
    std::vector<std::vector<unsigned>> needs_;

    // Place in `left` of an instruction that can go before the first one; 0: there is none.
    size_t other(const std::vector<unsigned>& left, const std::vector<bool>& placed,
                 const HazardWindow& window) const {
        bool passed[5]{};
        passed[unsigned(lane_of(block_.insts[left[0]]))] = true;
        for (size_t k = 1; k < left.size() && k < kReach; ++k) {
            const Inst& inst = block_.insts[left[k]];
            const Lane lane = lane_of(inst);
            if (lane == Lane::fixed || inst.phase != block_.insts[left[0]].phase) return 0;
            const bool in_turn = lane == Lane::free || !passed[unsigned(lane)];
            passed[unsigned(lane)] = true;
            if (in_turn && window.missing(effects_[left[k]]).slots == 0 &&
                std::ranges::all_of(needs_[left[k]], [&](unsigned p) { return placed[p]; }))
                return k;
        }
        return 0;
    }
};

}  // namespace

Program fill_hazards(Program program, const Machine&) {
    std::vector<uint32_t> first_tag;
    std::vector<std::vector<Effects>> all;
    uint32_t tag = 0;
    for (const Block& block : program.blocks) {
        first_tag.push_back(tag);
        tag += uint32_t(block.insts.size());
        all.emplace_back();
        for (const Inst& i : block.insts) all.back().push_back(effects(i));
    }
    const auto in = along_paths(program, HazardWindow{}, [&](unsigned b, HazardWindow& window) {
        for (unsigned n = 0; n < all[b].size(); ++n) {
            if (const unsigned slots = window.missing(all[b][n]).slots) window.pass(slots);
            window.commit(all[b][n], first_tag[b] + n);
        }
    });
    for (unsigned b = 0; b < program.blocks.size(); ++b) {
        Block& block = program.blocks[b];
        const auto order = Filler(block, first_tag[b]).run(in[b] ? *in[b] : HazardWindow{});
        std::vector<Inst> insts;
        for (unsigned n : order) insts.push_back(block.insts[n]);
        block.insts = std::move(insts);
    }
    return program;
}

}  // namespace zyfa
