// Expansions of isa/ops.def: the enum Op, operand wrapper types and OpInfo, one entry per row.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "isa/regs.hpp"

namespace zyfa {

// Rate class: isa/machines/*.json gives each its issue cost and its trust.
enum class Rate : uint8_t {
    salu,
    smem,
    branch,
    wait,
    nop,
    barrier,
    valu,
    quarter,
    trans,
    packed_f32,
    mfma_f8f6f4,
    mfma_16bit,
    mfma_8bit,
    mfma_i8,
    mfma_f32,
    lds_b32,
    lds_b64,
    lds_b128,
    lds_write,
    vmem_load,
    vmem_store,
    lds_dma,
};
// Counter that the instruction raises. lgkm = LDS (in order); smem raises lgkmcnt too, out of
// order.
enum class Counter : uint8_t { none, vm, lgkm, smem };
// Role in the hazard table (isa/hazards.def), as writer and as reader.
enum class Hazard : uint8_t {
    none,
    salu,
    smem,
    valu,
    trans,
    cvt_half,
    readlane,
    permlane,
    xdl,
    smfma,
    lds,
    vmem,
    store,
    lds_dma,
};
// Registers that the text does not show.
enum class Implicit : uint8_t {
    none,
    scc_r,
    scc_w,
    scc_rw,
    vcc_r,
    exec_r,
    exec_rw_scc_w,
    exec,
    exec_mode,
    m0_exec,
    exec_rw,  // v_cmpx
    exec_rw_mode,
    vcc_exec_mode,  // v_div_fmas
    exec_flat,      // flat and scratch accesses
    mode_r,
    mode_rw,
    m0_mode_rw,  // s_set_gpr_idx_*
};

// How an operand is used; one per column of a row.
enum class Use : uint8_t {
    none,
    def,      // D:  vector register, written
    mod,      // X:  vector register, read and written
    src,      // S:  any vector-ALU source
    vreg,     // V:  vector register, read
    matrix,   // A:  matrix operand, 8/6/4 words by format
    acc,      // C:  accumulator input or inline constant
    sdef,     // SD: scalar register, written
    smod,     // SX: scalar register, read and written
    ssrc,     // SS: scalar source or immediate
    vaddr,    // VA: vgpr byte offset, or off
    gaddr,    // GA: 64-bit vgpr pair, or 32-bit offset beside an sgpr base
    gbase,    // GB: sgpr pair, or off
    sbase,    // SB: sgpr byte offset, or off
    imm,      // Imm
    literal,  // K: 32-bit literal
    target,   // Target
};
inline bool is_written(Use u) {
    return u == Use::def || u == Use::mod || u == Use::sdef || u == Use::smod;
}
inline bool is_read(Use u) { return u != Use::none && u != Use::def && u != Use::sdef; }

// The wrappers below are the parameter types of the builders. Converting a kernel's register to
// one captures the kernel's source line, so that errors can name it.
struct Arg {
    Operand operand;
    Where at;
};

template <unsigned W>
struct D : Arg {
    template <File F>
        requires(F != File::s)
    D(Regs<F, W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    static constexpr Use use = Use::def;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct X : Arg {
    template <File F>
        requires(F != File::s)
    X(Regs<F, W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    static constexpr Use use = Use::mod;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct S : Arg {
    template <File F>
    S(Regs<F, W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    template <File F>
    S(Modified<F, W> m, Where at = Where::current()) : Arg{m.reg.operand(), at} {
        operand.neg = m.neg;
        operand.abs = m.abs;
    }
    S(int v, Where at = Where::current()) : Arg{Operand::imm(uint32_t(v)), at} {}
    S(unsigned v, Where at = Where::current()) : Arg{Operand::imm(v), at} {}
    S(float v, Where at = Where::current()) : Arg{Operand::imm(bits(v)), at} {}
    static constexpr Use use = Use::src;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct V : Arg {
    template <File F>
        requires(F != File::s)
    V(Regs<F, W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    static constexpr Use use = Use::vreg;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct A : Arg {
    template <File F, unsigned N>
        requires(F != File::s && (N == 8 || N == 6 || N == 4))
    A(Regs<F, N> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    A(const Operand& o, Where at) : Arg{o, at} {
        require(o.is_reg() && o.file != File::s && (o.words == 8 || o.words == 6 || o.words == 4),
                at, "a matrix operand is 8, 6 or 4 vector registers");
    }
    static constexpr Use use = Use::matrix;
    static constexpr unsigned words = W;
};
struct InPlace {};
inline constexpr InPlace in_place{};  // accumulate onto the destination
template <unsigned W>
struct C : Arg {
    template <File F>
        requires(F != File::s)
    C(Regs<F, W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    C(InPlace, Where at = Where::current()) : Arg{Operand{}, at} {}
    C(int v, Where at = Where::current()) : Arg{Operand::imm(uint32_t(v)), at} {}
    C(float v, Where at = Where::current()) : Arg{Operand::imm(bits(v)), at} {}
    static constexpr Use use = Use::acc;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct SD : Arg {
    SD(Sgpr<W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    static constexpr Use use = Use::sdef;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct SX : Arg {
    SX(Sgpr<W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    static constexpr Use use = Use::smod;
    static constexpr unsigned words = W;
};
template <unsigned W>
struct SS : Arg {
    SS(Sgpr<W> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    SS(int v, Where at = Where::current()) : Arg{Operand::imm(uint32_t(v)), at} {}
    SS(unsigned v, Where at = Where::current()) : Arg{Operand::imm(v), at} {}
    SS(float v, Where at = Where::current()) : Arg{Operand::imm(bits(v)), at} {}
    static constexpr Use use = Use::ssrc;
    static constexpr unsigned words = W;
};
struct Off {};
inline constexpr Off off{};
struct VA : Arg {
    VA(Vgpr<1> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    VA(Off, Where at = Where::current()) : Arg{Operand::off(), at} {}
    static constexpr Use use = Use::vaddr;
    static constexpr unsigned words = 1;
};
struct GA : Arg {
    GA(Vgpr<1> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    GA(Vgpr<2> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    static constexpr Use use = Use::gaddr;
    static constexpr unsigned words = 2;
};
struct GB : Arg {
    GB(Sgpr<2> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    GB(Off, Where at = Where::current()) : Arg{Operand::off(), at} {}
    static constexpr Use use = Use::gbase;
    static constexpr unsigned words = 2;
};
struct SB : Arg {
    SB(Sgpr<1> r, Where at = Where::current()) : Arg{r.operand(), at} {}
    SB(Off, Where at = Where::current()) : Arg{Operand::off(), at} {}
    static constexpr Use use = Use::sbase;
    static constexpr unsigned words = 1;
};
struct K : Arg {
    K(unsigned v, Where at = Where::current()) : Arg{Operand::imm(v), at} {}
    K(float v, Where at = Where::current()) : Arg{Operand::imm(bits(v)), at} {}
    static constexpr Use use = Use::literal;
    static constexpr unsigned words = 1;
};
struct Imm : Arg {
    Imm(int v, Where at = Where::current()) : Arg{Operand::imm(uint32_t(v)), at} {}
    static constexpr Use use = Use::imm;
    static constexpr unsigned words = 1;
};
struct Label {
    uint32_t block = 0;
};
struct Target : Arg {
    Target(Label l, Where at = Where::current()) : Arg{Operand::label(l.block), at} {}
    static constexpr Use use = Use::target;
    static constexpr unsigned words = 1;
};
struct Here {
    Here(Where at = Where::current()) : at(at) {}
    Where at;
    static constexpr Use use = Use::none;
    static constexpr unsigned words = 0;
};

enum class Op : uint16_t {
#define OP(name, ...) name,
#include "isa/ops.def"
};
inline constexpr unsigned kOpCount = 0
#define OP(...) +1
#include "isa/ops.def"
    ;

namespace shape {  // one undefined function per row: its type is the operand list
#define OP(name, operands, ...) void name operands;
#include "isa/ops.def"
}  // namespace shape

inline constexpr unsigned kMaxOperands = 6;
struct Column {
    Use use = Use::none;
    uint8_t words = 0;
};

template <class F>
struct Shape;
template <class... P>
struct Shape<void(P...)> {
    static constexpr unsigned count = (0 + ... + (P::use != Use::none));
    static constexpr std::array<Column, kMaxOperands> columns = {Column{P::use, P::words}...};
};

struct OpInfo {
    std::string_view name;  // the row's name; `_lds` rows print without that ending
    uint8_t operand_count;
    std::array<Column, kMaxOperands> columns;
    Rate rate;
    Counter counter;
    Hazard hazard;
    Implicit implicit;

    bool is_lds_dma() const { return rate == Rate::lds_dma; }
    // The form of a buffer load that the modifier `lds` tells apart.
    bool is_lds_form() const { return is_lds_dma() && name.ends_with("_lds"); }
    std::string_view mnemonic() const {
        return is_lds_form() || is_returning() ? name.substr(0, name.size() - 4) : name;
    }
    constexpr bool is_mfma() const { return hazard == Hazard::xdl || hazard == Hazard::smfma; }
    constexpr bool is_sparse() const { return name.starts_with("v_smfmac_"); }
    bool is_valu() const { return name.starts_with("v_") && !is_mfma(); }
    bool is_salu() const { return rate == Rate::salu; }
    bool is_lds() const { return hazard == Hazard::lds; }
    bool is_smem() const { return rate == Rate::smem; }
    bool is_branch() const { return rate == Rate::branch; }
    bool is_buffer() const { return name.starts_with("buffer_"); }
    bool is_global() const { return name.starts_with("global_"); }
    bool is_flat() const { return name.starts_with("flat_"); }
    bool is_scratch() const { return name.starts_with("scratch_"); }
    bool is_vmem() const { return is_buffer() || is_global() || is_flat() || is_scratch(); }
    // Memory atomics come twice: `_rtn` rows give the old value (same mnemonic, modifier sc0).
    bool is_atomic() const { return is_vmem() && name.find("_atomic_") != name.npos; }
    bool is_returning() const { return is_atomic() && name.ends_with("_rtn"); }
    bool is_store() const { return rate == Rate::vmem_store; }
    bool is_packed() const { return name.starts_with("v_pk_"); }
    // v_fma_mix*: op_sel_hi tells f16 sources from f32 ones.
    bool is_mix() const { return name.starts_with("v_fma_mix"); }
    bool is_dot() const { return name.starts_with("v_dot") && name.find("c_") == name.npos; }
    // Two 8-bit offsets in units of the element (or of 64 elements) instead of one of 16 bits.
    bool has_two_offsets() const {
        return name.starts_with("ds_read2") || name.starts_with("ds_write2");
    }
    // Writes a part of its destination; the rest stays, and need never have been set.
    bool keeps_part() const {
        return hazard == Hazard::cvt_half || name == "v_writelane_b32" ||
               name.find("_d16") != name.npos || name == "v_fma_mixlo_f16" ||
               name == "v_fma_mixhi_f16";
    }
};

// Conversions into one byte of the destination, chosen by entries 2 and 3 of op_sel.
constexpr bool writes_byte(const OpInfo& row) {
    const std::string_view n = row.name;
    return n.starts_with("v_cvt_sr_fp8_") || n.starts_with("v_cvt_sr_bf8_") ||
           n.starts_with("v_cvt_scalef32_sr_fp8_") || n.starts_with("v_cvt_scalef32_sr_bf8_") ||
           n.starts_with("v_cvt_scalef32_pk_fp4_") || n.starts_with("v_cvt_scalef32_sr_pk_fp4_");
}

inline constexpr OpInfo kOps[] = {
#define OP(name, operands, names, rate, counter, hazard, implicit) \
    {#name,                                                        \
     Shape<decltype(shape::name)>::count,                          \
     Shape<decltype(shape::name)>::columns,                        \
     Rate::rate,                                                   \
     Counter::counter,                                             \
     Hazard::hazard,                                               \
     Implicit::implicit},
#include "isa/ops.def"
};
inline constexpr const OpInfo& info(Op op) { return kOps[unsigned(op)]; }

}  // namespace zyfa
