#include "check/check.hpp"

#include <algorithm>
#include <bitset>
#include <optional>

#include "check/flow.hpp"
#include "check/grant.hpp"
#include "check/lds_order.hpp"
#include "check/operands.hpp"
#include "check/slack.hpp"
#include "isa/counters.hpp"

namespace zyfa {
namespace {

constexpr Rule kRules[] = {
    {"WAIT-VMEM", "register read or overwritten while a vector memory load may still write it",
     "CDNA4 ISA, S_WAITCNT; LLVM si-insert-waitcnts", Trust::certain, Severity::error, false},
    {"WAIT-LDS", "register read or overwritten while an LDS read may still write it",
     "CDNA4 ISA, S_WAITCNT; LLVM si-insert-waitcnts", Trust::certain, Severity::error, false},
    {"WAIT-SMEM",
     "register read or overwritten while a scalar load may still write it; only "
     "lgkmcnt(0) proves that it has come",
     "CDNA4 ISA, S_WAITCNT; LLVM si-insert-waitcnts", Trust::certain, Severity::error, false},
    {"UNDEF", "register read that nothing has written; a warning if only some path leaves it out",
     "entry state: LLVM AMDGPUUsage, initial kernel execution state", Trust::certain,
     Severity::error, false},
    {"BRANCH-TARGET", "control goes to where no instruction starts",
     "64-bit and longer instructions; a scaled MFMA has 16 bytes", Trust::certain, Severity::error,
     false},
    {"UNKNOWN-FLOW", "control flow that a reader of the code cannot follow", "definition",
     Trust::certain, Severity::note, false},
    {"UNREACHABLE", "code that no path from an entry reaches", "definition", Trust::certain,
     Severity::note, false},
    {"UNKNOWN", "instruction without a row in the table; taken at its worst", "definition",
     Trust::certain, Severity::note, false},
    {"WAIT-SLACK", "wait that is stronger than its readers need", "as WAIT-VMEM", Trust::inferred,
     Severity::note, true},
};

using Words = std::bitset<kWordCount>;

struct State {
    HazardWindow window;
    Counters counters;
    Words surely, maybe;  // written on every path, on some path
    bool operator==(const State&) const = default;
    void join(const State& o) {
        window.join(o.window);
        counters.join(o.counters);
        surely &= o.surely;
        maybe |= o.maybe;
    }
};

State entry_state(const CheckOptions& options) {
    State s;
    const auto has = [&](Word first, unsigned words) {
        for (unsigned w = 0; w < words; ++w) s.surely.set(first + w);
    };
    has(0, options.entry_sgprs);
    has(kFlatScratch, 2);
    has(kXnackMask, 2);
    has(kExecWord, 2);
    has(kFirstV, options.entry_vgprs);
    s.maybe = s.surely;
    return s;
}

// Unknown instructions are taken at their worst, which may be too bad: they warn.
Severity severity_of(const Step& s) {
    return s.effects.known ? Severity::error : Severity::warning;
}

class Checker {
public:
    Checker(std::span<const Decoded> code, const CheckOptions& options)
        : code_(code), options_(options), graph_(flowgraph(code, options.entries)) {}

    std::vector<Finding> run() {
        in_ = solve<State>(
            graph_, [&](unsigned) { return entry_state(options_); },
            [&](State& s, unsigned i) { advance(s, i); });
        findings_ = graph_.findings;
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!graph_.blocks[b].reachable) continue;
            State s = *in_[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                report(s, i);
                advance(s, i);
            }
        }
        unreachable();
        if (options_.pedantic) slack();
        std::stable_sort(findings_.begin(), findings_.end(),
                         [](const Finding& a, const Finding& b) { return a.address < b.address; });
        return std::move(findings_);
    }

private:
    std::span<const Decoded> code_;
    const CheckOptions& options_;
    Flowgraph graph_;
    std::vector<std::optional<State>> in_;
    std::vector<Finding> findings_;

    void advance(State& s, unsigned i) const {
        const Step& step = graph_.steps[i];
        s.window.commit(step.effects, i);
        if (step.effects.known && step.decoded->inst.op == Op::s_waitcnt)
            s.counters.wait(wait_of(step.decoded->inst));
        else s.counters.commit(step.effects, i);
        const auto define = [&](const auto& list) {
            for (const Reach& r : list)
                for (unsigned w = r.first; w < r.first + r.words; ++w) {
                    s.surely.set(w);
                    s.maybe.set(w);
                }
        };
        define(step.effects.writes);
        if (!step.effects.known) define(step.effects.reads);
    }

    void report(const State& s, unsigned i) {
        const Step& step = graph_.steps[i];
        if (!step.effects.known)
            findings_.push_back(finding("UNKNOWN", Severity::note, *step.decoded,
                                        "not in the instruction table; taken at its worst"));
        check_operands(*step.decoded, findings_);
        report_waits(s.counters, step);
        report_hazards(s.window, step);
        if (step.effects.known) report_undefined(s, step);
    }

    void report_waits(const Counters& counters, const Step& step) {
        const Counters::Needed need = counters.needed(step.effects);
        const auto add = [&](const Counters::Pending* p, unsigned count, std::string_view counter) {
            if (!p) return;
            const std::string_view rule = p->counter == Counter::vm     ? "WAIT-VMEM"
                                          : p->counter == Counter::smem ? "WAIT-SMEM"
                                                                        : "WAIT-LDS";
            findings_.push_back(
                finding(rule, severity_of(step), *step.decoded,
                        fmt::format("{} is {} while it may still be loaded; needs {}({}) first",
                                    range_name(p->first, p->words),
                                    need.overwrites ? "overwritten" : "read", counter, count),
                        &code_[p->tag]));
        };
        add(need.vm, need.wait.vmcnt, "vmcnt");
        add(need.lgkm, need.wait.lgkmcnt, "lgkmcnt");
    }

    void report_hazards(const HazardWindow& window, const Step& step) {
        const bool all = options_.pedantic || options_.tier == Tier::llvm_conservative;
        for (Tier tier : {Tier::required, Tier::llvm_conservative}) {
            if (tier == Tier::llvm_conservative && !all) continue;
            for (const auto& m : window.all_missing(step.effects, tier)) {
                if (m.rule->tier != tier) continue;
                const bool asked = tier <= options_.tier;
                const std::string on = m.rule->writer == Writer::set_hwreg
                                           ? fmt::format("hardware register {}", m.first)
                                           : word_name(m.first);
                findings_.push_back(
                    finding(m.rule->rule, asked ? severity_of(step) : Severity::note, *step.decoded,
                            fmt::format("{} of {} wait states on {}: {}", m.have, m.need, on,
                                        m.rule->about),
                            &code_[m.producer]));
            }
        }
    }

    void report_undefined(const State& s, const Step& step) {
        for (const Reach& r : step.effects.reads) {
            if (r.role == Role::kept) continue;
            Word first = 0;
            unsigned missing = 0;
            bool never = false;
            for (Word w = r.first; w < r.first + r.words; ++w) {
                if (s.surely[w]) continue;
                if (!missing++) first = w;
                never |= !s.maybe[w];
            }
            if (!missing) continue;
            findings_.push_back(finding(
                "UNDEF", never ? Severity::error : Severity::warning, *step.decoded,
                fmt::format("{} of {} is read, but {}", word_name(first),
                            range_name(r.first, r.words),
                            never ? "nothing has written it" : "not written on every path")));
        }
    }

    void unreachable() {
        const auto padding = [&](const Decoded& d) {
            return d.text.starts_with("s_nop") || d.text.starts_with("s_code_end") ||
                   d.text.starts_with(".long") || d.text.starts_with("s_endpgm") ||
                   d.text.starts_with("v_cndmask_b32_e32 v0, s0, v0");  // zero bytes
        };
        for (const auto& block : graph_.blocks) {
            if (block.reachable) continue;
            const auto first = code_.begin() + block.first, end = code_.begin() + block.end;
            if (std::all_of(first, end, padding)) continue;
            findings_.push_back(
                finding("UNREACHABLE", Severity::note, *first,
                        fmt::format("{} instructions that no path reaches", end - first)));
        }
    }

    void slack() {
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!graph_.blocks[b].reachable) continue;
            State s = *in_[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                if (const auto found = wait_slack(graph_, b, i, s.counters))
                    findings_.push_back(*found);
                advance(s, i);
            }
        }
    }
};

}  // namespace

std::vector<Finding> check(std::span<const Decoded> code, const CheckOptions& options) {
    return Checker(code, options).run();
}

std::vector<Rule> describe_rules() {
    std::vector<Rule> out(std::begin(kRules), std::end(kRules));
    out.insert(out.end(), operand_rules().begin(), operand_rules().end());
    out.insert(out.end(), grant_rules().begin(), grant_rules().end());
    out.insert(out.end(), lds_order_rules().begin(), lds_order_rules().end());
    for (const HazardRow& h : hazard_rows())
        out.push_back({h.rule, h.about, h.source, h.trust,
                       h.tier == Tier::required ? Severity::error : Severity::note,
                       h.tier == Tier::llvm_conservative, h.tier});
    return out;
}

}  // namespace zyfa
