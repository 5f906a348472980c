#include "diff/diff.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "isa/effects.hpp"
#include "isa/llvm/loops.hpp"

namespace zyfa {
namespace {

bool is_loose(const Decoded& d) {  // aligned whatever its number says
    return d.known && (d.inst.op == Op::s_waitcnt || d.inst.op == Op::s_nop ||
                       d.inst.op == Op::s_setprio || d.inst.info().is_branch());
}

// The instruction without register numbers, targets and counts of waits.
std::string shape_of(const Decoded& d) {
    if (!d.known) return d.text;
    if (is_loose(d)) return std::string(d.inst.info().name);
    std::string out;
    bool number = false;
    for (size_t n = 0; n < d.text.size(); ++n) {
        const char c = d.text[n];
        const bool starts =
            (c == 'v' || c == 's' || c == 'a') && n &&
            (d.text[n - 1] == ' ' || d.text[n - 1] == '-' || d.text[n - 1] == '|') &&
            n + 1 < d.text.size() &&
            (d.text[n + 1] == '[' || (d.text[n + 1] >= '0' && d.text[n + 1] <= '9'));
        if (starts) {
            out += c;
            number = true;
            continue;
        }
        if (number && ((c >= '0' && c <= '9') || c == '[' || c == ':' || c == ']')) continue;
        number = false;
        out += c;
    }
    return out;
}

// Longest common subsequence by Myers' greedy algorithm in linear space: pairs of equal tokens.
class Aligner {
public:
    Aligner(std::span<const unsigned> a, std::span<const unsigned> b) : a_(a), b_(b) {
        const size_t size = 2 * (a.size() + b.size()) + 3;
        forward_.resize(size);
        backward_.resize(size);
    }
    std::vector<std::pair<int, int>> run() {
        solve(0, int(a_.size()), 0, int(b_.size()));
        return std::move(pairs_);
    }

private:
    std::span<const unsigned> a_, b_;
    std::vector<int> forward_, backward_;
    std::vector<std::pair<int, int>> pairs_;

    void solve(int a0, int a1, int b0, int b1) {
        while (a0 < a1 && b0 < b1 && a_[size_t(a0)] == b_[size_t(b0)])
            pairs_.emplace_back(a0++, b0++);
        int tail = 0;
        while (a0 < a1 && b0 < b1 && a_[size_t(a1 - 1)] == b_[size_t(b1 - 1)]) --a1, --b1, ++tail;
        if (a0 < a1 && b0 < b1) {
            const auto [x, y] = middle(a0, a1, b0, b1);
            if ((x != a0 || y != b0) && (x != a1 || y != b1)) {
                solve(a0, x, b0, y);
                solve(x, a1, y, b1);
            }
        }
        for (int n = 0; n < tail; ++n) pairs_.emplace_back(a1 + n, b1 + n);
    }

    // A point on a shortest path, from both ends at once.
    std::pair<int, int> middle(int a0, int a1, int b0, int b1) {
        const int n = a1 - a0, m = b1 - b0, delta = n - m, zero = n + m + 1;
        const bool odd = delta & 1;
        auto fwd = [&](int k) -> int& { return forward_[size_t(zero + k)]; };
        auto bwd = [&](int k) -> int& { return backward_[size_t(zero + k)]; };
        fwd(1) = 0;
        bwd(1) = 0;
        for (int d = 0; d <= (n + m + 1) / 2; ++d) {
            for (int k = -d; k <= d; k += 2) {
                int x =
                    k == -d || (k != d && fwd(k - 1) < fwd(k + 1)) ? fwd(k + 1) : fwd(k - 1) + 1;
                int y = x - k;
                while (x < n && y >= 0 && y < m && a_[size_t(a0 + x)] == b_[size_t(b0 + y)])
                    ++x, ++y;
                fwd(k) = x;
                const int opposite = delta - k;
                if (odd && opposite >= -(d - 1) && opposite <= d - 1 && x <= n && y <= m &&
                    y >= 0 && x + bwd(opposite) >= n)
                    return {a0 + x, b0 + y};
            }
            for (int k = -d; k <= d; k += 2) {
                int x =
                    k == -d || (k != d && bwd(k - 1) < bwd(k + 1)) ? bwd(k + 1) : bwd(k - 1) + 1;
                int y = x - k;
                while (x < n && y >= 0 && y < m && a_[size_t(a1 - x - 1)] == b_[size_t(b1 - y - 1)])
                    ++x, ++y;
                bwd(k) = x;
                const int opposite = delta - k;
                if (!odd && opposite >= -d && opposite <= d && x <= n && y <= m && y >= 0 &&
                    x + fwd(opposite) >= n)
                    return {a1 - x, b1 - y};
            }
        }
        return {a0, b0};
    }
};

// For each register word that an instruction reads: the instruction that wrote it, in layout order.
std::vector<std::vector<int>> sources_of(std::span<const Decoded> code) {
    std::map<std::pair<File, uint32_t>, int> last;
    std::vector<std::vector<int>> all(code.size());
    for (size_t n = 0; n < code.size(); ++n) {
        if (!code[n].known) continue;
        for (const Access& r : reads(code[n].inst))
            for (uint32_t w = 0; w < r.words; ++w) {
                const auto at = last.find({r.file, r.first + w});
                all[n].push_back(at == last.end() ? -1 : at->second);
            }
        for (const Access& r : writes(code[n].inst))
            for (uint32_t w = 0; w < r.words; ++w) last[{r.file, r.first + w}] = int(n);
    }
    return all;
}

}  // namespace

namespace {

using Pairs = std::vector<std::pair<int, int>>;
using Tokens = std::vector<unsigned>;

struct Comparer {
    std::span<const Decoded> a, b;
    std::vector<std::vector<int>> from_a, from_b;
    Tokens shape_a, shape_b, text_a, text_b;

    Comparer(std::span<const Decoded> left, std::span<const Decoded> right)
        : a(left), b(right), from_a(sources_of(left)), from_b(sources_of(right)) {
        std::unordered_map<std::string, unsigned> numbers;
        const auto tokens = [&](std::span<const Decoded> code, auto word) {
            Tokens out;
            for (const Decoded& d : code)
                out.push_back(numbers.emplace(word(d), unsigned(numbers.size())).first->second);
            return out;
        };
        const auto text = [](const Decoded& d) { return is_loose(d) ? shape_of(d) : d.text; };
        shape_a = tokens(a, shape_of), shape_b = tokens(b, shape_of);
        text_a = tokens(a, text), text_b = tokens(b, text);
    }

    Pairs by_shape() const { return Aligner(shape_a, shape_b).run(); }
    // Equal texts first, then equal shapes between them.
    Pairs by_text() const {
        Pairs out;
        int i = 0, j = 0;
        const auto between = [&](int i1, int j1) {
            const auto part = [](const Tokens& t, int first, int last) {
                return std::span(t).subspan(size_t(first), size_t(last - first));
            };
            for (const auto& [x, y] : Aligner(part(shape_a, i, i1), part(shape_b, j, j1)).run())
                out.emplace_back(i + x, j + y);
        };
        for (const auto& [x, y] : Aligner(text_a, text_b).run()) {
            between(x, y);
            out.emplace_back(x, y);
            i = x + 1, j = y + 1;
        }
        between(int(a.size()), int(b.size()));
        return out;
    }

    CodeDiff diff(const Pairs& pairs) const {
        std::vector<int> in_b(a.size(), -1), in_a(b.size(), -1);
        for (const auto& [i, j] : pairs) in_b[size_t(i)] = j, in_a[size_t(j)] = i;
        std::vector<bool> moved_a(a.size()), moved_b(b.size());
        find_moved(text_a, text_b, in_a, in_b, moved_a, moved_b);
        find_moved(shape_a, shape_b, in_a, in_b, moved_a, moved_b);

        CodeDiff diff;
        size_t i = 0, j = 0;
        using Kind = DiffRow::Kind;
        while (i < a.size() || j < b.size()) {
            if (i < a.size() && (in_b[i] < 0 || moved_a[i])) {
                const bool moved = moved_a[i];
                diff.rows.push_back({moved ? Kind::moved_from : Kind::removed, int(i), in_b[i]});
                diff.removed += !moved;
                ++i;
            } else if (j < b.size() && (in_a[j] < 0 || moved_b[j])) {
                const bool moved = moved_b[j];
                diff.rows.push_back({moved ? Kind::moved_to : Kind::added, in_a[j], int(j)});
                diff.added += !moved;
                diff.moved += moved;
                ++j;
            } else {
                const Kind kind = kind_of(i, j, in_a, in_b);
                diff.rows.push_back({kind, int(i), int(j)});
                diff.changed += kind == Kind::changed;
                diff.renamed += kind == Kind::renamed;
                ++i, ++j;
            }
        }
        return diff;
    }

private:
    // What was taken out here and put in there, in order.
    void find_moved(const Tokens& ta, const Tokens& tb, std::vector<int>& in_a,
                    std::vector<int>& in_b, std::vector<bool>& moved_a,
                    std::vector<bool>& moved_b) const {
        std::map<unsigned, std::vector<int>> gone;
        for (size_t i = a.size(); i-- > 0;)
            if (in_b[i] < 0 && !is_loose(a[i]) && !(a[i].known && a[i].inst.op == Op::s_barrier))
                gone[ta[i]].push_back(int(i));
        for (size_t j = 0; j < b.size(); ++j) {
            if (in_a[j] >= 0) continue;
            const auto from = gone.find(tb[j]);
            if (from == gone.end() || from->second.empty()) continue;
            const int i = from->second.back();
            from->second.pop_back();
            in_a[j] = i, in_b[size_t(i)] = int(j);
            moved_a[size_t(i)] = moved_b[j] = true;
        }
    }

    DiffRow::Kind kind_of(size_t i, size_t j, const std::vector<int>& in_a,
                          const std::vector<int>& in_b) const {
        using Kind = DiffRow::Kind;
        const Decoded &x = a[i], &y = b[j];
        if (x.known && x.inst.info().is_branch()) return Kind::same;
        if (is_loose(x)) return x.text == y.text ? Kind::same : Kind::changed;
        const auto &fx = from_a[i], &fy = from_b[j];
        if (fx.size() != fy.size()) return Kind::changed;
        for (size_t n = 0; n < fx.size(); ++n) {
            const int want = fx[n] < 0 ? -1 : in_b[size_t(fx[n])];
            const int have = fy[n] < 0 || in_a[size_t(fy[n])] < 0 ? -1 : fy[n];
            if (want != have) return Kind::changed;
        }
        return x.text == y.text ? Kind::same : Kind::renamed;
    }
};

}  // namespace

CodeDiff compare(std::span<const Decoded> a, std::span<const Decoded> b) {
    const Comparer comparer(a, b);
    const auto size = [](const CodeDiff& d) { return d.added + d.removed + d.moved + d.changed; };
    CodeDiff one = comparer.diff(comparer.by_text()), other = comparer.diff(comparer.by_shape());
    return size(one) <= size(other) ? one : other;
}

namespace {

const Operand* target_of(const Decoded& d) {
    if (!d.known || !d.inst.info().is_branch()) return nullptr;
    for (const Operand& o : d.inst.operands)
        if (o.kind == Operand::Kind::label) return &o;
    return nullptr;
}

LoopCost cost_of(std::span<const Decoded> code, uint32_t first, uint32_t last,
                 const Machine& machine) {
    LoopCost loop;
    loop.first = first, loop.last = last;
    uint32_t skipped_to = 0;
    for (const Decoded& d : code) {
        if (d.address < first || d.address > last) continue;
        ++loop.instructions;
        if (!d.known) continue;
        const OpInfo& row = d.inst.info();
        if (row.is_valu() || row.is_mfma()) {
            const double cycles = machine.issue_cycles(d.inst);
            loop.port_cycles += cycles;
            if (d.address < skipped_to) loop.skippable += cycles;
        }
        if (row.is_mfma()) {
            ++loop.matrix;
            loop.matrix_cycles += passes(d.inst) * machine.matrix_pass_cycles.value;
        }
        const Operand* to = target_of(d);
        if (to && to->value > d.address && to->value <= last)
            skipped_to = std::max(skipped_to, to->value);
    }
    return loop;
}

}  // namespace

LoopCost main_loop(std::span<const Decoded> code, const Machine& machine) {
    LoopCost best;
    for (const CodeLoop& found : loops_of(code)) {
        const LoopCost loop = cost_of(code, found.first, found.branch, machine);
        if (loop.instructions > best.instructions) best = loop;
    }
    return best;
}

}  // namespace zyfa
