#include "check/lanes.hpp"

#include <algorithm>

#include "check/arithmetic.hpp"

namespace zyfa {

size_t LanePool::Hash::operator()(const LaneNumbers& numbers) const {
    uint64_t h = 0xcbf29ce484222325;
    for (uint32_t n : numbers) h = (h ^ n) * 0x100000001b3;
    return size_t(h ^ h >> 32);
}
const LaneNumbers* LanePool::keep(const LaneNumbers& numbers) {
    return &*kept_.insert(numbers).first;
}
const LaneNumbers* LanePool::all(uint32_t number) {
    LaneNumbers n;
    n.fill(number);
    return keep(n);
}

Lanes::Lanes(LanePool& pool, unsigned wave, const std::array<uint32_t, 3>& workgroup)
    : pool_(&pool) {
    LaneNumbers ids;
    uint64_t active = 0;
    const uint32_t threads = workgroup[0] * workgroup[1] * workgroup[2];
    for (uint32_t lane = 0; lane < 64; ++lane) {
        const uint32_t n = wave * 64 + lane;
        const uint32_t x = n % workgroup[0], y = n / workgroup[0] % workgroup[1],
                       z = n / workgroup[0] / workgroup[1];
        ids[lane] = x | y << 10 | z << 20;
        if (n < threads) active |= uint64_t(1) << lane;
    }
    words_[kFirstV] = pool.keep(ids);
    Results exec;
    add_pair(exec, kExecWord, active);
    for (unsigned n = 0; n < exec.count; ++n) words_[exec.list[n].first] = exec.list[n].second;
}

const LaneNumbers* Lanes::of(const Operand& o) const {
    if (o.neg || o.abs || o.sext) return nullptr;
    if (o.kind == Operand::Kind::imm) return pool_->all(o.value);
    if (!o.is_reg() || (o.file == File::s && o.value >= kFirstV)) return nullptr;
    return words_[word_of(o.file, o.value)];
}
std::optional<uint32_t> Lanes::scalar(Word w) const {
    return words_[w] ? std::optional((*words_[w])[0]) : std::nullopt;
}
std::optional<uint64_t> Lanes::pair(Word first) const {
    const auto low = scalar(first), high = scalar(Word(first + 1));
    if (!low || !high) return std::nullopt;
    return *low | uint64_t(*high) << 32;
}
std::optional<uint64_t> Lanes::pair_of(const Operand& o) const {
    if (o.kind == Operand::Kind::imm) return uint64_t(int64_t(int32_t(o.value)));
    if (!o.is_reg(File::s) || o.value + 1 >= kFirstV) return std::nullopt;
    return pair(Word(o.value));
}
void Lanes::add_pair(Results& out, Word first, uint64_t value) const {
    out.add(first, pool_->all(uint32_t(value)));
    out.add(Word(first + 1), pool_->all(uint32_t(value >> 32)));
}

std::optional<bool> Lanes::takes(const Inst& i) const {
    const auto is = [](std::optional<uint64_t> value, bool zero) {
        return value ? std::optional((*value == 0) == zero) : std::nullopt;
    };
    const auto scc = scalar(kSccWord);
    switch (i.op) {
        case Op::s_cbranch_scc0: return is(scc, true);
        case Op::s_cbranch_scc1: return is(scc, false);
        case Op::s_cbranch_vccz: return is(pair(kVccWord), true);
        case Op::s_cbranch_vccnz: return is(pair(kVccWord), false);
        case Op::s_cbranch_execz: return is(exec(), true);
        case Op::s_cbranch_execnz: return is(exec(), false);
        default: return std::nullopt;
    }
}

void Lanes::scalar_op(const Inst& i, Results& out) const {
    const OpInfo& info = i.info();
    if (info.operand_count == 2 && info.columns[0].use == Use::ssrc) {
        const auto *a = of(i.operands[0]), *b = of(i.operands[1]);
        if (!a || !b) return;
        if (const auto c = compare(i.op, (*a)[0], (*b)[0])) out.add(kSccWord, pool_->all(*c));
        return;
    }
    const Operand& d = i.operands[0];
    if (!d.is_reg(File::s) || d.value + d.words > kFirstV) return;
    const Word to = Word(d.value);
    if (i.op == Op::s_cselect_b32 || i.op == Op::s_cselect_b64) {
        const auto scc = scalar(kSccWord);
        if (!scc) return;
        const Operand& taken = i.operands[*scc ? 1 : 2];
        const auto value = pair_of(taken);
        if (d.words == 1) out.add(to, of(taken));
        else if (value) add_pair(out, to, *value);
        return;
    }
    if (d.words == 2) {
        const auto a = pair_of(i.operands[1]);
        const auto b = info.operand_count > 2 ? pair_of(i.operands[2]) : std::optional(uint64_t(0));
        if (i.op == Op::s_and_saveexec_b64) {
            if (const auto old = exec()) {
                add_pair(out, to, *old);
                if (a) add_pair(out, kExecWord, *a & *old);
            }
        } else if (a && b) {
            if (const auto r = compute64(i.op, *a, *b)) add_pair(out, to, *r);
        }
        return;
    }
    if (d.words != 1) return;
    std::array<uint32_t, 3> sources{};
    unsigned count = 0;
    for (unsigned n = 1; n < info.operand_count && count < 3; ++n) {
        const LaneNumbers* s = of(i.operands[n]);
        if (!s) return;
        sources[count++] = (*s)[0];
    }
    if (i.op == Op::s_addk_i32) {
        if (const auto old = scalar(to))
            out.add(to, pool_->all(*old + uint32_t(int32_t(int16_t(sources[0])))));
        return;
    }
    if (const auto r = compute(i.op, {sources.data(), count})) out.add(to, pool_->all(*r));
}

void Lanes::vector_op(const Inst& i, Results& out) const {
    if (i.encoding == Encoding::dpp || i.encoding == Encoding::sdwa || i.mods.clamp ||
        i.mods.op_sel || i.mods.omod)
        return;
    const auto mask = exec();
    if (!mask) return;
    const OpInfo& info = i.info();
    const Operand& d = i.operands[0];
    const auto active = [&](unsigned lane) { return *mask >> lane & 1; };
    const auto source = [&](unsigned n) {
        return info.operand_count > n ? of(i.operands[n]) : nullptr;
    };
    const auto *a = source(1), *b = source(2), *c = source(3);
    if (!a || !d.is_reg() || (d.file == File::s && d.value >= kFirstV)) return;
    if (i.op == Op::v_readfirstlane_b32) {
        out.add(Word(d.value), pool_->all((*a)[*mask ? unsigned(__builtin_ctzll(*mask)) : 0]));
        return;
    }
    if (info.columns[0].use == Use::sdef) {
        if (info.operand_count != 3 || d.value + 1 >= kFirstV || !b) return;
        uint64_t hit = 0;
        for (unsigned lane = 0; lane < 64; ++lane) {
            const auto is = compare(i.op, (*a)[lane], (*b)[lane]);
            if (!is) return;
            hit |= uint64_t(*is && active(lane)) << lane;
        }
        add_pair(out, Word(d.value), hit);
        return;
    }
    if (d.file == File::s || d.words != 1) return;
    const Word to = word_of(d.file, d.value);
    if (~*mask && !words_[to]) return;
    LaneNumbers result = words_[to] ? *words_[to] : LaneNumbers{};
    if (i.op == Op::v_cndmask_b32) {
        const auto picks = pair_of(i.operands[3]);
        if (!b || !picks) return;
        for (unsigned lane = 0; lane < 64; ++lane)
            if (active(lane)) result[lane] = *picks >> lane & 1 ? (*b)[lane] : (*a)[lane];
    } else if (i.op == Op::v_mbcnt_lo_u32_b32 || i.op == Op::v_mbcnt_hi_u32_b32) {
        if (!b) return;
        const bool low = i.op == Op::v_mbcnt_lo_u32_b32;
        for (unsigned lane = 0; lane < 64; ++lane) {
            const unsigned below = low ? std::min(lane, 32u) : lane > 32 ? lane - 32 : 0;
            const uint32_t under = uint32_t((uint64_t(1) << below) - 1);
            if (active(lane))
                result[lane] = (*b)[lane] + unsigned(__builtin_popcount((*a)[lane] & under));
        }
    } else {
        const unsigned count = info.operand_count - 1u;
        if (count > 3 || (count > 1 && !b) || (count > 2 && !c)) return;
        for (unsigned lane = 0; lane < 64; ++lane) {
            if (!active(lane)) continue;
            const std::array<uint32_t, 3> s{(*a)[lane], b ? (*b)[lane] : 0, c ? (*c)[lane] : 0};
            const auto r = compute(i.op, {s.data(), count});
            if (!r) return;
            result[lane] = *r;
        }
    }
    out.add(to, pool_->keep(result));
}

void Lanes::advance(const Step& step) {
    const Effects& e = step.effects;
    Results known;
    if (e.known && !e.load) {
        const Inst& inst = step.decoded->inst;
        if (e.kind == Kind::valu) vector_op(inst, known);
        else if (e.kind == Kind::salu) scalar_op(inst, known);
    }
    for (const Reach& r : e.writes)
        for (unsigned w = 0; w < r.words; ++w) words_[r.first + w] = nullptr;
    for (unsigned n = 0; n < known.count; ++n) words_[known.list[n].first] = known.list[n].second;
}

void Lanes::join(const Lanes& other) {
    for (size_t w = 0; w < words_.size(); ++w)
        if (words_[w] != other.words_[w]) words_[w] = nullptr;
}

}  // namespace zyfa
