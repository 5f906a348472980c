#include "dsl/layout.hpp"

#include "isa/banks.hpp"

namespace zyfa {
namespace {

constexpr Fragment k8bit{32, 64, 8};  // rows x k of one operand of the 32x32x64 instructions

unsigned place_of(unsigned lane, unsigned byte) { return 32 * (lane / 32) + byte; }

// One conflict costs cycles in every iteration: a layout that has one is refused.
void check_banks(Op op, std::span<const uint32_t, 64> addresses, Where at) {
    BankUse use = bank_use(*lds_access(op), addresses);
    require(
        use.conflict_free(), at,
        "{}: lanes {} and {} meet in bank {} ({} rows of it in one phase); {} phases instead of {}",
        info(op).name, use.lane_a, use.lane_b, use.bank, use.rows, use.needed, use.minimal);
}

// Collects what each lane and byte holds and proves that it is an operand: rows by lane % 32, k by
// place alone.
class OperandProof {
public:
    OperandProof(const char* what, Where at) : what(what), at(at) {
        operand.k.fill(-1);
        operand.rows.fill(-1);
    }
    void holds(unsigned lane, unsigned byte, unsigned row, unsigned k) {
        int16_t &r = operand.rows[lane % 32], &o = operand.k[place_of(lane, byte)];
        require(r < 0 || r == int(row), at,
                "{}: lane {} byte {} holds row {}, its other bytes row {}", what, lane, byte, row,
                r);
        require(o < 0 || o == int(k), at,
                "{}: lane {} byte {} holds k {}, other lanes hold k {} in that place", what, lane,
                byte, k, o);
        r = int16_t(row);
        o = int16_t(k);
    }
    TileOperand operand{};

private:
    const char* what;
    Where at;
};

}  // namespace

KOrder row_order() {
    KOrder order;
    for (unsigned lane : {0u, 32u})
        for (unsigned byte = 0; byte < 32; ++byte)
            order[place_of(lane, byte)] = int16_t(a_element(k8bit, lane, byte).k);
    return order;
}

KOrder packed_accumulator_order() {
    KOrder order;
    for (unsigned lane : {0u, 32u})
        for (unsigned byte = 0; byte < 32; ++byte)
            order[place_of(lane, byte)] =
                int16_t(32 * (byte / 16) + c_cell(32, lane, byte % 16).row);
    return order;
}

uint32_t LdsTile::place(unsigned row, unsigned byte) const {
    return row * row_bytes + ((byte / 16) ^ swizzle(row)) * 16 + byte % 16;
}

LdsTile::Spot LdsTile::locate(uint32_t offset) const {
    unsigned row = offset / row_bytes, within = offset % row_bytes;
    return {row, ((within / 16) ^ swizzle(row)) * 16 + within % 16};
}

void check_fill(const LdsTile& tile, unsigned unit,
                const std::function<LdsTile::Spot(unsigned lane)>& source, Where at) {
    for (unsigned lane = 0; lane < 64; ++lane) {
        LdsTile::Spot lands = tile.locate(unit * 1024 + lane * 16), from = source(lane);
        require(lands == from, at,
                "direct-to-LDS load: lane {} fetches row {} byte {}, but its place in the tile "
                "belongs to row {} byte {}",
                lane, from.row, from.byte, lands.row, lands.byte);
    }
}

TileOperand prove_rows(const LdsTile& tile, std::array<LaneExpr, 2> expr, unsigned offset,
                       unsigned k_base, Where at) {
    OperandProof proof("row fragment", at);
    for (unsigned i : {0u, 1u}) {
        std::array<uint32_t, 64> addresses = expr[i].table();
        for (unsigned lane = 0; lane < 64; ++lane) {
            addresses[lane] += offset;
            for (unsigned b = 0; b < 16; ++b) {
                LdsTile::Spot s = tile.locate(addresses[lane] + b);
                require(s.row < tile.rows, at, "row fragment: lane {} reads row {} of {}", lane,
                        s.row, tile.rows);
                proof.holds(lane, 16 * i + b, s.row, s.byte - k_base);
            }
        }
        check_banks(Op::ds_read_b128, addresses, at);
    }
    return proof.operand;
}

TileOperand prove_columns(const LdsTile& tile, const LaneExpr& expr, unsigned offset, unsigned step,
                          Where at) {
    OperandProof proof("column fragment", at);
    for (unsigned i = 0; i < 4; ++i) {
        std::array<uint32_t, 64> addresses = expr.table();
        for (uint32_t& a : addresses) a += offset + step * i;
        for (unsigned lane = 0; lane < 64; ++lane) {
            for (unsigned j = 0; j < 8; ++j) {
                TrSource from = tr_b8_source(lane, j);
                LdsTile::Spot s = tile.locate(addresses[from.from] + from.element);
                require(s.row < tile.rows, at, "column fragment: lane {} reads row {} of {}", lane,
                        s.row, tile.rows);
                proof.holds(lane, 8 * i + j, s.byte, s.row);
            }
        }
        check_banks(Op::ds_read_b64_tr_b8, addresses, at);
    }
    return proof.operand;
}

namespace {
void require_same_order(const TileOperand& a, const TileOperand& b, Where at) {
    for (unsigned n = 0; n < 64; ++n)
        require(a.k[n] == b.k[n], at,
                "k orders differ: byte {} of lane half {} is k {} in A and k {} in B", n % 32,
                n / 32, a.k[n], b.k[n]);
}
}  // namespace

void multiply(Kernel& k, D<16> d, const TileOperand& a, const TileOperand& b, C<16> c, Where at) {
    require_same_order(a, b, at);
    k.v_mfma_f32_32x32x64_f8f6f4(d, A<8>(a.regs, at), A<8>(b.regs, at), c);
}

void multiply_scaled(Kernel& k, D<16> d, const TileOperand& a, const TileOperand& b,
                     Vgpr<1> scale_a, Vgpr<1> scale_b, C<16> c, Where at) {
    require_same_order(a, b, at);
    k.v_mfma_scale_f32_32x32x64_f8f6f4(d, A<8>(a.regs, at), A<8>(b.regs, at), c, scale_a, scale_b);
}

}  // namespace zyfa
