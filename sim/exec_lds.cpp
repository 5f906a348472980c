// LDS instructions. Addresses are taken at issue, LDS is touched at arrival, in order.
// Transposed reads: FlyDSL's CopyAtom and AITER's v3 binaries (certain).
#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"
#include "sim/lds_access.hpp"

namespace zyfa::sim {

static void note_range(Wave& w, const Step& s, unsigned lane, uint64_t address, unsigned bytes) {
    w.note(
        "OUT-OF-BOUNDS", Severity::error, s, nullptr,
        fmt::format("{} bytes at LDS address {} of {} bytes", bytes, address, w.group->lds.size()),
        int(lane), address);
}

void take_addresses(Wave& w, const Step& s, Flight& f, const Ref& address, unsigned bytes) {
    Lanes room;
    const uint32_t* base = w.lanes(address, 0, room);
    uint32_t offset = s.mods().offset;
    for (unsigned l = 0; l < kLanes; ++l) f.address[l] = uint32_t(base[l] + offset);
    check_lds_alignment(w, s, f, bytes);
}

void check_lds_alignment(Wave& w, const Step& s, const Flight& f, unsigned bytes) {
    const unsigned low = bytes == 12 ? 3 : bytes - 1;
    uint32_t misfit = 0;
    for (unsigned l = 0; l < kLanes; ++l)
        misfit |= (f.exec >> l & 1) ? uint32_t(f.address[l]) & low : 0;
    if (!misfit) return;
    for (unsigned l = 0; l < kLanes; ++l)
        if ((f.exec >> l & 1) && (f.address[l] & low))
            return w.note(
                "MISALIGNED", Severity::error, s, nullptr,
                fmt::format("LDS address {} is not a multiple of {}", f.address[l], low + 1),
                int(l), f.address[l]);
}

void check_flight(Wave& w, const Step& s, const Flight& f, unsigned bytes) {
    if (w.dma_in_flight == 0) return;
    const Lds& lds = w.group->lds;
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1) || f.address[l] + bytes > lds.size()) continue;
        for (uint64_t word = f.address[l] / 4; word < (f.address[l] + bytes + 3) / 4; ++word)
            if (lds.flight_wave[word] == w.number)
                return w.note("WAIT-DMA", Severity::error, s, lds.flight_step[word],
                              "reads LDS bytes that a direct-to-LDS load of this wave still fills",
                              int(l), word * 4);
    }
}

void watch_read(Wave& w, const Flight& f, unsigned lane, unsigned bytes) {
    Lds& lds = w.group->lds;
    uint32_t first = uint32_t(f.address[lane] / 4),
             end = uint32_t((f.address[lane] + bytes + 3) / 4);
    for (uint32_t word = first; word < end; ++word) {
        if (!lds.written[word] && w.group->options->uninitialised)
            w.note("UNINIT-LDS", Severity::warning, *f.step, nullptr,
                   "reads LDS bytes that nothing has written", int(lane), word * 4);
        if (!w.group->options->races) continue;
        if (Lds::Clash c = lds.record_read(word, w.number, f.epoch, w.epoch, f.step); c.step)
            w.note("LDS-RACE", Severity::error, *f.step, c.step,
                   fmt::format("reads what wave {} writes; no barrier orders the two", c.wave),
                   int(lane), word * 4);
    }
}

static void watch_change(Wave& w, const Flight& f, unsigned lane, unsigned bytes, bool atomic) {
    Lds& lds = w.group->lds;
    const uint32_t end = uint32_t((f.address[lane] + bytes + 3) / 4);
    for (uint32_t word = uint32_t(f.address[lane] / 4); word < end; ++word) {
        Lds::Clash c = atomic ? lds.record_atomic(word, w.number, f.epoch, w.epoch, f.step)
                              : lds.record_write(word, w.number, f.epoch, w.epoch, f.step);
        if (c.step && w.group->options->races)
            w.note("LDS-RACE", Severity::error, *f.step, c.step,
                   fmt::format("writes what wave {} uses; no barrier orders the two", c.wave),
                   int(lane), word * 4);
    }
}
void watch_write(Wave& w, const Flight& f, unsigned lane, unsigned bytes) {
    watch_change(w, f, lane, bytes, false);
}
void watch_atomic(Wave& w, const Flight& f, unsigned lane, unsigned bytes) {
    watch_change(w, f, lane, bytes, true);
}

uint8_t* lane_bytes(Wave& w, const Flight& f, unsigned lane, unsigned bytes) {
    Lds& lds = w.group->lds;
    if (f.address[lane] + bytes <= lds.size()) return lds.bytes.data() + f.address[lane];
    note_range(w, *f.step, lane, f.address[lane], bytes);
    return nullptr;
}

template <unsigned Words>
static void read_arrives(Wave& w, const Flight& f) {
    Lanes d[Words];
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t value[Words] = {};
        if (f.exec >> l & 1)
            if (const uint8_t* from = lane_bytes(w, f, l, 4 * Words)) {
                std::memcpy(value, from, 4 * Words);
                watch_read(w, f, l, 4 * Words);
            }
        for (unsigned n = 0; n < Words; ++n) d[n].word[l] = value[n];
    }
    for (unsigned n = 0; n < Words; ++n) w.write_lanes(f.step->ref[0], n, d[n], f.exec);
}

template <unsigned Words>
static void read(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = read_arrives<Words>;
    take_addresses(w, s, f, s.ref[1], 4 * Words);
    check_flight(w, s, f, 4 * Words);
    poison_destination(w, s, f.exec);
}
template <>
void execute<Op::ds_read_b32>(Wave& w, const Step& s) {
    read<1>(w, s);
}
template <>
void execute<Op::ds_read_b64>(Wave& w, const Step& s) {
    read<2>(w, s);
}
template <>
void execute<Op::ds_read_b96>(Wave& w, const Step& s) {
    read<3>(w, s);
}
template <>
void execute<Op::ds_read_b128>(Wave& w, const Step& s) {
    read<4>(w, s);
}

// In each group of 16 lanes, element j of lane t is element t % E of lane P * j + t / E, where a
// lane brings E elements and P lanes hold one row.
template <class Element>
static void transposed_arrives(Wave& w, const Flight& f) {
    constexpr unsigned E = 8 / sizeof(Element), P = 16 / E;
    alignas(8) Element in[kLanes][E] = {}, out[kLanes][E];
    for (unsigned l = 0; l < kLanes; ++l)
        if (const uint8_t* from = lane_bytes(w, f, l, 8)) {
            std::memcpy(in[l], from, 8);
            watch_read(w, f, l, 8);
        }
    for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned j = 0; j < E; ++j)
            out[l][j] = in[(l & ~15u) + P * j + (l & 15) / E][(l & 15) % E];
    Lanes d[2];
    for (unsigned l = 0; l < kLanes; ++l) {
        uint32_t value[2];
        std::memcpy(value, out[l], 8);
        for (unsigned n : {0, 1}) d[n].word[l] = value[n];
    }
    for (unsigned n : {0, 1}) w.write_lanes(f.step->ref[0], n, d[n], kAllLanes);
}
// Element j of lane t is element t of lane j: 16 rows of 16 nibbles or 6-bit fields, a lane brings
// a row.
template <unsigned Bits>
static void small_transposed_arrives(Wave& w, const Flight& f) {
    constexpr unsigned kWords = Bits / 2;
    uint32_t in[kLanes][kWords + 1] = {};
    for (unsigned l = 0; l < kLanes; ++l)
        if (const uint8_t* from = lane_bytes(w, f, l, 4 * kWords)) {
            std::memcpy(in[l], from, 4 * kWords);
            watch_read(w, f, l, 4 * kWords);
        }
    Lanes d[kWords + 1] = {};
    for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned j = 0; j < 16; ++j) {
            const uint32_t* row = in[(l & ~15u) + j];
            unsigned bit = Bits * (l & 15), to = Bits * j;
            uint64_t pair = row[bit / 32] | uint64_t(row[bit / 32 + 1]) << 32;
            uint64_t value = (pair >> bit % 32 & ((1u << Bits) - 1)) << to % 32;
            d[to / 32].word[l] |= uint32_t(value);
            d[to / 32 + 1].word[l] |= uint32_t(value >> 32);
        }
    for (unsigned n = 0; n < kWords; ++n) w.write_lanes(f.step->ref[0], n, d[n], kAllLanes);
}
static void transposed(Wave& w, const Step& s, void (*arrive)(Wave&, const Flight&),
                       unsigned bytes = 8) {
    if (w.exec() != kAllLanes)
        w.refuse(s, "a transposed read needs all lanes on (ISA text); EXEC is not all ones");
    Flight& f = issue(w, s, w.lds);
    f.arrive = arrive;
    take_addresses(w, s, f, s.ref[1], bytes == 8 ? 8 : 4);
    check_flight(w, s, f, bytes);
    poison_destination(w, s, f.exec);
}
template <>
void execute<Op::ds_read_b64_tr_b8>(Wave& w, const Step& s) {
    transposed(w, s, transposed_arrives<uint8_t>);
}
template <>
void execute<Op::ds_read_b64_tr_b16>(Wave& w, const Step& s) {
    transposed(w, s, transposed_arrives<uint16_t>);
}

template <>
void execute<Op::ds_read_b96_tr_b6>(Wave& w, const Step& s) {
    transposed(w, s, small_transposed_arrives<6>, 12);
}
template <>
void execute<Op::ds_read_b64_tr_b4>(Wave& w, const Step& s) {
    transposed(w, s, small_transposed_arrives<4>);
}

template <unsigned Words>
static void write_arrives(Wave& w, const Flight& f) {
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        uint8_t* to = lane_bytes(w, f, l, 4 * Words);
        if (!to) continue;
        for (unsigned n = 0; n < Words; ++n) std::memcpy(to + 4 * n, &f.data[n][l], 4);
        watch_write(w, f, l, 4 * Words);
    }
}
template <unsigned Words>
static void write(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = write_arrives<Words>;
    take_addresses(w, s, f, s.ref[0], 4 * Words);
    for (unsigned n = 0; n < Words; ++n)
        std::memcpy(f.data[n], w.vector[s.ref[1].index + n].word, sizeof f.data[n]);
}
template <>
void execute<Op::ds_write_b32>(Wave& w, const Step& s) {
    write<1>(w, s);
}
template <>
void execute<Op::ds_write_b64>(Wave& w, const Step& s) {
    write<2>(w, s);
}
template <>
void execute<Op::ds_write_b96>(Wave& w, const Step& s) {
    write<3>(w, s);
}
template <>
void execute<Op::ds_write_b128>(Wave& w, const Step& s) {
    write<4>(w, s);
}

// Lane exchange through the LDS crossbar; no LDS byte is touched. A source lane that is off gives
// 0.
static void permute_arrives(Wave& w, const Flight& f) {
    Lanes d;
    for (unsigned l = 0; l < kLanes; ++l) {
        unsigned from = f.address[l] / 4 & 63;
        d.word[l] = f.exec >> from & 1 ? f.data[0][from] : 0;
    }
    w.write_lanes(f.step->ref[0], 0, d, f.exec);
}
template <>
void execute<Op::ds_bpermute_b32>(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.lds);
    f.arrive = permute_arrives;
    Lanes room;
    const uint32_t* address = w.lanes(s.ref[1], 0, room);
    for (unsigned l = 0; l < kLanes; ++l) f.address[l] = address[l] + s.mods().offset;
    std::memcpy(f.data[0], w.vector[s.ref[2].index].word, sizeof f.data[0]);
    poison_destination(w, s, f.exec);
}

}  // namespace zyfa::sim
