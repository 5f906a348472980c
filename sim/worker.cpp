#include "sim/worker.hpp"

#include <algorithm>

#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"
#include "sim/order.hpp"
#include "sim/start.hpp"
#include "sim/watch.hpp"

namespace zyfa::sim {

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

}  // namespace

bool Worker::release_barrier(unsigned waves) {
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

void Worker::check_barriers(unsigned waves) {
    unsigned most = 0;
    for (unsigned n = 0; n < waves; ++n) most = std::max(most, group.waves[n]->epoch);
    for (unsigned n = 0; n < waves; ++n) {
        Wave& w = *group.waves[n];
        if (w.epoch == most) continue;
        w.note("BARRIER", Severity::error, group.code->steps[w.pc - 1], nullptr,
               fmt::format("wave {} ends after {} barriers, others pass {}", n, w.epoch, most));
    }
}

unsigned Worker::start_group(uint64_t index) {
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

bool Worker::goes_on(Wave& w) {
    const Options& o = *group.options;
    if (group.has_error && o.stop_at_error) return false;
    const uint64_t most =
        o.max_wave_instructions ? o.max_wave_instructions : group.launch->most_wave_instructions;
    if (!most || w.instructions < most || w.state == State::ended) return true;
    w.note("ENDLESS", Severity::error, group.code->steps[w.pc], nullptr,
           fmt::format("still running after {} instructions", w.instructions));
    return false;
}
bool Worker::told_to_stop() const {
    return group.options->stop && group.options->stop->load(std::memory_order_relaxed);
}

template <bool kHooked>
bool Worker::run_group(uint64_t index) {
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
bool Worker::run_timed(uint64_t index) {
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

bool Worker::run(uint64_t index) {
    const bool hooked = group.options->hook;
    if (group.options->timing) return hooked ? run_timed<true>(index) : run_timed<false>(index);
    return hooked ? run_group<true>(index) : run_group<false>(index);
}

}  // namespace zyfa::sim
