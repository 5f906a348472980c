#include "tests/kernels/call.hpp"

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "isa/formats.hpp"
#include "kernels/abi.hpp"
#include "tools/pipeline.hpp"

namespace zyfa::test {

using Json = nlohmann::ordered_json;

std::string Call::json() const {
    const uint64_t d = 128;
    auto row = [&](uint64_t heads, unsigned tensor) { return heads * d + row_gap[tensor]; };
    Json buffers, fields = Json::array();
    auto tensor = [&](const char* name, uint64_t rows, uint64_t heads, unsigned n,
                      const char* dtype) {
        buffers[name] = {
            {"shape", {b, rows, heads, d}},
            {"strides", {std::max<uint64_t>(rows, 1) * row(heads, n), row(heads, n), d, 1}},
            {"dtype", dtype}};
    };
    tensor("q", sq, h, 0, "e4m3");
    tensor("k", sk, hk, 1, "e4m3");
    tensor("v", sk, hk, 2, "e4m3");
    tensor("o", sq, h, 3, "bf16");
    const char* names[] = {"q", "k", "v"};
    for (unsigned n = 0; n < 3; ++n) {
        buffers[names[n]]["init"] = "normal";
        buffers[names[n]]["seed"] = seed * 3 + n;
        buffers[names[n]]["scale"] = n < 2 ? spread : 1.0;
        buffers[std::string(names[n]) + "_descale"] = {
            {"shape", {1}}, {"dtype", "f32"}, {"values", {descale[n]}}};
    }
    buffers["o"]["init"] = "poison";
    if (want_lse) buffers["lse"] = {{"shape", {b, h, sq}}, {"dtype", "f32"}, {"init", "poison"}};
    auto pointer = [&](size_t offset, const char* name) {
        fields.push_back(
            {{"offset", offset}, {"type", "ptr"}, {"value", name ? Json(name) : Json()}});
    };
    auto number = [&](size_t offset, const char* type, Json value) {
        fields.push_back({{"offset", offset}, {"type", type}, {"value", std::move(value)}});
    };
    pointer(offsetof(AttentionArgs, q), "q");
    pointer(offsetof(AttentionArgs, k), "k");
    pointer(offsetof(AttentionArgs, v), "v");
    pointer(offsetof(AttentionArgs, o), "o");
    pointer(offsetof(AttentionArgs, lse), want_lse ? "lse" : nullptr);
    pointer(offsetof(AttentionArgs, q_descale), "q_descale");
    pointer(offsetof(AttentionArgs, k_descale), "k_descale");
    pointer(offsetof(AttentionArgs, v_descale), "v_descale");
    auto strides = [&](size_t at, uint64_t rows, uint64_t heads, unsigned n) {
        number(at, "i64", std::max<uint64_t>(rows, 1) * row(heads, n));
        number(at + 8, "i64", d);
        number(at + 16, "i64", row(heads, n));
    };
    strides(offsetof(AttentionArgs, q_stride_b), sq, h, 0);
    strides(offsetof(AttentionArgs, k_stride_b), sk, hk, 1);
    strides(offsetof(AttentionArgs, v_stride_b), sk, hk, 2);
    strides(offsetof(AttentionArgs, o_stride_b), sq, h, 3);
    number(offsetof(AttentionArgs, lse_stride_b), "i64", h * sq);
    number(offsetof(AttentionArgs, lse_stride_h), "i64", sq);
    number(offsetof(AttentionArgs, sq), "u32", sq);
    number(offsetof(AttentionArgs, sk), "u32", sk);
    number(offsetof(AttentionArgs, heads_per_kv), "u32", h / hk);
    number(offsetof(AttentionArgs, softmax_scale), "f32", scale);
    AttentionGrid grid = attention_grid(uint32_t(b), uint32_t(h), uint32_t(sq));
    Json file = {{"code_object", "in memory"},
                 {"kernel", ""},
                 {"grid", {grid.x, grid.y, grid.z}},
                 {"workgroup", {choose(kernel).schedule.waves * 64, 1, 1}},
                 {"buffers", buffers},
                 {"kernarg", {{"size", kAttentionArgsBytes}, {"fields", fields}}},
                 {"check",
                  {{"kind", "attention"},
                   {"q", "q"},
                   {"k", "k"},
                   {"v", "v"},
                   {"o", "o"},
                   {"lse", want_lse ? Json("lse") : Json()},
                   {"causal", causal()},
                   {"scale", scale},
                   {"descale", descale}}}};
    return file.dump();
}

const Bytes& code_object_of(const std::string& kernel) {
    static std::map<std::string, Bytes> built;
    auto found = built.find(kernel);
    if (found == built.end())
        found = built.emplace(kernel, build(choose(kernel)).emitted.code_object).first;
    return found->second;
}

Outcome run(const Call& call, const Options& options, const std::function<void(Prepared&)>& edit,
            const Bytes* code_object) {
    LaunchFile file = parse_launch_file(call.json(), "call");
    const Bytes& object = code_object ? *code_object : code_object_of(call.kernel);
    const CodeObject loaded = load_code_object(object, call.kernel);
    file.kernarg_bytes = loaded.kernels[0].kernarg_bytes;  // more than usual with probes
    Prepared prepared = prepare(file, loaded);
    if (edit) edit(prepared);
    AttentionInputs inputs = attention_inputs(file, prepared);
    Outcome outcome;
    outcome.result = execute(prepared, options);
    outcome.error = check_attention(file, inputs, prepared).error;
    auto copy = [&](const char* name) {
        auto bytes = buffer_bytes(prepared, name);
        return std::vector<uint8_t>(bytes.begin(), bytes.end());
    };
    outcome.o = copy("o");
    if (call.want_lse) outcome.lse = copy("lse");
    outcome.broken_guards = prepared.memory.broken_guards();
    return outcome;
}

float Outcome::at(const Call& c, uint64_t batch, uint64_t row, uint64_t head,
                  uint64_t channel) const {
    uint64_t stride = c.h * 128 + c.row_gap[3];
    uint16_t bits;
    std::memcpy(&bits, &o[2 * ((batch * c.sq + row) * stride + head * 128 + channel)], 2);
    return bf16_to_float(bits);
}

float Outcome::lse_at(const Call& c, uint64_t batch, uint64_t head, uint64_t row) const {
    float value;
    std::memcpy(&value, &lse[4 * ((batch * c.h + head) * c.sq + row)], 4);
    return value;
}

}  // namespace zyfa::test
