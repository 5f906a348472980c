#include "isa/llvm/loops.hpp"

#include <algorithm>
#include <optional>

namespace zyfa {
namespace {

std::optional<uint32_t> target_of(const Decoded& d) {
    if (d.known && d.inst.info().is_branch())
        for (const Operand& o : d.inst.operands)
            if (o.kind == Operand::Kind::label) return o.value;
    return std::nullopt;
}

bool is_reached_without(std::span<const Decoded> code, size_t wanted, size_t without) {
    std::vector<bool> seen(code.size());
    std::vector<size_t> open{0};
    while (!open.empty()) {
        const size_t n = open.back();
        open.pop_back();
        if (n >= code.size() || n == without || seen[n]) continue;
        if (n == wanted) return true;
        seen[n] = true;
        if (const auto to = target_of(code[n]))
            open.push_back(size_t(
                std::lower_bound(code.begin(), code.end(), *to,
                                 [](const Decoded& d, uint32_t at) { return d.address < at; }) -
                code.begin()));
        const bool ends =
            code[n].known && (code[n].inst.op == Op::s_endpgm || code[n].inst.op == Op::s_branch);
        if (!ends) open.push_back(n + 1);
    }
    return false;
}

}  // namespace

std::vector<CodeLoop> loops_of(std::span<const Decoded> code) {
    std::vector<CodeLoop> loops;
    for (size_t n = 0; n < code.size(); ++n) {
        const auto to = target_of(code[n]);
        if (!to || *to > code[n].address) continue;
        size_t head = n;
        while (head > 0 && code[head].address > *to) --head;
        if (!is_reached_without(code, n, head)) loops.push_back({*to, code[n].address});
    }
    return loops;
}

}  // namespace zyfa
