#include "reference/quantise.hpp"

#include <algorithm>
#include <cmath>

#include "isa/formats.hpp"

namespace zyfa {
namespace {

constexpr float kMost = 448;

std::span<const uint8_t> bytes_of(const std::vector<float>& values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(float)};
}

template <class Bytes>
Attention attention(DType type, const InputShape& s, double scale, bool causal, const Bytes& q,
                    const Bytes& k, const Bytes& v) {
    Attention a;
    a.q = contiguous_view(type, q, {s.b, s.sq, s.hq, s.d});
    a.k = contiguous_view(type, k, {s.b, s.sk, s.hk, s.d});
    a.v = contiguous_view(type, v, {s.b, s.sk, s.hk, s.dv});
    a.scale = scale;
    a.causal = causal;
    return a;
}

}  // namespace

QuantisedTensor quantise_e4m3(std::span<const float> values) {
    QuantisedTensor t;
    float amax = 0;
    for (float x : values)
        if (std::isfinite(x)) amax = std::max(amax, std::abs(x));
    // A quotient below the smallest normal float would lose bits; the codes then stay small.
    if (amax > 0) t.descale = std::max(amax / kMost, 0x1p-126f);
    t.codes.reserve(values.size());
    for (float x : values) t.codes.push_back(float_to_e4m3_saturating(x / t.descale));
    return t;
}

QuantisedData quantise_e4m3(const AttentionData& d) {
    return {d.shape, quantise_e4m3(d.q), quantise_e4m3(d.k), quantise_e4m3(d.v), d.scale};
}

Attention attention_of(const AttentionData& d, bool causal) {
    return attention(DType::f32, d.shape, d.scale, causal, bytes_of(d.q), bytes_of(d.k),
                     bytes_of(d.v));
}

Attention attention_of(const QuantisedData& d, bool causal) {
    Attention a = attention(DType::e4m3, d.shape, d.scale, causal, std::span(d.q.codes),
                            std::span(d.k.codes), std::span(d.v.codes));
    a.descale = {d.q.descale, d.k.descale, d.v.descale};
    return a;
}

AttentionError quantisation_error(const AttentionData& original, const QuantisedData& quantised,
                                  bool causal, uint64_t max_rows) {
    const Attention a = attention_of(original, causal);
    const AttentionRows want = attend(a, max_rows);
    const AttentionRows got = attend(attention_of(quantised, causal), max_rows);
    const InputShape& s = original.shape;
    std::vector<float> o(s.b * s.sq * s.hq * s.dv), lse(s.b * s.sq * s.hq);
    for (size_t n = 0; n < got.rows.size(); ++n) {
        const RowId& id = got.rows[n];
        const uint64_t row = (id.batch * s.sq + id.row) * s.hq + id.head;
        lse[row] = float(got.lse[n]);
        for (uint64_t c = 0; c < s.dv; ++c) o[row * s.dv + c] = float(got.o[n * s.dv + c]);
    }
    const TensorView lse_view = contiguous_view(DType::f32, bytes_of(lse), {s.b, s.sq, s.hq, 1});
    return compare(a, want, contiguous_view(DType::f32, bytes_of(o), {s.b, s.sq, s.hq, s.dv}),
                   &lse_view);
}

}  // namespace zyfa
