#include "tests/isa/random_inst.hpp"

#include <algorithm>

namespace zyfa::test {
namespace {

constexpr uint32_t kInlineConstants[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                         0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};

bool is_one_of(Op op, std::initializer_list<Op> ops) {
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}
bool is_vopc(const OpInfo& row) { return row.name.starts_with("v_cmp"); }
// Rows whose last columns are the carry or mask that the short encoding takes from vcc.
bool takes_mask(const OpInfo& row) {
    return row.is_valu() && row.operand_count > 3 &&
           row.columns[row.operand_count - 1].words == 2 &&
           row.columns[row.operand_count - 1].use == Use::ssrc;
}
bool has_short_encoding(Op op) {
    const OpInfo& row = info(op);
    if (!row.is_valu() || row.is_packed() || op == Op::v_nop) return false;
    if (row.name.starts_with("v_cvt_scalef32_") || row.name.starts_with("v_cvt_sr_") ||
        row.name.starts_with("v_ashr_pk_") || op == Op::v_accvgpr_mov_b32)
        return false;
    if (is_one_of(op, {Op::v_readfirstlane_b32, Op::v_readlane_b32, Op::v_writelane_b32,
                       Op::v_accvgpr_read_b32, Op::v_accvgpr_write_b32, Op::v_mul_lo_u32,
                       Op::v_mul_hi_u32, Op::v_add_i32, Op::v_sub_i32, Op::v_ldexp_f32,
                       Op::v_mbcnt_lo_u32_b32, Op::v_mbcnt_hi_u32_b32, Op::v_cvt_pk_bf16_f32,
                       Op::v_cvt_pk_fp8_f32, Op::v_cvt_pk_bf8_f32, Op::v_cvt_pk_u8_f32}))
        return false;
    return takes_mask(row) || row.operand_count < 4 || row.columns[1].use == Use::sdef;
}
bool has_dpp(Op op) {
    return has_short_encoding(op) && !is_vopc(info(op)) &&
           !is_one_of(op, {Op::v_permlane32_swap_b32, Op::v_permlane16_swap_b32});
}
bool takes_float(const OpInfo& row, unsigned column) {
    if (row.columns[column].use != Use::src || row.is_packed()) return false;
    if (row.name == "v_cndmask_b32") return true;
    // The random number is an integer, and what is not f32 takes no sign here.
    if (row.name.starts_with("v_cvt_s")) return column == 1 && row.name.ends_with("_f32");
    if (row.name == "v_ldexp_f32" || row.name == "v_cvt_pk_u8_f32") return column == 1;
    return row.name.ends_with("_f32");
}
bool gives_float(const OpInfo& row) {
    return row.name.ends_with("_f32") && !row.name.starts_with("v_cvt") && !is_vopc(row) &&
           row.is_valu() && !row.is_packed();
}

struct Maker {
    Random& random;
    Inst inst;
    const OpInfo& row;
    Operand bus{};  // the one scalar register that a vector instruction may read
    bool literal_used = false;

    Operand scalar(unsigned words, bool may_be_special) {
        if (may_be_special && words == 1 && random.one_in(6))
            return Operand::reg(File::s, std::array{kVcc, kVcc + 1, kM0, kExec, kExec + 1,
                                                    kFlatScratch, kXnackMask + 1}[random.below(7)]);
        if (may_be_special && words == 2 && random.one_in(6))
            return Operand::reg(
                File::s, std::array{kVcc, kExec, kFlatScratch, kXnackMask}[random.below(4)], 2);
        unsigned align = std::min(words, 4u);
        return Operand::reg(File::s, random.below((102 - words) / align + 1) * align, words);
    }
    Operand vector(File file, unsigned words) {
        unsigned align = words == 1 ? 1 : 2;
        return Operand::reg(file, random.below((256 - words) / align + 1) * align, words);
    }
    Operand constant(bool wide) {
        if (!wide && random.one_in(3)) return Operand::imm(kInlineConstants[random.below(9)]);
        return Operand::imm(uint32_t(int(random.below(81)) - 16));
    }
    Operand literal(bool wide) {
        Operand o = random.one_in(4) ? constant(wide) : Operand::imm(random.bits());
        bool is_int = int32_t(o.value) >= -16 && int32_t(o.value) <= 64;
        bool is_float = !wide && std::find(std::begin(kInlineConstants), std::end(kInlineConstants),
                                           o.value) != std::end(kInlineConstants);
        o.literal = is_int || is_float;
        return o;
    }

    Operand scalar_source(unsigned words) {
        bool wide = words == 2;
        if (words > 2) return scalar(words, false);
        if (random.one_in(3)) return constant(wide);
        if (!literal_used && row.is_salu() && random.one_in(3)) {
            literal_used = true;
            return literal(wide);
        }
        if (words == 1 && row.is_salu() && random.one_in(12))
            return Operand::reg(File::s, std::array{kVccz, kExecz, kScc}[random.below(3)]);
        return scalar(words, true);
    }

    // A scalar of a vector instruction: the same register again, or none.
    Operand bus_scalar(unsigned words) {
        if (!bus.is_reg()) bus = scalar(words, true);
        return bus.words == words ? bus : Operand{};
    }

    bool is_short() const { return inst.encoding == Encoding::e32; }

    Operand vector_source(unsigned column) {
        const unsigned words = row.columns[column].words;
        const bool wide = words == 2 && !row.is_packed();
        const bool only_vector =
            inst.encoding == Encoding::dpp || (is_short() && column != first_source());
        if (only_vector) return vector(File::v, words);
        Operand o = vector(File::v, words);
        if (random.one_in(4)) {
            o = constant(wide);
        } else if (random.one_in(3)) {
            if (Operand s = bus_scalar(words); s.is_reg()) o = s;
        } else if (is_short() && !bus.is_reg() && random.one_in(2)) {
            return literal(wide);
        }
        return o;
    }
    unsigned first_source() const {
        unsigned i = 0;
        while (row.columns[i].use != Use::src) ++i;
        return i;
    }

    // LDS and memory instructions take data from either file; the rest of the rows, except the
    // accumulator moves and the matrix instructions, know only v.
    File data_file(unsigned column) {
        if (inst.op == Op::v_accvgpr_mov_b32) return File::a;
        if (inst.op == Op::v_accvgpr_read_b32) return column == 1 ? File::a : File::v;
        if (inst.op == Op::v_accvgpr_write_b32) return column == 0 ? File::a : File::v;
        bool is_address = row.is_lds() && row.columns[column].words == 1 &&
                          column == (row.columns[0].use == Use::def ? 1u : 0u);
        if (inst.op == Op::ds_bpermute_b32) return File::v;
        if ((row.is_lds() && !is_address) || row.is_vmem())
            return random.one_in(3) ? File::a : File::v;
        return File::v;
    }

    Operand make(unsigned column) {
        const auto [use, words] = row.columns[column];
        switch (use) {
            case Use::def:
            case Use::mod:
            case Use::vreg: return vector(data_file(column), words);
            case Use::src: return vector_source(column);
            case Use::sdef:
            case Use::smod:
                if (row.columns[1].use == Use::sdef && inst.encoding != Encoding::e64)
                    return Operand::reg(File::s, kVcc, 2);
                if (row.is_valu() && is_short()) return Operand::reg(File::s, kVcc, 2);
                return scalar(words, row.is_salu());
            case Use::ssrc:
                if (takes_mask(row)) {
                    if (is_short() || inst.encoding == Encoding::dpp)
                        return Operand::reg(File::s, kVcc, 2);
                    return bus;
                }
                if (row.is_valu()) return lane_source();
                if (row.is_smem() && column == 2) return smem_offset();
                if (row.is_smem()) return scalar(words, false);
                return row.is_vmem() ? buffer_scalar(words) : scalar_source(words);
            case Use::imm: return immediate();
            case Use::target: return Operand::label(random.below(0x10000));
            default: return {};
        }
    }
    Operand lane_source() {  // v_readlane, v_writelane
        if (random.one_in(2)) return Operand::imm(random.below(64));
        Operand s = bus_scalar(1);
        return s;
    }
    Operand smem_offset() {
        if (random.one_in(3)) {
            if (random.one_in(2)) inst.mods.offset = random.below(0x100000);
            return random.one_in(4) ? Operand::reg(File::s, kM0) : scalar(1, false);
        }
        return Operand::imm(uint32_t(int32_t(random.below(0x200000)) - 0x100000));
    }
    Operand buffer_scalar(unsigned words) {
        if (words == 4) return scalar(4, false);
        if (random.one_in(2)) return Operand::imm(uint32_t(int(random.below(81)) - 16));
        return random.one_in(4) ? Operand::reg(File::s, kM0) : scalar(1, false);
    }
    Operand immediate() {
        if (inst.op == Op::s_setprio) return Operand::imm(random.below(4));
        if (inst.op == Op::s_nop) return Operand::imm(random.below(16));
        if (inst.op == Op::s_sleep) return Operand::imm(random.below(128));
        return Operand::imm(uint32_t(int32_t(int16_t(random.bits()))));
    }

    void address() {
        Mods& m = inst.mods;
        if (row.is_global()) {
            m.offset = uint32_t(int32_t(random.below(8192)) - 4096);
            const bool with_base = random.one_in(2);
            for (unsigned i = 0; i < row.operand_count; ++i) {
                if (row.columns[i].use == Use::gaddr)
                    inst.operands[i] = vector(File::v, with_base ? 1 : 2);
                if (row.columns[i].use == Use::gbase)
                    inst.operands[i] = with_base ? scalar(2, false) : Operand::off();
            }
        } else if (row.is_buffer()) {
            m.offset = random.below(4096);
            m.offen = random.one_in(2);
            m.idxen = random.one_in(3);
            for (unsigned i = 0; i < row.operand_count; ++i)
                if (row.columns[i].use == Use::vaddr)
                    inst.operands[i] =
                        m.offen || m.idxen ? vector(File::v, m.offen + m.idxen) : Operand::off();
        } else if (row.is_lds()) {
            m.offset = random.one_in(3) ? 0 : random.below(0x10000);
            return;
        }
        m.sc0 = random.one_in(3);
        m.nt = random.one_in(3);
        m.sc1 = random.one_in(3);
    }

    static bool overlap(const Operand& a, const Operand& b) {
        return a.file == b.file && a.value < b.value + b.words && b.value < a.value + a.words;
    }

    void matrix() {
        Mods& m = inst.mods;
        const bool by_format = row.rate == Rate::mfma_f8f6f4;
        static constexpr unsigned kWords[] = {8, 8, 6, 6, 4};
        if (by_format) {
            m.cbsz = uint8_t(random.below(5));
            m.blgp = uint8_t(random.below(5));
        }
        const auto either = [&] { return random.one_in(2) ? File::v : File::a; };
        const File file = either();
        inst.operands[0] = vector(file, row.columns[0].words);
        // LLVM 22 cannot decode a 6- or 4-word operand in a249 and above: it makes the tuple with
        // eight words first (round_trip_test.cpp pins this).
        const auto matrix_operand = [&](unsigned words) {
            const File file = either();
            Operand o = vector(file, by_format && file == File::a ? 8 : words);
            o.words = uint8_t(words);
            return o;
        };
        inst.operands[1] = matrix_operand(by_format ? kWords[m.cbsz] : row.columns[1].words);
        inst.operands[2] = matrix_operand(by_format ? kWords[m.blgp] : row.columns[2].words);
        if (row.is_sparse()) {
            do inst.operands[3] = vector(File::v, 1);
            while (overlap(inst.operands[3], inst.operands[0]));
            m.cbsz = uint8_t(random.below(4));
            m.abid = uint8_t(random.below(4));
            return;
        }
        // C is D, lies apart from it, or is a constant; LLVM refuses a partial overlap.
        const Operand d = inst.operands[0];
        Operand& c = inst.operands[3];
        do c = vector(file, d.words);
        while (c.value + c.words > d.value && d.value + d.words > c.value);
        if (random.one_in(3)) c = d;
        if (random.one_in(3)) c = constant(false);
        if (row.operand_count == 6) {
            inst.operands[4] = vector(File::v, 1);
            inst.operands[5] = vector(File::v, 1);
            m.op_sel = uint8_t(random.below(4));
            m.op_sel_hi = uint8_t(random.below(4));
        }
    }

    void dpp() {
        static constexpr std::pair<unsigned, unsigned> kRanges[] = {
            {0, 0xff},      {0, 0xff},      {0x101, 0x10f}, {0x111, 0x11f},
            {0x121, 0x12f}, {0x130, 0x130}, {0x134, 0x134}, {0x138, 0x138},
            {0x13c, 0x13c}, {0x140, 0x143}, {0x150, 0x15f}};
        const bool has_64bit = row.columns[0].words == 2;  // these take row_newbcast alone
        const auto [low, high] = kRanges[has_64bit ? 10 : random.below(11)];
        inst.mods.dpp_ctrl = uint16_t(low + random.below(high - low + 1));
        inst.mods.row_mask = uint8_t(random.below(16));
        inst.mods.bank_mask = uint8_t(random.below(16));
        inst.mods.bound_ctrl = random.one_in(2);
    }

    // Parts of the source in entries 0 and 1, of the destination in the last or in 2 and 3.
    uint8_t op_sel() {
        const std::string_view name = row.name;
        unsigned legal = 0;
        if (writes_byte(row)) legal |= 0b1100;
        else if (row.hazard == Hazard::cvt_half) legal |= 1u << sources();
        if (name.starts_with("v_cvt_scalef32_"))
            for (std::string_view from : {"_fp8", "_bf8", "_fp4"})
                if (name.ends_with(from))
                    legal |= name.find("_pk_") == name.npos || from == "_fp4" ? 0b11 : 0b01;
        return uint8_t(random.bits() & legal);
    }
    unsigned sources() const { return row.operand_count - 1u; }

    void modifiers() {
        Mods& m = inst.mods;
        if (row.is_packed()) {
            const unsigned all = (1u << sources()) - 1;
            m.op_sel = uint8_t(random.below(all + 1));
            m.op_sel_hi = uint8_t((m.op_sel_hi & ~all) | random.below(all + 1));
            m.neg_lo = uint8_t(random.below(all + 1));
            m.neg_hi = uint8_t(random.below(all + 1));
            m.clamp = random.one_in(4);
            return;
        }
        if (is_short()) return;
        m.op_sel = op_sel();
        for (unsigned i = 0; i < row.operand_count; ++i)
            if (takes_float(row, i)) {
                inst.operands[i].neg = random.one_in(3);
                inst.operands[i].abs = random.one_in(3);
            }
        if (inst.encoding == Encoding::dpp) return dpp();
        if (gives_float(row)) {
            m.clamp = random.one_in(3);
            m.omod = uint8_t(random.below(4));
        }
    }

    Inst build() {
        if (row.is_mfma()) {
            matrix();
            return inst;
        }
        if (has_short_encoding(inst.op))
            inst.encoding = std::array{Encoding::e32, Encoding::e64,
                                       Encoding::dpp}[random.below(has_dpp(inst.op) ? 3 : 2)];
        // The mask is on the bus before the sources are chosen.
        if (takes_mask(row)) bus = is_short() ? Operand::reg(File::s, kVcc, 2) : scalar(2, true);
        for (unsigned i = 0; i < row.operand_count; ++i) inst.operands[i] = make(i);
        if (row.is_vmem() || row.is_lds()) address();
        if (row.is_valu()) modifiers();
        if (inst.op == Op::s_waitcnt) {
            inst.mods.vmcnt = uint8_t(random.one_in(3) ? 63 : random.below(64));
            inst.mods.expcnt = uint8_t(random.one_in(3) ? 7 : random.below(8));
            inst.mods.lgkmcnt = uint8_t(random.one_in(3) ? 15 : random.below(16));
        }
        return inst;
    }
};

}  // namespace

Inst random_inst(Op op, Random& random) {
    Inst inst;
    inst.op = op;
    inst.mods = default_mods(op);
    return Maker{random, inst, info(op), {}, false}.build();
}

}  // namespace zyfa::test
