#include "reference/rows.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"

namespace zyfa {
namespace {

void check_view(const TensorView& t, const char* name) {
    unsigned __int128 last = 0;
    for (unsigned axis = 0; axis < 4; ++axis) {
        if (t.shape[axis] == 0) return;
        last += static_cast<unsigned __int128>(t.shape[axis] - 1) * t.strides[axis];
    }
    if (last >= (1ull << 48) || dtype_bytes(t.type, uint64_t(last) + 1) > t.bytes.size())
        throw Error(
            fmt::format("{}: shape and strides reach past its {} bytes", name, t.bytes.size()));
}

void check_cu(const std::vector<int64_t>& cu, uint64_t rows, const char* name) {
    if (cu.size() < 2 || cu.front() < 0 || uint64_t(cu.back()) > rows ||
        !std::is_sorted(cu.begin(), cu.end()))
        throw Error(fmt::format("{} must rise from 0 or more to at most the {} rows there are",
                                name, rows));
}

void check_scales(const BlockScale& s, const TensorView& t, const char* name) {
    check_view(s.view, name);
    for (unsigned axis = 0; axis < 4; ++axis) {
        const uint64_t block = axis == s.axis ? s.block : 1;
        if (block == 0) throw Error(fmt::format("{}: block of 0 elements", name));
        const uint64_t wanted = (t.shape[axis] + block - 1) / block;
        if (s.view.shape[axis] != 1 && s.view.shape[axis] != wanted)
            throw Error(fmt::format("{}: axis {} has {} entries; 1 or {} would fit", name, axis,
                                    s.view.shape[axis], wanted));
    }
}

}  // namespace

Sequence sequence(const Attention& a, uint64_t batch) {
    if (a.cu_q.empty()) return {0, a.q.shape[1], 0, a.k.shape[1]};
    return {uint64_t(a.cu_q[batch]), uint64_t(a.cu_q[batch + 1] - a.cu_q[batch]),
            uint64_t(a.cu_k[batch]), uint64_t(a.cu_k[batch + 1] - a.cu_k[batch])};
}

uint64_t batches(const Attention& a) { return a.cu_q.empty() ? a.q.shape[0] : a.cu_q.size() - 1; }

uint64_t storage_batch(const Attention& a, uint64_t batch) { return a.cu_q.empty() ? batch : 0; }

void check_shapes(const Attention& a) {
    const auto &q = a.q.shape, &k = a.k.shape, &v = a.v.shape;
    check_view(a.q, "q");
    check_view(a.k, "k");
    check_view(a.v, "v");
    if (q[3] != k[3] || q[3] == 0)
        throw Error(fmt::format("q has {} channels, k has {}", q[3], k[3]));
    if (k[1] != v[1]) throw Error(fmt::format("k has {} rows, v has {}", k[1], v[1]));
    if (k[2] != v[2]) throw Error(fmt::format("k has {} heads, v has {}", k[2], v[2]));
    if (q[0] != k[0] || k[0] != v[0])
        throw Error(fmt::format("batch sizes of q, k, v: {}, {}, {}", q[0], k[0], v[0]));
    if (k[2] == 0 || q[2] % k[2])
        throw Error(fmt::format("{} query heads do not divide among {} key heads", q[2], k[2]),
                    Exit::unsupported);
    if (a.cu_q.size() != a.cu_k.size())
        throw Error(fmt::format("cu_q has {} entries, cu_k has {}", a.cu_q.size(), a.cu_k.size()));
    if (!a.cu_q.empty()) {
        if (q[0] != 1) throw Error(fmt::format("cu_q with a batch of {}; it must be 1", q[0]));
        check_cu(a.cu_q, q[1], "cu_q");
        check_cu(a.cu_k, k[1], "cu_k");
    }
    const TensorView* tensors[] = {&a.q, &a.k, &a.v};
    const char* names[] = {"scales of q", "scales of k", "scales of v"};
    for (unsigned i = 0; i < 3; ++i)
        if (a.scales[i]) check_scales(*a.scales[i], *tensors[i], names[i]);
}

double block_scale(const BlockScale& s, std::array<uint64_t, 4> at) {
    at[s.axis] /= s.block;
    for (unsigned axis = 0; axis < 4; ++axis)
        if (s.view.shape[axis] == 1) at[axis] = 0;
    return s.view.at(at[0], at[1], at[2], at[3]);
}

std::vector<RowId> choose_rows(const Attention& a, uint64_t max_rows, uint64_t& in_all) {
    std::vector<uint64_t> ends;  // after each batch
    in_all = 0;
    for (uint64_t b = 0; b < batches(a); ++b)
        ends.push_back(in_all += sequence(a, b).q_rows * a.q.shape[2]);
    const uint64_t count = std::min(in_all, std::max<uint64_t>(max_rows, 2));
    std::vector<RowId> rows;
    rows.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t n = count == in_all
                         ? i
                         : uint64_t(static_cast<unsigned __int128>(i) * (in_all - 1) / (count - 1));
        const auto batch = uint32_t(std::upper_bound(ends.begin(), ends.end(), n) - ends.begin());
        if (batch) n -= ends[batch - 1];
        const uint64_t per_head = sequence(a, batch).q_rows;
        rows.push_back({batch, uint32_t(n / per_head), n % per_head});
    }
    return rows;
}

}  // namespace zyfa
