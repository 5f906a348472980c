#include <algorithm>

#include "sim/timing/loops.hpp"

namespace zyfa {
namespace sim {

std::optional<SteadyWindow> steady_window(const std::vector<const Stay*>& by_wave, unsigned simds) {
    std::optional<SteadyWindow> out;
    unsigned waves = 0, speakers = 0;
    std::vector<std::array<uint64_t, 2>> of_wave(by_wave.size());
    for (size_t wave = 0; wave < by_wave.size(); ++wave) {
        const Stay* stay = by_wave[wave];
        if (!stay) continue;
        const size_t last = stay->takings.size() - kDropped, first = kDropped - 1;
        const Snapshot &a = stay->takings[first], &b = stay->takings[last];
        const double cycles = double(b.cycle - a.cycle);
        of_wave[wave] = {a.cycle, b.cycle};
        if (!out) {
            out.emplace();
            out->branch = stay->branch, out->target = stay->target;
            out->first = unsigned(first + 1), out->last = unsigned(last);
            out->begin = a.cycle, out->cycles = b.cycle - a.cycle;
        }
        ++waves;
        for (unsigned n = 0; n < kSpent; ++n)
            out->spent[n] += 100 * double(b.spent[n] - a.spent[n]) / cycles;
        bool speaks = true;
        for (size_t lower = wave % simds; lower < wave; lower += simds) speaks &= !by_wave[lower];
        if (!speaks) continue;
        ++speakers;
        const auto share = [&](uint64_t Snapshot::* of) {
            return 100 * double(b.*of - a.*of) / cycles;
        };
        out->cycles_per_iteration += cycles / double(last - first);
        out->busy.matrix += share(&Snapshot::matrix);
        out->busy.useful_matrix += share(&Snapshot::useful);
        out->busy.port += share(&Snapshot::port);
        out->busy.lds += share(&Snapshot::lds);
        out->busy.memory_path += share(&Snapshot::path);
    }
    if (!out) return out;
    out->of_wave = std::move(of_wave);
    for (double& s : out->spent) s /= waves;
    for (double* s : {&out->cycles_per_iteration, &out->busy.matrix, &out->busy.useful_matrix,
                      &out->busy.port, &out->busy.lds, &out->busy.memory_path})
        *s /= speakers;
    return out;
}

}  // namespace sim

std::string_view arbiter_name(Arbiter a) {
    static constexpr std::string_view kNames[] = {"oldest", "round-robin", "youngest"};
    return kNames[unsigned(a)];
}

uint64_t InstructionTiming::waited() const {
    uint64_t sum = 0;
    for (unsigned n = unsigned(sim::Spent::issued) + 1; n < sim::kSpent; ++n) sum += spent[n];
    return sum;
}

const WorkgroupTiming* Timing::median_steady() const {
    std::vector<const WorkgroupTiming*> with;
    for (const WorkgroupTiming& w : workgroups)
        if (w.steady) with.push_back(&w);
    if (with.empty()) return nullptr;
    std::stable_sort(with.begin(), with.end(), [](const auto* a, const auto* b) {
        return a->steady->busy.matrix < b->steady->busy.matrix;
    });
    return with[(with.size() - 1) / 2];
}

uint64_t Timing::cycles(double quantile) const {
    std::vector<uint64_t> all;
    for (const WorkgroupTiming& w : workgroups) all.push_back(w.cycles);
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    return all[size_t(quantile * double(all.size() - 1))];
}

double Timing::whole_matrix_busy() const {
    double busy = 0, cycles = 0;
    for (const WorkgroupTiming& w : workgroups)
        busy += w.busy.matrix * double(w.cycles), cycles += double(w.cycles);
    return cycles ? busy / cycles : 0;
}

std::array<double, sim::kSpent> Timing::spent() const {
    std::array<double, sim::kSpent> share{};
    double cycles = 0;
    for (const WorkgroupTiming& w : workgroups)
        for (const sim::Account& a : w.account) {
            for (unsigned n = 0; n < sim::kSpent; ++n) share[n] += double(a[n]);
            cycles += double(w.cycles);
        }
    for (double& s : share) s *= cycles ? 100 / cycles : 0;
    return share;
}

}  // namespace zyfa
