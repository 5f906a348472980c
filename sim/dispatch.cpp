#include "sim/dispatch.hpp"

#include <algorithm>
#include <bit>

#include "isa/formats.hpp"

#include "sim/proof.hpp"

namespace zyfa::sim {

const Execute kExecute[kOpCount] = {
#define OP(name, ...) &execute<Op::name>,
#include "isa/ops.def"
};

// Only the reason: Wave::refuse adds where.
static Error refusal(const std::string& why) { return Error(why, Exit::unsupported); }

static bool is_float_row(const OpInfo& info) {
    return info.implicit == Implicit::exec_mode && !info.is_mfma();
}

static uint32_t half_of(float x) { return float_to_f16(x); }
static bool is_inline_float(const Operand& o) {
    static constexpr uint32_t kFloats[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                           0xbf800000, 0x40000000, 0xc0000000,
                                           0x40800000, 0xc0800000, 0x3e22f983};
    return !o.literal &&
           std::find(std::begin(kFloats), std::end(kFloats), o.value) != std::end(kFloats);
}
static std::array<uint32_t, 2> two_words(uint64_t value) {
    return {uint32_t(value), uint32_t(value >> 32)};
}
// The bits that a constant stands for in its column. Literals of 32 bits: the upper word of a
// double; sign-extended for i64, zero-extended for other 64-bit types (LLVM AMDGPUOperandSyntax).
static std::array<uint32_t, 2> constant_bits(const Inst& inst, unsigned column) {
    const Operand& o = inst.operands[column];
    const Constant kind = constant_of(inst.info(), column);
    const int32_t value = int32_t(o.value);
    const bool is_int = !o.literal && value >= -16 && value <= 64;
    const float named = std::bit_cast<float>(o.value);
    const double exact = o.value == 0x3e22f983 ? 0.15915494309189532 : double(named);
    if (inst.info().columns[column].use == Use::imm) return {o.value, 0};
    switch (kind) {
        case Constant::b32:
            if (inst.info().is_mix() && column > 0 && is_inline_float(o) &&
                (inst.mods.op_sel_hi >> (column - 1) & 1))
                return {half_of(named), 0};
            return {o.value, 0};
        case Constant::b64:
        case Constant::f64:
            if (is_int) return two_words(uint64_t(int64_t(value)));
            if (is_inline_float(o)) return two_words(std::bit_cast<uint64_t>(exact));
            if (kind == Constant::f64) return {0, o.value};
            if (inst.info().name.ends_with("_i64")) return two_words(uint64_t(int64_t(value)));
            return {o.value, 0};
        case Constant::f16:
        case Constant::b16:
        case Constant::pk_f16:
            if (is_inline_float(o)) return {half_of(named), 0};
            return {o.value, 0};
        case Constant::pk_b16: return {o.value, 0};
    }
    return {o.value, 0};
}

static Ref resolve(const Launch& launch, const Decoded& d, unsigned column) {
    const OpInfo& info = d.inst.info();
    const Operand& o = d.inst.operands[column];
    const Column& c = info.columns[column];
    const KernelSetup& setup = launch.setup;
    Ref r;
    r.words = o.is_reg() ? o.words : c.words;
    r.neg = o.neg;
    r.abs = o.abs;
    if ((o.neg || o.abs) && !is_float_row(info) && d.inst.op != Op::v_cndmask_b32)
        throw refusal("sign modifier on this instruction is not simulated");
    switch (o.kind) {
        case Operand::Kind::none:
        case Operand::Kind::off: break;
        case Operand::Kind::label:
        case Operand::Kind::imm:
            r.kind = Ref::Kind::constant;
            r.constant[0] = o.value;
            if (o.kind == Operand::Kind::imm) r.constant = constant_bits(d.inst, column);
            break;
        case Operand::Kind::reg:
            if (o.file == File::s) {
                bool plain = o.value + o.words <= 128;
                bool special = o.words == 1
                                   ? o.value == kVccz || o.value == kExecz || o.value == kScc
                                   : o.value >= kSharedBase && o.value <= kPrivateLimit;
                if (!plain && !(special && o.words <= 2 && !is_written(c.use)))
                    throw refusal("scalar operand outside the simulator's reach");
                r.kind = Ref::Kind::scalar;
                r.index = uint16_t(o.value);
            } else {
                // One file: a0 is the register at accum_offset, and v registers may reach past it.
                // AITER's hd128 bf16 v3 kernels do: accum_offset 160, no AGPR, v0 to v255.
                const unsigned have = setup.vgprs + setup.agprs;
                const unsigned first = o.value + (o.file == File::a ? setup.vgprs : 0);
                if (first + o.words > std::min(have, 512u))
                    throw refusal(fmt::format("the kernel descriptor gives {} VGPRs and {} AGPRs",
                                              setup.vgprs, setup.agprs));
                r.kind = Ref::Kind::vector;
                r.index = uint16_t(first);
            }
    }
    return r;
}

static void touch(Step& s, unsigned first, unsigned words, bool read, bool write) {
    while (words) {
        unsigned bit = first % 64, count = std::min(words, 64 - bit);
        uint64_t bits = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1) << bit;
        s.touch[s.touches++] = {uint8_t(first / 64), read, write, bits};
        first += count;
        words -= count;
    }
}

static void touch_all(Step& s) {
    const Inst& inst = s.from->inst;
    const OpInfo& info = inst.info();
    // Rows that keep a part of their destination read it, but the part may never have been set.
    bool keeps = info.keeps_part();
    for (unsigned n = 0; n < info.operand_count; ++n) {
        const Ref& r = s.ref[n];
        Use use = info.columns[n].use;
        if (r.kind != Ref::Kind::vector && r.kind != Ref::Kind::scalar) continue;
        if (r.kind == Ref::Kind::scalar && r.index >= 128) continue;
        bool read = is_read(use) && !(use == Use::mod && keeps);
        unsigned first = r.index + (r.kind == Ref::Kind::scalar ? kScalarBit : 0);
        touch(s, first, r.words, read, is_written(use));
    }
    bool to_lds = info.is_lds_dma();
    if (to_lds) touch(s, kScalarBit + kM0, 1, true, false);
    if (info.implicit == Implicit::vcc_r || info.implicit == Implicit::vcc_exec_mode)
        touch(s, kScalarBit + kVcc, 2, true, false);
}

// Results of integer type are not clamped by the float rules.
static bool clamps(const OpInfo& info) {
    return !info.name.starts_with("v_cvt_pk_f32") &&
           info.name.find("_i32_f") == std::string_view::npos &&
           info.name.find("_u32_f") == std::string_view::npos;
}

// Which rounding field of MODE the host's arithmetic has to follow. f16 is rounded in its bodies.
static uint8_t rounds(const OpInfo& info) {
    static constexpr std::string_view kVerbs[] = {
        "v_add_",   "v_sub_",    "v_subrev_", "v_mul_",    "v_fma_",      "v_fmac_", "v_fmaak_",
        "v_fmamk_", "v_pk_add_", "v_pk_mul_", "v_pk_fma_", "v_div_fmas_", "v_ldexp_"};
    if (info.name == "v_cvt_f32_f64" || info.name == "v_cvt_f32_i32" ||
        info.name == "v_cvt_f32_u32")
        return 1;
    for (std::string_view verb : kVerbs)
        if (info.name.starts_with(verb))
            return info.name.ends_with("_f32") ? 1 : info.name.ends_with("_f64") ? 2 : 0;
    return 0;
}

static void refuse_modifiers(const Decoded& d) {
    const Inst& inst = d.inst;
    const OpInfo& info = inst.info();
    bool is_float = is_float_row(info);
    if (inst.mods.clamp && (!is_float || info.columns[0].use == Use::sdef || !clamps(info)))
        throw refusal("clamp on this instruction is not simulated");
    if (inst.encoding == Encoding::dpp &&
        (info.operand_count < 2 || info.keeps_part() || info.columns[0].words > 1 ||
         info.columns[1].use != Use::src) &&
        info.columns[0].use != Use::sdef)
        throw refusal("DPP on this instruction is not simulated");
}

static Step make(const Launch& launch, const Decoded& d, uint32_t index) {
    Step s;
    s.from = &d;
    s.index = index;
    if (!d.known) return s;
    refuse_modifiers(d);
    s.op = d.inst.op;
    s.execute = kExecute[unsigned(s.op)];
    s.is_dpp = d.inst.encoding == Encoding::dpp;
    if (d.inst.encoding == Encoding::sdwa) {
        s.body = s.execute;
        s.execute = execute_sdwa;
    }
    s.rounds = rounds(d.inst.info());
    s.passes = uint8_t(passes(d.inst));
    s.is_memory = d.inst.info().counter != Counter::none;
    for (unsigned n = 0; n < d.inst.info().operand_count; ++n) s.ref[n] = resolve(launch, d, n);
    touch_all(s);
    return s;
}

Code prepare(const Launch& launch) {
    Code code;
    if (launch.code.empty()) throw Error("kernel " + launch.setup.name + " has no instructions");
    const Decoded& last = launch.code.back();
    code.at.assign((last.address + last.bytes) / 4 + 1, Code::kNone);
    code.steps.reserve(launch.code.size());
    for (const Decoded& d : launch.code) {
        code.at[d.address / 4] = uint32_t(code.steps.size());
        // What is never reached may be anything: it is refused when a wave gets there.
        uint32_t index = uint32_t(code.steps.size());
        Step s;
        try {
            s = make(launch, d, index);
        } catch (const Error& e) {
            s = Step{};
            s.from = &d;
            s.index = index;
            code.refused.emplace(index, e.what());
        }
        code.steps.push_back(s);
    }
    for (Step& s : code.steps) {
        if (!s.execute || !s.from->inst.info().is_branch()) continue;
        const Operand* label = nullptr;
        for (const Operand& o : s.from->inst.operands)
            if (o.kind == Operand::Kind::label) label = &o;
        if (!label) continue;
        uint32_t to = label->value;
        s.target = to / 4 < code.at.size() ? code.at[to / 4] : Code::kNone;
        if (to % 4 || s.target == Code::kNone) {
            s.execute = nullptr;
            code.refused.emplace(s.index, "branch to where no instruction starts");
        }
    }
    return code;
}

const char* unproven(const Step& s) {
    const OpInfo& row = s.from->inst.info();
    const Evidence& e = evidence(s.op);
    if (e.proof == Proof::inferred || e.proof == Proof::guess) return e.source;
    if (row.rate == Rate::trans)
        return "bits of the result: computed exactly, the hardware is within 1 ulp";
    if (row.is_mfma() && row.rate != Rate::mfma_i8)
        return "order and width of the accumulation inside the instruction";
    if (row.is_packed())
        for (const Ref& r : s.ref)
            if (r.kind == Ref::Kind::constant) return "a constant as a packed operand";
    return nullptr;
}

}  // namespace zyfa::sim
