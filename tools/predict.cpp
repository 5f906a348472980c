#include "tools/predict.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "kernels/abi.hpp"
#include "sim/timing/toggles.hpp"

namespace zyfa {
namespace {

struct Sizes {
    uint64_t sq, sk, key_tile, query_tiles;
    bool causal;

    // Keys that the last query of a tile sees: bottom-right aligned.
    uint64_t keys(uint64_t tile) const {
        if (!causal) return sk;
        const int64_t last =
            int64_t(std::min((tile + 1) * kQueryTile, sq)) + int64_t(sk) - int64_t(sq);
        return uint64_t(std::clamp<int64_t>(last, 0, int64_t(sk)));
    }
    // Causal kernels take the last query tile first (kernels/fp8_d128.cpp).
    uint64_t workgroup(uint64_t tile) const { return causal ? query_tiles - 1 - tile : tile; }
    uint64_t key_tiles(uint64_t tile) const { return (keys(tile) + key_tile - 1) / key_tile; }
    double pairs() const {  // of one head
        double sum = 0;
        if (!causal) return double(sq) * double(sk);
        for (uint64_t row = 0; row < sq; ++row)
            sum += double(
                std::clamp<int64_t>(int64_t(row + 1) + int64_t(sk) - int64_t(sq), 0, int64_t(sk)));
        return sum;
    }
};

Options plain_options() {
    Options options;
    options.races = options.uninitialised = options.uninitialised_memory = false;
    return options;
}

// Between the two neighbours by key tiles, and on along the last two.
double between(const std::map<uint64_t, double>& known, uint64_t tiles) {
    if (known.size() == 1) return known.begin()->second;
    auto above = known.lower_bound(tiles);
    if (above == known.end()) --above;
    if (above == known.begin()) ++above;
    const auto below = std::prev(above);
    return below->second + (above->second - below->second) *
                               (double(tiles) - double(below->first)) /
                               double(above->first - below->first);
}

}  // namespace

Prediction::Time Prediction::time(const Machine& m, double ghz) const {
    const Traffic t = zyfa::traffic(m, traffic.l2_bytes, traffic.hbm_bytes, ghz);
    const double cycles = std::max({chip.cycles, t.l2_cycles, t.hbm_cycles});
    Time out;
    out.bound = cycles == chip.cycles ? "workgroups" : cycles == t.l2_cycles ? "L2" : "HBM";
    out.seconds = cycles / (ghz * 1e9);
    out.tflops = out.seconds > 0 ? flops / out.seconds / 1e12 : 0;
    out.of_peak_pct =
        100 * out.tflops * 1e12 / (m.peak_fp8_flops.value * m.chip_compute_units.value * ghz * 1e9);
    return out;
}

WorkgroupTiming time_workgroup(const Subject& subject, uint32_t keys, const TimingOptions& timing) {
    if (!subject.recipe)
        throw Error(subject.name + ": only kernels of ours by id can be run for comparison",
                    Exit::unsupported);
    const auto draws =
        draw("gaussian", 1, *subject.recipe, fmt::format("sq={},sk={}", kQueryTile, keys));
    const bool rounded_sum = subject.chosen && subject.chosen->schedule.sums_weights_rounded();
    AttentionRun run = prepare_attention(*subject.recipe, subject.object, draws.at(0), rounded_sum);
    Options options = plain_options();
    options.timing = &timing;
    return execute(run.prepared, options).timing->workgroups.at(0);
}

Prediction predict(const Subject& subject, const AttentionShape& shape, const TimingOptions& timing,
                   uint64_t seed) {
    if (!subject.recipe)
        throw Error(subject.name + ": only kernels of ours by id have a shape to predict for",
                    Exit::unsupported);
    if (shape.sq == 0) throw Error("predict: no query row, no workgroup", Exit::unsupported);
    const KernelInfo& kernel = subject.object.kernels.at(0);
    const Machine& machine = *timing.machine;
    Sizes sizes{shape.sq, shape.sk, subject.chosen ? subject.chosen->schedule.key_tile : 128,
                (shape.sq + kQueryTile - 1) / kQueryTile, subject.recipe->causal};
    Prediction out;
    out.shape = shape;
    out.workgroups = sizes.query_tiles * shape.hq * shape.b;

    // Room on a compute unit: LDS and registers.
    const unsigned waves = kernel.max_flat_workgroup_size / 64;
    const unsigned per_simd = machine.occupancy_waves_per_simd(
        kernel.accum_offset(), kernel.register_words() - kernel.accum_offset());
    const unsigned by_registers = per_simd * machine.chip_simds_per_cu.count() / waves;
    const unsigned by_lds =
        kernel.lds_bytes ? machine.lds_bytes.count() / kernel.lds_bytes : by_registers;
    out.per_compute_unit = std::max(1u, std::min(by_registers, by_lds));

    // One head tells for all. Five workgroups, spread over the query tiles.
    AttentionShape one = shape;
    one.b = one.hq = one.hk = 1;
    const auto draws = draw("gaussian", seed, *subject.recipe, one.text());
    const bool rounded_sum = subject.chosen && subject.chosen->schedule.sums_weights_rounded();
    const uint64_t last = sizes.query_tiles - 1;
    std::map<uint64_t, uint64_t> tiles;  // key tiles -> query tile
    for (uint64_t tile : {uint64_t(0), last / 4, last / 2, last - last / 4, last})
        tiles.emplace(sizes.key_tiles(tile), tile);
    std::map<uint64_t, double> known;
    for (const auto& [count, tile] : tiles) {
        AttentionRun run =
            prepare_attention(*subject.recipe, subject.object, draws.at(0), rounded_sum);
        Options options = plain_options();
        options.timing = &timing;
        options.only_workgroup = int64_t(sizes.workgroup(tile));
        const Result result = execute(run.prepared, options);
        const WorkgroupTiming& group = result.timing->workgroups.at(0);
        out.samples.push_back({tile, count, group.cycles, 0});
        known[count] = double(group.cycles);
        out.steady_matrix = group.steady ? group.steady->busy.useful_matrix : 0;
    }
    for (Sampled& s : out.samples) {
        if (&s == &out.samples.front() || &s == &out.samples.back()) continue;
        auto others = known;
        others.erase(s.key_tiles);
        s.interpolated = between(others, s.key_tiles);
    }

    std::vector<float> cycles;
    double tiles_read = 0;
    std::vector<float> by_tile;
    for (uint64_t group = 0; group < sizes.query_tiles; ++group) {
        const uint64_t count = sizes.key_tiles(sizes.workgroup(group));  // its own inverse
        by_tile.push_back(float(between(known, count)));
        tiles_read += double(count);
    }
    const uint64_t heads = uint64_t(shape.hq) * shape.b;
    for (const float of_one : by_tile) cycles.insert(cycles.end(), heads, of_one);
    // Workgroups on one compute unit share its pipes: each takes as much longer.
    for (float& c : cycles) c *= float(out.per_compute_unit);
    out.chip = dispatch(machine, cycles, out.per_compute_unit);

    const double d = subject.recipe->d_qk + subject.recipe->d_v;
    const double rows = double(shape.sq) * double(heads);
    const double kv_head = double(shape.sk) * d;  // bytes, e4m3
    const double own = rows * (subject.recipe->d_qk + 2.0 * subject.recipe->d_v + 4);
    out.flops = 2 * d * sizes.pairs() * double(heads);
    const double l2 = own + tiles_read * double(sizes.key_tile) * d * double(heads);
    const double hbm = own + kv_head * double(shape.hk) * double(shape.b);
    out.traffic = traffic(machine, l2, hbm, machine.clock_dense.value);
    // Heads are the first axis: die n has those whose number is n modulo the dies, as far as the
    // workgroups that run at one time reach.
    const double dies = machine.chip_xcds.value;
    const double groups = std::min(double(out.workgroups), double(out.chip.places)) / dies;
    const double stride = std::gcd(uint64_t(shape.hq), uint64_t(dies));
    const double query_heads = std::min(groups, std::max(1.0, double(heads) / stride));
    const double heads_at_once = std::max(1.0, query_heads * shape.hk / shape.hq);
    out.kv_bytes_at_once = heads_at_once * kv_head;

    sim::Toggles toggles;
    AttentionRun run = prepare_attention(*subject.recipe, subject.object, draws.at(0), rounded_sum);
    Options options = plain_options();
    options.hook = &toggles;
    options.only_workgroup = int64_t(sizes.workgroup(last / 2));
    execute(run.prepared, options);
    out.toggled_pct = toggles.percent();
    return out;
}

}  // namespace zyfa
