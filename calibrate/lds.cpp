// U12..U15: LDS bandwidth by access and by number of waves, latency, lanes that are served
// together, direct-to-LDS loads.
#include <algorithm>

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

// Reads of one lane in one row of a bank and of another lane in another row; the other 62 read one
// place in other banks. Where the two are served together that takes a cycle more.
template <unsigned kWords, class Emit>
Probe::Body pair_of_lanes(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        b.zero_lds(kLdsBytes);
        const auto at = b.k.vgpr<1>("address"), row_1 = b.k.vgpr<1>("row_1"),
                   row_2 = b.k.vgpr<1>("row_2");
        const auto first = b.k.sgpr<1>("first"), second = b.k.sgpr<1>("second");
        const auto to = b.zeros<kWords * kInFlight>("to");
        b.k.v_mov_b32(row_1, 256);
        b.k.v_mov_b32(row_2, 512);
        return [=, &b](unsigned n) {
            if (n == 0) {
                b.k.s_and_b32(second, b.rounds_left(), 63);
                b.k.s_lshr_b32(first, b.rounds_left(), 6);
                b.k.s_and_b32(first, first, 63);
                b.k.v_mov_b32(at, int(4 * kWords));
                b.k.v_cmp_eq_u32(vcc, first, b.lane());
                b.k.s_nop(1);
                b.k.v_cndmask_b32(at, at, row_1, vcc);
                b.k.v_cmp_eq_u32(vcc, second, b.lane());
                b.k.s_nop(1);
                b.k.v_cndmask_b32(at, at, row_2, vcc);
            }
            emit(b.k, to.template part<kWords>(n % kInFlight), at);
        };
    };
}

const std::pair<const char*, LdsAccess> kPairs[] = {{"ds_read_b64_tr_b8", LdsAccess::read_tr_b8},
                                                    {"ds_read_b64_tr_b16", LdsAccess::read_tr_b16},
                                                    {"ds_read_b64", LdsAccess::read_b64}};
std::string pairs_of(const char* op) { return fmt::format("{}_lane_pairs", op); }

// "0-3,12-15"
std::string lane_list(uint64_t lanes) {
    std::string text;
    for (unsigned l = 0; l < 64; ++l) {
        if (!(lanes >> l & 1)) continue;
        unsigned last = l;
        while (last < 63 && lanes >> (last + 1) & 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", l);
        if (last > l) text += fmt::format("-{}", last);
        l = last;
    }
    return text;
}

// Which lanes are served together, from the pairs that take longer.
std::string served_together(const Measured& m, const char* op, LdsAccess access) {
    const std::vector<double>& cycles = m.ticks.at(pairs_of(op)).pairs;
    if (cycles.size() != kLanePairs) return "no times of pairs";
    const auto [least, most] = std::minmax_element(cycles.begin(), cycles.end());
    const double middle = (*least + *most) / 2;
    const Probe& p = calibration().probe(pairs_of(op));
    if (*most - *least < 0.5 * p.repeat * p.waves) return "no pair of lanes conflicts";
    std::vector<uint64_t> groups;
    for (unsigned i = 0; i < 64; ++i) {
        uint64_t with = 0;
        for (unsigned j = 0; j < 64; ++j)
            if (i == j || cycles[64 * i + j] > middle) with |= uint64_t(1) << j;
        if (std::find(groups.begin(), groups.end(), with) == groups.end()) groups.push_back(with);
    }
    uint64_t seen = 0;
    std::string text;
    for (uint64_t g : groups) {
        if (seen & g) return "pairs that conflict do not fall into groups";
        seen |= g;
        text += (text.empty() ? "" : "; ") + lane_list(g);
    }
    std::vector<uint64_t> file = m.prior.phases(access).lanes;
    std::sort(file.begin(), file.end());
    std::sort(groups.begin(), groups.end());
    return text + (file == groups ? " as in the file" : ", not as in the file");
}

void add_pairs(Calibration& c) {
    const auto add = [&](const char* op, Probe::Body body) {
        Probe p;
        p.id = pairs_of(op), p.unknown = 14, p.waves = 8, p.repeat = 16;
        p.about = fmt::format("{}: two lanes in one bank, each pair of lanes in a round", op);
        p.lower = std::move(body), p.pairs = true;
        p.rounds = 1 + kLanePairs, p.card_rounds = 1 + 4 * kLanePairs;
        c.probes.push_back(std::move(p));
    };
    add(kPairs[0].first,
        pair_of_lanes<2>([](Kernel& k, auto d, auto at) { k.ds_read_b64_tr_b8(d, at); }));
    add(kPairs[1].first,
        pair_of_lanes<2>([](Kernel& k, auto d, auto at) { k.ds_read_b64_tr_b16(d, at); }));
    add(kPairs[2].first,
        pair_of_lanes<2>([](Kernel& k, auto d, auto at) { k.ds_read_b64(d, at); }));
    UnknownNote note{14, "lanes that LDS serves together in transposing reads",
                     "lists of lanes (lds_phases), from the pairs of lanes that conflict; "
                     "ds_read_b64, which others measured, is the control"};
    for (const auto& [op, access] : kPairs) note.probes.push_back(pairs_of(op));
    note.reading = [](const Measured& m) {
        std::string text;
        for (const auto& [op, access] : kPairs)
            text += fmt::format("{}{} {}", text.empty() ? "" : ". ", op,
                                served_together(m, op, access));
        return text;
    };
    c.unknowns.push_back(std::move(note));
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
    add_pairs(c);
    c.unknowns.push_back({12, "LDS bandwidth by access and number of waves", ""});
    c.unknowns.push_back({13, "LDS latency, alone and under load", ""});
    c.unknowns.push_back({15, "direct-to-LDS loads", ""});
}

}  // namespace zyfa
