// Virtual to physical registers: interval colouring on the live points of every word. Values whose
// lives do not meet share registers. No spills: where the registers run out, the error lists what
// is live there. Greedy, the longest values first; same program, same registers.
#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "scheduler/liveness.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {
namespace {

constexpr std::string_view kFileNames[] = {"SGPRs", "VGPRs", "AGPRs"};
constexpr unsigned kBudget[] = {Cells::kSgprs, 256, 256};

class Allocator {
public:
    explicit Allocator(Program& program) : program_(program), live_(program) {}

    void run() {
        for (unsigned f = 0; f < 3; ++f) colour(File(f));
        rewrite();
    }

private:
    Program& program_;
    Liveness live_;
    std::vector<int> base_;  // of each value, -1 = not placed (never used)

    const Bits& life(const Value& v, unsigned word) const {
        return live_.live[live_.cells.of(v.file, v.first + word, true)];
    }
    bool is_used(const Value& v) const {
        const Bits none(live_.points);
        for (unsigned w = 0; w < v.words; ++w)
            if (life(v, w) != none) return true;
        return false;
    }

    void colour(File file) {
        if (base_.empty()) base_.assign(program_.values.size(), -1);
        std::vector<unsigned> values;
        for (unsigned v = 0; v < program_.values.size(); ++v)
            if (program_.values[v].file == file && is_used(program_.values[v])) values.push_back(v);
        require_room(file, values);

        // Orders to try; the first that fits is taken.
        const auto words = [&](unsigned v) { return program_.values[v].words; };
        const auto start = [&](unsigned v) {
            size_t first = live_.points;
            for (unsigned w = 0; w < words(v); ++w) {
                const auto ones = life(program_.values[v], w).ones();
                if (!ones.empty()) first = std::min(first, ones.front());
            }
            return first;
        };
        std::vector<size_t> starts(program_.values.size());
        for (unsigned v : values) starts[v] = start(v);
        const auto attempt = [&](auto before) {
            std::vector<unsigned> sorted = values;
            std::stable_sort(sorted.begin(), sorted.end(), before);
            return try_order(file, sorted);
        };
        const std::optional<unsigned> stuck = attempt([&](unsigned a, unsigned b) {
            return std::tuple(-int(words(a)), starts[a]) < std::tuple(-int(words(b)), starts[b]);
        });
        if (!stuck) return;
        if (!attempt([&](unsigned a, unsigned b) { return starts[a] < starts[b]; })) return;
        if (!attempt([&](unsigned a, unsigned b) {
                return std::tuple(words(a) < 4, starts[a]) < std::tuple(words(b) < 4, starts[b]);
            }))
            return;
        const Value& v = program_.values[*stuck];
        throw Error(v.at, fmt::format("'{}' finds no {} consecutive {}, although never more than "
                                      "{} are live: the free ones are scattered",
                                      v.name, v.words, kFileNames[unsigned(file)],
                                      kBudget[unsigned(file)]));
    }

    // The value that found no place, if any.
    std::optional<unsigned> try_order(File file, const std::vector<unsigned>& sorted) {
        const unsigned budget = kBudget[unsigned(file)];
        std::vector<Bits> taken;
        for (unsigned p = 0; p < budget; ++p)
            taken.push_back(live_.live[live_.cells.of(file, p, false)]);
        const auto fits = [&](const Value& v, unsigned at) {
            for (unsigned w = 0; w < v.words; ++w)
                if (taken[at + w].meets(life(v, w))) return false;
            return true;
        };
        const auto place = [&](unsigned n, unsigned at) {
            const Value& v = program_.values[n];
            base_[n] = int(at);
            for (unsigned w = 0; w < v.words; ++w) taken[at + w].merge(life(v, w));
        };
        for (unsigned n : sorted) {
            const Value& v = program_.values[n];
            if (v.pinned < 0) continue;
            const unsigned at = unsigned(v.pinned);
            require(at + v.words <= budget && fits(v, at), v.at,
                    "'{}' is pinned to {} from {}, which is taken or does not exist", v.name,
                    kFileNames[unsigned(file)], at);
            place(n, at);
        }
        for (unsigned n : sorted) {
            const Value& v = program_.values[n];
            if (v.pinned >= 0) continue;
            unsigned at = 0;
            while (at + v.words <= budget && !fits(v, at)) at += v.align;
            if (at + v.words > budget) return n;
            place(n, at);
        }
        return std::nullopt;
    }

    // Error that lists what is live where most is, if that is more than there is.
    void require_room(File file, const std::vector<unsigned>& values) const {
        std::vector<unsigned> pressure(live_.points, 0);
        const auto count = [&](const Bits& life) {
            for (size_t point : life.ones()) ++pressure[point];
        };
        for (unsigned v : values)
            for (unsigned w = 0; w < program_.values[v].words; ++w)
                count(life(program_.values[v], w));
        for (unsigned p = 0; p < kBudget[unsigned(file)]; ++p)
            count(live_.live[live_.cells.of(file, p, false)]);
        const auto peak = std::max_element(pressure.begin(), pressure.end());
        if (peak == pressure.end() || *peak <= kBudget[unsigned(file)]) return;
        const size_t point = size_t(peak - pressure.begin());

        std::vector<std::tuple<int, std::string, unsigned, unsigned>> list;  // words, name, value
        for (unsigned v : values) {
            unsigned words = 0;
            for (unsigned w = 0; w < program_.values[v].words; ++w)
                words += life(program_.values[v], w)[point];
            if (words) list.emplace_back(-int(words), program_.values[v].name, v, words);
        }
        std::sort(list.begin(), list.end());
        const Inst& inst = *live_.insts[point / 2];
        std::string text = fmt::format(
            "{} {} are live at {}, {} exist. Nothing is spilled; one of these has to "
            "go:",
            *peak, kFileNames[unsigned(file)], inst.info().name, kBudget[unsigned(file)]);
        for (const auto& [order, name, v, words] : list)
            text += fmt::format("\n  {:3} {}  {}:{}", words, name,
                                program_.values[v].at.file_name(), program_.values[v].at.line());
        throw Error(inst.at, text);
    }

    const Value& value_of(const Operand& o, const Inst& inst) const {
        for (const Value& v : program_.values)
            if (v.file == o.file && o.value >= v.first && o.value < v.first + v.words) {
                require(o.value + o.words <= v.first + v.words, inst.at,
                        "{}: operand reaches past the end of '{}'", inst.info().name, v.name);
                return v;
            }
        throw Error(inst.at, fmt::format("{}: register that no value owns", inst.info().name));
    }

    void rewrite() {
        unsigned used[3]{};
        const auto use = [&](File f, unsigned end) {
            used[unsigned(f)] = std::max(used[unsigned(f)], end);
        };
        for (Block& block : program_.blocks)
            for (Inst& inst : block.insts)
                for (unsigned n = 0; n < inst.info().operand_count; ++n) {
                    Operand& o = inst.operands[n];
                    if (!o.is_reg()) continue;
                    if (o.is_virtual) {
                        const Value& v = value_of(o, inst);
                        const unsigned offset = o.value - v.first;
                        o.value = unsigned(base_[size_t(&v - program_.values.data())]) + offset;
                        o.is_virtual = false;
                        const unsigned align = o.words < 2                         ? 1
                                               : o.file == File::s && o.words >= 4 ? 4
                                                                                   : 2;
                        require(o.value % align == 0, inst.at,
                                "{}: words {} to {} of '{}' cannot be one operand, it has to start "
                                "at a multiple of {}",
                                inst.info().name, offset, offset + o.words - 1, v.name, align);
                    }
                    if (o.file != File::s || o.value < Cells::kSgprs)
                        use(o.file, o.value + o.words);
                }
        program_.used = {used[unsigned(File::v)], used[unsigned(File::a)], used[unsigned(File::s)]};
    }
};

}  // namespace

Program allocate(Program program, const Machine&) {
    Allocator(program).run();
    return program;
}

}  // namespace zyfa
