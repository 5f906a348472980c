// Which lane, register and byte of a wave hold which element of a matrix operand, and how the
// transposing LDS reads move elements. Pure index arithmetic; kernels, simulator and tests share
// it. Sources: gfx950 8-bit and 4-bit maps: composable_kernel test/mx_mfma_op (runs on the
// silicon); 6-bit: AITER mxfp6 binaries; 16-bit and C/D: FlyDSL getThrValLayoutAB, HipKittens,
// AITER v3 binaries; gfx942 shapes: AMD matrix instruction calculator; ds_read_*_tr: FlyDSL
// CopyAtom, AITER v3 fp8. Trust: certain, but i8 (inferred: same rule as the others).
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "isa/formats.hpp"
#include "isa/inst.hpp"

namespace zyfa {

// One operand A (mn rows) or B (mn columns) of a matrix instruction.
struct Fragment {
    unsigned mn;    // 16 or 32
    unsigned k;     // depth of the instruction
    unsigned bits;  // of one element: 4, 6, 8, 16, 32

    constexpr unsigned groups() const { return 64 / mn; }        // lanes that share a row
    constexpr unsigned per_lane() const { return k * mn / 64; }  // elements in one lane
    constexpr unsigned words() const { return per_lane() * bits / 32; }
    // How many consecutive k a lane holds: 32 bytes of whole bytes are dealt in two chunks of 16
    // (also B of the sparse instructions: composable_kernel's smfma traits); 6- and 4-bit elements
    // lie in one piece.
    constexpr unsigned run() const {
        return bits >= 8 && per_lane() * bits > 128 ? 128 / bits : per_lane();
    }
    bool operator==(const Fragment&) const = default;
};

// Where an element is: lane, and first bit in that lane's registers taken as one string. A 6-bit
// element may reach into the next register.
struct Spot {
    unsigned lane, bit;
    constexpr unsigned reg() const { return bit / 32; }
    constexpr unsigned byte() const { return bit / 8; }  // from the first register
    constexpr unsigned byte_in_reg() const { return bit / 8 % 4; }
    bool operator==(const Spot&) const = default;
};
struct Element {
    unsigned row;  // of A; column of B
    unsigned k;
    bool operator==(const Element&) const = default;
};
struct Cell {
    unsigned row, col;
    bool operator==(const Cell&) const = default;
};

// A and B follow the same rule: for B read "column" where it says row.
constexpr Spot a_spot(const Fragment& f, unsigned row, unsigned k) {
    const unsigned chunk = k / f.run();
    const unsigned position = f.run() * (chunk / f.groups()) + k % f.run();
    return {row + f.mn * (chunk % f.groups()), position * f.bits};
}
// Inverse; index counts the elements of one lane: byte for 8-bit formats, half for 16-bit ones.
constexpr Element a_element(const Fragment& f, unsigned lane, unsigned index) {
    const unsigned chunk = index / f.run() * f.groups() + lane / f.mn;
    return {lane % f.mn, chunk * f.run() + index % f.run()};
}
constexpr Spot b_spot(const Fragment& f, unsigned col, unsigned k) { return a_spot(f, col, k); }
constexpr Element b_element(const Fragment& f, unsigned lane, unsigned index) {
    return a_element(f, lane, index);
}

// Accumulator C and D, 32-bit elements, the same for all types.
constexpr unsigned c_words(unsigned mn) { return mn * mn / 64; }
constexpr Spot c_spot(unsigned mn, unsigned row, unsigned col) {
    if (mn == 32) return {col + 32 * (row / 4 % 2), 32 * (row / 8 * 4 + row % 4)};
    return {col + 16 * (row / 4), 32 * (row % 4)};
}
constexpr Cell c_cell(unsigned mn, unsigned lane, unsigned reg) {
    if (mn == 32) return {8 * (reg / 4) + 4 * (lane / 32) + reg % 4, lane % 32};
    return {4 * (lane / 16) + reg, lane % 16};
}

// Block scales: one E8M0 for row (column) and 32 true k. For 8-bit formats this is not the scale
// of the bytes that the same lane holds.
inline constexpr unsigned kScaleBlock = 32;
constexpr unsigned scale_lane(unsigned mn, unsigned row, unsigned k_block) {
    return row + mn * k_block;
}
// Byte of the scale register; n = 0 for A, 1 for B.
constexpr unsigned scale_byte(const Mods& m, unsigned n) {
    return (m.op_sel >> n & 1u) + 2 * (m.op_sel_hi >> n & 1u);
}

// Sparse A: of every four consecutive k two are stored, the others are 0. Two bits for each stored
// element say which of the four it is. The index register holds those of the lane's own elements,
// first element lowest. AITER v4 fp8 sums the rows of P by this instruction; its constants give
// sums over the right lanes only with A in one piece of 16 and B in chunks of 16 k.
constexpr unsigned sparse_k(unsigned stored, unsigned index) { return stored / 2 * 4 + index; }

// What the mnemonic of a matrix instruction says: v_mfma_f32_32x32x16_fp8_bf8. One type stands for
// A and B; none: f8f6f4, types by cbsz and blgp.
enum class MatrixType : uint8_t { by_format, fp8, bf8, i8, bf16, f16, f32 };
constexpr unsigned bits_of(MatrixType t) {
    return t == MatrixType::f32 ? 32 : t == MatrixType::bf16 || t == MatrixType::f16 ? 16 : 8;
}
struct MatrixName {
    unsigned mn = 0, k = 0;  // mn = 0: not a matrix instruction
    MatrixType a = MatrixType::by_format, b = MatrixType::by_format;
    bool sparse = false;
};
namespace detail {
constexpr MatrixName parse_matrix_name(Op op) {
    const OpInfo& row = info(op);
    if (!row.is_mfma()) return {};
    constexpr std::pair<std::string_view, MatrixType> kTypes[] = {
        {"_bf16", MatrixType::bf16},       {"_f16", MatrixType::f16}, {"_f32", MatrixType::f32},
        {"_i8", MatrixType::i8},           {"_fp8", MatrixType::fp8}, {"_bf8", MatrixType::bf8},
        {"_f8f6f4", MatrixType::by_format}};
    std::string_view rest = row.name;
    const auto number = [&] {
        unsigned v = 0;
        for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1))
            v = 10 * v + unsigned(rest[0] - '0');
        return v;
    };
    const auto type = [&](MatrixType otherwise) {
        for (const auto& [name, t] : kTypes)
            if (rest.starts_with(name)) {
                rest.remove_prefix(name.size());
                return t;
            }
        return otherwise;
    };
    MatrixName out;
    out.sparse = row.is_sparse();
    rest.remove_prefix(rest.find("x") - 2);
    out.mn = number();
    rest.remove_prefix(1 + 2 + 1);  // x, columns, x
    out.k = number();
    out.a = type(MatrixType::by_format);
    out.b = type(out.a);
    return out;
}
inline constexpr auto kMatrixNames = [] {
    std::array<MatrixName, kOpCount> names;
    for (unsigned n = 0; n < kOpCount; ++n) names[n] = parse_matrix_name(Op(n));
    return names;
}();
}  // namespace detail
constexpr const MatrixName& matrix_name(Op op) { return detail::kMatrixNames[unsigned(op)]; }

// Rows, depth and operand formats of a matrix instruction. mn = 0: not one. A sparse one has half
// of its depth in A.
struct MatrixShape {
    unsigned mn = 0, k = 0;
    Fragment a{}, b{};
};
constexpr MatrixShape matrix_shape(Op op, unsigned cbsz = 0, unsigned blgp = 0) {
    const MatrixName& n = matrix_name(op);
    if (n.mn == 0) return {};
    if (n.a == MatrixType::by_format) {
        if (cbsz >= kFormats || blgp >= kFormats) return {};
        return {n.mn,
                n.k,
                {n.mn, n.k, info(Format(cbsz)).bits()},
                {n.mn, n.k, info(Format(blgp)).bits()}};
    }
    const unsigned bits = bits_of(n.a);
    return {n.mn, n.k, {n.mn, n.sparse ? n.k / 2 : n.k, bits}, {n.mn, n.k, bits}};
}
inline MatrixShape matrix_shape(const Inst& i) {
    return matrix_shape(i.op, i.mods.cbsz, i.mods.blgp);
}

// Transposing LDS reads: every lane fetches its own 8 (b6: 12) bytes, then each 16 lanes
// transpose. Result element j of lane `lane` is element `element` of the bytes that lane `from`
// fetched.
struct TrSource {
    unsigned from, element;
    bool operator==(const TrSource&) const = default;
};
constexpr TrSource tr_b8_source(unsigned lane, unsigned j) {  // j = byte 0..7
    return {(lane & ~15u) + 2 * j + lane % 16 / 8, lane % 8};
}
constexpr TrSource tr_b4_source(unsigned lane, unsigned j) {  // j = nibble 0..15
    return {(lane & ~15u) + j, lane % 16};
}
constexpr TrSource tr_b16_source(unsigned lane, unsigned j) {  // j = half 0..3
    return {(lane & ~15u) + 4 * j + lane % 16 / 4, lane % 4};
}
constexpr TrSource tr_b6_source(unsigned lane, unsigned j) {  // j = 6-bit field 0..15 of 96 bits
    return tr_b4_source(lane, j);
}
// Inverse: where element e of the bytes fetched by lane `from` ends up.
struct TrResult {
    unsigned lane, j;
    bool operator==(const TrResult&) const = default;
};
constexpr TrResult tr_b8_result(unsigned from, unsigned e) {
    return {(from & ~15u) + 8 * (from % 2) + e, from % 16 / 2};
}
constexpr TrResult tr_b4_result(unsigned from, unsigned e) {
    return {(from & ~15u) + e, from % 16};
}
constexpr TrResult tr_b16_result(unsigned from, unsigned e) {
    return {(from & ~15u) + 4 * (from % 4) + e, from % 16 / 4};
}

}  // namespace zyfa
