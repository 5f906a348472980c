#include "tools/attention_check.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"
#include "reference/emulate.hpp"

namespace zyfa {
namespace {

[[noreturn]] void fail(const LaunchFile& launch, const std::string& what) {
    throw Error(fmt::format("{}: $.check: {}", launch.name, what));
}

std::span<const uint8_t> keep(AttentionInputs& inputs, const Prepared& p, const std::string& name) {
    const auto bytes = buffer_bytes(p, name);
    inputs.storage.emplace_back(bytes.begin(), bytes.end());
    return inputs.storage.back();
}

// [b, s, h, d] as it stands; [s, h, d] of a varlen launch gets a batch of one.
TensorView view_of(const LaunchFile& launch, const std::string& name,
                   std::span<const uint8_t> bytes) {
    const LaunchBuffer& b = *launch.buffer(name);
    TensorView view{b.dtype, bytes, {1, 1, 1, 1}, {0, 0, 0, 0}};
    if (b.shape.size() != 4 && b.shape.size() != 3)
        fail(launch,
             fmt::format("buffer {} has {} axes; [batch, row, head, channel] or [row, head, "
                         "channel] are expected",
                         name, b.shape.size()));
    const size_t skip = 4 - b.shape.size();
    for (size_t i = 0; i < b.shape.size(); ++i) {
        view.shape[skip + i] = b.shape[i];
        view.strides[skip + i] = b.strides[i];
    }
    return view;
}

// [b, h, s], or [h, s] of a varlen launch.
TensorView lse_view(const LaunchFile& launch, const std::string& name,
                    std::span<const uint8_t> bytes) {
    const LaunchBuffer& b = *launch.buffer(name);
    if (b.shape.size() != 3 && b.shape.size() != 2)
        fail(launch, fmt::format("buffer {} has {} axes; [batch, head, row] or [head, row] are "
                                 "expected",
                                 name, b.shape.size()));
    const bool batched = b.shape.size() == 3;
    const size_t h = batched ? 1 : 0;
    return {b.dtype,
            bytes,
            {batched ? b.shape[0] : 1, b.shape[h + 1], b.shape[h], 1},
            {batched ? b.strides[0] : 0, b.strides[h + 1], b.strides[h], 0}};
}

double descale_value(const LaunchFile& launch, const Prepared& p,
                     const std::variant<double, std::string>& d) {
    if (const double* number = std::get_if<double>(&d)) return *number;
    const auto& name = std::get<std::string>(d);
    const LaunchBuffer& b = *launch.buffer(name);
    if (b.elements() != 1)
        fail(launch, fmt::format("descale buffer {} has {} elements, not one", name, b.elements()));
    return read_element(b.dtype, buffer_bytes(p, name).data(), 0);
}

std::vector<int64_t> read_cu(const LaunchFile& launch, const Prepared& p, const std::string& name) {
    if (name.empty()) return {};
    const LaunchBuffer& b = *launch.buffer(name);
    std::vector<int64_t> cu;
    for (uint64_t i = 0; i < b.elements(); ++i)
        cu.push_back(int64_t(read_element(b.dtype, buffer_bytes(p, name).data(), i)));
    return cu;
}

template <class... A>
void bound(Verdict& v, bool missed, fmt::format_string<A...> text, A&&... a) {
    if (missed) v.failures.push_back(fmt::format(text, std::forward<A>(a)...));
}

// A figure that is NaN breaks no bound: what could not be compared is counted as a mismatch, or is
// masked and exactly right.
void judge(Verdict& v, const Tolerance& t) {
    const AttentionError& e = v.error;
    bound(v, e.mismatches > 0, "{} output elements are wrong beyond any tolerance; the first: {}",
          e.mismatches, e.first_mismatch);
    bound(v, e.lse_mismatches > 0, "{} LSE values are wrong beyond any tolerance; the first: {}",
          e.lse_mismatches, e.first_lse_mismatch);
    auto at_most = [&](const char* name, double value, const std::optional<double>& most) {
        if (most) bound(v, value > *most, "{} is {:.6g}, more than {:.6g}", name, value, *most);
    };
    at_most("row_rel_err_mean", e.row_rel_err_mean, t.row_rel_err_mean);
    at_most("frobenius_rel_err", e.frobenius_rel_err, t.frobenius_rel_err);
    at_most("max_abs_err", e.max_abs_err, t.max_abs_err);
    if (e.lse_checked) at_most("lse_max_abs_err", e.lse_max_abs_err, t.lse_max_abs_err);
    if (t.cosine)
        bound(v, e.cosine < *t.cosine, "cosine is {:.9g}, less than {:.9g}", e.cosine, *t.cosine);
}

}  // namespace

AttentionInputs attention_inputs(const LaunchFile& launch, const Prepared& p) {
    if (!launch.check) fail(launch, "is absent or \"none\", so there is nothing to compare with");
    const AttentionCheck& c = *launch.check;
    AttentionInputs inputs;
    inputs.storage.reserve(6);  // views point into its entries
    Attention& a = inputs.attention;
    a.q = view_of(launch, c.q, keep(inputs, p, c.q));
    a.k = view_of(launch, c.k, keep(inputs, p, c.k));
    a.v = view_of(launch, c.v, keep(inputs, p, c.v));
    a.scale = c.scale;
    a.causal = c.causal;
    a.cu_q = read_cu(launch, p, c.cu_q);
    a.cu_k = read_cu(launch, p, c.cu_k);
    for (unsigned i = 0; i < 3; ++i) {
        a.descale[i] = descale_value(launch, p, c.descale[i]);
        if (!c.scales[i]) continue;
        const CheckScale& s = *c.scales[i];
        a.scales[i] = BlockScale{view_of(launch, s.buffer, keep(inputs, p, s.buffer)),
                                 s.axis == 'd' ? 3u : 1u, s.block};
    }
    return inputs;
}

Verdict check_attention(const LaunchFile& launch, const AttentionInputs& inputs, const Prepared& p,
                        uint64_t max_rows) {
    const AttentionCheck& c = *launch.check;
    const TensorView o = view_of(launch, c.o, buffer_bytes(p, c.o));
    std::optional<TensorView> lse;
    if (!c.lse.empty()) lse = lse_view(launch, c.lse, buffer_bytes(p, c.lse));
    const Attention& a = inputs.attention;
    Verdict v;
    v.to_softmax = v.error = compare(a, attend(a, max_rows), o, lse ? &*lse : nullptr);
    v.model = c.model;
    if (c.model != "exact") {
        const Formula* formula = find_formula(c.model);
        if (!formula)
            fail(launch,
                 fmt::format("'{}' is no model; allowed: exact, {}", c.model, formula_names()));
        v.error = compare(a, emulate(a, *formula, max_rows), o, lse ? &*lse : nullptr);
    }
    judge(v, c.tolerance);
    return v;
}

}  // namespace zyfa
