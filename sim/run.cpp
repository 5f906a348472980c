#include "sim/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "sim/dispatch.hpp"
#include "sim/proof.hpp"
#include "sim/start.hpp"
#include "sim/worker.hpp"

namespace zyfa {
namespace sim {
namespace {

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
