// Matrix instructions with dense operands. All 64 lanes take part whatever EXEC is.
#include "sim/dispatch.hpp"
#include "sim/exec_matrix.hpp"
#include "sim/fragment.hpp"

namespace zyfa::sim {

// Scales by block and row; the spread of their exponents within a row or column.
static int read_scales(const Wave& w, const Ref& r, unsigned byte, unsigned mn, unsigned k,
                       float (*out)[32]) {
    int spread = 0;
    for (unsigned row = 0; row < mn; ++row) {
        int least = 255, most = 0;
        for (unsigned block = 0; block < k / kScaleBlock; ++block) {
            uint8_t code = uint8_t(w.vector[r.index].word[scale_lane(mn, row, block)] >> 8 * byte);
            out[block][row] = e8m0_to_float(code);
            least = std::min<int>(least, code);
            most = std::max<int>(most, code);
        }
        spread = std::max(spread, most - least);
    }
    return spread;
}

static void run(Wave& w, const Step& s, Product& p, const MatrixShape& shape, const Decoder& a,
                const Decoder& b) {
    set_shape(p, shape, a, b, w.group->options->cdna3_group);
    decode_operand(w, s.ref[1], shape.a, a, p.a);
    decode_operand(w, s.ref[2], shape.b, b, p.b);
    gather_c(w, s.ref[3], p.mn, p.c);
    multiply(w, p, a.bits == 32);
    scatter_d(w, s.ref[0], p.mn, p.d);
}

// Bits from the smallest product (subnormal times subnormal) to the sum of K largest ones.
static bool is_narrow(const Decoder& a, const Decoder& b, int spread) {
    auto range = [](const Decoder& f) {
        return (1 << (f.bits - 1 - f.mantissa)) + int(f.mantissa);
    };
    return range(a) + range(b) + spread + 7 <= 53;
}

static void by_format(Wave& w, const Step& s) {
    const Mods& m = s.mods();
    MatrixShape shape = matrix_shape(s.from->inst);
    if (shape.mn == 0) w.refuse(s, "cbsz or blgp names no format");
    if (s.ref[1].words != shape.a.words() || s.ref[2].words != shape.b.words())
        w.refuse(s, "register count does not fit the format");
    Product p;
    Decoder a = decoder(Format(m.cbsz)), b = decoder(Format(m.blgp));
    int spread = 0;
    if (info(s.op).operand_count == 6) {
        p.scaled = true;
        spread = read_scales(w, s.ref[4], scale_byte(m, 0), shape.mn, shape.k, p.scale_a) +
                 read_scales(w, s.ref[5], scale_byte(m, 1), shape.mn, shape.k, p.scale_b);
    }
    p.narrow = is_narrow(a, b, spread);
    run(w, s, p, shape, a, b);
}

static void integers(Wave& w, const Step& s) {
    MatrixShape shape = matrix_shape(s.op);
    int8_t a[Product::kMost], b[Product::kMost];
    int32_t c[1024], d[1024];
    decode_integers(w, s.ref[1], shape.a, a);
    decode_integers(w, s.ref[2], shape.b, b);
    gather_c(w, s.ref[3], shape.mn, c);
    multiply_i8(a, b, c, d, shape.mn, shape.k);
    scatter_d(w, s.ref[0], shape.mn, d);
}

void dense_product(Wave& w, const Step& s) {
    const MatrixName name = matrix_name(s.op);
    if (s.mods().blgp && name.a != MatrixType::by_format)
        w.refuse(s, "blgp on this instruction is not simulated");
    if ((s.mods().cbsz || s.mods().abid) && name.a != MatrixType::by_format)
        w.refuse(s, "broadcast of A (cbsz, abid) is not simulated");
    if (name.a == MatrixType::by_format) return by_format(w, s);
    if (name.a == MatrixType::i8) return integers(w, s);
    Product p;
    Decoder a = decoder(name.a), b = decoder(name.b);
    p.narrow = a.bits == 8 && is_narrow(a, b, 0);
    run(w, s, p, matrix_shape(s.op), a, b);
}

// One body for each row; the shape and the types are in its name.
#define OP(name, ...)                                                            \
    template <>                                                                  \
    void execute<Op::name>(Wave & w, const Step& s) {                            \
        info(Op::name).is_sparse() ? sparse_product(w, s) : dense_product(w, s); \
    }
#include "isa/ops_matrix.def"
#undef OP

}  // namespace zyfa::sim
