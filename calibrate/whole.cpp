// U19, U20: what needs a card or has no number: the clock under load, instruction fetch.
#include "calibrate/probe.hpp"

namespace zyfa {

namespace {

Probe::Body dense(bool from_memory) {
    return [from_memory](Bench& b) -> Probe::Units {
        const auto d = b.zeros<32>("d");
        const auto x = b.zeros<8>("a"), y = b.zeros<8>("b");
        if (from_memory) {
            const auto at = b.k.vgpr<1>("offset");
            b.k.v_lshlrev_b32(at, 6, b.lane());
            for (unsigned n : {0u, 1u}) {
                b.k.global_load_dwordx4(x.part<4>(n), at, b.data()).offset(16 * n);
                b.k.global_load_dwordx4(y.part<4>(n), at, b.data()).offset(32 + 16 * n);
            }
        }
        return
            [&b, d, x, y](unsigned n) { b.k.v_mfma_f32_32x32x64_f8f6f4(d.part<16>(n % 2), x, y); };
    };
}

constexpr unsigned kCode[] = {8, 32, 80};  // KiB of a loop
std::string code_of(unsigned kib) { return fmt::format("code_of_{}_kib", kib); }

}  // namespace

void add_whole(Calibration& c) {
    for (bool random : {false, true}) {
        Probe p;
        p.id = random ? "clock_random" : "clock_zeros", p.unknown = 19, p.waves = 8;
        p.about = fmt::format("v_mfma_f32_32x32x64_f8f6f4 on {}, on all compute units",
                              random ? "random bytes" : "zeros");
        p.repeat = 128;
        p.lower = dense(random);
        if (random) p.data = {ProbeData::Kind::random, 4096, 0, 0, 0};
        p.card_rounds = 4000, p.card_workgroups = 256;
        c.probes.push_back(std::move(p));
    }
    for (unsigned kib : kCode) {
        Probe p;
        p.id = code_of(kib), p.unknown = 20;
        p.about = fmt::format("v_fma_f32, a round of {} KiB of code", kib);
        p.repeat = kib * 128;
        p.lower = [](Bench& b) -> Probe::Units {
            const auto to = b.zeros<16>("to");
            const auto from = b.zeros<1>("from");
            return [&b, to, from](unsigned n) { b.k.v_fma_f32(to[n % 16], from, from, from); };
        };
        c.probes.push_back(std::move(p));
    }
    const auto clock = [&](const char* path, const char* kernel, const char* how) {
        c.fields.push_back(
            {path,
             19,
             {kernel},
             how,
             [kernel](const Measured& m) -> Fitted { return m.ticks.at(kernel).gigahertz; },
             "the clock goes into the model and does not come out of it"});
    };
    clock("clock/dense", "clock_random", "s_memtime beside s_memrealtime, median of rounds");
    clock("clock/light", "clock_zeros", "the same, on zeros");
    c.unknowns.push_back({19, "clock under load", "needs a card, see clock/dense and clock/light"});
    UnknownNote fetch{20, "instruction fetch over long loops",
                      "the model has no instruction cache: cycles beyond those of the shortest "
                      "loop are what it leaves out"};
    for (unsigned kib : kCode) fetch.probes.push_back(code_of(kib));
    fetch.reading = [](const Measured& m) {
        std::string list;
        bool slower = false;
        for (unsigned kib : kCode) {
            const double unit = m.unit(code_of(kib));
            slower |= unit > 1.05 * m.unit(code_of(kCode[0]));
            list += fmt::format("{}{:.2f} at {} KiB", list.empty() ? "" : ", ", unit, kib);
        }
        return fmt::format("{}: cycles of v_fma_f32 {}",
                           slower ? "long loops are slower" : "no cost seen", list);
    };
    c.unknowns.push_back(std::move(fetch));
}

}  // namespace zyfa
