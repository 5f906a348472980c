// How tiles of keys and values with 128-byte rows lie in LDS, and the lane expressions that fill
// and read them. The 16-byte chunks of a row are swapped so that no read has a bank conflict;
// dsl/layout proves each use when a kernel is built.
#pragma once

#include "dsl/layout.hpp"

namespace zyfa {

inline constexpr unsigned kRowBytes = 128;

inline LdsTile key_tile(int region, unsigned rows) {
    return {region, rows, kRowBytes, [](unsigned row) { return row >> 1 & 7; }, 0};
}
inline LdsTile value_tile(int region, unsigned rows, uint32_t base) {
    return {region, rows, kRowBytes,
            [](unsigned row) { return 2 * (row >> 1 & 1) + 4 * (row >> 3 & 1); }, base};
}

// Filling, 8 rows by one wave: byte within the row that a lane of an even wave fetches; the rows of
// odd waves are 8 further, which flips bit 6.
inline LaneExpr key_chunk() {
    LaneExpr l = LaneExpr::lane();
    return ((l & 7) ^ (l >> 4)) << 4;
}
inline LaneExpr value_chunk() {
    LaneExpr l = LaneExpr::lane();
    return ((l & 7) ^ ((l >> 4 & 1) << 1)) << 4;
}

// Reading K: lane l reads row l % 32, bytes 64*step + 32*i + 16*(l / 32).
inline LaneExpr key_read_expr(unsigned step, unsigned i) {
    LaneExpr l = LaneExpr::lane();
    LaneExpr chunk = (LaneExpr(4 * step + 2 * i) | (l >> 5)) ^ (l >> 1 & 7);
    return ((l & 31) << 7) + (chunk << 4);
}
// Reading V transposed, 32 columns from 32*d: 16 lanes bring 8 keys x 16 columns; keys {0-3, 8-11}
// + 4 * (l / 32), the order in which the accumulators leave P.
inline LaneExpr value_read_expr(unsigned d) {
    LaneExpr l = LaneExpr::lane();
    LaneExpr key = (l >> 1 & 3) + ((l >> 3 & 1) << 3) + (l >> 5 << 2);
    LaneExpr chunk = (LaneExpr(2 * d) | (l >> 4 & 1)) ^ ((l >> 2 & 1) << 1) ^ ((l >> 3 & 1) << 2);
    return (key << 7) + (chunk << 4) + ((l & 1) << 3);
}

}  // namespace zyfa
