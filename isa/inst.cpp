#include "isa/inst.hpp"

namespace zyfa {
namespace {

// Words of a matrix operand by format code: e4m3, e5m2 8; e2m3, e3m2 6; e2m1 4 (LLVM's register
// classes; the codes 5..7 are undefined and take 8).
uint8_t matrix_words(unsigned format) {
    return format == 4 ? 4 : format == 2 || format == 3 ? 6 : 8;
}

bool is_f8f6f4(const Inst& i) { return i.info().rate == Rate::mfma_f8f6f4; }

void add_register(Accesses& list, const Inst& inst, unsigned column, const Operand& o) {
    uint32_t first = o.value;
    uint8_t words = o.words;
    if (inst.info().columns[column].use == Use::matrix && is_f8f6f4(inst))
        words = matrix_words(column == 1 ? inst.mods.cbsz : inst.mods.blgp);
    if (o.file == File::s && !o.is_virtual) {
        if (first == kScc) return;
        if (first == kVccz || first == kExecz) {
            first = first == kVccz ? kVcc : kExec;
            words = 2;
        }
    }
    list.add({o.file, first, words, o.is_virtual, uint8_t(column)});
}
void add_implicit(Accesses& list, uint32_t first, uint8_t words) {
    list.add({File::s, first, words, false, 0xff});
}

// A DPP instruction leaves the old destination where a row or bank is masked off, or where the
// source lane does not exist and bound_ctrl does not ask for zero (ISA text, "DPP").
bool keeps_destination(const Inst& inst) {
    const Mods& m = inst.mods;
    if (inst.encoding == Encoding::sdwa) return m.dst_sel != 6 && m.dst_unused == 2;
    if (inst.encoding != Encoding::dpp) return false;
    if (m.row_mask != 0xf || m.bank_mask != 0xf) return true;
    unsigned c = m.dpp_ctrl;
    bool every_lane_has_a_source = c <= 0xff || (c >= 0x121 && c <= 0x12f) || c == 0x134 ||
                                   c == 0x13c || c == 0x140 || c == 0x141 || c >= 0x150;
    return !m.bound_ctrl && !every_lane_has_a_source;
}

bool names_scc(const Inst& inst) {
    for (unsigned i = 0; i < inst.info().operand_count; ++i)
        if (const Operand& o = inst.operands[i];
            o.is_reg(File::s) && !o.is_virtual && o.value == kScc)
            return true;
    return false;
}

}  // namespace

Accesses reads(const Inst& inst) {
    const OpInfo& row = inst.info();
    Accesses list;
    for (unsigned i = 0; i < row.operand_count; ++i) {
        const Operand& o = inst.operands[i];
        Use use = row.columns[i].use;
        if (use == Use::acc && o.kind == Operand::Kind::none)
            add_register(list, inst, i, inst.operands[0]);
        else if (o.is_reg() && (is_read(use) || (use == Use::def && keeps_destination(inst))))
            add_register(list, inst, i, o);
    }
    switch (row.implicit) {
        case Implicit::vcc_r: add_implicit(list, kVcc, 2); break;
        case Implicit::exec_mode:
        case Implicit::exec:
            if (row.is_mfma()) break;  // LLVM lists EXEC; all 64 lanes take part (ISA text)
            [[fallthrough]];
        case Implicit::exec_r:
        case Implicit::exec_rw:
        case Implicit::exec_rw_mode:
        case Implicit::exec_flat:
        case Implicit::exec_rw_scc_w: add_implicit(list, kExec, 2); break;
        case Implicit::vcc_exec_mode:
            add_implicit(list, kVcc, 2);
            add_implicit(list, kExec, 2);
            break;
        case Implicit::m0_mode_rw: add_implicit(list, kM0, 1); break;
        case Implicit::m0_exec:
            add_implicit(list, kM0, 1);
            add_implicit(list, kExec, 2);
            break;
        case Implicit::none:
        case Implicit::mode_r:
        case Implicit::mode_rw:
        case Implicit::scc_r:
        case Implicit::scc_w:
        case Implicit::scc_rw: break;
    }
    return list;
}

Accesses writes(const Inst& inst) {
    const OpInfo& row = inst.info();
    Accesses list;
    for (unsigned i = 0; i < row.operand_count; ++i)
        if (inst.operands[i].is_reg() && is_written(row.columns[i].use))
            add_register(list, inst, i, inst.operands[i]);
    if (row.implicit == Implicit::exec_rw_scc_w || row.implicit == Implicit::exec_rw ||
        row.implicit == Implicit::exec_rw_mode)
        add_implicit(list, kExec, 2);
    if (row.implicit == Implicit::m0_mode_rw) add_implicit(list, kM0, 1);
    return list;
}

bool reads_scc(const Inst& inst) {
    Implicit i = inst.info().implicit;
    return i == Implicit::scc_r || i == Implicit::scc_rw || names_scc(inst);
}
bool writes_scc(const Inst& inst) {
    Implicit i = inst.info().implicit;
    return i == Implicit::scc_w || i == Implicit::scc_rw || i == Implicit::exec_rw_scc_w;
}

unsigned passes(const Inst& inst) {
    if (!inst.info().is_mfma()) return 0;
    bool is_32x32 = inst.info().columns[0].words == 16;
    if (inst.info().hazard == Hazard::smfma) return is_32x32 ? 16 : 8;
    if (!is_f8f6f4(inst)) return is_32x32 ? 8 : 4;
    bool any_8bit = matrix_words(inst.mods.cbsz) == 8 || matrix_words(inst.mods.blgp) == 8;
    return (is_32x32 ? 8 : 4) * (any_8bit ? 2 : 1);
}

Part written_part(const Inst& inst) {
    const OpInfo& row = inst.info();
    if (row.hazard != Hazard::cvt_half) return {0, 4};
    if (writes_byte(row)) return {uint8_t(inst.mods.op_sel >> 2 & 3), 1};
    // The last entry of op_sel is that of the destination.
    return {uint8_t(inst.mods.op_sel >> (row.operand_count - 1) & 1 ? 2 : 0), 2};
}

Constant constant_of(const OpInfo& row, unsigned column) {
    const Column& c = row.columns[column];
    const auto ends = [&](std::string_view s) { return row.name.ends_with(s); };
    const bool vector = row.name.starts_with("v_");
    if ((c.use != Use::src && c.use != Use::ssrc) || c.words > 2) return Constant::b32;
    if (c.words == 2) {
        if (row.is_packed()) return Constant::b32;
        return vector && ends("_f64") ? Constant::f64 : Constant::b64;
    }
    if (!vector || row.is_mix()) return Constant::b32;
    const bool class_mask = row.name.find("_class_") != row.name.npos && column == 2;
    if (row.is_dot()) return ends("_f16") && column < 3 ? Constant::pk_f16 : Constant::b32;
    if (ends("_f16") && !class_mask) {
        if (row.is_packed()) return Constant::pk_f16;
        return row.name == "v_ldexp_f16" && column == 2 ? Constant::b16 : Constant::f16;
    }
    if (!ends("_i16") && !ends("_u16") && !ends("_b16")) return Constant::b32;
    if (row.name.find("_b32_b16") != row.name.npos || row.name.starts_with("v_sad_"))
        return Constant::b32;
    return row.is_packed() ? Constant::pk_b16 : Constant::b16;
}

Mods default_mods(Op op) {
    Mods m;
    if (info(op).is_packed() || info(op).is_dot()) m.op_sel_hi = 7;
    m.lds = info(op).is_lds_form();
    return m;
}

}  // namespace zyfa
