#include "reference/activations.hpp"

#include <fmt/format.h>

#include <cmath>

#include "isa/dtype.hpp"
#include "isa/error.hpp"
#include "isa/file.hpp"

namespace zyfa {
namespace {

std::vector<float> read_bf16(const std::filesystem::path& path, uint64_t channels, uint64_t rows) {
    const std::vector<uint8_t> bytes = read_file(path);
    const uint64_t row_bytes = 2 * channels;
    if (bytes.size() % row_bytes)
        throw Error(fmt::format("{}: {} bytes are no whole rows of {} bf16 values", path.string(),
                                bytes.size(), channels));
    const uint64_t there = bytes.size() / row_bytes;
    if (rows > there)
        throw Error(fmt::format("{}: has {} rows, {} are wanted", path.string(), there, rows));
    std::vector<float> values((rows ? rows : there) * channels);
    for (uint64_t i = 0; i < values.size(); ++i)
        values[i] = float(read_element(DType::bf16, bytes.data(), i));
    return values;
}

}  // namespace

AttentionData load_activations(const std::filesystem::path& folder, const std::string& set,
                               uint64_t d, uint64_t dv, uint64_t rows) {
    AttentionData data;
    data.q = read_bf16(folder / (set + "_q.bin"), d, rows);
    data.k = read_bf16(folder / (set + "_k.bin"), d, rows);
    data.v = read_bf16(folder / (set + "_v.bin"), dv, rows);
    const uint64_t sq = data.q.size() / d, sk = data.k.size() / d;
    if (data.v.size() / dv != sk)
        throw Error(fmt::format("{}: set {} has {} keys and {} values", folder.string(), set, sk,
                                data.v.size() / dv));
    data.shape = {1, 1, 1, sq, sk, d, dv};
    data.scale = 1 / std::sqrt(double(d));
    return data;
}

}  // namespace zyfa
