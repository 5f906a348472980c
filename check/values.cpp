#include "check/values.hpp"

#include <algorithm>

#include "check/arithmetic.hpp"

namespace zyfa {

namespace {

Number constant(uint32_t value) { return {Number::Kind::constant, false, value}; }

bool both_constant(const Number& a, const Number& b) {
    return a.is(Number::Kind::constant) && b.is(Number::Kind::constant);
}

}  // namespace

Values Values::at_entry(int kernarg) {
    Values v;
    v.words_[kExec].kind = v.words_[kExec + 1].kind = Number::Kind::entry;
    v.words_[kFirstV].per_wave = true;
    if (kernarg < 0) return v;
    v.words_[size_t(kernarg)].kind = Number::Kind::kernarg_low;
    v.words_[size_t(kernarg) + 1].kind = Number::Kind::kernarg_high;
    return v;
}

Number Values::of(const Operand& o) const {
    if (o.neg || o.abs || o.sext) return {};
    if (o.kind == Operand::Kind::imm) return constant(o.value);
    if (!o.is_reg() || (o.file == File::s && o.value >= kFirstV)) return {};
    return words_[word_of(o.file, o.value)];
}

// Of 32-bit operations with one result. Vector ones only while all lanes that there are run: a
// register that only some lanes write holds two numbers.
Number Values::result(const Inst& i) const {
    const bool vector = i.info().is_valu();
    if (vector && (!exec_untouched() || i.encoding == Encoding::dpp ||
                   i.encoding == Encoding::sdwa || i.mods.clamp || i.mods.op_sel))
        return {};
    if (i.op == Op::s_mov_b32 || i.op == Op::v_mov_b32) return of(i.operands[1]);
    if (i.op == Op::s_movk_i32) return constant(*compute(i.op, std::array{i.operands[1].value}));
    if (i.info().operand_count != 3) return {};
    const Number a = of(i.operands[1]), b = of(i.operands[2]);
    if (both_constant(a, b)) {
        const auto value = compute(i.op, std::array{a.value, b.value});
        return value ? constant(*value) : Number{};
    }
    // The address of an argument: low half plus constant, and the carry into the high half.
    if (i.op == Op::s_add_u32 && a.is(Number::Kind::kernarg_low) && b.is(Number::Kind::constant))
        return {Number::Kind::kernarg_low, false, a.value + b.value};
    if (i.op == Op::s_add_u32 && b.is(Number::Kind::kernarg_low) && a.is(Number::Kind::constant))
        return {Number::Kind::kernarg_low, false, a.value + b.value};
    // An address has 48 bits; AITER's bf16 kernels cut it to them.
    if (i.op == Op::s_and_b32 && a.is(Number::Kind::kernarg_high) && b == constant(0xffff))
        return a;
    if (i.op == Op::s_addc_u32 && a.is(Number::Kind::kernarg_high) && b == constant(0)) return a;
    return {};
}

bool Values::any_per_wave(const Effects& e) const {
    if (e.load) return false;  // what a load brings may be the same for all
    return std::any_of(e.reads.begin(), e.reads.end(), [&](const Reach& r) {
        return std::any_of(words_.begin() + r.first, words_.begin() + r.first + r.words,
                           [](const Number& n) { return n.per_wave; });
    });
}

void Values::advance(const Step& step) {
    const Effects& e = step.effects;
    Number single;
    std::array<Number, 2> pair;
    const Inst& inst = step.decoded->inst;
    if (e.known) {
        single = result(inst);
        if (inst.op == Op::s_mov_b64) {
            const Operand& from = inst.operands[1];
            if (from.is_reg(File::s) && from.value + 1 < kFirstV) {
                pair = {words_[from.value], words_[from.value + 1]};
            } else if (from.kind == Operand::Kind::imm) {
                pair = {constant(from.value), constant(uint32_t(int32_t(from.value) >> 31))};
            }
        }
    }
    const bool per_wave = any_per_wave(e);
    for (const Reach& r : e.writes)
        for (unsigned w = 0; w < r.words; ++w)
            words_[r.first + w] = {Number::Kind::unknown, per_wave, 0};
    if (e.writes.count == 0 || !e.known) return;
    const Reach& to = e.writes.list[0];
    const auto put = [&](Word w, Number n) {
        n.per_wave = per_wave;
        words_[w] = n;
    };
    if (to.words == 1 && to.first != kSccWord) put(to.first, single);
    if (inst.op == Op::s_mov_b64)
        for (unsigned w : {0u, 1u}) put(Word(to.first + w), pair[w]);
}

void Values::join(const Values& other) {
    for (size_t w = 0; w < words_.size(); ++w) {
        Number& mine = words_[w];
        const Number& theirs = other.words_[w];
        const bool per_wave = mine.per_wave || theirs.per_wave;
        if (mine.kind != theirs.kind || mine.value != theirs.value) mine = {};
        mine.per_wave = per_wave;
    }
}

}  // namespace zyfa
