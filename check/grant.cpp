#include "check/grant.hpp"

#include <algorithm>
#include <map>

#include "check/barriers.hpp"
#include "check/lds_order.hpp"
#include "check/values.hpp"
#include "isa/counters.hpp"

namespace zyfa {
namespace {

constexpr Rule kRules[] = {
    {"VGPR-COUNT",
     "vector register beyond those that the kernel descriptor allocates, or at accum_offset and "
     "beyond; that is a note unless the code uses the accumulation register in the same place",
     "LLVM AMDGPUUsage, kernel descriptor: GRANULATED_WORKITEM_VGPR_COUNT, ACCUM_OFFSET; AITER's "
     "bf16 kernels use v255 with accum_offset 160 and no accumulation registers",
     Trust::certain, Severity::error, false},
    {"AGPR-COUNT", "accumulation register beyond those that the kernel descriptor leaves",
     "LLVM AMDGPUUsage, kernel descriptor: what GRANULATED_WORKITEM_VGPR_COUNT gives behind "
     "ACCUM_OFFSET",
     Trust::certain, Severity::error, false},
    {"SGPR-COUNT", "scalar register beyond those that the kernel descriptor allocates",
     "LLVM AMDGPUUsage, kernel descriptor: GRANULATED_WAVEFRONT_SGPR_COUNT; whether gfx950 "
     "allocates fewer than all is not known",
     Trust::inferred, Severity::warning, false},
    {"LDS-RANGE",
     "LDS access at a constant address past the group segment; right only if the launch adds "
     "dynamic LDS",
     "LLVM AMDGPUUsage, kernel descriptor: GROUP_SEGMENT_FIXED_SIZE", Trust::certain,
     Severity::warning, false},
    {"KERNARG-RANGE",
     "scalar load past the kernel arguments; a warning if only the end of a wider load is",
     "LLVM AMDGPUUsage, code object metadata: .kernarg_segment_size", Trust::certain,
     Severity::error, false},
    {"BARRIER-PATHS",
     "waves that part here for good meet different numbers of barriers; those that have ended do "
     "not count for a barrier, so this may be meant",
     "CDNA4 ISA, S_BARRIER; the simulator's BARRIER has the last word", Trust::inferred,
     Severity::note, false},
};

struct LdsBytes {
    uint64_t first = 0, end = 0;
    bool overlaps(const LdsBytes& o) const { return first < o.end && o.first < end; }
};

struct State {
    Values values;
    Counters counters;
    bool operator==(const State&) const = default;
    void join(const State& o) {
        values.join(o.values);
        counters.join(o.counters);
    }
};

// Width of ds_read_b32..b128 (transposed ones too) and ds_write_b32..b128; 0 for all others, which
// use no LDS or have more than one address.
unsigned plain_width(const Inst& i) {
    const std::string_view name = i.info().name;
    for (std::string_view start : {"ds_read_b", "ds_write_b"})
        if (name.starts_with(start))
            for (unsigned bits : {32, 64, 96, 128})
                if (name.substr(start.size()).starts_with(std::to_string(bits))) return bits / 8;
    return 0;
}

class Check {
public:
    Check(std::span<const Decoded> code, const Grant& grant)
        : code_(code), grant_(grant), graph_(flowgraph(code, {grant.entry})), barriers_(graph_) {}

    std::vector<Finding> run() {
        in_ = solve<State>(
            graph_, [&](unsigned b) { return at_entry(b); },
            [&](State& s, unsigned i) { advance(s, i); });
        find_fills();
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!in_[b]) continue;
            State s = *in_[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                count_registers(i);
                if (graph_.steps[i].effects.known) {
                    lds_range(s.values, i);
                    kernarg_range(s.values, i);
                }
                advance(s, i);
            }
            barriers(s, b);
        }
        registers();
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Finding& a, const Finding& b) { return a.address < b.address; });
        return std::move(found_);
    }

private:
    struct Used {                                 // of one register file
        std::array<const Decoded*, 256> first{};  // use of each register
        int highest() const {
            int n = 255;
            while (n >= 0 && !first[size_t(n)]) --n;
            return n;
        }
    };
    struct Fill {
        LdsBytes bytes;
        bool known = false;
    };

    std::span<const Decoded> code_;
    const Grant& grant_;
    Flowgraph graph_;
    BarrierCount barriers_;
    std::vector<std::optional<State>> in_;
    std::map<unsigned, Fill> fills_;  // direct-to-LDS loads by step
    Used s_, v_, a_;
    std::vector<Finding> found_;

    State at_entry(unsigned block) const {
        State s;  // behind a jump that is not followed: nothing is known
        if (graph_.steps[graph_.blocks[block].first].decoded->address == grant_.entry)
            s.values = Values::at_entry(grant_.kernarg_sgpr);
        return s;
    }

    void advance(State& s, unsigned i) const {
        const Step& step = graph_.steps[i];
        if (step.effects.known && step.decoded->inst.op == Op::s_waitcnt)
            s.counters.wait(wait_of(step.decoded->inst));
        else s.counters.commit(step.effects, i);
        s.values.advance(step);
    }

    void add(std::string_view rule, Severity severity, unsigned step, std::string message,
             const Decoded* other = nullptr) {
        found_.push_back(
            finding(rule, severity, *graph_.steps[step].decoded, std::move(message), other));
    }

    void count_registers(unsigned i) {
        const auto look = [&](const auto& list) {
            for (const Reach& r : list)
                for (Word w = r.first; w < r.first + r.words && w < kSccWord; ++w) {
                    Used& used = w >= kFirstA ? a_ : w >= kFirstV ? v_ : s_;
                    const size_t base = w >= kFirstA ? kFirstA : w >= kFirstV ? kFirstV : 0;
                    const Decoded*& first = used.first[w - base];
                    if (!first && (base || w < kFlatScratch)) first = graph_.steps[i].decoded;
                }
        };
        look(graph_.steps[i].effects.reads);
        look(graph_.steps[i].effects.writes);
    }

    void add_register(std::string_view rule, Severity severity, const Used& used, int number,
                      std::string message) {
        found_.push_back(finding(rule, severity, *used.first[size_t(number)], std::move(message)));
    }

    void registers() {
        const int agprs = std::max(0, int(grant_.registers) - int(grant_.accum_offset));
        const int s = s_.highest(), v = v_.highest(), a = a_.highest();
        if (s >= int(grant_.sgprs))
            add_register("SGPR-COUNT", Severity::warning, s_, s,
                         fmt::format("s{} is used, the descriptor allocates {}", s, grant_.sgprs));
        if (a >= agprs)
            add_register("AGPR-COUNT", Severity::error, a_, a,
                         fmt::format("a{} is used, the descriptor leaves {} accumulation registers",
                                     a, agprs));
        if (v >= int(grant_.registers))
            return add_register(
                "VGPR-COUNT", Severity::error, v_, v,
                fmt::format("v{} is used, the descriptor allocates {}", v, grant_.registers));
        for (int n = int(grant_.accum_offset); n <= v; ++n) {
            const int same = n - int(grant_.accum_offset);
            if (v_.first[size_t(n)] && a_.first[size_t(same)])
                return add_register("VGPR-COUNT", Severity::error, v_, n,
                                    fmt::format("v{} is the same register as a{}, which is used, "
                                                "too: accum_offset is {}",
                                                n, same, grant_.accum_offset));
        }
        if (v >= int(grant_.accum_offset))
            add_register("VGPR-COUNT", Severity::note, v_, v,
                         fmt::format("v{} lies behind accum_offset {}; it works as long as no "
                                     "accumulation register is used",
                                     v, grant_.accum_offset));
    }

    // Bytes of LDS that a lane reads or writes, if every lane has the same known address.
    std::optional<LdsBytes> lane_bytes(const Values& values, const Inst& i) const {
        const unsigned width = plain_width(i);
        if (!width) return std::nullopt;
        const unsigned column = is_written(i.info().columns[0].use) ? 1 : 0;
        const Number address = values.of(i.operands[column]);
        if (!address.is(Number::Kind::constant) || !values.exec_untouched()) return std::nullopt;
        const uint64_t first = uint64_t(address.value) + i.mods.offset;
        return LdsBytes{first, first + width};
    }

    // Bytes that a direct-to-LDS load surely writes: of lane 0, or of all.
    Fill filled(const Values& values, const Inst& i) const {
        const Number& m0 = values[kM0];
        if (!m0.is(Number::Kind::constant) || !values.exec_untouched()) return {};
        const std::string_view name = i.info().name;
        const unsigned stride = name.find("x4") != name.npos   ? 16
                                : name.find("x3") != name.npos ? 12
                                                               : 4;
        const uint64_t first = uint64_t(m0.value) + i.mods.offset;
        return {{first, first + (grant_.whole_waves ? 64 : 1) * stride}, true};
    }

    void find_fills() {
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!in_[b]) continue;
            Values values = in_[b]->values;
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                const Step& step = graph_.steps[i];
                if (step.effects.known && step.effects.lds_dma)
                    fills_[i] = filled(values, step.decoded->inst);
                values.advance(step);
            }
        }
    }

    void lds_range(const Values& values, unsigned i) {
        const Step& step = graph_.steps[i];
        std::optional<LdsBytes> bytes = lane_bytes(values, step.decoded->inst);
        if (const auto fill = fills_.find(i); fill != fills_.end() && fill->second.known)
            bytes = fill->second.bytes;
        if (!bytes || bytes->end <= grant_.lds_bytes) return;
        add("LDS-RANGE", Severity::warning, i,
            fmt::format("bytes {} to {} of LDS; the descriptor allocates {}", bytes->first,
                        bytes->end - 1, grant_.lds_bytes));
    }

    void kernarg_range(const Values& values, unsigned i) {
        const Inst& inst = graph_.steps[i].decoded->inst;
        if (!inst.info().name.starts_with("s_load_dword")) return;
        const Operand &base = inst.operands[1], &at = inst.operands[2];
        if (!base.is_reg(File::s) || base.value + 1 >= kFirstV) return;
        const Number &low = values[Word(base.value)], &high = values[Word(base.value + 1)];
        const Number offset = values.of(at);
        if (!low.is(Number::Kind::kernarg_low) || !high.is(Number::Kind::kernarg_high) ||
            !offset.is(Number::Kind::constant))
            return;
        const int64_t first =
            int64_t(int32_t(low.value)) + int32_t(offset.value) + int32_t(inst.mods.offset);
        const int64_t end = first + inst.operands[0].words * 4;
        if (first >= 0 && end <= grant_.kernarg_bytes) return;
        const bool whole = first < 0 || first >= grant_.kernarg_bytes;
        add("KERNARG-RANGE", whole ? Severity::error : Severity::warning, i,
            fmt::format("bytes {} to {} of the kernel arguments, which have {}", first, end - 1,
                        grant_.kernarg_bytes));
    }

    // `s`: behind the last step of the block.
    void barriers(const State& s, unsigned b) {
        const auto& node = graph_.blocks[b];
        const unsigned last = node.end - 1;
        const Effects& e = graph_.steps[last].effects;
        if (e.flow != Flow::fork || node.next.size() != 2) return;
        const bool parts = std::any_of(e.reads.begin(), e.reads.end(),
                                       [&](const Reach& r) { return s.values[r.first].per_wave; });
        if (!parts) return;  // all waves of a workgroup go the same way
        const auto one = barriers_.from(node.next[0]), two = barriers_.from(node.next[1]);
        if (!one || !two || *one == *two || may_meet(graph_, node.next[0], node.next[1])) return;
        add("BARRIER-PATHS", Severity::note, last,
            fmt::format("waves that go on meet {} barriers, those that jump {}", *one, *two));
    }
};

}  // namespace

std::vector<Finding> check_grant(std::span<const Decoded> code, const Grant& grant) {
    std::vector<Finding> found = Check(code, grant).run();
    if (grant.workgroup[0]) {
        auto order = check_lds_order(code, {grant.entry, grant.workgroup});
        if (!grant.pedantic)
            std::erase_if(order, [](const Finding& f) { return f.rule == "LDS-UNPROVEN"; });
        found.insert(found.end(), order.begin(), order.end());
        std::stable_sort(found.begin(), found.end(),
                         [](const Finding& a, const Finding& b) { return a.address < b.address; });
    }
    return found;
}

std::span<const Rule> grant_rules() { return kRules; }

}  // namespace zyfa
