// U12, U13, U15: LDS bandwidth by access and by number of waves, latency, direct-to-LDS loads.
#include "calibrate/probe.hpp"

namespace zyfa {

namespace {

constexpr uint32_t kLdsBytes = 16384;
constexpr unsigned kInFlight = 12;  // destinations of a stream: below what lgkmcnt counts

// Reads of `kWords` a lane, lanes side by side.
template <unsigned kWords, class Emit>
Probe::Body reads(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        b.zero_lds(kLdsBytes);
        const auto at = b.k.vgpr<1>("address");
        b.k.v_mul_u32_u24(at, int(4 * kWords), b.lane());
        const auto to = b.zeros<kWords * 4>("to");
        const auto more = b.zeros<kWords * 4>("more"), last = b.zeros<kWords * 4>("last");
        return [&b, emit, at, to, more, last](unsigned n) {
            const unsigned i = n % kInFlight;
            const auto& group = i < 4 ? to : i < 8 ? more : last;
            emit(b.k, group.template part<kWords>(i % 4), at);
        };
    };
}
template <unsigned kWords, class Emit>
Probe::Body writes(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        b.zero_lds(kLdsBytes);
        const auto at = b.k.vgpr<1>("address");
        b.k.v_mul_u32_u24(at, int(4 * kWords), b.lane());
        const auto data = b.zeros<kWords>("data");
        return [&b, emit, at, data](unsigned) { emit(b.k, at, data); };
    };
}
// Each read takes its address from the one before.
Probe::Body chase() {
    return [](Bench& b) -> Probe::Units {
        b.zero_lds(kLdsBytes);
        const auto at = b.zeros<1>("address");
        return [&b, at](unsigned) {
            b.k.ds_read_b32(at, at);
            b.k.s_waitcnt().counts(63, 0);
        };
    };
}

const Probe::Body& b32() {
    static const Probe::Body body =
        reads<1>([](Kernel& k, auto d, auto at) { k.ds_read_b32(d, at); });
    return body;
}
const Probe::Body& b64() {
    static const Probe::Body body =
        reads<2>([](Kernel& k, auto d, auto at) { k.ds_read_b64(d, at); });
    return body;
}
const Probe::Body& b128() {
    static const Probe::Body body =
        reads<4>([](Kernel& k, auto d, auto at) { k.ds_read_b128(d, at); });
    return body;
}
const Probe::Body& tr_b8() {
    static const Probe::Body body =
        reads<2>([](Kernel& k, auto d, auto at) { k.ds_read_b64_tr_b8(d, at); });
    return body;
}

void add(Calibration& c, unsigned unknown, std::string id, std::string about, unsigned waves,
         Probe::Body lower, Probe::Body upper = {}) {
    Probe p;
    p.id = std::move(id), p.unknown = unknown, p.about = std::move(about), p.waves = waves;
    p.repeat = 192, p.base = 64;
    p.lower = std::move(lower), p.upper = std::move(upper);
    c.probes.push_back(std::move(p));
}

void dma(Calibration& c, const char* id, const char* about, uint64_t lanes, bool with_reads) {
    add(
        c, 15, id, about, with_reads ? 8 : 4,
        [](Bench& b) -> Probe::Units {
            b.zero_lds(kLdsBytes);
            const auto from = b.k.sgpr<4>("descriptor");
            b.k.s_mov_b32(from[0], b.data()[0]);
            b.k.s_and_b32(from[1], b.data()[1], 0xffff);
            b.k.s_mov_b32(from[2], 4096);
            b.k.s_mov_b32(from[3], 0x00020000);
            b.k.s_mov_b32(m0, 4096);  // behind what the reads of other waves touch
            const auto at = b.k.vgpr<1>("offset");
            b.k.v_lshlrev_b32(at, 4, b.lane());
            return [&b, at, from](unsigned) { b.k.buffer_load_dwordx4_lds(at, from, 0).sc1(); };
        },
        with_reads ? b128() : Probe::Body{});
    c.probes.back().lanes = lanes;
    c.probes.back().data = {ProbeData::Kind::zeros, 4096, 0, 0, 0};
}

// Cycles of LDS that one instruction takes, from a stream of all waves.
double pipe(const Measured& m, const char* probe) {
    return m.unit(probe) / calibration().probe(probe).waves;
}

}  // namespace

void add_lds(Calibration& c) {
    const std::pair<const char*, const Probe::Body*> kinds[] = {{"ds_read_b32", &b32()},
                                                                {"ds_read_b64", &b64()},
                                                                {"ds_read_b128", &b128()},
                                                                {"ds_read_b64_tr_b8", &tr_b8()}};
    for (const auto& [name, body] : kinds)
        for (unsigned waves : {1u, 2u, 4u, 8u})
            add(c, 12, fmt::format("{}_waves_{}", name, waves),
                fmt::format("{} without conflicts, {} waves", name, waves), waves, *body);
    add(c, 12, "ds_read_b32_waves_16", "ds_read_b32 without conflicts, 16 waves", 16, b32());
    add(c, 12, "ds_write_b32_waves_8", "ds_write_b32, 8 waves", 8,
        writes<1>([](Kernel& k, auto at, auto v) { k.ds_write_b32(at, v); }));
    add(c, 12, "ds_write_b64_waves_8", "ds_write_b64, 8 waves", 8,
        writes<2>([](Kernel& k, auto at, auto v) { k.ds_write_b64(at, v); }));
    add(c, 12, "ds_write_b128_waves_8", "ds_write_b128, 8 waves", 8,
        writes<4>([](Kernel& k, auto at, auto v) { k.ds_write_b128(at, v); }));
    add(c, 13, "ds_read_b32_chase", "ds_read_b32, address from the one before; s_waitcnt", 1,
        chase());
    add(c, 13, "ds_read_b32_chase_loaded",
        "the same by the lower waves while the upper ones stream ds_read_b128", 8, chase(), b128());
    dma(c, "buffer_load_dwordx4_lds_lane", "buffer_load_dwordx4 lds of one lane, 4 waves", 1,
        false);
    dma(c, "buffer_load_dwordx4_lds_waves_4", "buffer_load_dwordx4 lds, 4 waves", ~uint64_t(0),
        false);
    dma(c, "buffer_load_dwordx4_lds_beside_reads",
        "lower waves: buffer_load_dwordx4 lds; upper waves: ds_read_b128", ~uint64_t(0), true);

    const auto field = [&](const char* path, unsigned unknown, std::vector<std::string> probes,
                           const char* how, std::function<Fitted(const Measured&)> fit) {
        c.fields.push_back({path, unknown, std::move(probes), how, std::move(fit), ""});
    };
    const char* each = "cycles of one unit / waves";
    field("rates/lds_b32", 12, {"ds_read_b32_waves_16"}, each,
          [](const Measured& m) -> Fitted { return pipe(m, "ds_read_b32_waves_16"); });
    field("rates/lds_b64", 12, {"ds_read_b64_waves_8"}, each,
          [](const Measured& m) -> Fitted { return pipe(m, "ds_read_b64_waves_8"); });
    field("rates/lds_b128", 12, {"ds_read_b128_waves_8"}, each,
          [](const Measured& m) -> Fitted { return pipe(m, "ds_read_b128_waves_8"); });
    field("rates/lds_write", 12, {"ds_write_b64_waves_8"}, each,
          [](const Measured& m) -> Fitted { return pipe(m, "ds_write_b64_waves_8"); });
    field("lds/phase_cycles", 12, {"ds_read_b128_waves_8"},
          "cycles of one ds_read_b128 / its phases without conflict",
          [](const Measured& m) -> Fitted {
              return pipe(m, "ds_read_b128_waves_8") /
                     double(m.prior.phases(LdsAccess::read_b128).lanes.size());
          });
    field("lds/read_bytes_per_clock", 12, {"ds_read_b128_waves_8"}, "1024 bytes / cycles",
          [](const Measured& m) -> Fitted { return 1024 / pipe(m, "ds_read_b128_waves_8"); });
    field("lds/write_bytes_per_clock", 12, {"ds_write_b64_waves_8"}, "512 bytes / cycles",
          [](const Measured& m) -> Fitted { return 512 / pipe(m, "ds_write_b64_waves_8"); });
    field("lds/latency_alone", 13, {"ds_read_b32_chase", "s_waitcnt_stream"},
          "a unit less one satisfied s_waitcnt", [](const Measured& m) -> Fitted {
              return m.unit("ds_read_b32_chase") - m.unit("s_waitcnt_stream");
          });
    field("lds/latency", 13, {"ds_read_b32_chase_loaded", "s_waitcnt_stream"},
          "a unit of the lower waves less one satisfied s_waitcnt",
          [](const Measured& m) -> Fitted {
              return m.unit("ds_read_b32_chase_loaded") - m.unit("s_waitcnt_stream");
          });
    c.fields.back().card_only =
        "the model queues accesses itself and starts from lds/latency_alone; this number is what "
        "the checks grant a read";
    field("rates/lds_dma", 15, {"buffer_load_dwordx4_lds_lane"},
          "cycles of one unit / waves: with one lane neither LDS nor L2 is the limit",
          [](const Measured& m) -> Fitted { return pipe(m, "buffer_load_dwordx4_lds_lane"); });
    c.unknowns.push_back({12, "LDS bandwidth by access and number of waves", ""});
    c.unknowns.push_back({13, "LDS latency, alone and under load", ""});
    c.unknowns.push_back({15, "direct-to-LDS loads", ""});
}

}  // namespace zyfa
