#include "tools/calibrate_device.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "sim/code_object.hpp"

namespace zyfa {

namespace {

double median(std::vector<double> all) {
    if (all.empty()) return 0;
    std::sort(all.begin(), all.end());
    const size_t half = all.size() / 2;
    return all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

class SimDevice : public ProbeDevice {
public:
    SimDevice(const Machine& machine, Arbiter arbiter) {
        timing_.machine = &machine;
        timing_.arbiter = arbiter;
    }
    std::string name() const override {
        return fmt::format("cycle model {}, machine {} with numbers {}", kTimingModel,
                           timing_.machine->name, timing_.machine->model);
    }
    bool is_card() const override { return false; }

protected:
    uint64_t allocate(uint64_t bytes) override { return memory_.allocate("probe", bytes); }
    void write(uint64_t at, std::span<const uint8_t> bytes) override { memory_.write(at, bytes); }
    void read(uint64_t at, std::span<uint8_t> bytes) override { memory_.read(at, bytes); }
    void release(uint64_t at) override { memory_.release(at); }
    void launch(const BuiltProbe& probe, unsigned workgroups,
                std::span<const uint8_t> kernarg) override {
        const CodeObject object = load_code_object(probe.emitted.code_object, probe.kernel.name);
        Launch launch;
        launch.code = object.code;
        launch.setup = setup_of(object, object.kernel(probe.kernel.name));
        launch.grid = {workgroups, 1, 1};
        launch.workgroup = {probe.program.workgroup_size, 1, 1};
        launch.kernarg.assign(kernarg.begin(), kernarg.end());
        Options options;
        options.threads = 1;
        options.races = options.uninitialised = options.uninitialised_memory = false;
        options.timing = &timing_;
        const Result result = zyfa::run(launch, memory_, options);
        if (!result.complete)
            throw Error(fmt::format("probe {} did not come to its end", probe.kernel.name),
                        Exit::internal);
        for (const Finding& f : result.findings)
            if (f.severity == Severity::error && !probe.kernel.probe->open_hazards)
                throw Error(fmt::format("probe {}: {}: {}", probe.kernel.name, f.rule, f.message),
                            Exit::internal);
    }

private:
    TimingOptions timing_;
    Memory memory_;
};

class HipDevice : public ProbeDevice {
public:
    std::string name() const override { return hip_.device(); }
    bool is_card() const override { return true; }

protected:
    uint64_t allocate(uint64_t bytes) override { return hip_.allocate(bytes); }
    void write(uint64_t at, std::span<const uint8_t> bytes) override { hip_.write(at, bytes); }
    void read(uint64_t at, std::span<uint8_t> bytes) override { hip_.read(at, bytes); }
    void release(uint64_t at) override { hip_.release(at); }
    void launch(const BuiltProbe& probe, unsigned workgroups,
                std::span<const uint8_t> kernarg) override {
        hip_.launch(probe.emitted.code_object, probe.kernel.name, {workgroups, 1, 1},
                    probe.program.workgroup_size, kernarg);
    }

private:
    Hip hip_;
};

}  // namespace

std::unique_ptr<ProbeDevice> sim_device(const Machine& machine, Arbiter arbiter) {
    return std::make_unique<SimDevice>(machine, arbiter);
}
std::unique_ptr<ProbeDevice> hip_device() { return std::make_unique<HipDevice>(); }

ProbeLaunch launch_of(const ProbeKernel& k, bool card) {
    const Probe& p = *k.probe;
    ProbeLaunch l;
    l.threads = p.waves * 64;
    l.workgroups = card && k.units ? p.card_workgroups : 1;
    l.rounds = !card ? p.rounds : k.units ? p.card_rounds : 16;
    l.out_bytes = uint64_t(l.workgroups) * l.rounds * p.waves * kProbeWords * 4;
    l.data_bytes = std::max<uint64_t>(p.data.size(!card), 256);
    return l;
}

std::vector<uint8_t> data_of(const Probe& p, bool card, uint64_t address) {
    std::vector<uint8_t> bytes(std::max<uint64_t>(p.data.size(!card), 256));
    if (p.data.kind == ProbeData::Kind::random) {
        std::mt19937 random(1);
        for (uint8_t& b : bytes) b = uint8_t(random());
    }
    if (p.data.kind == ProbeData::Kind::chain) {
        const uint64_t stride = !card && p.data.model_stride ? p.data.model_stride : p.data.stride;
        for (uint64_t n = 0; n < p.data.nodes; ++n) {
            const uint64_t next = address + (n + 1) % p.data.nodes * stride;
            std::memcpy(bytes.data() + n * stride, &next, 8);
        }
    }
    return bytes;
}

Ticks reduce(const ProbeKernel& k, const ProbeLaunch& l, std::span<const uint32_t> words) {
    const unsigned waves = k.probe->waves;
    const unsigned middle = k.probe->upper ? waves / 2 : waves;
    std::vector<double> lower, upper, clock, pairs;
    if (k.units && k.probe->pairs) pairs.assign(kLanePairs, 1e18);
    for (unsigned g = 0; g < l.workgroups; ++g)
        for (unsigned r = 1; r < l.rounds; ++r) {
            double slowest[2] = {0, 0};
            for (unsigned w = 0; w < waves; ++w) {
                const size_t at = ((size_t(g) * l.rounds + r) * waves + w) * kProbeWords;
                double& slot = slowest[w >= middle];
                slot = std::max(slot, double(words[at]));
                if (words[at + 1]) clock.push_back(0.1 * words[at] / words[at + 1]);
            }
            if (!pairs.empty()) {
                double& pair = pairs[(l.rounds - r) % kLanePairs];
                pair = std::min(pair, slowest[0]);
            }
            lower.push_back(slowest[0]);
            upper.push_back(slowest[1]);
        }
    return {median(lower), median(upper), median(clock), std::move(pairs)};
}

Ticks ProbeDevice::run(const BuiltProbe& probe) {
    const ProbeLaunch l = launch_of(probe.kernel, is_card());
    const uint64_t out = allocate(l.out_bytes), data = allocate(l.data_bytes);
    write(data, data_of(*probe.kernel.probe, is_card(), data));
    std::vector<uint32_t> words(l.out_bytes / 4);
    const auto bytes = std::span(reinterpret_cast<uint8_t*>(words.data()), size_t(l.out_bytes));
    write(out, bytes);
    std::array<uint8_t, kProbeArgsBytes> kernarg{};
    std::memcpy(kernarg.data() + kProbeOut, &out, 8);
    std::memcpy(kernarg.data() + kProbeData, &data, 8);
    std::memcpy(kernarg.data() + kProbeRounds, &l.rounds, 4);
    launch(probe, l.workgroups, kernarg);
    read(out, bytes);
    release(out);
    release(data);
    return reduce(probe.kernel, l, words);
}

}  // namespace zyfa
