// Tile layouts: which lane, register and byte hold which row and column, and the check that two
// operands which meet in a matrix instruction count k in the same order.
//
// LdsTile describes rows of bytes in LDS under a swizzle of 16-byte chunks. TileOperand is one
// operand (8 registers, 32 bytes a lane, 8-bit elements) of v_mfma_*_32x32x64_f8f6f4 with its
// meaning. Lane maps of the instruction itself are in isa/lanes.hpp.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "dsl/lane_expr.hpp"
#include "isa/lanes.hpp"

namespace zyfa {

// k order of an operand: entry 32*h + b is the logical k in byte b (register b/4) of a lane in half
// h = lane/32. Two operands match when these tables are equal: the instruction pairs equal places.
using KOrder = std::array<int16_t, 64>;

struct TileOperand {
    Operand regs;                    // 8 registers, v or a
    KOrder k{};                      // logical k by place
    std::array<int16_t, 32> rows{};  // logical row (A) or column (B) by lane % 32
};

// The order in which the bytes of a row lie in a lane that loads 16 bytes at 16*h and at 32 + 16*h.
KOrder row_order();
// The order in which P lies when the accumulators of two 32x32 tiles are packed register by
// register (C layout: row = 8*(r/4) + 4*(lane/32) + r%4).
KOrder packed_accumulator_order();

struct LdsTile {
    int region;                // of the kernel
    unsigned rows, row_bytes;  // row_bytes a multiple of 16
    std::function<unsigned(unsigned row)>
        swizzle;        // chunk c of a row lies at place c ^ swizzle(row)
    uint32_t base = 0;  // LDS bytes that address registers have already in them
    uint32_t place(unsigned row, unsigned byte) const;  // byte offset within the region
    struct Spot {
        unsigned row, byte;
        bool operator==(const Spot&) const = default;
    };
    Spot locate(uint32_t offset) const;
};

// Checks at build time, each names the kernel's line:
// every lane's 16 bytes of a direct-to-LDS load (1024 bytes from unit*1024) are the bytes of the
// tile that belong there; source(lane) says which row and byte the lane fetches.
void check_fill(const LdsTile& tile, unsigned unit,
                const std::function<LdsTile::Spot(unsigned lane)>& source, Where at);

// What two ds_read_b128 at address + offset[i] (i = 0, 1) put into 8 registers, as an A or B
// operand: the row must not depend on the lane half, k order must be the same in all lanes.
// `k_base` is subtracted from the byte within the row. Checks bank conflicts too.
TileOperand prove_rows(const LdsTile& tile, std::array<LaneExpr, 2> expr, unsigned offset,
                       unsigned k_base, Where at);
template <File F>
TileOperand read_rows(Kernel& k, const LdsTile& tile, Regs<F, 8> to, std::array<Vgpr<1>, 2> address,
                      std::array<LaneExpr, 2> expr, unsigned offset, unsigned k_base,
                      Where at = Where::current()) {
    TileOperand operand = prove_rows(tile, expr, offset, k_base, at);
    operand.regs = to.operand();
    for (unsigned i : {0u, 1u})
        k.ds_read_b128(D<4>(to.template part<4>(i), at), V<1>(address[i], at))
            .offset(k.lds_first_byte(tile.region) - tile.base + offset, at)
            .region(tile.region);
    return operand;
}

// What four ds_read_b64_tr_b8 at address + offset + step*i put into 8 registers: the tile's
// *columns* become rows of the operand (A = V^T), its rows become k.
TileOperand prove_columns(const LdsTile& tile, const LaneExpr& expr, unsigned offset, unsigned step,
                          Where at);
template <File F>
TileOperand read_columns(Kernel& k, const LdsTile& tile, Regs<F, 8> to, Vgpr<1> address,
                         const LaneExpr& expr, unsigned offset, unsigned step,
                         Where at = Where::current()) {
    TileOperand operand = prove_columns(tile, expr, offset, step, at);
    operand.regs = to.operand();
    for (unsigned i = 0; i < 4; ++i)
        k.ds_read_b64_tr_b8(D<2>(to.template part<2>(i), at), V<1>(address, at))
            .offset(k.lds_first_byte(tile.region) - tile.base + offset + step * i, at)
            .region(tile.region);
    return operand;
}

// acc += a * b, after checking that k lies in one order in both.
void multiply(Kernel& k, D<16> d, const TileOperand& a, const TileOperand& b, C<16> c = in_place,
              Where at = Where::current());
// The same with exponents (E8M0, byte 0): lane l has that of row or column l % 32 for the 32 places
// of k from 32 * (l / 32).
void multiply_scaled(Kernel& k, D<16> d, const TileOperand& a, const TileOperand& b,
                     Vgpr<1> scale_a, Vgpr<1> scale_b, C<16> c = in_place,
                     Where at = Where::current());

}  // namespace zyfa
