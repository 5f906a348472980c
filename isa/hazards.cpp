#include "isa/hazards.hpp"

#include <algorithm>
#include <tuple>

namespace zyfa {
namespace {

constexpr HazardRow kRows[] = {
#define HAZARD_SLOTS(two, four, eight, sixteen) {two, four, eight, sixteen}
#define HAZARD(rule, writer, reader, slots, tier, trust, source, about) \
    {#rule,      Writer::writer, Reader::reader, HAZARD_SLOTS slots,    \
     Tier::tier, Trust::trust,   source,         about},
#include "isa/hazards.def"
#undef HAZARD_SLOTS
};

unsigned column_of(unsigned passes) {
    return passes >= 16 ? 3 : passes >= 8 ? 2 : passes >= 4 ? 1 : 0;
}

bool is_vector_alu(const Effects& e) { return e.kind == Kind::valu || e.kind == Kind::trans; }

// AITER v4 hands the accumulator of the first to the second with nothing in between.
bool proven_pair(Op from, Op to) {
    return from == Op::v_mfma_f32_32x32x8_bf16 && to == Op::v_mfma_f32_32x32x64_f8f6f4;
}

template <class Ranges, class Wanted>
bool any_of(const Ranges& ranges, Word first, unsigned words, Word& shared, Wanted wanted) {
    for (const Reach& r : ranges)
        if (wanted(r) && r.overlaps(first, words)) {
            shared = std::max(r.first, first);
            return true;
        }
    return false;
}

auto key(const auto& e) { return std::tuple(e.producer, e.writer, e.first, e.words); }

}  // namespace

std::span<const HazardRow> hazard_rows() { return kRows; }

bool HazardWindow::meets(const Event& w, Reader reader, const Effects& e, Word& shared) {
    const auto reads = [&](auto wanted) {
        return any_of(e.reads, w.first, w.words, shared, wanted);
    };
    const auto always = [](const Reach&) { return true; };
    const auto has = [](Role role) { return [role](const Reach& r) { return r.role == role; }; };
    const auto writes = [&] { return any_of(e.writes, w.first, w.words, shared, always); };
    const bool vector = is_vector_alu(e), memory = e.kind == Kind::lds || e.kind == Kind::vmem;
    const auto same = [&](const Reach& r) {
        return r.role == Role::matrix_c && r.first == w.first && r.words == w.words;
    };
    switch (reader) {
        case Reader::any_read: return (vector || memory) && reads(always);
        case Reader::any_write: return (vector || e.load) && writes();
        case Reader::valu_write: return (vector || e.kind == Kind::matrix) && writes();
        case Reader::valu_touch: return vector && (reads(always) || writes());
        case Reader::plain_valu: return e.kind == Kind::valu && reads(always);
        case Reader::matrix_ab: return e.kind == Kind::matrix && reads(has(Role::matrix_ab));
        case Reader::matrix_any:
            return e.kind == Kind::matrix &&
                   (reads(has(Role::matrix_ab)) || reads(has(Role::matrix_c)));
        case Reader::c_same: return e.kind == Kind::matrix && reads(same);
        case Reader::c_changed:
            return e.kind == Kind::matrix && e.known && w.chain != e.chain &&
                   !proven_pair(w.chain, e.chain) && reads(same);
        case Reader::c_overlap:
            return e.kind == Kind::matrix &&
                   reads([&](const Reach& r) { return r.role == Role::matrix_c && !same(r); });
        case Reader::c_smfma:
            return e.smfma && reads([&](const Reach& r) {
                       return r.role == Role::matrix_c && (!same(r) || w.chain != e.chain);
                   });
        case Reader::memory_sgpr: return e.kind == Kind::vmem && reads(has(Role::memory_sgpr));
        case Reader::lane_select: return reads(has(Role::lane_select));
        case Reader::lane_source:
            return e.lane_read && reads([](const Reach& r) { return r.role == Role::plain; });
        case Reader::valu_sgpr_read:
            return vector && reads([](const Reach& r) {
                       return is_scalar(r.first) && r.first != kExecWord && r.role == Role::plain;
                   });
        case Reader::dpp_source:
            return e.dpp && reads([](const Reach& r) {
                       return r.role == Role::dpp || r.role == Role::kept;
                   });
        case Reader::permlane:
            return e.permlane && (w.writer == Writer::valu_exec || reads(always));
        case Reader::matrix: return e.kind == Kind::matrix;
        case Reader::lane_any: return e.lane_any;
        case Reader::dpp: return e.dpp;
        case Reader::lds_dma: return e.lds_dma;
        case Reader::dot_read:
            return (vector || memory) && reads([&](const Reach& r) {
                       return w.chain != e.chain || r.role != Role::matrix_c;
                   });
        case Reader::dot_write: return ((vector && w.chain != e.chain) || e.load) && writes();
        case Reader::div_fmas:
            return e.div_fmas && reads([](const Reach& r) { return r.first == kVccWord; });
        case Reader::matrix_write: return e.kind == Kind::matrix && writes();
        case Reader::vmem: return e.kind == Kind::vmem;
        case Reader::touch_hwreg: return e.hwreg == w.first;
    }
    return false;
}

std::vector<HazardWindow::Missing> HazardWindow::all_missing(const Effects& e, Tier tier) const {
    std::vector<Missing> out;
    for (const HazardRow& row : kRows) {
        if (row.tier > tier) continue;
        for (const Event& w : events_) {
            if (w.writer != row.writer) continue;
            const unsigned need = row.slots[column_of(w.passes)];
            Word shared = w.first;
            if (need <= w.age || !meets(w, row.reader, e, shared)) continue;
            const Missing one{need - w.age, w.age, need, &row, w.producer, shared};
            const auto at = std::find_if(
                out.begin(), out.end(), [&](const Missing& m) { return m.rule->rule == row.rule; });
            if (at == out.end()) out.push_back(one);
            else if (at->slots < one.slots) *at = one;
        }
    }
    return out;
}

HazardWindow::Missing HazardWindow::missing(const Effects& e, Tier tier) const {
    Missing worst;
    for (const Missing& m : all_missing(e, tier))
        if (m.slots > worst.slots) worst = m;
    return worst;
}

void HazardWindow::add(Event event) {
    const auto at =
        std::lower_bound(events_.begin(), events_.end(), event,
                         [](const Event& a, const Event& b) { return key(a) < key(b); });
    if (at != events_.end() && key(*at) == key(event)) at->age = std::min(at->age, event.age);
    else events_.insert(at, event);
}

void HazardWindow::pass(unsigned slots) {
    for (Event& e : events_) e.age = uint8_t(std::min<unsigned>(e.age + slots, kHazardReach));
    std::erase_if(events_, [](const Event& e) { return e.age >= kHazardReach; });
}

void HazardWindow::commit(const Effects& e, uint32_t tag) {
    pass(e.slots);
    const auto put = [&](Writer writer, const Reach& r) {
        add({tag, writer, r.first, r.words, e.passes, e.chain, 0});
    };
    if (e.kind == Kind::matrix) {
        for (const Reach& r : e.writes)
            if (!is_scalar(r.first)) put(e.smfma ? Writer::smfma_result : Writer::xdl_result, r);
        for (const Reach& r : e.reads)
            if (r.role == Role::matrix_c && !e.smfma) put(Writer::xdl_c, r);
    }
    if (is_vector_alu(e))
        for (const Reach& r : e.writes) {
            if (is_scalar(r.first)) {
                put(Writer::valu_sgpr, r);
                if (r.overlaps(kExecWord, 2)) put(Writer::valu_exec, r);
                continue;
            }
            put(Writer::valu_result, r);
            if (!e.permlane) put(Writer::valu_not_swap, r);
            put(e.dot ? Writer::dot_result : Writer::valu_not_dot, r);
            if (e.kind == Kind::trans) put(Writer::trans_result, r);
            if (e.half) put(Writer::half_result, r);
        }
    if (e.kind == Kind::salu && e.writes.touches(kM0Word, 1))
        put(Writer::salu_m0, {kM0Word, 1, Role::plain});
    if (e.hwreg_write) put(Writer::set_hwreg, {Word(e.hwreg), 1, Role::plain});
    if (e.wide_store)
        for (const Reach& r : e.reads)
            if (r.role == Role::store_data) put(Writer::store_data, r);
}

void HazardWindow::join(const HazardWindow& other) {
    for (const Event& e : other.events_) add(e);
}

}  // namespace zyfa
