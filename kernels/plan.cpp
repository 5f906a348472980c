#include "kernels/plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace zyfa {
namespace {

// Where a piece of work on tile t stands: iteration, counted from t; phase; place in it.
struct Spot {
    int iteration;
    unsigned phase;
    bool behind;
    unsigned index;
    std::tuple<int, unsigned, bool, unsigned> key() const {
        return {iteration, phase, behind, index};
    }
    Spot of_tile(int n) const { return {iteration + n, phase, behind, index}; }
    std::string path() const {
        return fmt::format("$.phases[{}].{}[{}]", phase, behind ? "behind" : "work", index);
    }
};
bool before(const Spot& a, const Spot& b) { return a.key() < b.key(); }
// One of them is woven into the other, or they come in the wrong order.
bool overlaps(const Spot& last, const Spot& next) {
    if (last.iteration == next.iteration && last.phase == next.phase && last.behind != next.behind)
        return true;
    return !before(last, next);
}

template <class... A>
[[noreturn]] void fail(const std::string& path, fmt::format_string<A...> text, A&&... a) {
    throw PlanError(path, fmt::format(text, std::forward<A>(a)...));
}

class Planner {
public:
    Planner(const Schedule& schedule, Plan& to) : s(schedule), plan(to), B(int(s.barriers())) {}

    void run() {
        if (B == 0) fail("$.phases", "no barrier: nothing would tell waves that a tile is in LDS");
        collect();
        check_order();
        list_steps();
        place_reads();
        plan.first_iteration = -tile_of(Work::qk);
        plan.has_last =
            std::any_of(tiles_.begin(), tiles_.end(), [](int tile) { return tile < 0; });
        plan.score_copies = overlaps(last_use_of_scores(), first(Work::qk).of_tile(1)) ? 2 : 1;
        plan.weight_copies = overlaps(last(Work::pv), first(Work::pack).of_tile(1)) ? 2 : 1;
        if (s.scale_block)
            plan.exponent_copies = overlaps(last(s.sums_behind_pv() ? Work::sum : Work::pv),
                                            first(Work::exp).of_tile(1))
                                       ? 2
                                       : 1;
        ring(true);
        ring(false);
        plan.unroll = std::lcm(
            std::lcm(s.k_slots, s.v_slots),
            std::lcm(std::lcm(plan.score_copies, plan.weight_copies), plan.exponent_copies));
        if (plan.unroll > 12)
            fail("$.lds_slots", "{} and {} tiles need {} copies of the loop body; 12 are the limit",
                 s.k_slots, s.v_slots, plan.unroll);
    }

private:
    const Schedule& s;
    Plan& plan;
    const int B;
    std::array<std::vector<Spot>, kWorks> spots_;
    std::array<int, kWorks> tiles_{};

    const Spot& first(Work w) const { return spots_[unsigned(w)].front(); }
    const Spot& last(Work w) const { return spots_[unsigned(w)].back(); }
    int tile_of(Work w) const { return tiles_[unsigned(w)]; }
    const Spot& last_use_of_scores() const {
        if (s.sums_weights_rounded() || before(last(Work::sum), last(Work::pack)))
            return last(Work::pack);
        return last(Work::sum);
    }
    bool wants(Work w) const {
        if (w == Work::check) return s.checks_scores();
        return w != Work::sum || s.has_sum_work();
    }

    void check_item(const Item& item, const Spot& at) {
        const std::string_view name = work_name(item.work);
        const auto tile = [&](int least, int most) {
            if (item.tile < least || item.tile > most)
                fail(at.path(), "{}: the tile must be i{:+} to i{:+}", show(item, s), least, most);
        };
        switch (item.work) {
            case Work::load_k:
            case Work::load_v: tile(1, 8); break;
            case Work::qk: tile(0, 1); break;
            case Work::pv: tile(-1, 0); break;
            case Work::sum: tile(s.sums_behind_pv() ? -1 : 0, 0); break;
            default: tile(0, 0);
        }
        if (item.work == Work::check && !wants(item.work))
            fail(at.path(), "{}: exact weights keep NaN by themselves ($.softmax)", name);
        if (!wants(item.work))
            fail(at.path(), "{}: the matrix pipe makes the row sums ($.row_sum)", name);
        if (!at.behind) return;
        if (is_matrix_work(item.work))
            fail(at.path(), "{}: matrix work stands in 'work'; the rest goes behind it", name);
        if (item.work == Work::mask || item.work == Work::check ||
            (item.work == Work::rescale && (s.lazy || s.scale_block)))
            fail(at.path(), "{}: it has a branch, so nothing can be woven around it", name);
        if (!s.phases[at.phase].has_matrix_work())
            fail(at.path(), "there is no matrix work in this phase to stand behind");
    }

    void collect() {
        std::array<std::vector<unsigned>, kWorks> parts;
        for (unsigned p = 0; p < s.phases.size(); ++p)
            for (const bool behind : {false, true}) {
                const auto& list = behind ? s.phases[p].behind : s.phases[p].work;
                for (unsigned n = 0; n < list.size(); ++n) {
                    const Item& item = list[n];
                    const Spot at{-item.tile, p, behind, n};
                    check_item(item, at);
                    auto& all = spots_[unsigned(item.work)];
                    const bool in_parts = item.last != 0;
                    if (!all.empty() && (!in_parts || tile_of(item.work) != item.tile))
                        fail(at.path(), "{} stands here and at {}", show(item, s),
                             all.front().path());
                    all.push_back(at);
                    tiles_[unsigned(item.work)] = item.tile;
                    for (unsigned part = item.first; part < item.last; ++part)
                        parts[unsigned(item.work)].push_back(part);
                }
            }
        for (unsigned w = 0; w < kWorks; ++w) {
            if (!wants(Work(w))) continue;
            if (spots_[w].empty()) fail("$.phases", "{} is missing", work_name(Work(w)));
            std::vector<unsigned> all(parts[w].size());
            std::iota(all.begin(), all.end(), 0u);
            auto sorted = parts[w];
            std::sort(sorted.begin(), sorted.end());
            const unsigned count = Work(w) == Work::qk ? s.key_blocks() : 4;
            if ((Work(w) == Work::qk || Work(w) == Work::pv) &&
                (sorted != all || sorted.size() != count))
                fail("$.phases", "the parts of {} are not all there, or one is there twice",
                     work_name(Work(w)));
        }
    }

    void check_order() const {
        const auto need = [&](const Spot& a, const Spot& b, std::string_view text) {
            if (!before(a, b)) fail(b.path(), "{}", text);
        };
        need(last(Work::qk), first(Work::mask), "mask comes before its scores are there (qk)");
        need(last(Work::mask), first(Work::max), "max comes before mask");
        need(last(Work::max), first(Work::exp), "exp comes before max");
        if (s.checks_scores()) {
            need(last(Work::qk), first(Work::check),
                 "check comes before its scores are there (qk)");
            need(last(Work::check), first(Work::exp), "exp comes before check");
        }
        if (s.sums_behind_pv()) {
            need(last(Work::pv), first(Work::sum), "sum comes before pv, which adds up the block");
            need(last(Work::sum), first(Work::pv).of_tile(1), "pv comes before the last sum");
            need(last(Work::sum), first(Work::rescale).of_tile(1),
                 "rescale comes before sum of the tile before");
        } else if (s.has_sum_work()) {
            need(last(Work::exp), first(Work::sum), "sum comes before exp");
        }
        if (s.scale_block) need(last(Work::rescale), first(Work::exp), "exp comes before rescale");
        need(last(Work::exp), first(Work::pack), "pack comes before exp");
        need(last(Work::pack), first(Work::pv), "pv comes before pack");
        need(last(Work::max), first(Work::rescale), "rescale comes before max");
        need(last(Work::rescale), first(Work::pv), "pv comes before the rescale of its tile");
        need(last(Work::pv), first(Work::rescale).of_tile(1),
             "rescale comes before pv of the tile before");
        // The factor and the reference have one register each.
        need(last(Work::rescale), first(Work::max).of_tile(1), "max comes before the last rescale");
    }

    void list_steps() {
        for (unsigned p = 0; p < s.phases.size(); ++p)
            for (unsigned n = 0; n < s.phases[p].work.size(); ++n) {
                const Item& item = s.phases[p].work[n];
                for (unsigned part = item.first; part < item.last; ++part)
                    for (unsigned sub = 0; sub < (item.work == Work::qk ? 2 : s.key_tile / 64);
                         ++sub)
                        plan.steps.push_back({p, n, item.work, item.tile, part, sub});
            }
    }

    // Each operand has the register of its number modulo `fragments`, and is read as soon as that
    // is free; across a phase without matrix work where that phase says.
    void place_reads() {
        const int n = int(plan.steps.size()), f = int(s.fragments);
        const unsigned phases = unsigned(s.phases.size());
        for (int j = 0; j < n; ++j) {
            MatrixStep& step = plan.steps[size_t(j)];
            const auto phase_of = [&](int k) { return plan.steps[size_t(k)].phase; };
            const unsigned previous = (step.phase + phases - 1) % phases;
            const bool wraps = step.phase == 0;
            if (j >= f && phase_of(j - f) == step.phase) {
                step.anchor = j - f;
            } else if (!s.phases[previous].has_matrix_work() &&
                       s.phases[previous].reads != Reads::before) {
                step.front = int(previous);
                step.early = wraps;
            } else if (j >= f) {
                step.anchor = j - f;
            } else {
                const int last_user = j + (n - 1 - j) / f * f;
                step.anchor = std::max(n + j - f, last_user);
                step.early = true;
            }
        }
    }

    // Barriers passed within an iteration when phase p runs.
    int epoch(unsigned p) const {
        int count = 0;
        for (unsigned n = 0; n <= p; ++n) count += s.phases[n].barrier;
        return count;
    }
    int epoch(const Spot& at) const { return at.iteration * B + epoch(at.phase); }
    // The phase that barrier number n opens, and its iteration.
    std::pair<int, unsigned> opened_by(int n) const {
        const int iteration = n > 0 ? (n - 1) / B : -((B - n) / B);
        const int within = n - iteration * B;
        unsigned p = 0;
        while (!(s.phases[p].barrier && epoch(p) == within)) ++p;
        return {iteration, p};
    }

    void ring(bool keys) {
        const Work load = keys ? Work::load_k : Work::load_v;
        const int slots = int(keys ? s.k_slots : s.v_slots), stagger = int(s.stagger);
        const Spot& at = first(load);
        const char* what = keys ? "keys" : "values";

        int first_read = 1 << 20, last_read = -(1 << 20);
        for (const MatrixStep& step : plan.steps) {
            if ((step.work == Work::pv) == keys) continue;
            const unsigned where =
                step.anchor < 0 ? unsigned(step.front) : plan.steps[size_t(step.anchor)].phase;
            first_read = std::min(first_read, (-step.tile - step.early) * B + epoch(where));
            last_read = std::max(last_read, -step.tile * B + epoch(step.phase));
        }
        // The leading half reads after barrier `first_read`; the trailing half has to have waited
        // for its own loads when it passes that one, so `stagger` barriers earlier in its program.
        const auto [iteration, phase] = opened_by(first_read - stagger);
        if (std::tuple(at.iteration, at.phase) >= std::tuple(iteration, phase))
            fail(
                at.path(),
                "the tile of {} is waited for in front of phase '{}' of iteration i{:+}, because a "
                "wave reads it {} later, but is loaded in phase '{}' of iteration i{:+}; load it "
                "further ahead, or lower $.stagger",
                what, s.phases[phase].name, iteration,
                stagger ? fmt::format("{} barriers", stagger) : std::string("there"),
                s.phases[at.phase].name, at.iteration);
        // Refilled by the leading half, while the trailing half may still read.
        const int refill = epoch(at), done = last_read - slots * B + stagger;
        if (refill <= done)
            fail(at.path(),
                 "refills the place of tile i{:+} of {} {} barriers before the last wave has read "
                 "it; $.lds_slots.{} must be at least {}, or the load has to come later",
                 -at.iteration - slots, what, done + 1 - refill, keys ? "k" : "v",
                 slots + (done + 1 - refill + B - 1) / B);
        plan.waits.push_back({phase, keys, -iteration});
        plan.first_barrier |= first_read <= plan.first_iteration * B;
        if (!keys) plan.last_barriers = unsigned(std::max(first_read - B, 0));
        const auto positive = [](int n) { return unsigned(std::max(n, 0)); };
        (keys ? plan.first_loads_k : plan.first_loads_v) =
            positive(-at.iteration + plan.first_iteration);
        (keys ? plan.first_waits_k : plan.first_waits_v) =
            positive(plan.first_iteration - iteration);
    }
};

}  // namespace

std::vector<Beside> beside(const Schedule& s, unsigned number, bool of_upper) {
    const int each = int(s.barriers()), stagger = int(s.stagger);
    std::vector<Beside> list;
    if (!each) return list;
    // Barriers passed when a phase runs, within its iteration.
    const auto epoch = [&](unsigned phase) {
        int count = 0;
        for (unsigned n = 0; n < phase; ++n) count += s.phases[n].barrier;
        return count;
    };
    const int there = epoch(number) + (of_upper ? stagger : -stagger);
    for (int iteration = -stagger - 1; iteration <= stagger + 1; ++iteration)
        for (unsigned p = 1; p <= s.phases.size(); ++p)
            if (iteration * each + epoch(p) == there) list.push_back({p, iteration});
    return list;
}

Plan::Plan(const Schedule& s) { Planner(s, *this).run(); }

}  // namespace zyfa
