// Registers and operands. A register is a file (s, v, a), a first word and a number of words
// (1 word = 32 bit). Kernels hold *virtual* registers; the scheduler makes them physical.
// Scalar numbers are the gfx9 encodings (LLVM AMDGPU operand encoding): s0..s101, 102 flat_scratch,
// 104 xnack_mask, 106 vcc, 124 m0, 126 exec, 251 src_vccz, 252 src_execz, 253 src_scc.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/error.hpp"

namespace zyfa {

enum class File : uint8_t { s, v, a };

inline constexpr uint32_t kFlatScratch = 102, kXnackMask = 104, kVcc = 106, kM0 = 124, kExec = 126,
                          kSharedBase = 235, kSharedLimit = 236, kPrivateBase = 237,
                          kPrivateLimit = 238, kVccz = 251, kExecz = 252, kScc = 253;

// One operand as it stands in the text of an instruction.
struct Operand {
    enum class Kind : uint8_t { none, reg, imm, label, off };
    Kind kind = Kind::none;
    File file = File::v;
    uint8_t words = 1;
    bool is_virtual = false;
    bool neg = false, abs = false;
    bool literal = false;  // imm: kept as a 32-bit literal although it could be inline, lit(...)
    uint32_t value =
        0;  // reg: first word; imm: bits; label: block index, or byte address if decoded
    bool sext = false;  // SDWA: the selected part is sign-extended

    bool is_reg() const { return kind == Kind::reg; }
    bool is_reg(File f) const { return kind == Kind::reg && file == f; }
    bool operator==(const Operand&) const = default;

    static Operand reg(File file, uint32_t first, unsigned words = 1) {
        return {Kind::reg, file, uint8_t(words), false, false, false, false, first};
    }
    static Operand imm(uint32_t bits) {
        return {Kind::imm, File::v, 1, false, false, false, false, bits};
    }
    static Operand label(uint32_t block) {
        return {Kind::label, File::v, 1, false, false, false, false, block};
    }
    static Operand off() { return {Kind::off, File::v, 1, false, false, false, false, 0}; }
};

// A typed register range. N is checked by the compiler wherever it meets an instruction.
template <File F, unsigned N>
struct Regs {
    static_assert(N >= 1 && N <= 64);
    uint32_t first = 0;  // word number: virtual id space of the kernel, or physical
    bool is_virtual = true;

    static constexpr File file = F;
    static constexpr unsigned words = N;

    // Words [i*W, i*W + W): s.part<8>(1) is the second group of eight.
    template <unsigned W>
    Regs<F, W> part(unsigned i, Where at = Where::current()) const {
        require((i + 1) * W <= N, at, "part<{}>({}) lies outside a register of {} words", W, i, N);
        return {first + i * W, is_virtual};
    }
    // W words starting at word i, whatever the alignment.
    template <unsigned W>
    Regs<F, W> slice(unsigned i, Where at = Where::current()) const {
        require(i + W <= N, at, "slice<{}>({}) lies outside a register of {} words", W, i, N);
        return {first + i, is_virtual};
    }
    Regs<F, 1> operator[](unsigned i) const {
        if (i >= N) throw Error(fmt::format("register word {} of {} does not exist", i, N));
        return {first + i, is_virtual};
    }
    Operand operand() const {
        Operand o = Operand::reg(F, first, N);
        o.is_virtual = is_virtual;
        return o;
    }
};
template <unsigned N>
using Vgpr = Regs<File::v, N>;
template <unsigned N>
using Agpr = Regs<File::a, N>;
template <unsigned N>
using Sgpr = Regs<File::s, N>;

inline constexpr Sgpr<2> vcc{kVcc, false};
inline constexpr Sgpr<2> exec{kExec, false};
inline constexpr Sgpr<1> m0{kM0, false};

// A source with a sign or absolute-value modifier: neg(x), abs(x).
template <File F, unsigned N>
struct Modified {
    Regs<F, N> reg;
    bool neg, abs;
};
template <File F, unsigned N>
Modified<F, N> neg(Regs<F, N> r) {
    return {r, true, false};
}
template <File F, unsigned N>
Modified<F, N> abs(Regs<F, N> r) {
    return {r, false, true};
}

inline uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }

}  // namespace zyfa
