// Branches, waits, barriers, and scalar loads. Time passes elsewhere (sim/timing): s_nop, s_sleep
// and s_setprio do nothing here. pc already points to the next instruction when a body runs.
#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"
#include "sim/shadow.hpp"

namespace zyfa::sim {

#define BRANCH(op, condition)                       \
    template <>                                     \
    void execute<Op::op>(Wave & w, const Step& s) { \
        if (condition) w.pc = s.target;             \
    }
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w.scc)
BRANCH(s_cbranch_scc1, w.scc)
BRANCH(s_cbranch_vccz, w.scalar64(kVcc) == 0)
BRANCH(s_cbranch_vccnz, w.scalar64(kVcc) != 0)
BRANCH(s_cbranch_execz, w.exec() == 0)
BRANCH(s_cbranch_execnz, w.exec() != 0)

template <>
void execute<Op::s_nop>(Wave&, const Step&) {}
template <>
void execute<Op::s_sleep>(Wave&, const Step&) {}
template <>
void execute<Op::s_setprio>(Wave&, const Step&) {}

template <>
void execute<Op::s_waitcnt>(Wave& w, const Step& s) {
    wait_vm(w, s.mods().vmcnt);
    wait_lgkm(w, s.mods().lgkmcnt);
}
template <>
void execute<Op::s_barrier>(Wave& w, const Step&) {
    w.state = State::at_barrier;
}
template <>
void execute<Op::s_endpgm>(Wave& w, const Step& s) {
    // Inferred: once its waves have ended, the workgroup's LDS may be given to another one.
    for (unsigned n = w.loads.size(); w.dma_in_flight && n-- > 0;) {
        if (!w.loads[n].step->from->inst.info().is_lds_dma()) continue;
        w.note("DMA-AT-END", Severity::error, s, w.loads[n].step,
               "the wave ends while its direct-to-LDS loads are in flight");
        break;
    }
    drain(w);
    w.state = State::ended;
}

static void scalar_arrives(Wave& w, const Flight& f) {
    const Step& s = *f.step;
    unsigned words = s.ref[0].words;
    const Memory::Window window = w.group->memory->window(f.base);
    const uint8_t* from = window.find(f.base, words * 4);
    if (!from) note_outside(w, s, "scalar load", words * 4, f.base, -1);
    else if (window.unset) read_shadow(w, s, window, f.base, words * 4, -1);
    for (unsigned n = 0; n < words; ++n) {
        uint32_t value = kPoison;
        if (from) std::memcpy(&value, from + 4 * n, 4);
        w.write(s.ref[0], value, n);
    }
}
static void scalar_load(Wave& w, const Step& s) {
    uint64_t offset = s.ref[2].kind == Ref::Kind::constant
                          ? uint64_t(int64_t(int32_t(s.ref[2].constant[0])))
                          : w.read(s.ref[2]);
    uint64_t base = w.read64(s.ref[1]);
    Flight& f = issue(w, s, w.scalars);
    f.base = ((base & ~uint64_t(3)) + offset + s.mods().offset) & 0xffff'ffff'fffc;
    f.arrive = scalar_arrives;
    for (unsigned n = 0; n < s.ref[0].words; ++n) w.write(s.ref[0], kPoison, n);
}
// clang-format off
template <> void execute<Op::s_load_dword>(Wave& w, const Step& s) { scalar_load(w, s); }
template <> void execute<Op::s_load_dwordx2>(Wave& w, const Step& s) { scalar_load(w, s); }
template <> void execute<Op::s_load_dwordx4>(Wave& w, const Step& s) { scalar_load(w, s); }
template <> void execute<Op::s_load_dwordx8>(Wave& w, const Step& s) { scalar_load(w, s); }
template <> void execute<Op::s_load_dwordx16>(Wave& w, const Step& s) { scalar_load(w, s); }
// clang-format on

// Monotonic, and the same in every run: see Wave::clock().
template <>
void execute<Op::s_memtime>(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.scalars);
    f.base = w.clock();
    f.arrive = [](Wave& wave, const Flight& flight) {
        wave.write64(flight.step->ref[0], flight.base);
    };
    for (unsigned n : {0, 1}) w.write(s.ref[0], kPoison, n);
}

}  // namespace zyfa::sim
