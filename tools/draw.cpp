#include <algorithm>
#include <filesystem>
#include <set>

#include "isa/file.hpp"
#include "reference/activations.hpp"
#include "tools/attention_run.hpp"
#include "tools/input.hpp"

namespace zyfa {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = 4ull << 30;  // of q, k, v, o and lse together

[[noreturn]] void refuse(const Recipe& recipe, const std::string& why) {
    throw Error(fmt::format("{}: {}", recipe.id, why), Exit::unsupported);
}

void check_fit(const Recipe& r, const AttentionShape& s) {
    if (s.d_qk && *s.d_qk != r.d_qk)
        refuse(r, fmt::format("is made for d={}, not {}", r.d_qk, *s.d_qk));
    if (s.d_v && *s.d_v != r.d_v)
        refuse(r, fmt::format("is made for d_v={}, not {}", r.d_v, *s.d_v));
    if (s.causal && *s.causal != r.causal)
        refuse(r, r.causal ? "masks causally; no mask was asked for"
                           : "does not mask; a causal mask was asked for");
    if (s.dtype && *s.dtype != r.dtype && *s.dtype != "fp8")
        refuse(r, fmt::format("takes {}, not {}", r.dtype, *s.dtype));
    const uint64_t q_rows = uint64_t(s.b) * s.sq * s.hq, k_rows = uint64_t(s.b) * s.sk * s.hk;
    const uint64_t bytes = q_rows * (r.d_qk + 2 * r.d_v + 4) + k_rows * (r.d_qk + r.d_v);
    if (bytes > kMostBytes)
        refuse(r, fmt::format("{} needs {} MiB of buffers, the simulator's limit is {} MiB",
                              s.text(), bytes >> 20, kMostBytes >> 20));
}

InputShape input_shape(const Recipe& r, const AttentionShape& s) {
    return {s.b, s.hq, s.hk, s.sq, s.sk, r.d_qk, r.d_v};
}

Draw generated(Family family, const char* name, uint64_t seed, const Recipe& recipe,
               const AttentionShape& shape) {
    Draw out;
    out.shape = shape;
    out.original = generate(family, input_shape(recipe, shape), seed);
    out.data = quantise_e4m3(out.original);
    out.about = fmt::format("{}, seed {}", name, seed);
    return out;
}

struct Recording {
    fs::path folder;
    std::string set;
};

// The one set of a folder, or the named one.
Recording find_recording(const std::string& where) {
    const fs::path path = where.empty() ? find_data("data") : where;
    if (path.empty()) throw Error("--dist file: no recorded inputs come with this installation");
    if (!fs::is_directory(path)) {
        if (fs::exists(path.string() + "_q.bin")) return {path.parent_path(), path.filename()};
        throw Error(
            fmt::format("--dist file: {}: neither a folder nor a set in one", path.string()));
    }
    std::set<std::string> sets;
    for (const auto& entry : fs::directory_iterator(path)) {
        const std::string name = entry.path().filename();
        if (name.ends_with("_q.bin")) sets.insert(name.substr(0, name.size() - 6));
    }
    if (sets.size() == 1) return {path, *sets.begin()};
    throw Error(sets.empty() ? fmt::format("--dist file: {}: holds no *_q.bin", path.string())
                             : fmt::format("--dist file: {}: holds several sets, name one: {}",
                                           path.string(), fmt::join(sets, ", ")));
}

// Keys 0..sk-1 and the last sq of their queries: what a bottom-right mask expects.
Draw recorded(const std::string& where, const Recipe& recipe, const std::string& shape_text) {
    const Recording from = find_recording(where);
    Draw out;
    for (const char* ending : {"_q.bin", "_k.bin", "_v.bin"}) {
        const std::string name = from.set + ending;
        out.files.push_back(input_record(name, read_file(from.folder / name)));
    }
    if (!shape_text.empty()) out.shape = parse_shape(shape_text);
    AttentionData data = load_activations(from.folder, from.set, recipe.d_qk, recipe.d_v,
                                          shape_text.empty() ? 0 : out.shape.sk);
    if (shape_text.empty()) {
        out.shape.sq = uint32_t(data.shape.sq);
        out.shape.sk = uint32_t(data.shape.sk);
    }
    check_fit(recipe, out.shape);
    if (out.shape.b * out.shape.hq != 1 || out.shape.sq > out.shape.sk)
        throw Error("--dist file: a recording is one head, with as many queries as keys or fewer",
                    Exit::unsupported);
    data.q.erase(data.q.begin(),
                 data.q.begin() + (data.shape.sq - out.shape.sq) * uint64_t(recipe.d_qk));
    data.shape = input_shape(recipe, out.shape);
    out.data = quantise_e4m3(data);
    out.original = std::move(data);
    out.about = fmt::format("recorded activations, {}", from.set);
    return out;
}

}  // namespace

uint64_t most_wave_instructions(const AttentionShape& shape, size_t code_instructions) {
    return 64 * (shape.sk / 64 + 2) * uint64_t(code_instructions);
}

std::vector<Draw> draw(const std::string& dist, uint64_t seed, const Recipe& recipe,
                       const std::string& shape_text) {
    if (dist == "file") return {recorded("", recipe, shape_text)};
    if (dist.starts_with("file:")) return {recorded(dist.substr(5), recipe, shape_text)};
    if (shape_text.empty())
        throw Error("sim: --shape is missing, as in --shape b=1,h=2,hk=1,sq=256,sk=256");
    const AttentionShape shape = parse_shape(shape_text);
    check_fit(recipe, shape);
    if (dist == "gaussian") return {generated(Family::gaussian, "gaussian", seed, recipe, shape)};
    std::vector<Draw> draws;
    if (dist == "llm") {
        if (recipe.d_qk == 192)
            return {generated(Family::mla, "llm-like, mla", seed, recipe, shape)};
        draws.push_back(generated(Family::mistral, "llm-like, mistral", seed, recipe, shape));
        draws.push_back(generated(Family::qwen, "llm-like, qwen", seed, recipe, shape));
        return draws;
    }
    if (dist.starts_with("llm:"))
        if (const auto family = find_family(dist.substr(4)))
            return {generated(*family, dist.c_str(), seed, recipe, shape)};
    throw Error(
        fmt::format("--dist: '{}' is none of gaussian, llm, llm:mistral, llm:qwen, llm:mla, "
                    "file, file:DIR",
                    dist));
}

}  // namespace zyfa
