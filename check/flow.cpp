#include "check/flow.hpp"

#include <algorithm>
#include <optional>

namespace zyfa {

std::string place(const Decoded& d) { return fmt::format("{:#06x}: {}", d.address, d.text); }

Finding finding(std::string_view rule, Severity severity, const Decoded& at, std::string message,
                const Decoded* other) {
    Finding f;
    f.rule = std::string(rule);
    f.severity = severity;
    f.address = at.address;
    f.text = at.text;
    f.message = std::move(message);
    if (other) f.other = place(*other);
    return f;
}

namespace {

std::optional<unsigned> step_at(std::span<const Decoded> code, uint32_t address) {
    const auto at = std::lower_bound(code.begin(), code.end(), address,
                                     [](const Decoded& d, uint32_t a) { return d.address < a; });
    if (at == code.end() || at->address != address) return std::nullopt;
    return unsigned(at - code.begin());
}

// Branch to step; a finding and nothing if it does not lead to the start of an instruction.
std::optional<unsigned> target_of(std::span<const Decoded> code, const Decoded& branch,
                                  std::vector<Finding>& findings) {
    const uint32_t to = branch.inst.operands[0].value;
    if (const auto step = step_at(code, to)) return step;
    const bool outside =
        code.empty() || to < code.front().address || to >= code.back().address + code.back().bytes;
    findings.push_back(
        finding("BRANCH-TARGET", Severity::error, branch,
                outside ? fmt::format("branch to {:#06x}, outside of the code", to)
                        : fmt::format("branch to {:#06x}, into the middle of an instruction", to)));
    return std::nullopt;
}

void mark_reachable(Flowgraph& g) {
    std::vector<unsigned> open;
    const auto reach = [&](unsigned b) {
        if (g.blocks[b].reachable) return;
        g.blocks[b].reachable = true;
        open.push_back(b);
    };
    for (unsigned b = 0; b < g.blocks.size(); ++b)
        if (g.blocks[b].entry) reach(b);
    while (!open.empty()) {
        const unsigned b = open.back();
        open.pop_back();
        for (unsigned n : g.blocks[b].next) reach(n);
    }
}

}  // namespace

Flowgraph flowgraph(std::span<const Decoded> code, const std::vector<uint32_t>& entries) {
    Flowgraph g;
    const unsigned count = unsigned(code.size());
    std::vector<std::optional<unsigned>> targets(count);
    std::vector<bool> leader(count + 1, false), entry(count, false);
    for (uint32_t address : entries)
        if (const auto step = step_at(code, address)) leader[*step] = entry[*step] = true;
    for (unsigned i = 0; i < count; ++i) {
        const Decoded& d = code[i];
        g.steps.push_back({&d, d.known ? effects(d.inst) : effects_of_text(d.text)});
        const Flow flow = g.steps.back().effects.flow;
        if (flow == Flow::next) continue;
        leader[i + 1] = true;
        if (flow == Flow::jump || flow == Flow::fork) {
            targets[i] = target_of(code, d, g.findings);
            if (targets[i]) leader[*targets[i]] = true;
        }
        if (flow == Flow::unknown && d.text.starts_with("s_")) {
            if (i + 1 < count) entry[i + 1] = true;
            g.findings.push_back(finding("UNKNOWN-FLOW", Severity::note, d,
                                         "where this leads is not followed; the code behind it is "
                                         "checked as if a wave started there"));
        }
    }
    std::vector<unsigned> block_of(count + 1, 0);
    for (unsigned i = 0; i < count; ++i) {
        if (i == 0 || leader[i]) {
            g.blocks.emplace_back();
            g.blocks.back().first = i;
        }
        block_of[i] = unsigned(g.blocks.size()) - 1;
        g.blocks.back().end = i + 1;
        if (entry[i]) g.blocks.back().entry = true;
    }
    for (auto& block : g.blocks) {
        const unsigned last = block.end - 1;
        const Flow flow = g.steps[last].effects.flow;
        const bool falls = flow == Flow::next || flow == Flow::fork;
        if (falls && block.end < count) block.next.push_back(block_of[block.end]);
        if (falls && block.end == count)
            g.findings.push_back(finding("BRANCH-TARGET", Severity::error, *g.steps[last].decoded,
                                         "execution runs past the end of the code"));
        if (targets[last]) {
            const unsigned to = block_of[*targets[last]];
            if (std::find(block.next.begin(), block.next.end(), to) == block.next.end())
                block.next.push_back(to);
        }
    }
    mark_reachable(g);
    // Padding behind the kernel ends nowhere; that is only wrong if a wave can get there.
    std::erase_if(g.findings, [&](const Finding& f) {
        const auto step = step_at(code, f.address);
        return step && !g.blocks[block_of[*step]].reachable;
    });
    return g;
}

}  // namespace zyfa
