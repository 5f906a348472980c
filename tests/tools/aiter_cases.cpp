#include "tests/tools/aiter_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace {

using Json = nlohmann::ordered_json;

struct Shape {
    unsigned b, hq, hk, sq, sk;
    std::vector<unsigned> q_rows = {}, k_rows = {};  // group mode: lengths of the sequences
};

std::vector<unsigned> cumulate(const std::vector<unsigned>& rows) {
    std::vector<unsigned> cu(rows.size() + 1, 0);
    std::partial_sum(rows.begin(), rows.end(), cu.begin() + 1);
    return cu;
}

Json buffer(std::vector<unsigned> shape, const char* dtype, Json init, unsigned seed = 0) {
    Json b{{"shape", shape}, {"dtype", dtype}};
    if (init.is_array()) b["values"] = init;
    else b["init"] = init;
    if (seed) b["seed"] = seed;
    return b;
}

struct Arguments {
    Json fields = Json::array();
    void pointer(unsigned offset, Json value) {
        fields.push_back({{"offset", offset}, {"type", "ptr"}, {"value", value}});
    }
    void number(unsigned offset, uint64_t value) {
        fields.push_back({{"offset", offset}, {"type", "u32"}, {"value", value}});
    }
    void real(unsigned offset, double value) {
        fields.push_back({{"offset", offset}, {"type", "f32"}, {"value", value}});
    }
};

// ---- fmha_v3_fwd ----

struct V3 {
    const char *object, *dtype, *model;
    unsigned d, dv, q_tile, threads;
    bool causal, group;
};
constexpr V3 kV3[] = {
    {"fwd_hd128_fp8", "e4m3", "aiter_v3_fp8", 128, 128, 256, 512, false, false},
    {"fwd_hd128_fp8_causal", "e4m3", "aiter_v3_fp8", 128, 128, 256, 512, true, false},
    {"fwd_hd128_fp8_group", "e4m3", "aiter_v3_fp8", 128, 128, 256, 512, false, true},
    {"fwd_hd128_fp8_causal_group", "e4m3", "aiter_v3_fp8", 128, 128, 256, 512, true, true},
    {"fwd_hd256_fp8", "e4m3", "aiter_v3_fp8_hd256", 256, 256, 256, 512, false, false},
    {"fwd_hd256_fp8_causal", "e4m3", "aiter_v3_fp8_hd256", 256, 256, 256, 512, true, false},
    {"fwd_hd256_fp8_group", "e4m3", "aiter_v3_fp8_hd256", 256, 256, 256, 512, false, true},
    {"fwd_hd256_fp8_causal_group", "e4m3", "aiter_v3_fp8_hd256", 256, 256, 256, 512, true, true},
    {"fwd_hd128_bf16", "bf16", "aiter_v3_bf16", 128, 128, 256, 512, false, false},
    {"fwd_hd128_bf16_causal", "bf16", "aiter_v3_bf16", 128, 128, 256, 512, true, false},
    {"fwd_hd128_bf16_group", "bf16", "aiter_v3_bf16", 128, 128, 256, 512, false, true},
    {"fwd_hd128_bf16_causal_group", "bf16", "aiter_v3_bf16", 128, 128, 256, 512, true, true},
    {"fwd_hd192_hd128_bf16", "bf16", "aiter_v3_bf16", 192, 128, 128, 256, false, false},
    {"fwd_hd192_hd128_bf16_causal", "bf16", "aiter_v3_bf16", 192, 128, 128, 256, true, false},
    {"fwd_hd192_hd128_bf16_group", "bf16", "aiter_v3_bf16", 192, 128, 128, 256, false, true},
    {"fwd_hd192_hd128_bf16_causal_group", "bf16", "aiter_v3_bf16", 192, 128, 128, 256, true, true},
};

std::vector<Shape> v3_shapes(const V3& k) {
    if (k.group)
        return {{2, 2, 1, 330, 777, {200, 130}, {130, 647}},
                {3, 2, 2, 358, 358, {1, 300, 57}, {1, 300, 57}},
                {2, 4, 2, 97, 421, {33, 64}, {256, 165}}};
    if (k.causal) return {{1, 1, 1, 512, 512}, {2, 4, 2, 300, 428}, {1, 2, 1, 70, 333}};
    return {{1, 1, 1, 256, 256}, {1, 2, 1, 300, 333}, {2, 2, 2, 70, 517}};
}

Json v3_launch(const V3& k, const Shape& s) {
    const bool fp8 = std::string_view(k.dtype) == "e4m3";
    const unsigned bytes = fp8 ? 1 : 2;
    const double scale = k.d == 256 ? 0.0625 : k.d == 192 ? 0.0721687824 : 0.0883883476;
    unsigned longest = s.sq;
    if (k.group) longest = *std::max_element(s.q_rows.begin(), s.q_rows.end());
    const unsigned tiles = (longest + k.q_tile - 1) / k.q_tile;
    const unsigned nx = k.causal ? (tiles + 1) / 2 : tiles;

    Json buffers, check;
    auto tensor = [&](const char* name, unsigned rows, unsigned heads, unsigned d,
                      const char* dtype, Json init, unsigned seed) {
        std::vector<unsigned> shape{s.b, rows, heads, d};
        if (k.group) shape.erase(shape.begin());
        buffers[name] = buffer(shape, dtype, init, seed);
    };
    tensor("q", s.sq, s.hq, k.d, k.dtype, "normal", 1);
    tensor("k", s.sk, s.hk, k.d, k.dtype, "normal", 2);
    tensor("v", s.sk, s.hk, k.dv, k.dtype, "normal", 3);
    tensor("o", s.sq, s.hq, k.dv, "bf16", "poison", 0);
    buffers["lse"] = k.group ? buffer({s.hq, s.sq}, "f32", "poison")
                             : buffer({s.b, s.hq, s.sq}, "f32", "poison");

    const uint64_t q_row = uint64_t(s.hq) * k.d * bytes, k_row = uint64_t(s.hk) * k.d * bytes,
                   v_row = uint64_t(s.hk) * k.dv * bytes, o_row = uint64_t(s.hq) * k.dv * 2;
    auto batch = [&](unsigned rows, uint64_t row) { return k.group ? 0 : rows * row; };
    Arguments a;
    a.pointer(0x00, "o");
    a.pointer(0x10, "q");
    a.pointer(0x20, "k");
    a.pointer(0x30, "v");
    a.pointer(0x40, "lse");
    a.real(0x50, scale);
    a.number(0x60, longest);
    a.number(0x70, q_row);
    a.number(0x80, k.q_tile * q_row);
    a.number(0x90, uint64_t(k.d) * bytes);
    a.number(0xa0, batch(s.sq, q_row));
    a.number(0xb0, s.hq / s.hk);
    a.number(0xc0, k_row);
    a.number(0xd0, uint64_t(k.d) * bytes);
    a.number(0xe0, batch(s.sk, k_row));
    a.number(0xf0, k.causal && s.hq % 8 ? 3 : 5);
    a.number(0x100, 1);
    a.number(0x110, k.group ? *std::max_element(s.k_rows.begin(), s.k_rows.end()) : s.sk);
    a.number(0x120, k.d);
    a.number(0x130, k.dv);
    a.number(0x140, s.hq);
    a.number(0x150, v_row);
    a.number(0x160, uint64_t(k.dv) * bytes);
    a.number(0x170, batch(s.sk, v_row));
    a.number(0x180, o_row);
    a.number(0x190, uint64_t(k.dv) * 2);
    a.number(0x1a0, batch(s.sq, o_row));
    if (k.group) {
        const auto cu_q = cumulate(s.q_rows), cu_k = cumulate(s.k_rows);
        buffers["cu_q"] = buffer({unsigned(cu_q.size())}, "i32", cu_q);
        buffers["cu_k"] = buffer({unsigned(cu_k.size())}, "i32", cu_k);
        a.pointer(0x1b0, "cu_q");
        a.pointer(0x1c0, "cu_k");
    }
    a.number(0x1d0, uint64_t(s.sq) * 4);
    if (k.group) {
        a.pointer(0x1e0, "cu_q");
        a.pointer(0x1f0, "cu_k");
    }
    check = {{"kind", "attention"}, {"q", "q"},           {"k", "k"},      {"v", "v"}, {"o", "o"},
             {"lse", "lse"},        {"causal", k.causal}, {"scale", scale}};
    if (fp8) {
        buffers["q_descale"] = buffer({1}, "f32", Json{0.9});
        buffers["k_descale"] = buffer({1}, "f32", Json{1.2});
        buffers["v_descale"] = buffer({1}, "f32", Json{0.7});
        a.pointer(0x200, "q_descale");
        a.pointer(0x210, "k_descale");
        a.pointer(0x220, "v_descale");
        check["descale"] = {"q_descale", "k_descale", "v_descale"};
    }
    if (k.group) {
        check["cu_q"] = "cu_q";
        check["cu_k"] = "cu_k";
    }
    check["model"] = k.model;
    check["tolerance"] = {{"frobenius_rel_err", 0.005}, {"lse_max_abs_err", 2e-6}};
    const Json grid = k.group ? Json{s.hq, s.b, nx} : Json{nx, s.hq, s.b};
    return {{"code_object", fmt::format("${{ZYFA_AITER_DIR}}/fmha_v3_fwd/{}.co", k.object)},
            {"grid", grid},
            {"workgroup", {k.threads, 1, 1}},
            {"buffers", buffers},
            {"kernarg", {{"size", fp8 ? 656 : 512}, {"fields", a.fields}}},
            {"check", check}};
}

// One line for each buffer and field: what a reader wants to compare.
std::string text_of(const Json& launch) {
    std::string text = "{\n";
    auto list = [&](const Json& items, char open, char close) {
        text += open;
        const char* comma = "";
        for (const auto& [key, value] : items.items()) {
            text += fmt::format("{}\n    {}{}", comma,
                                open == '{' ? fmt::format("\"{}\": ", key) : "", value.dump());
            comma = ",";
        }
        text += fmt::format("\n  {}", close);
    };
    const char* comma = "";
    for (const auto& [key, value] : launch.items()) {
        text += fmt::format("{}  \"{}\": ", comma, key);
        if (key == "buffers") {
            list(value, '{', '}');
        } else if (key == "kernarg") {
            text += fmt::format("{{\"size\": {}, \"fields\": ", value["size"].get<int>());
            list(value["fields"], '[', ']');
            text += "}";
        } else {
            text += value.dump();
        }
        comma = ",\n";
    }
    return text + "\n}\n";
}

std::string shape_name(const Shape& s) {
    std::string name = fmt::format("b{} h{}/{} ", s.b, s.hq, s.hk);
    if (s.q_rows.empty()) return name + fmt::format("{}x{}", s.sq, s.sk);
    for (size_t i = 0; i < s.q_rows.size(); ++i)
        name += fmt::format("{}{}x{}", i ? "," : "", s.q_rows[i], s.k_rows[i]);
    return name;
}

}  // namespace

std::vector<AiterCase> aiter_cases() {
    std::vector<AiterCase> cases;
    auto add = [&](const char* folder, const char* object, const Shape& s, const Json& launch,
                   bool first) {
        cases.push_back(
            {fmt::format("{} {}", object, shape_name(s)), folder, object, first, text_of(launch)});
    };
    for (const V3& k : kV3) {
        bool first = true;
        for (const Shape& s : v3_shapes(k)) {
            add("fmha_v3_fwd", k.object, s, v3_launch(k, s), first);
            first = false;
        }
    }
    return cases;
}
