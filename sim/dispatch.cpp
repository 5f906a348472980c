#include "sim/dispatch.hpp"

#include <algorithm>

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

// Constants as 64-bit operands: an inline integer is sign-extended; other values only if both ways
// to extend them agree.
static uint32_t upper_half(const Operand& o) {
    int32_t value = int32_t(o.value);
    if (!o.literal && value >= -16 && value <= 64) return value < 0 ? ~0u : 0;
    // A literal is extended with zeros. AITER's mxfp8 v4 kernel sets exec to 0xffffffff this way to
    // load one scale for each of 32 keys; LLVM's assembler means the same.
    if (o.literal) return 0;
    bool is_inline_float = (o.value & 0x7fffffff) >= 0x3e000000 &&
                           (o.value & 0x7fffffff) <= 0x40800000 && (o.value & 0x3fffff) == 0;
    if (value < 0 || is_inline_float)
        throw refusal("this constant as a 64-bit operand is not simulated");
    return 0;
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
            if (o.kind == Operand::Kind::imm && c.words == 2 && !info.is_packed())
                r.constant[1] = upper_half(o);
            break;
        case Operand::Kind::reg:
            if (o.file == File::s) {
                bool plain = o.value + o.words <= 128;
                bool special = o.value == kVccz || o.value == kExecz || o.value == kScc;
                if (!plain && !(special && o.words == 1 && !is_written(c.use)))
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
    bool keeps = info.hazard == Hazard::cvt_half || inst.op == Op::v_writelane_b32;
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
    if (inst.op == Op::s_cbranch_vccz || inst.op == Op::s_cbranch_vccnz)
        touch(s, kScalarBit + kVcc, 2, true, false);
}

static void refuse_modifiers(const Decoded& d) {
    const Inst& inst = d.inst;
    const OpInfo& info = inst.info();
    if (inst.encoding == Encoding::sdwa) throw refusal("SDWA forms are not simulated");
    bool is_float = is_float_row(info);
    if (inst.mods.clamp && (!is_float || info.columns[0].use == Use::sdef))
        throw refusal("clamp on this instruction is not simulated");
    if (inst.encoding == Encoding::dpp &&
        (info.operand_count < 2 || info.columns[0].use == Use::mod || info.columns[0].words > 1 ||
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
        if (!s.execute || !s.from->inst.info().is_branch() || s.op == Op::s_endpgm) continue;
        uint32_t to = s.from->inst.operands[0].value;
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
