#include "calibrate/probe.hpp"

#include <algorithm>

namespace zyfa {

uint64_t ProbeData::size(bool model) const {
    switch (kind) {
        case Kind::none: return 0;
        case Kind::zeros:
        case Kind::random: return bytes;
        case Kind::chain: return nodes * (model && model_stride ? model_stride : stride);
    }
    return 0;
}

bool Measured::has(std::string_view id) const {
    const Probe& p = calibration().probe(id);
    return ticks.count(measured_kernel(p).name) && ticks.count(base_kernel(p).name);
}

double Measured::unit(std::string_view id, Half half) const {
    const Probe& p = calibration().probe(id);
    const auto of = [&](const ProbeKernel& k) {
        const auto it = ticks.find(k.name);
        if (it == ticks.end())
            throw Error(fmt::format("probe {}: kernel {} has not been run", id, k.name));
        return it->second.of(half);
    };
    return (of(measured_kernel(p)) - of(base_kernel(p))) / double(p.repeat - p.base);
}

const Probe& Calibration::probe(std::string_view id) const {
    for (const Probe& p : probes)
        if (p.id == id) return p;
    throw Error(fmt::format("no probe '{}'", id));
}

const Calibration& calibration() {
    static const Calibration all = [] {
        Calibration c;
        for (auto add : {add_issue, add_matrix, add_waves, add_lds, add_memory, add_whole}) add(c);
        std::stable_sort(c.unknowns.begin(), c.unknowns.end(),
                         [](auto& a, auto& b) { return a.unknown < b.unknown; });
        return c;
    }();
    return all;
}

ProbeKernel measured_kernel(const Probe& p) { return {p.id, p.repeat, &p}; }

ProbeKernel base_kernel(const Probe& p) {
    if (p.base) return {p.id + "_base", p.base, &p};
    return {fmt::format("frame_{}{}", p.waves, p.upper ? "_halves" : ""), 0, &p};
}

std::vector<ProbeKernel> kernels_of(const Calibration& c) {
    std::vector<ProbeKernel> all;
    const auto add = [&](ProbeKernel k) {
        if (std::none_of(all.begin(), all.end(), [&](auto& o) { return o.name == k.name; }))
            all.push_back(std::move(k));
    };
    for (const Probe& p : c.probes) add(base_kernel(p)), add(measured_kernel(p));
    return all;
}

Program describe(const ProbeKernel& kernel) {
    const Probe& p = *kernel.probe;
    Bench bench(kernel.name, {p.waves, kernel.units ? p.lanes : ~uint64_t(0), bool(p.upper)});
    if (!kernel.units) return bench.finish({}, {});
    const auto body = [&](const Probe::Body& make) -> Bench::Emitted {
        if (!make) return {};
        return [units = make(bench), n = kernel.units] {
            for (unsigned u = 0; u < n; ++u) units(u);
        };
    };
    const Bench::Emitted lower = body(p.lower), upper = body(p.upper);
    return bench.finish(lower, upper);
}

}  // namespace zyfa
