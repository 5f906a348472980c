#include "sim/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"
#include "sim/order.hpp"
#include "sim/proof.hpp"
#include "sim/start.hpp"
#include "sim/timing/compute_unit.hpp"
#include "sim/watch.hpp"

namespace zyfa {
namespace sim {
namespace {

void report_uninitialised(Wave& w, const Step& s) {
    for (unsigned n = 0; n < s.touches; ++n) {
        const Touch& t = s.touch[n];
        uint64_t bad = t.read ? t.bits & ~w.written[t.word] : 0;
        if (!bad) continue;
        unsigned bit = t.word * 64u + unsigned(__builtin_ctzll(bad));
        const bool scalar = bit >= kScalarBit;
        const unsigned vgprs = w.group->launch->setup.vgprs;
        w.note(scalar ? "UNINIT-SGPR" : "UNINIT-VGPR", Severity::warning, s, nullptr,
               fmt::format("reads {}{}, which nothing has written",
                           scalar        ? 's'
                           : bit < vgprs ? 'v'
                                         : 'a',
                           scalar        ? bit - kScalarBit
                           : bit < vgprs ? bit
                                         : bit - vgprs));
        w.written[t.word] |= bad;
    }
}

// One instruction of one wave.
template <bool kHooked>
void step(Wave& w, std::vector<uint64_t>& counts) {
    const Code& code = *w.group->code;
    if (w.pc >= code.steps.size()) {
        w.note("PAST-END", Severity::error, code.steps.back(), nullptr,
               "execution runs past the end of the code");
        drain(w);
        w.state = State::ended;
        return;
    }
    const Step& s = code.steps[w.pc];
    if (!s.execute) {
        if (auto why = code.untrusted.find(s.index); why != code.untrusted.end())
            w.refuse(s, why->second, Exit::untrusted);
        auto why = code.refused.find(s.index);
        w.refuse(s, why != code.refused.end() ? why->second : "this instruction is not simulated");
    }
    ++w.slots;
    if (s.passes) {
        w.slots = std::max(w.slots, w.matrix_free);
        w.matrix_free = w.slots + s.passes;
    }
    uint64_t pending = 0, unset = 0;
    for (unsigned n = 0; n < s.touches; ++n) {
        const Touch& t = s.touch[n];
        pending |= t.bits & w.pending[t.word];
        if (t.read) unset |= t.bits & ~w.written[t.word];
    }
    if (pending) settle_pending(w, s);
    if (unset && w.group->options->uninitialised) report_uninitialised(w, s);
    for (unsigned n = 0; n < s.touches; ++n)
        if (s.touch[n].write) w.written[s.touch[n].word] |= s.touch[n].bits;
    ++counts[w.pc];
    ++w.instructions;
    ++w.pc;
    if constexpr (kHooked) w.group->options->hook->before(w, s);
    if (w.unusual) [[unlikely]]
        execute_unusual(w, s);
    else s.execute(w, s);
    if constexpr (kHooked) w.group->options->hook->after(w, s);
}

void forbid_unproven(Code& code) {
    for (Step& s : code.steps) {
        if (!s.execute) continue;
        const Evidence& e = evidence(s.op);
        if (e.proof != Proof::inferred && e.proof != Proof::guess) continue;
        s.execute = nullptr;
        code.untrusted.emplace(
            s.index, fmt::format("what it does is {}: {}", proof_name(e.proof), e.source));
    }
}

// Memory atomics give results that depend on the order of workgroups: one thread keeps it.
bool orders_matter(const Code& code) {
    return std::any_of(code.steps.begin(), code.steps.end(),
                       [](const Step& s) { return s.execute && s.from->inst.info().is_atomic(); });
}

struct Worker {
    Group group;
    Reporter reporter;
    std::vector<uint64_t> counts;
    std::unique_ptr<ComputeUnit> unit;  // of timed runs
    std::vector<WorkgroupTiming> timed;
    bool complete = true;

    bool release_barrier(unsigned waves) {  // true: it opens
        unsigned waiting = 0, ended = 0;
        for (unsigned n = 0; n < waves; ++n) {
            waiting += group.waves[n]->state == State::at_barrier;
            ended += group.waves[n]->state == State::ended;
        }
        if (waiting + ended < waves || waiting == 0) return false;
        for (unsigned n = 0; n < waves; ++n) {
            Wave& w = *group.waves[n];
            if (w.state != State::at_barrier) continue;
            w.state = State::running;
            ++w.epoch;
        }
        return true;
    }

    void check_barriers(unsigned waves) {
        unsigned most = 0;
        for (unsigned n = 0; n < waves; ++n) most = std::max(most, group.waves[n]->epoch);
        for (unsigned n = 0; n < waves; ++n) {
            Wave& w = *group.waves[n];
            if (w.epoch == most) continue;
            w.note("BARRIER", Severity::error, group.code->steps[w.pc - 1], nullptr,
                   fmt::format("wave {} ends after {} barriers, others pass {}", n, w.epoch, most));
        }
    }

    unsigned start_group(uint64_t index) {  // number of its waves
        const Launch& l = *group.launch;
        group.index = index;
        group.has_error = false;
        group.id = {uint32_t(index % l.grid[0]), uint32_t(index / l.grid[0] % l.grid[1]),
                    uint32_t(index / l.grid[0] / l.grid[1])};
        unsigned waves = (threads_of(l) + kLanes - 1) / kLanes;
        while (group.waves.size() < waves) group.waves.push_back(std::make_unique<Wave>());
        group.lds.reset(l.setup.lds_bytes + l.dynamic_lds, group.options->seed);
        for (unsigned n = 0; n < waves; ++n) start_wave(*group.waves[n], group, n);
        return waves;
    }

    // After an instruction of a wave. False: the run is not to go on.
    bool goes_on(Wave& w) {
        const Options& o = *group.options;
        if (group.has_error && o.stop_at_error) return false;
        const uint64_t most = o.max_wave_instructions ? o.max_wave_instructions
                                                      : group.launch->most_wave_instructions;
        if (!most || w.instructions < most || w.state == State::ended) return true;
        w.note("ENDLESS", Severity::error, group.code->steps[w.pc], nullptr,
               fmt::format("still running after {} instructions", w.instructions));
        return false;
    }
    bool told_to_stop() const {
        return group.options->stop && group.options->stop->load(std::memory_order_relaxed);
    }

    // False: stopped before its end.
    template <bool kHooked>
    bool run_group(uint64_t index) {
        const unsigned waves = start_group(index);
        Order order(*group.options, index, waves);
        unsigned live = waves;
        while (live) {
            for (unsigned turn = 0; turn < waves; ++turn) {
                auto [number, burst] = order.next(group, turn);
                Wave& w = *group.waves[number];
                if (w.state != State::running) continue;
                while (burst-- && w.state == State::running) {
                    step<kHooked>(w, counts);
                    order.settle(w);
                }
                if (w.state == State::ended) --live;
                if (!goes_on(w)) return false;
            }
            release_barrier(waves);
            if (told_to_stop()) return false;
        }
        check_barriers(waves);
        return true;
    }

    template <bool kHooked>
    bool run_timed(uint64_t index) {
        const unsigned waves = start_group(index);
        const Code& code = *group.code;
        if (!unit) unit = std::make_unique<ComputeUnit>(*group.options->timing, code);
        unit->start(group, waves);
        for (unsigned live = waves, turn = 0; live; ++turn) {
            Wave& w = unit->next();
            const Step* s = w.pc < code.steps.size() ? &code.steps[w.pc] : nullptr;
            step<kHooked>(w, counts);
            unit->executed(w, s);
            if (w.state == State::ended) --live;
            if (!goes_on(w)) return false;
            if (w.state != State::running && release_barrier(waves)) unit->barrier_released();
            if (turn % 1024 == 0 && told_to_stop()) return false;
        }
        check_barriers(waves);
        timed.push_back(unit->finish());
        return true;
    }

    bool run(uint64_t index) {
        const bool hooked = group.options->hook;
        if (group.options->timing) return hooked ? run_timed<true>(index) : run_timed<false>(index);
        return hooked ? run_group<true>(index) : run_group<false>(index);
    }
};

std::shared_ptr<const Timing> collect(const TimingOptions& o, const Code& code,
                                      std::vector<Worker>& workers) {
    auto timing = std::make_shared<Timing>();
    timing->machine = o.machine->name;
    timing->numbers = o.machine->model;
    timing->arbiter = o.arbiter;
    std::vector<InstructionTiming> at(code.steps.size());
    for (Worker& worker : workers) {
        for (WorkgroupTiming& w : worker.timed) timing->workgroups.push_back(std::move(w));
        for (size_t n = 0; n < at.size(); ++n) {
            at[n].count += worker.counts[n];
            for (unsigned k = 0; worker.unit && k < kSpent; ++k)
                at[n].spent[k] += worker.unit->spent_at()[n][k];
        }
    }
    std::sort(timing->workgroups.begin(), timing->workgroups.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    for (size_t n = 0; n < at.size(); ++n) {
        if (!at[n].count) continue;
        at[n].address = code.steps[n].from->address;
        at[n].text = code.steps[n].from->text;
        timing->instructions.push_back(std::move(at[n]));
    }
    return timing;
}

}  // namespace
}  // namespace sim

Result run(const Launch& launch, Memory& memory, const Options& options) {
    using namespace sim;
    auto begin = std::chrono::steady_clock::now();
    check_launch(launch);
    Code code = prepare(launch);
    const KernelSetup& setup = launch.setup;
    if (setup.entry / 4 >= code.at.size() || code.at[setup.entry / 4] == Code::kNone)
        throw Error(
            fmt::format("kernel {}: no instruction at its entry {:#06x}", setup.name, setup.entry));
    if (options.interleave == Interleave::starve &&
        options.starved >= (threads_of(launch) + kLanes - 1) / kLanes)
        throw Error(fmt::format("no wave {} to starve: the workgroup has {}", options.starved,
                                (threads_of(launch) + kLanes - 1) / kLanes));
    if (options.proven_only) forbid_unproven(code);
    const LaunchMemory loaded(launch, memory);

    uint64_t total = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2], first = 0;
    if (options.only_workgroup >= 0) {
        first = uint64_t(options.only_workgroup);
        if (first >= total)
            throw Error(fmt::format("no workgroup {}: the grid has {}", first, total));
        total = 1;
    }
    unsigned count = options.threads ? options.threads : std::thread::hardware_concurrency();
    const bool watched = options.hook || (options.timing && options.timing->sink);
    if (watched || options.stop_at_error) count = 1;  // in order
    count = unsigned(std::clamp<uint64_t>(count, 1, total));
    if (orders_matter(code)) count = 1;
    std::vector<Worker> workers(count);
    std::atomic<uint64_t> next{0}, done{0};
    std::atomic<bool> stopped{false};
    std::mutex mutex;
    std::exception_ptr failure;
    uint64_t failed_group = ~uint64_t(0);

    auto work = [&](Worker& worker) {
        worker.group.launch = &launch;
        worker.group.options = &options;
        worker.group.code = &code;
        worker.group.memory = &memory;
        worker.group.reporter = &worker.reporter;
        worker.group.mode = start_mode(setup);
        loaded.give(worker.group);
        worker.counts.assign(code.steps.size(), 0);
        for (uint64_t n; !stopped && worker.complete && (n = next++) < total;) {
            try {
                const bool ended = worker.run(first + n);
                worker.complete &= ended;
                if (!ended && options.stop_at_error) stopped = true;
            } catch (...) {
                std::lock_guard lock(mutex);
                if (n < failed_group) failure = std::current_exception();
                failed_group = std::min(failed_group, n);
                stopped = true;
            }
            std::lock_guard lock(mutex);
            if (options.progress && !options.progress(++done, total)) stopped = true;
            if (options.stop && *options.stop) stopped = true;
        }
        if (stopped) worker.complete = false;
    };
    std::vector<std::thread> pool;
    for (unsigned n = 1; n < count; ++n) pool.emplace_back(work, std::ref(workers[n]));
    work(workers[0]);
    for (std::thread& t : pool) t.join();
    if (failure) std::rethrow_exception(failure);

    Result result;
    Reporter all;
    std::map<std::string, uint64_t> executed;
    std::set<std::string> unsure;
    for (const Worker& worker : workers) {
        all.merge(worker.reporter);
        result.complete &= worker.complete;
        for (size_t n = 0; n < worker.counts.size(); ++n) {
            uint64_t times = worker.counts[n];
            if (times == 0) continue;
            const Step& s = code.steps[n];
            const OpInfo& info = s.from->inst.info();
            result.wave_instructions += times;
            if (info.is_valu()) result.valu += times;
            if (info.is_mfma()) result.mfma += times;
            executed[std::string(info.name)] += times;
            if (const char* why = unproven(s)) unsure.insert(fmt::format("{}: {}", info.name, why));
        }
    }
    if (options.timing) result.timing = collect(*options.timing, code, workers);
    result.findings = all.sorted();
    result.executed.assign(executed.begin(), executed.end());
    result.unproven.assign(unsure.begin(), unsure.end());
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

}  // namespace zyfa
