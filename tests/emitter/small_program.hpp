// A small Program written by hand, registers and waits included: loads two tiles, multiplies,
// loops, stores. It is legal for the emitter; no one schedules or runs it.
#pragma once

#include "isa/program.hpp"

namespace zyfa::test {

inline Operand v(unsigned first, unsigned words = 1) { return Operand::reg(File::v, first, words); }
inline Operand a(unsigned first, unsigned words = 1) { return Operand::reg(File::a, first, words); }
inline Operand s(unsigned first, unsigned words = 1) { return Operand::reg(File::s, first, words); }
inline Operand with_abs(Operand o) {
    o.abs = true;
    return o;
}
inline Operand imm(uint32_t bits) { return Operand::imm(bits); }

inline Inst inst(Op op, std::initializer_list<Operand> operands, Where at = Where::current()) {
    Inst i;
    i.op = op;
    i.at = at;
    i.mods = default_mods(op);
    unsigned n = 0;
    for (const Operand& o : operands) i.operands[n++] = o;
    return i;
}
template <class F>
Inst with(Inst i, F change) {
    change(i);
    return i;
}

inline Program small_program() {
    Program p;
    p.name = "small";
    p.sections = {{"", Pipe::scalar}, {"load", Pipe::memory}, {"scores", Pipe::matrix}};
    p.lds = {{"k tile", 0, 8192}, {"v tile", 8192, 8192}};
    p.args = {{"ptr_o", 0, 8, true, "output, f32"},
              {"ptr_k", 16, 8, true, "keys, e4m3"},
              {"scale", 32, 4, false, "1/sqrt(d)"},
              {"tiles", 36, 4, false, "key tiles"}};
    p.kernarg_bytes = 48;
    p.lds_bytes = 16384;
    p.workgroup_size = 512;
    p.used = {66, 18, 30};
    const auto in = [](uint16_t section, Inst i) {
        i.section = section;
        return i;
    };
    Block entry{"entry", {}, false}, loop{"main_loop", {}, true}, end{"", {}, false};
    entry.insts = {
        inst(Op::s_load_dwordx2, {s(8, 2), s(0, 2), imm(16)}),
        inst(Op::s_load_dwordx2, {s(16, 2), s(0, 2), imm(0x20)}),
        with(inst(Op::s_waitcnt, {}), [](Inst& i) { i.mods.lgkmcnt = 0, i.note = "arguments"; }),
        inst(Op::s_mov_b32, {s(10), imm(0x1000)}),
        inst(Op::s_mov_b32, {s(11), imm(0x00020000)}),
        inst(Op::v_mov_b32, {v(0), imm(0)}),
        inst(Op::v_accvgpr_write_b32, {a(0), imm(0)}),
        inst(Op::s_branch, {Operand::label(1)}),
    };
    loop.insts = {
        in(1, inst(Op::s_mov_b32, {s(kM0), imm(512)})),
        in(1, with(inst(Op::s_nop, {imm(0)}), [](Inst& i) { i.note = "M0 before the load"; })),
        in(1, with(inst(Op::buffer_load_dwordx4_lds, {v(1), s(8, 4), imm(0)}),
                   [](Inst& i) { i.mods.offen = true, i.mods.offset = 4095, i.mods.lds = true; })),
        in(1,
           with(inst(Op::ds_read_b128, {v(20, 4), v(2)}), [](Inst& i) { i.mods.offset = 65520; })),
        in(1, inst(Op::ds_read_b64_tr_b8, {v(24, 2), v(2)})),
        with(inst(Op::s_waitcnt, {}), [](Inst& i) { i.mods.vmcnt = 3, i.mods.lgkmcnt = 1; }),
        in(2, inst(Op::v_mfma_f32_32x32x64_f8f6f4, {v(32, 16), v(16, 8), v(24, 8), Operand{}})),
        in(1, with(inst(Op::v_pk_fma_f32, {v(48, 2), v(50, 2), s(16, 2), v(52, 2)}),
                   [](Inst& i) { i.mods.op_sel_hi = 5; })),
        in(2, with(inst(Op::v_mfma_scale_f32_16x16x128_f8f6f4,
                        {a(0, 4), v(16, 8), v(24, 4), imm(0), v(8), v(9)}),
                   [](Inst& i) { i.mods.blgp = 4, i.mods.op_sel = 1, i.mods.op_sel_hi = 2; })),
        in(2, with(inst(Op::v_cvt_pk_fp8_f32, {v(60), v(32), v(33)}),
                   [](Inst& i) { i.mods.op_sel = 4; })),
        inst(Op::v_exp_f32, {v(61), v(34)}),
        inst(Op::v_max3_f32, {v(62), v(34), v(35), with_abs(v(36))}),
        inst(Op::s_add_i32, {s(17), s(17), imm(uint32_t(-1))}),
        inst(Op::s_cmp_gt_i32, {s(17), imm(0)}),
        inst(Op::s_cbranch_scc1, {Operand::label(1)}),
    };
    end.insts = {
        inst(Op::s_load_dwordx2, {s(28, 2), s(0, 2), imm(0)}),
        with(inst(Op::s_waitcnt, {}), [](Inst& i) { i.mods.lgkmcnt = 0; }),
        inst(Op::v_lshlrev_b32, {v(3), imm(2), v(0)}),
        with(inst(Op::global_store_dword, {v(3), v(62), s(28, 2)}),
             [](Inst& i) { i.mods.offset = uint32_t(-4096); }),
        inst(Op::s_endpgm, {}),
    };
    p.blocks = {entry, loop, end};
    return p;
}

}  // namespace zyfa::test
