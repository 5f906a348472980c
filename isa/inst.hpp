// Inst: one instruction, whether described by a kernel or decoded from a code object.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "isa/ops.hpp"

namespace zyfa {

enum class Encoding : uint8_t { any, e32, e64, dpp, sdwa };

// Everything that stands behind the operands. Absent in the text = the default here.
struct Mods {
    // ds: bytes (read2, write2: the two offsets, first one in the low byte); buffer: bytes,
    // 0..4095; flat: 0..4095; global, scratch: bytes, signed 13 bit
    uint32_t offset = 0;
    bool offen = false, idxen = false, lds = false, sc0 = false, nt = false, sc1 = false;
    bool clamp = false;
    uint8_t omod = 0;       // 0 none, 1 mul:2, 2 mul:4, 3 div:2
    uint8_t op_sel = 0;     // bit n = entry n of op_sel:[..]
    uint8_t op_sel_hi = 0;  // v_pk_* default 7, else 0 (parser and builder set it)
    uint8_t neg_lo = 0, neg_hi = 0;
    uint8_t cbsz = 0, abid = 0, blgp = 0;
    uint8_t bitop3 = 0;
    // DPP: control as in the encoding (quad_perm 0..0xff, row_shl 0x101.., ISA text 4.6 "DPP")
    uint16_t dpp_ctrl = 0;
    uint8_t row_mask = 0xf, bank_mask = 0xf;
    bool bound_ctrl = false;
    // SDWA: 0..3 byte, 4 and 5 word, 6 dword; what is not written: 0 zero, 1 sign, 2 kept
    uint8_t dst_sel = 6, dst_unused = 0, src0_sel = 6, src1_sel = 6;
    // s_waitcnt; these are the "no wait" values
    uint8_t vmcnt = 63, expcnt = 7, lgkmcnt = 15;
    bool operator==(const Mods&) const = default;
};

// What an s_waitcnt of a kernel description is for. The waits pass replaces it by the exact count,
// or drops it when nothing can be outstanding.
enum class Need : uint8_t {
    none,
    lds_filled,   // this wave's direct-to-LDS loads and LDS writes into lds_region have landed
    lds_drained,  // this wave's LDS reads from lds_region have returned
    scalars,      // scalar loads have returned (the pass adds these by itself before a use, too)
    all,          // every counter is zero
};

struct Inst {
    Op op = Op::s_nop;
    Encoding encoding = Encoding::any;
    std::array<Operand, kMaxOperands> operands{};
    Mods mods;

    // where it comes from
    Where at{};               // kernel source line (described), empty if decoded
    uint16_t section = 0;     // index into Program::sections
    uint16_t phase = 0;       // index into Program::phases
    uint16_t entry = 0;       // index into Program::entries
    bool behind = false;      // to be woven in behind the matrix instructions of the phase
    uint32_t address = 0;     // byte offset in .text (decoded)
    uint8_t bytes = 0;        // encoded size (decoded)
    int16_t lds_region = -1;  // described LDS accesses: index into Program::lds
    Need need = Need::none;   // s_waitcnt of a description only
    bool pinned = false;      // a wait, barrier or nop that the kernel wrote itself with a number
    std::string note;         // printed as a comment: why a pass placed it

    const OpInfo& info() const { return zyfa::info(op); }
    // Same machine instruction; where it came from and the chosen encoding do not count.
    bool same_as(const Inst& o) const {
        return op == o.op && operands == o.operands && mods == o.mods;
    }
};

// What an instruction reads and writes, implicit registers included, as word ranges.
struct Access {
    File file;
    uint32_t first;
    uint8_t words;
    bool is_virtual;
    uint8_t column;  // operand index, or 0xff when implicit
};
struct Accesses {
    std::array<Access, 12> list{};
    unsigned count = 0;
    void add(Access a) { list[count++] = a; }
    auto begin() const { return list.begin(); }
    auto end() const { return list.begin() + count; }
};
Accesses reads(const Inst&);  // mod operands are in both
Accesses writes(const Inst&);
bool reads_scc(const Inst&);
bool writes_scc(const Inst&);
// Matrix passes of an MFMA by opcode and formats; 1 pass = 4 cycles. 0 for anything else.
// Source: LLVM mai-hazards-mfma-scale.gfx950.mir, hardware/isa 1.1; trust: certain.
unsigned passes(const Inst&);

// Bytes of a destination register that an instruction writes; the rest stays. {0, 4}: all.
struct Part {
    uint8_t first, count;
};
Part written_part(const Inst&);

// How a source column takes a constant. Wide columns and halves know float constants of their own
// width under the same names ("1.0"), so `Operand::value` has the f32 bits of such a name.
// Packed rows take integers as 32 bits and floats as one half with zeros above, packed integer rows
// as f32 (LLVM SIDefines/AMDGPUBaseInfo, "inline operands of packed 16-bit instructions").
enum class Constant : uint8_t { b32, b64, f64, b16, f16, pk_b16, pk_f16 };
Constant constant_of(const OpInfo&, unsigned column);

// Builder-side default modifiers of a row (op_sel_hi of packed instructions).
Mods default_mods(Op);

}  // namespace zyfa
