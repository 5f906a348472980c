// U15..U17: the vector memory path, latencies by pointer chase, the share of L2 bandwidth,
// counters.
#include <cmath>

#include "calibrate/probe.hpp"

namespace zyfa {

namespace {

void add(Calibration& c, unsigned unknown, std::string id, std::string about, unsigned waves,
         unsigned repeat, unsigned base, Probe::Body lower) {
    Probe p;
    p.id = std::move(id), p.unknown = unknown, p.about = std::move(about), p.waves = waves;
    p.repeat = repeat, p.base = base, p.lower = std::move(lower);
    c.probes.push_back(std::move(p));
}

constexpr unsigned kInFlight = 48;  // destinations of a stream of loads

// Loads of one dword a lane, lanes `bytes` apart; past L1 (sc1).
Probe::Body loads(unsigned bytes) {
    return [bytes](Bench& b) -> Probe::Units {
        const auto at = b.k.vgpr<1>("offset");
        b.k.v_mul_u32_u24(at, int(bytes), b.lane());
        const auto to = b.zeros<kInFlight>("to");
        return [&b, at, to](unsigned n) {
            b.k.global_load_dword(to[n % kInFlight], at, b.data()).sc1();
        };
    };
}

Probe::Body vector_chase() {
    return [](Bench& b) -> Probe::Units {
        const auto at = b.k.vgpr<2>("address");
        b.k.v_mov_b32(at[0], b.data()[0]);
        b.k.v_mov_b32(at[1], b.data()[1]);
        return [&b, at](unsigned) {
            b.k.global_load_dwordx2(at, at, off).sc1();
            b.k.s_waitcnt().counts(0, 15);
        };
    };
}
Probe::Body scalar_chase() {
    return [](Bench& b) -> Probe::Units {
        const auto at = b.k.sgpr<2>("address");
        b.k.s_mov_b64(at, b.data());
        return [&b, at](unsigned) {
            b.k.s_load_dwordx2(at, at, 0);
            b.k.s_waitcnt().counts(63, 0);
        };
    };
}
// `count` scalar loads, then a wait for them all.
Probe::Body scalar_burst(unsigned count) {
    return [count](Bench& b) -> Probe::Units {
        const auto to = b.k.sgpr<16>("to");
        return [&b, to, count](unsigned) {
            for (unsigned n = 0; n < count; ++n) b.k.s_load_dword(to[n], b.data(), int(4 * n));
            b.k.s_waitcnt().counts(63, 0);
        };
    };
}
Probe::Body vector_burst(unsigned count) {
    return [count](Bench& b) -> Probe::Units {
        const auto at = b.zeros<1>("offset");
        const auto to = b.zeros<64>("to");
        const auto more = b.zeros<16>("more");
        return [&b, at, to, more, count](unsigned) {
            for (unsigned n = 0; n < count; ++n)
                b.k.global_load_dword(n < 64 ? to[n] : more[n - 64], at, b.data()).sc1();
            b.k.s_waitcnt().counts(0, 15);
        };
    };
}

constexpr ProbeData zeros(uint64_t bytes) { return {ProbeData::Kind::zeros, bytes, 0, 0, 0}; }
constexpr ProbeData chain(uint64_t nodes, uint64_t stride, uint64_t model_stride = 0) {
    return {ProbeData::Kind::chain, 0, nodes, stride, model_stride};
}

constexpr unsigned kBursts[] = {4, 8, 16, 32, 48, 60, 64, 72};  // loads before a wait for all
std::string burst(unsigned loads) { return fmt::format("global_load_dword_burst_{}", loads); }

// With at most n loads outstanding one leaves every latency / n cycles; that shows where it is
// longer than what a load takes to issue.
std::string limit_of_loads(const Measured& m) {
    double least = 1e9;
    for (unsigned n = 1; n < std::size(kBursts); ++n) {
        const double each = (m.unit(burst(kBursts[n])) - m.unit(burst(kBursts[n - 1]))) /
                            (kBursts[n] - kBursts[n - 1]);
        if (each > 1.25 * least)
            return fmt::format("a load takes {:.1f} cycles up to {} of them, {:.1f} up to {}",
                               least, kBursts[n - 1], each, kBursts[n]);
        least = std::min(least, each);
    }
    return fmt::format(
        "no limit seen up to {} loads, {:.1f} cycles each; one of more than {:.0f} would not show, "
        "since so many take as long as one is on its way",
        kBursts[std::size(kBursts) - 1], least, std::floor(m.unit("chase_l2") / least));
}

// Bytes per clock that return to one compute unit. Lanes are 32 bytes apart: all of the range
// comes, in requests of whatever size, and a load takes longer than any rate of issue.
constexpr unsigned kDense = 32, kSparse = 128;  // bytes between lanes
double bytes_per_clock(const Measured& m) {
    return m.prior.chip_wave_lanes.value * kDense * 4 / m.unit("global_load_dword_dense");
}
// Cycles that one request takes on its way back, a whole number in any machine.
double request_cycles(const Measured& m) {
    return m.unit("global_load_dword_sparse") / (4 * m.prior.chip_wave_lanes.value);
}

}  // namespace

void add_memory(Calibration& c) {
    add(c, 15, "global_load_dword_stream", "global_load_dword, all lanes in one line, 4 waves", 4,
        256, 96, loads(0));
    c.probes.back().data = zeros(4096);
    add(c, 16, "global_load_dword_dense",
        "global_load_dword sc1, lanes 32 bytes apart, 4 waves, on all compute units", 4, 192, 96,
        loads(kDense));
    c.probes.back().data = zeros(64 * kDense);
    c.probes.back().card_workgroups = 256;
    add(c, 16, "global_load_dword_sparse",
        "global_load_dword sc1, each lane a line of its own, 4 waves, on all compute units", 4, 192,
        96, loads(kSparse));
    c.probes.back().data = zeros(64 * kSparse);
    c.probes.back().card_workgroups = 256;
    add(c, 15, "global_store_dword_stream", "global_store_dword, all lanes one dword, 4 waves", 4,
        256, 128, [](Bench& b) -> Probe::Units {
            const auto at = b.zeros<1>("offset"), value = b.zeros<1>("value");
            return [&b, at, value](unsigned) { b.k.global_store_dword(at, value, b.data()); };
        });
    c.probes.back().data = zeros(4096);

    add(c, 16, "chase_l2", "global_load_dwordx2 sc1, address from the one before; 64 KiB", 1, 96,
        32, vector_chase());
    c.probes.back().data = chain(32, 2048 + 128);
    add(c, 16, "chase_mall", "the same over 64 MiB that the host has just written", 1, 96, 32,
        vector_chase());
    c.probes.back().data = chain(2048, 32768 + 128, 128);
    add(c, 16, "chase_hbm", "the same over 1 GiB: no line is met twice", 1, 96, 32, vector_chase());
    c.probes.back().data = chain(2048, 524288 + 128, 128);
    add(c, 16, "chase_scalar", "s_load_dwordx2, address from the one before; 1 KiB", 1, 96, 32,
        scalar_chase());
    c.probes.back().data = chain(8, 128);
    add(c, 16, "s_load_dword_burst_2", "2 s_load_dword and s_waitcnt", 1, 64, 16, scalar_burst(2));
    c.probes.back().data = zeros(4096);
    add(c, 16, "s_load_dword_burst_12", "12 s_load_dword and s_waitcnt", 1, 64, 16,
        scalar_burst(12));
    c.probes.back().data = zeros(4096);
    for (unsigned n : kBursts) {
        add(c, 17, burst(n), fmt::format("{} global_load_dword and s_waitcnt", n), 1, 24, 8,
            vector_burst(n));
        c.probes.back().data = zeros(4096);
    }

    const auto field = [&](const char* path, std::vector<std::string> probes, const char* how,
                           std::function<Fitted(const Measured&)> fit, const char* card_only = "") {
        c.fields.push_back({path, 16, std::move(probes), how, std::move(fit), card_only});
    };
    field("rates/vmem_load", {"global_load_dword_stream"}, "cycles of one unit / waves",
          [](const Measured& m) -> Fitted { return m.unit("global_load_dword_stream") / 4; });
    field("rates/vmem_store", {"global_store_dword_stream"}, "cycles of one unit / waves",
          [](const Measured& m) -> Fitted { return m.unit("global_store_dword_stream") / 4; });
    field("rates/smem", {"s_load_dword_burst_12", "s_load_dword_burst_2"},
          "(a burst of 12 less one of 2) / 10", [](const Measured& m) -> Fitted {
              return (m.unit("s_load_dword_burst_12") - m.unit("s_load_dword_burst_2")) / 10;
          });
    field("chip/l2_bytes_per_clock", {"global_load_dword_dense"},
          "2048 bytes of a unit per clock of a compute unit, times the compute units of a die",
          [](const Measured& m) -> Fitted {
              return bytes_per_clock(m) * m.prior.chip_compute_units.value /
                     m.prior.chip_xcds.value;
          });
    field("memory/request_bytes", {"global_load_dword_sparse", "global_load_dword_dense"},
          "bytes that come for each lane when every lane has a line of its own",
          [](const Measured& m) -> Fitted { return request_cycles(m) * bytes_per_clock(m); });
    const std::vector<std::string> beside = {"s_waitcnt_stream", "global_load_dword_sparse"};
    const auto chase = [&](const char* path, const char* probe, const char* card_only = "") {
        field(
            path, {probe, beside[0], beside[1]},
            "a unit less one satisfied s_waitcnt and the return of one request",
            [probe](const Measured& m) -> Fitted {
                return m.unit(probe) - m.unit("s_waitcnt_stream") -
                       std::ceil(request_cycles(m) - 0.01);
            },
            card_only);
    };
    chase("memory/l2_latency", "chase_l2");
    chase("memory/hbm_latency", "chase_hbm");
    chase("memory/mall_latency", "chase_mall",
          "the model has no Infinity Cache: a line is in L2 or in HBM");
    field("memory/scalar_latency", {"chase_scalar", "s_waitcnt_stream"},
          "a unit less one satisfied s_waitcnt", [](const Measured& m) -> Fitted {
              return m.unit("chase_scalar") - m.unit("s_waitcnt_stream");
          });
    c.unknowns.push_back(
        {16, "latencies by level, L2 bandwidth",
         "the fields hold it, but bandwidth by footprint and die is not a number of the file"});
    UnknownNote outstanding{
        17, "how many loads a wave has outstanding before it stalls",
        "limits/vmcnt is fixed by the encoding (certain); for another limit of the card the model "
        "has no number. It shows as more cycles for each further load of a burst"};
    for (unsigned n : kBursts) outstanding.probes.push_back(burst(n));
    outstanding.probes.push_back("chase_l2");
    outstanding.reading = limit_of_loads;
    c.unknowns.push_back(std::move(outstanding));
}

}  // namespace zyfa
