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

// ---- fmha_v4_fwd ----

struct V4 {
    const char *object, *model;
    const char *qk, *v;  // element types
    bool block_scales;   // of q and k: E8M0 for 32 channels; else one f32 for each tensor
    char v_scale;        // 't' one f32, 'c' f32 of each channel, 'b' E8M0 of 32 keys and channel
};
constexpr V4 kV4[] = {
    {"fwd_hd128_fp8", "aiter_v4_fp8", "e4m3", "e4m3", false, 't'},
    {"fwd_hd128_mxfp8", "aiter_v4_lean_f32", "e4m3", "e4m3", true, 't'},
    {"fwd_hd128_i8fp8", "aiter_v4_i8fp8", "i8", "e4m3", false, 't'},
    {"fwd_hd128_f8f6", "aiter_v4_fp8", "e4m3", "e2m3", false, 'b'},
    {"fwd_hd128_mxfp6", "aiter_v4_lean_byte", "e2m3", "e4m3", true, 'c'},
    {"fwd_hd128_mxfp4", "aiter_v4_lean_byte", "e2m1", "e4m3", true, 'c'},
    {"fwd_hd128_f6f4", "aiter_v4_lean_byte", "e2m3", "e2m1", true, 'b'},
    {"fwd_hd128_f4f4", "aiter_v4_lean_byte_fp4", "e2m1", "e2m1", true, 'b'},
};
// Their descriptors end at rows times row bytes, inside the last tile of a packed tensor whose rows
// are no multiple of 128 (docs/fidelity.md): such shapes come out wrong, on the card as here.
bool needs_whole_tiles(const V4& k) { return k.v_scale == 'b'; }

constexpr Shape kV4Shapes[] = {{1, 1, 1, 256, 256}, {1, 2, 2, 300, 333}, {2, 4, 4, 70, 517}};

Json v4_launch(const V4& k, const Shape& s) {
    const std::string_view qk = k.qk, v = k.v;
    const unsigned tiles = (s.sk + 127) / 128;
    const double scale = k.block_scales ? 1 : 0.0883883476;
    Json buffers, scales;
    auto random = [&](const char* name, std::vector<unsigned> shape, const char* dtype, Json init,
                      unsigned seed, double factor) {
        buffers[name] = buffer(shape, dtype, init, seed);
        if (factor != 1) buffers[name]["scale"] = factor;
    };
    auto packed = [&](const char* name, unsigned bytes, const char* layout, Json from) {
        buffers[name] = {{"bytes", bytes}, {"init", {{"packed", layout}, {"from", from}}}};
    };
    const double spread = qk == "i8" ? 30 : 1;
    random("q", {s.b, s.sq, s.hq, 128}, k.qk, "normal", 1, spread);
    random("k", {s.b, s.sk, s.hk, 128}, k.qk, "normal", 2, spread);
    random("v", {s.b, s.sk, s.hk, 128}, k.v, "normal", 3, 1);
    buffers["o"] = buffer({s.b, s.sq, s.hq, 128}, "bf16", "poison");

    Arguments a;
    const unsigned bits = qk == "e2m3" ? 6 : qk == "e2m1" ? 4 : 8;
    const unsigned row = 128 * bits / 8;
    a.pointer(0x00, "o");
    a.pointer(0x10, "q");
    unsigned k_row = s.hk * row, k_head = row, k_batch = s.sk * s.hk * row;
    unsigned v_row = s.hk * 128, v_head = 128, v_batch = s.sk * s.hk * 128;
    const char *k_name = "k", *v_name = "v";
    if (k.block_scales) {
        random("q_scale", {s.b, s.sq, s.hq, 4}, "e8m0", Json{{"uniform", {0.1, 0.5}}}, 4, 1);
        random("k_scale", {s.b, s.sk, s.hk, 4}, "e8m0", Json{{"uniform", {0.3, 1.5}}}, 5, 1);
        scales["q"] = {{"buffer", "q_scale"}, {"block", 32}, {"axis", "d"}};
        scales["k"] = {{"buffer", "k_scale"}, {"block", 32}, {"axis", "d"}};
    }
    if (bits != 8) {
        const unsigned tile = bits == 6 ? 17408 : 8192;
        k_name = "k_packed";
        k_row = tile / 128;
        k_head = tiles * tile;
        k_batch = s.hk * k_head;
        if (bits == 6) packed(k_name, s.b * k_batch + 256, "aiter_k_fp6", {"k", "k_scale"});
        else packed(k_name, s.b * k_batch, "aiter_k_fp4", {"k"});
    }
    if (v != "e4m3") {
        const unsigned tile = v == "e2m3" ? 12288 : 8192;
        v_name = "v_packed";
        v_row = tile / 128;
        v_head = tiles * tile;
        v_batch = s.hk * v_head;
        if (v == "e2m3") packed(v_name, s.b * v_batch + 256, "aiter_v_fp6", {"v"});
        else packed(v_name, s.b * v_batch + 64, "aiter_v_fp4", {"v"});
    }
    a.pointer(0x20, k_name);
    a.pointer(0x30, v_name);
    a.real(0x50, scale);
    a.number(0x60, s.sq);
    a.number(0x70, s.hq * row);
    a.number(0x80, 256 * s.hq * row);
    a.number(0x90, row);
    a.number(0xa0, s.sq * s.hq * row);
    a.number(0xb0, 1);
    a.number(0xc0, k_row);
    a.number(0xd0, k_head);
    a.number(0xe0, k_batch);
    a.number(0xf0, 5);
    a.number(0x110, s.sk);
    a.number(0x120, 128);
    a.number(0x130, 128);
    a.number(0x140, s.hq);
    a.number(0x150, v_row);
    a.number(0x160, v_head);
    a.number(0x170, v_batch);
    a.number(0x180, s.hq * 256);
    a.number(0x190, 256);
    a.number(0x1a0, s.sq * s.hq * 256);
    Json descale{1, 1, 1};
    if (k.block_scales) {
        // The kernels read scales past the end: of query rows up to the end of the tile, of keys up
        // to two tiles ahead, and mxfp4 one byte past the last.
        const unsigned ahead = 256 * 4 * s.hq;
        packed("q_scale_padded", s.b * s.sq * s.hq * 4 + ahead, "padded", {"q_scale"});
        packed("k_scale_padded", s.b * s.sk * s.hk * 4 + ahead, "padded", {"k_scale"});
        a.pointer(0x200, "q_scale_padded");
        a.pointer(0x210, "k_scale_padded");
    } else {
        const bool small = qk == "i8";
        buffers["q_descale"] = buffer({1}, "f32", Json{small ? 0.03 : 0.9});
        buffers["k_descale"] = buffer({1}, "f32", Json{small ? 0.04 : 1.2});
        a.pointer(0x200, "q_descale");
        a.pointer(0x210, "k_descale");
        descale[0] = "q_descale";
        descale[1] = "k_descale";
    }
    if (k.v_scale == 't') {
        buffers["v_descale"] = buffer({1}, "f32", Json{0.7});
        a.pointer(0x220, "v_descale");
        descale[2] = "v_descale";
    } else if (k.v_scale == 'c') {
        random("v_scale", {s.b, 1, s.hk, 128}, "f32", Json{{"uniform", {0.5, 2.0}}}, 6, 1);
        a.pointer(0x220, "v_scale");
        scales["v"] = {{"buffer", "v_scale"}, {"block", 1}, {"axis", "d"}};
    } else {
        random("v_scale", {s.b, (s.sk + 31) / 32, s.hk, 128}, "e8m0", Json{{"uniform", {0.5, 2.0}}},
               6, 1);
        // f4f4 reads two tiles of scales past the last
        packed("v_scale_packed", s.b * s.hk * tiles * 512 + 1024, "aiter_v_scale", {"v_scale"});
        a.pointer(0x220, "v_scale_packed");
        scales["v"] = {{"buffer", "v_scale"}, {"block", 32}, {"axis", "s"}};
    }
    Json check{{"kind", "attention"},
               {"q", "q"},
               {"k", "k"},
               {"v", "v"},
               {"o", "o"},
               {"lse", nullptr},
               {"causal", false},
               // with block scales the scores are in units of log2 already
               {"scale", k.block_scales ? 0.69314718055994531 : scale},
               {"descale", descale}};
    if (!scales.is_null()) check["scales"] = scales;
    check["model"] = k.model;
    check["tolerance"] = {{"frobenius_rel_err", 0.005}};
    return {{"code_object", fmt::format("${{ZYFA_AITER_DIR}}/fmha_v4_fwd/{}.co", k.object)},
            {"grid", {(s.sq + 255) / 256, s.hq, s.b}},
            {"workgroup", {512, 1, 1}},
            {"buffers", buffers},
            {"kernarg", {{"size", 656}, {"fields", a.fields}}},
            {"check", check}};
}

// ---- mla_pfl ----

// Pages of one row, work items of 256 queries of one head that see all their keys, so that the
// output is final and no partial results are written. The pages are in order.
Json mla_launch(const char* object, bool causal, const Shape& s) {
    const double scale = 0.0721687824;
    const auto cu_q = cumulate(s.q_rows), cu_k = cumulate(s.k_rows);
    std::vector<int> work;
    unsigned items = 0;
    for (unsigned b = 0; b < s.b; ++b)
        for (unsigned head = 0; head < s.hq; ++head)
            for (unsigned first = 0; first < s.q_rows[b]; first += 256, ++items) {
                const unsigned end = std::min(first + 256, s.q_rows[b]);
                const unsigned seen = causal ? s.k_rows[b] - (s.q_rows[b] - end) : s.k_rows[b];
                for (int x : {int(b), -1, int(cu_q[b] + first), int(cu_q[b] + end), int(cu_k[b]),
                              int(cu_k[b] + seen), 0, int(head | (head + 1) << 16)})
                    work.push_back(x);
            }
    const unsigned groups = (items + 1) / 2;  // two items each, the last perhaps one
    std::vector<unsigned> indptr;
    for (unsigned g = 0; g <= groups; ++g) indptr.push_back(std::min(2 * g, items));
    Json buffers;
    buffers["q"] = buffer({s.sq, s.hq, 192}, "e4m3", "normal", 1);
    buffers["k"] = buffer({s.sk, s.hk, 192}, "e4m3", "normal", 2);
    buffers["v"] = buffer({s.sk, s.hk, 128}, "e4m3", "normal", 3);
    buffers["o"] = buffer({s.sq, s.hq, 128}, "bf16", "poison");
    buffers["partial"] = {{"bytes", 4096}, {"init", "poison"}};
    buffers["partial_lse"] = {{"bytes", 4096}, {"init", "poison"}};
    buffers["work_indptr"] = buffer({groups + 1}, "i32", indptr);
    buffers["work"] = buffer({items, 8}, "i32", work);
    buffers["cu_q"] = buffer({s.b + 1}, "i32", cu_q);
    buffers["cu_k"] = buffer({s.b + 1}, "i32", cu_k);
    buffers["pages"] = buffer({s.sk}, "i32", "arange");
    buffers["q_scale"] = buffer({1}, "f32", Json{0.9});
    buffers["k_scale"] = buffer({1}, "f32", Json{1.2});
    buffers["v_scale"] = buffer({1}, "f32", Json{0.7});
    Arguments a;
    unsigned offset = 0;
    for (const char* name : {"q", "k", "v", "o", "partial", "partial_lse", "work_indptr", "work",
                             "cu_q", "cu_k", "pages", "q_scale", "k_scale", "v_scale"}) {
        a.pointer(offset, name);
        offset += 16;
    }
    a.real(0xe0, scale);
    a.number(0xf0, s.sq);
    a.number(0x100, s.hq);
    a.number(0x110, s.sk);
    a.number(0x120, s.sk);
    const Json check{{"kind", "attention"},
                     {"q", "q"},
                     {"k", "k"},
                     {"v", "v"},
                     {"o", "o"},
                     {"lse", nullptr},
                     {"causal", causal},
                     {"scale", scale},
                     {"descale", {"q_scale", "k_scale", "v_scale"}},
                     {"cu_q", "cu_q"},
                     {"cu_k", "cu_k"},
                     {"model", "aiter_mla_fp8"},
                     {"tolerance", {{"frobenius_rel_err", 0.005}}}};
    return {{"code_object", fmt::format("${{ZYFA_AITER_DIR}}/mla/{}.co", object)},
            {"grid", {groups, 1, 1}},
            {"workgroup", {512, 1, 1}},
            {"buffers", buffers},
            {"kernarg", {{"size", 304}, {"fields", a.fields}}},
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
        cases.push_back({fmt::format("{}/{} {}", folder, object, shape_name(s)), folder, object,
                         first, text_of(launch)});
    };
    for (const V3& k : kV3) {
        bool first = true;
        for (const Shape& s : v3_shapes(k)) {
            add("fmha_v3_fwd", k.object, s, v3_launch(k, s), first);
            first = false;
        }
    }
    for (bool causal : {false, true}) {
        const char* object = causal ? "mla_pfl_qh192_vh128_m32x8_n128x1_causal1"
                                    : "mla_pfl_qh192_vh128_m32x8_n128x1_causal0";
        const Shape shapes[] = {{1, 1, 1, 256, 256, {256}, {256}},
                                {2, 2, 2, 370, 370, {300, 70}, {300, 70}},
                                {2, 2, 2, 330, 777, {200, 130}, {444, 333}}};
        for (const Shape& s : shapes)
            add("mla", object, s, mla_launch(object, causal, s), &s == shapes);
    }
    for (const V4& k : kV4) {
        bool first = true;
        for (Shape s : kV4Shapes) {
            if (needs_whole_tiles(k)) s.sk = (s.sk + 127) / 128 * 128;
            add("fmha_v4_fwd", k.object, s, v4_launch(k, s), first);
            first = false;
        }
    }
    return cases;
}

std::vector<AiterCase> aiter_ragged_cases() {
    std::vector<AiterCase> cases;
    const Shape s{1, 2, 2, 100, 333};
    for (const V4& k : kV4)
        if (k.v_scale == 'b' && std::string_view(k.object) != "fwd_hd128_f4f4")
            cases.push_back({fmt::format("fmha_v4_fwd/{} {}", k.object, shape_name(s)),
                             "fmha_v4_fwd", k.object, false, text_of(v4_launch(k, s))});
    return cases;
}

std::vector<AiterCase> aiter_long_cases() {
    constexpr unsigned kKeys = 16384;
    std::vector<AiterCase> cases;
    const auto add = [&](const char* folder, std::string object, Json launch) {
        launch.erase("check");
        cases.push_back({fmt::format("{}/{} {} keys", folder, object, kKeys), folder,
                         std::move(object), true, text_of(launch)});
    };
    for (const V3& k : kV3)
        if (!k.group)
            add("fmha_v3_fwd", k.object,
                v3_launch(k, {1, 1, 1, k.causal ? 2 * k.q_tile : k.q_tile, kKeys}));
    for (const V4& k : kV4) add("fmha_v4_fwd", k.object, v4_launch(k, {1, 1, 1, 256, kKeys}));
    for (bool causal : {false, true}) {
        const auto object = fmt::format("mla_pfl_qh192_vh128_m32x8_n128x1_causal{}", int(causal));
        add("mla", object,
            mla_launch(object.c_str(), causal, {1, 1, 1, 256, kKeys, {256}, {kKeys}}));
    }
    return cases;
}
