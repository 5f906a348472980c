// U8, U9, U21: what waves of a workgroup do to one another at barriers and at one issue port.
#include "calibrate/probe.hpp"

namespace zyfa {

namespace {

constexpr unsigned kWork = 16;  // v_add_f32 between two barriers

void work(Kernel& k, Vgpr<16> to, Vgpr<1> from) {
    for (unsigned i = 0; i < kWork; ++i) k.v_add_f32(to[i], from, from);
}

// Work of one half while the other waits, then the reverse. The half that waited goes on when the
// barrier opens and is the last at the next one: one unit is twice the work and two barriers.
Probe::Body pingpong(bool first) {
    return [first](Bench& b) -> Probe::Units {
        const auto to = b.zeros<16>("to");
        const auto from = b.zeros<1>("from");
        return [&b, first, to, from](unsigned) {
            if (first) work(b.k, to, from);
            b.k.s_barrier();
            if (!first) work(b.k, to, from);
            b.k.s_barrier();
        };
    };
}

Probe::Body adds(int priority) {
    return [priority](Bench& b) -> Probe::Units {
        const auto to = b.zeros<16>("to");
        const auto from = b.zeros<1>("from");
        return [&b, priority, to, from](unsigned n) {
            if (n == 0 && priority >= 0) b.k.s_setprio(priority);
            b.k.v_add_f32(to[n % 16], from, from);
        };
    };
}

// Which half is done sooner; who waits for the other takes twice as long.
std::string_view first_of(std::string_view probe, const Measured& m) {
    const double lower = m.unit(probe, Half::lower), upper = m.unit(probe, Half::upper);
    return lower < 0.75 * upper ? "lower" : upper < 0.75 * lower ? "upper" : "neither";
}

void halves(Calibration& c, unsigned unknown, const char* id, const char* about, unsigned waves,
            unsigned repeat, Probe::Body lower, Probe::Body upper) {
    Probe p;
    p.id = id, p.unknown = unknown, p.about = about, p.waves = waves, p.repeat = repeat;
    p.lower = std::move(lower), p.upper = std::move(upper);
    c.probes.push_back(std::move(p));
}

}  // namespace

void add_waves(Calibration& c) {
    halves(c, 8, "s_barrier_pingpong",
           "16 v_add_f32 of wave 0, barrier, 16 of wave 1, barrier; the other waits", 2, 128,
           pingpong(true), pingpong(false));
    {
        Probe p;
        p.id = "s_barrier_stream", p.unknown = 8, p.about = "s_barrier of 8 waves", p.waves = 8;
        p.lower = [](Bench& b) -> Probe::Units { return [&b](unsigned) { b.k.s_barrier(); }; };
        c.probes.push_back(std::move(p));
        p.id = "s_barrier_balanced", p.about = "16 v_add_f32 and s_barrier of 8 waves";
        p.repeat = 64;
        p.lower = [](Bench& b) -> Probe::Units {
            const auto to = b.zeros<16>("to");
            const auto from = b.zeros<1>("from");
            return [&b, to, from](unsigned) {
                work(b.k, to, from);
                b.k.s_barrier();
            };
        };
        c.probes.push_back(std::move(p));
    }
    halves(c, 9, "priority_equal", "v_add_f32 of two waves of each SIMD, equal priority", 8, 512,
           adds(0), adds(0));
    halves(c, 9, "priority_upper", "the same, the upper waves at s_setprio 3", 8, 512, adds(0),
           adds(3));
    halves(c, 9, "priority_lower", "the same, the lower waves at s_setprio 3", 8, 512, adds(3),
           adds(0));
    Probe p;
    p.id = "v_add_f32_two_waves", p.unknown = 21, p.waves = 8;
    p.about = "v_add_f32, two waves of each SIMD: 8 cycles, or 4 with dual issue";
    p.lower = adds(-1);
    c.probes.push_back(std::move(p));

    c.fields.push_back({"rates/barrier",
                        8,
                        {"s_barrier_pingpong", "v_add_f32_stream"},
                        "half a unit less 16 v_add_f32",
                        [](const Measured& m) -> Fitted {
                            return m.unit("s_barrier_pingpong") / 2 -
                                   kWork * m.unit("v_add_f32_stream");
                        },
                        ""});
    c.unknowns.push_back({8, "what a barrier costs beyond the waiting", ""});
    c.unknowns.push_back(
        {9,
         "s_setprio, and who goes first among equals",
         "a rule: which of oldest, round-robin and youngest (--arbiter) fits waves of equal "
         "priority, and whether s_setprio comes before it",
         {"priority_equal", "priority_upper", "priority_lower"},
         [](const Measured& m) -> std::string {
             const std::string_view first = first_of("priority_equal", m);
             const bool counts = first_of("priority_upper", m) == "upper" &&
                                 first_of("priority_lower", m) == "lower";
             return fmt::format("equal priority: {}; s_setprio {}",
                                first == "neither" ? "in turn (--arbiter round-robin)"
                                : first == "lower"
                                    ? "the lower waves go first (--arbiter oldest)"
                                    : "the upper waves go first (--arbiter youngest)",
                                counts ? "comes before that" : "does not decide");
         }});
    c.unknowns.push_back(
        {21,
         "two vector instructions of one SIMD in one slot",
         "yes or no: v_add_f32_two_waves takes twice the cycles of one wave without, as many with; "
         "the model has no such case",
         {"v_add_f32_two_waves", "v_add_f32_stream"},
         [](const Measured& m) -> std::string {
             const double two = m.unit("v_add_f32_two_waves"), one = m.unit("v_add_f32_stream");
             return fmt::format("{}: two waves take {:.1f} cycles, one {:.1f}",
                                two > 1.5 * one ? "no" : "yes", two, one);
         }});
}

}  // namespace zyfa
