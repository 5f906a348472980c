#include "report/recording.hpp"

#include <algorithm>
#include <map>

#include "isa/error.hpp"

namespace zyfa {
namespace {

Kind kind_of(const Decoded& d) {
    if (!d.known) return Kind::internal;
    const OpInfo& info = d.inst.info();
    if (info.is_mfma()) return Kind::matrix;
    if (info.is_lds()) return Kind::lds;
    if (info.is_vmem()) return Kind::memory;
    switch (info.rate) {
        case Rate::trans: return Kind::trans;
        case Rate::packed_f32: return Kind::packed;
        case Rate::smem: return Kind::memory;
        case Rate::salu:
        case Rate::branch: return Kind::scalar;
        case Rate::wait:
        case Rate::nop:
        case Rate::barrier: return Kind::internal;
        default: return info.is_valu() ? Kind::vector : Kind::internal;
    }
}

uint64_t end_of(const sim::Issue& i) {
    return std::max({i.issued + 4, i.issued + i.port_cycles, i.pipe_end});
}
uint64_t overlap(uint64_t a, uint64_t b, uint64_t begin, uint64_t end) {
    const uint64_t first = std::max(a, begin), last = std::min(b, end);
    return first < last ? last - first : 0;
}

}  // namespace

std::string_view kind_name(Kind k) {
    constexpr std::string_view kNames[] = {
        "matrix", "vector", "transcendental", "packed f32",
        "LDS",    "memory", "scalar",         "wait, nop, barrier"};
    return kNames[unsigned(k)];
}

size_t Recording::place_number(uint32_t address) const {
    const auto at = std::lower_bound(code.begin(), code.end(), address,
                                     [](const Place& p, uint32_t a) { return p.address < a; });
    return size_t(at - code.begin());
}
const Recording::Place& Recording::place(uint32_t address) const {
    return code[place_number(address)];
}

RecordedBusy busy(const Recording& r, unsigned simd) {
    uint64_t matrix = 0, port = 0, lds = 0;
    for (const sim::Issue& i : r.issues) {
        if (i.simd != simd) continue;
        matrix += overlap(i.pipe_begin, i.pipe_end, r.begin, r.end);
        port += overlap(i.issued, i.issued + i.port_cycles, r.begin, r.end);
    }
    for (const sim::Transfer& t : r.transfers)
        if (t.kind <= sim::Transfer::Kind::lds_dma) lds += overlap(t.begin, t.end, r.begin, r.end);
    const double all = double(r.end - r.begin) / 100;
    return {double(matrix) / all, double(port) / all, double(lds) / all};
}

void Recorder::begin(uint64_t workgroup, unsigned waves) {
    on_ = workgroup == wanted_;
    if (on_) waves_ = waves;
}
void Recorder::issued(const sim::Issue& i) {
    if (on_) issues_.push_back(i);
}
void Recorder::transferred(const sim::Transfer& t) {
    if (on_) transfers_.push_back(t);
}
void Recorder::barrier_released(uint64_t, uint64_t cycle) {
    if (on_) barriers_.push_back(cycle);
}
void Recorder::ended(uint64_t, unsigned, uint64_t cycle) {
    if (on_) cycles_ = std::max(cycles_, cycle);
}

Recording Recorder::cut(uint64_t begin, uint64_t end, std::span<const Decoded> code) const {
    if (!waves_)
        throw Error(fmt::format("no timeline: workgroup {} did not run", wanted_), Exit::usage);
    if (begin >= std::min(end, cycles_))
        throw Error(fmt::format("no timeline: cycles {} to {} of {}", begin, end, cycles_),
                    Exit::usage);
    Recording r;
    r.workgroup = wanted_;
    r.waves = waves_;
    r.begin = begin;
    r.end = std::min(end, cycles_);
    std::map<uint32_t, const Decoded*> used;
    for (const sim::Issue& i : issues_)
        if (end_of(i) > r.begin && i.able < r.end) {
            r.issues.push_back(i);
            used[i.address] = nullptr;
        }
    std::vector<uint64_t> next(r.waves, ~uint64_t(0));
    r.until.resize(r.issues.size());
    for (size_t n = r.issues.size(); n-- > 0;) {
        const sim::Issue& i = r.issues[n];
        r.until[n] = std::min(i.issued + std::max<uint64_t>(i.port_cycles, 4), next[i.wave]);
        next[i.wave] = i.able;
    }
    for (const sim::Transfer& t : transfers_)
        if (std::max(t.end, t.arrives) > r.begin && t.issued < r.end) {
            r.transfers.push_back(t);
            used[t.address] = nullptr;
        }
    for (uint64_t b : barriers_)
        if (b >= r.begin && b < r.end) r.barriers.push_back(b);
    for (const Decoded& d : code)
        if (const auto at = used.find(d.address); at != used.end())
            r.code.push_back({d.address, d.text, kind_of(d)});
    if (r.code.size() != used.size())
        throw Error("no timeline: an instruction was executed that the code does not have");
    return r;
}

}  // namespace zyfa
