#include "check/annotate.hpp"

#include <algorithm>
#include <bitset>
#include <optional>

#include "check/flow.hpp"
#include "isa/counters.hpp"
#include "isa/llvm/loops.hpp"
#include "isa/machine.hpp"

namespace zyfa {
namespace {

constexpr unsigned kScalars = 106, kFirst[] = {0, kScalars, kScalars + 256};  // s, v, a
using Live = std::bitset<kScalars + 512>;

void set(Live& live, const Access& a, bool value) {
    for (uint32_t w = a.first; w < a.first + a.words; ++w)
        if (w < (a.file == File::s ? kScalars : 256u)) live[kFirst[unsigned(a.file)] + w] = value;
}

// In front of the instruction, from behind it.
void step_back(Live& live, const Decoded& d) {
    if (!d.known) return;
    for (const Access& a : writes(d.inst)) set(live, a, false);
    for (const Access& a : reads(d.inst)) set(live, a, true);
}

void find_live(const Flowgraph& graph, std::vector<Note>& notes) {
    std::vector<Live> in(graph.blocks.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = graph.blocks.size(); b-- > 0;) {
            const auto& block = graph.blocks[b];
            Live live;
            for (unsigned n : block.next) live |= in[n];
            for (unsigned k = block.end; k-- > block.first;) {
                step_back(live, *graph.steps[k].decoded);
                Note& note = notes[k];
                note.vgprs = note.agprs = note.sgprs = 0;
                for (unsigned w = 0; w < live.size(); ++w)
                    if (live[w])
                        ++(w < kFirst[1] ? note.sgprs : w < kFirst[2] ? note.vgprs : note.agprs);
            }
            changed |= live != in[b];
            in[b] = live;
        }
    }
}

void find_waits(const Flowgraph& graph, std::span<const Decoded> code, std::vector<Note>& notes) {
    std::vector<std::optional<Counters>> in(graph.blocks.size());
    for (size_t b = 0; b < graph.blocks.size(); ++b)
        if (graph.blocks[b].entry) in[b] = Counters{};
    for (unsigned round = 0, changed = 1; changed && round < 40; ++round) {
        changed = 0;
        for (size_t b = 0; b < graph.blocks.size(); ++b) {
            if (!in[b]) continue;
            Counters state = *in[b];
            for (unsigned k = graph.blocks[b].first; k < graph.blocks[b].end; ++k) {
                const Decoded& d = *graph.steps[k].decoded;
                if (d.known && d.inst.op == Op::s_waitcnt) {
                    const Wait wait = wait_of(d.inst);
                    auto& list = notes[k].waits_for;
                    list.clear();
                    for (const auto& p : state.vm())
                        if (p.younger >= wait.vmcnt) list.push_back(code[p.tag].address);
                    for (const auto& p : state.lgkm())
                        if (p.younger >= wait.lgkmcnt) list.push_back(code[p.tag].address);
                    state.wait(wait);
                } else {
                    state.commit(graph.steps[k].effects, k);
                }
            }
            for (unsigned n : graph.blocks[b].next) {
                std::optional<Counters> joined = in[n] ? in[n] : state;
                joined->join(state);
                if (joined == in[n]) continue;
                in[n] = joined;
                changed = 1;
            }
        }
    }
}

}  // namespace

std::vector<Note> annotate(std::span<const Decoded> code, const std::vector<uint32_t>& entries) {
    std::vector<Note> notes(code.size());
    const Flowgraph graph = flowgraph(code, entries);
    find_live(graph, notes);
    find_waits(graph, code, notes);
    const uint32_t window = mi355x().code_fetch_bytes.count();
    for (size_t n = 0; n < code.size(); ++n)
        notes[n].split = code[n].address % window + code[n].bytes > window;
    for (const CodeLoop& loop : loops_of(code))
        for (size_t n = 0; n < code.size(); ++n)
            notes[n].loops += code[n].address >= loop.first && code[n].address <= loop.branch;
    return notes;
}

}  // namespace zyfa
