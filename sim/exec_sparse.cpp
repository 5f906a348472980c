// Matrix instructions with a sparse A. Which part of the index register counts (cbsz, abid): CDNA3
// ISA text for the depths of gfx942, the same by index bits for those of gfx950 (inferred).
#include <cmath>

#include "sim/exec_matrix.hpp"
#include "sim/fragment.hpp"

namespace zyfa::sim {

// Stored elements of A, [stored][row], spread to their places: [k][row], 0 elsewhere. taken: the
// same with ones, to tell what is not multiplied at all.
template <class T>
static void spread(Wave& w, const Step& s, const MatrixShape& shape, const T* stored, T* a,
                   uint8_t* taken) {
    std::fill_n(a, shape.k * shape.mn, T(0));
    std::fill_n(taken, shape.k * shape.mn, uint8_t(0));
    const Lanes& index = w.vector[s.ref[3].index];
    unsigned per_lane = shape.a.per_lane(), bits = 2 * per_lane;
    unsigned part = s.mods().cbsz == 0 ? s.mods().abid % (32 / bits) : 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned e = 0; e < per_lane; ++e) {
            Element at = a_element(shape.a, lane, e);
            unsigned which = index.word[lane] >> (part * bits + 2 * e) & 3;
            unsigned to = sparse_k(at.k, which) * shape.mn + at.row;
            if (taken[to]) w.refuse(s, "two stored elements of A have the same index");
            a[to] = stored[at.k * shape.mn + at.row];
            taken[to] = 1;
        }
}

// With a NaN or an infinity in B the elements that A leaves out must not count: a row at a time.
static void multiply_by_rows(Wave& w, Product& p, const uint8_t* taken) {
    Product one = p;
    for (unsigned row = 0; row < p.mn; ++row) {
        for (unsigned n = 0; n < p.k * p.mn; ++n)
            one.b[n] = taken[n / p.mn * p.mn + row] ? p.b[n] : 0.0f;
        multiply(w, one, false);
        std::copy_n(one.d + row * p.mn, p.mn, p.d + row * p.mn);
    }
}

static void integers(Wave& w, const Step& s, const MatrixShape& shape) {
    int8_t stored[Product::kMost / 2], a[Product::kMost], b[Product::kMost];
    uint8_t taken[Product::kMost];
    int32_t c[1024], d[1024];
    decode_integers(w, s.ref[1], shape.a, stored);
    decode_integers(w, s.ref[2], shape.b, b);
    spread(w, s, shape, stored, a, taken);
    gather_c(w, s.ref[0], shape.mn, c);
    multiply_i8(a, b, c, d, shape.mn, shape.k);
    scatter_d(w, s.ref[0], shape.mn, d);
}

void sparse_product(Wave& w, const Step& s) {
    const MatrixName name = matrix_name(s.op);
    const MatrixShape shape = matrix_shape(s.op);
    if (name.a == MatrixType::i8) return integers(w, s, shape);
    Product p;
    float stored[Product::kMost / 2];
    uint8_t taken[Product::kMost];
    Decoder a = decoder(name.a), b = decoder(name.b);
    set_shape(p, shape, a, b, w.group->options->cdna3_group);
    decode_operand(w, s.ref[1], shape.a, a, stored);
    decode_operand(w, s.ref[2], shape.b, b, p.b);
    spread(w, s, shape, stored, p.a, taken);
    gather_c(w, s.ref[0], p.mn, p.c);
    bool all_finite = true;
    for (unsigned n = 0; n < p.k * p.mn; ++n) all_finite &= std::isfinite(p.b[n]);
    if (all_finite) multiply(w, p, false);
    else multiply_by_rows(w, p, taken);
    scatter_d(w, s.ref[0], p.mn, p.d);
}

}  // namespace zyfa::sim
