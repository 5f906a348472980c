#include "sim/packing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace zyfa {
namespace {

constexpr std::string_view kPadded = "padded";    // the bytes as they are, zeros after them
constexpr unsigned kTile = 128, kChannels = 128;  // keys of a tile; the only head size

struct Source {
    const LaunchBuffer* buffer;
    const std::vector<uint8_t>* bytes;
    uint64_t b, s, h;

    // The bits of one element.
    unsigned code(uint64_t batch, uint64_t row, uint64_t head, uint64_t channel) const {
        const auto& t = buffer->strides;
        const unsigned bits = info(buffer->dtype).bits;
        const uint64_t bit =
            (batch * t[0] + row * t[1] + head * t[2] + channel * t[3]) * uint64_t(bits);
        unsigned word = (*bytes)[bit / 8];
        if (bit / 8 + 1 < bytes->size()) word |= unsigned((*bytes)[bit / 8 + 1]) << 8;
        return word >> (bit % 8) & ((1u << bits) - 1);
    }
    uint64_t tiles() const { return (s + kTile - 1) / kTile; }
};

void put(std::vector<uint8_t>& out, uint64_t at, unsigned bit, unsigned code) {
    out[at + bit / 8] |= uint8_t(code << (bit % 8));
    if (const unsigned rest = code << (bit % 8) >> 8) out[at + bit / 8 + 1] |= uint8_t(rest);
}

template <class Visit>
void each_row(const Source& t, Visit visit) {
    for (uint64_t b = 0; b < t.b; ++b)
        for (uint64_t h = 0; h < t.h; ++h)
            for (uint64_t s = 0; s < t.s; ++s) visit(b, h, s);
}

// Tiles of 17408 bytes: the first 16 of the 24 bytes of 32 channels, the other 8, a hole, and the
// scales twice, the second time one byte earlier (csrc/kernels/mha_v4_quant.cu). 256 bytes follow.
std::vector<uint8_t> k_fp6(std::span<const Source> from) {
    constexpr uint64_t kBytes = 17408, kSecond = 8192, kScales = 16384, kShifted = 16896;
    const Source &k = from[0], &scale = from[1];
    std::vector<uint8_t> out(k.b * k.h * k.tiles() * kBytes + 256, 0);
    each_row(k, [&](uint64_t b, uint64_t h, uint64_t s) {
        const uint64_t head = (b * k.h + h) * k.tiles() * kBytes;
        auto scale_place = [&](uint64_t row) {
            const uint64_t in = row % kTile, lane = in % 16 * 4 + in / 32;
            return head + row / kTile * kBytes + in % 32 / 16 * 256 + lane * 4;
        };
        const uint64_t tile = head + s / kTile * kBytes, quarter = s % kTile / 32, lane = s % 32;
        for (unsigned group = 0; group < 4; ++group) {
            std::vector<uint8_t> packed(24, 0);
            for (unsigned c = 0; c < 32; ++c)
                put(packed, 0, 6 * c, k.code(b, s, h, 32 * group + c));
            std::copy_n(&packed[0], 16, &out[tile + quarter * 2048 + group * 512 + lane * 16]);
            std::copy_n(&packed[16], 8,
                        &out[tile + kSecond + quarter * 1024 + group * 256 + lane * 8]);
            const auto code = uint8_t(scale.code(b, s, h, group));
            out[scale_place(s) + kScales + group] = code;
            if (group > 0) out[scale_place(s) + kShifted + group - 1] = code;
            else if (s > 0) out[scale_place(s - 1) + kShifted + 3] = code;
        }
    });
    return out;
}

// Tiles of 8192 bytes: [32 channels][key][16 bytes] (csrc/kernels/mha_v4_quant.cu).
std::vector<uint8_t> k_fp4(std::span<const Source> from) {
    const Source& k = from[0];
    std::vector<uint8_t> out(k.b * k.h * k.tiles() * 8192, 0);
    each_row(k, [&](uint64_t b, uint64_t h, uint64_t s) {
        const uint64_t tile = ((b * k.h + h) * k.tiles() + s / kTile) * 8192;
        for (unsigned c = 0; c < kChannels; ++c)
            put(out, tile + c / 32 * 2048 + s % kTile * 16, 4 * (c % 32), k.code(b, s, h, c));
    });
    return out;
}

// Tiles of 12288 bytes: for 32 channels and 64 keys, [32 keys][channel] of 32 fields, which hold
// the keys in the order in which P stands in the lanes (mxfp6_fmha_pack.py, _v_direct_kvtab). Rows
// past the end repeat the last. 256 bytes follow.
std::vector<uint8_t> v_fp6(std::span<const Source> from) {
    const Source& v = from[0];
    std::vector<uint8_t> out(v.b * v.h * v.tiles() * 12288 + 256, 0);
    for (uint64_t b = 0; b < v.b; ++b)
        for (uint64_t h = 0; h < v.h; ++h)
            for (uint64_t n = 0; n < v.tiles() * kChannels * kTile; ++n) {
                const unsigned field = n % 32, c = n / 32 % kChannels, block = n / 4096 % 4;
                const uint64_t tile = n / (kChannels * kTile);
                const unsigned key = 8 * (field % 16 / 4) + field % 4 + 4 * (field / 16);
                const uint64_t row = std::min<uint64_t>(tile * kTile + block * 32 + key, v.s - 1);
                const uint64_t at = ((b * v.h + h) * v.tiles() + tile) * 12288 +
                                    (c / 32 * 2 + block / 2) * 1536 +
                                    (block % 2 * 32 + c % 32) * 24;
                put(out, at, 6 * field, v.code(b, row, h, c));
            }
    return out;
}

// Tiles of 8192 bytes: for 32 channels and 64 keys, [key, permuted][16 bytes]
// (sage_attention_quant_wrappers.py, _f4f4_v_kperm). 64 bytes follow.
std::vector<uint8_t> v_fp4(std::span<const Source> from) {
    const Source& v = from[0];
    std::vector<uint8_t> out(v.b * v.h * v.tiles() * 8192 + 64, 0);
    each_row(v, [&](uint64_t b, uint64_t h, uint64_t s) {
        const unsigned in = s % 32;
        const unsigned column = s % 64 / 32 * 32 + 4 * (in / 8) + 16 * (in / 4 % 2) + in % 4;
        const uint64_t tile = ((b * v.h + h) * v.tiles() + s / kTile) * 8192;
        for (unsigned c = 0; c < kChannels; ++c)
            put(out, tile + (c / 32 * 2 + s % kTile / 64) * 1024 + column * 16, 4 * (c % 32),
                v.code(b, s, h, c));
    });
    return out;
}

// Tiles of 512 bytes: [32 keys][channel % 32][channel / 32], from one scale for each 32 keys and
// channel. Blocks past the end get 1.
std::vector<uint8_t> v_scale(std::span<const Source> from) {
    const Source& scale = from[0];
    const uint64_t tiles = (scale.s + 3) / 4;
    std::vector<uint8_t> out(scale.b * scale.h * tiles * 512, 127);
    each_row(scale, [&](uint64_t b, uint64_t h, uint64_t block) {
        for (unsigned c = 0; c < kChannels; ++c)
            out[((b * scale.h + h) * tiles + block / 4) * 512 + block % 4 * 128 + c % 32 * 4 +
                c / 32] = uint8_t(scale.code(b, block, h, c));
    });
    return out;
}

struct Layout {
    std::string_view name;
    std::vector<DType> types;  // of the sources
    std::vector<uint64_t> channels;
    std::vector<uint8_t> (*pack)(std::span<const Source>);
};
const std::vector<Layout>& layouts() {
    static const std::vector<Layout> all = {
        {"aiter_k_fp6", {DType::e2m3, DType::e8m0}, {kChannels, 4}, k_fp6},
        {"aiter_k_fp4", {DType::e2m1}, {kChannels}, k_fp4},
        {"aiter_v_fp6", {DType::e2m3}, {kChannels}, v_fp6},
        {"aiter_v_fp4", {DType::e2m1}, {kChannels}, v_fp4},
        {"aiter_v_scale", {DType::e8m0}, {kChannels}, v_scale},
    };
    return all;
}

const Layout* find(std::string_view name) {
    for (const Layout& l : layouts())
        if (l.name == name) return &l;
    return nullptr;
}

}  // namespace

bool is_packed_layout(std::string_view name) { return name == kPadded || find(name); }

std::string packed_layout_names() {
    std::string names(kPadded);
    for (const Layout& l : layouts()) names += ", " + std::string(l.name);
    return names;
}

std::vector<uint8_t> pack(std::string_view name, std::span<const LaunchBuffer* const> from,
                          std::span<const std::vector<uint8_t>> bytes) {
    if (name == kPadded) {
        if (from.size() != 1) throw Error(fmt::format("{} takes one buffer", name));
        return bytes[0];
    }
    const Layout& layout = *find(name);
    if (from.size() != layout.types.size())
        throw Error(
            fmt::format("{} packs {} buffers, not {}", name, layout.types.size(), from.size()));
    std::vector<Source> sources;
    for (size_t i = 0; i < from.size(); ++i) {
        const LaunchBuffer& b = *from[i];
        if (b.dtype != layout.types[i] || b.shape.size() != 4 || b.elements() == 0 ||
            b.shape[3] != layout.channels[i])
            throw Error(fmt::format("{} wants {} to be [batch, row, head, {}] of {}", name, b.name,
                                    layout.channels[i], info(layout.types[i]).name));
        if (i && !std::equal(b.shape.begin(), b.shape.begin() + 3, from[0]->shape.begin()))
            throw Error(fmt::format("{}: {} and {} differ in batch, rows or heads", name, b.name,
                                    from[0]->name));
        sources.push_back({&b, &bytes[i], b.shape[0], b.shape[1], b.shape[2]});
    }
    return layout.pack(sources);
}

}  // namespace zyfa
