#include <nlohmann/json.hpp>

#include "isa/error.hpp"
#include "sim/launch_file.hpp"

namespace zyfa {
namespace {

using Json = nlohmann::ordered_json;

Json init_of(const LaunchBuffer& b) {
    switch (b.init) {
        case Init::ones: return "ones";
        case Init::poison: return "poison";
        case Init::normal: return "normal";
        case Init::arange: return "arange";
        case Init::uniform: return {{"uniform", {b.low, b.high}}};
        case Init::file: return {{"file", b.file}};
        case Init::packed: return {{"packed", b.layout}, {"from", b.from}};
        case Init::zeros:
        case Init::values: break;
    }
    return "zeros";
}

Json to_json(const LaunchBuffer& b) {
    Json j = {{"shape", b.shape}, {"strides", b.strides}, {"dtype", info(b.dtype).name}};
    if (b.init == Init::values) j["values"] = b.values;
    else j["init"] = init_of(b);
    const bool random = b.init == Init::normal || b.init == Init::uniform;
    if (random || b.init == Init::poison) j["seed"] = b.seed;
    if (random || b.init == Init::ones || b.init == Init::arange) j["scale"] = b.scale;
    j["guard"] = b.guard;
    if (b.released) j["released"] = true;
    return j;
}

void add_field(Json& fields, const KernargField& f) {
    if (f.is_pointer) {
        Json value = nullptr;
        if (!f.buffer.empty()) value = f.add ? fmt::format("{}+{}", f.buffer, f.add) : f.buffer;
        fields.push_back({{"offset", f.offset}, {"type", "ptr"}, {"value", value}});
        return;
    }
    const unsigned bytes = info(f.type).bits / 8;
    if (bytes == 4 || bytes == 8) {
        fields.push_back(
            {{"offset", f.offset}, {"type", bytes == 4 ? "u32" : "u64"}, {"value", f.bits}});
        return;
    }
    for (unsigned n = 0; n < bytes; ++n)
        fields.push_back(
            {{"offset", f.offset + n}, {"type", "u8"}, {"value", f.bits >> (8 * n) & 0xff}});
}

Json to_json(const AttentionCheck& c) {
    Json j = {{"kind", "attention"}, {"q", c.q}, {"k", c.k}, {"v", c.v}, {"o", c.o}};
    for (auto [key, name] : {std::pair{"lse", &c.lse}, {"cu_q", &c.cu_q}, {"cu_k", &c.cu_k}})
        j[key] = name->empty() ? Json(nullptr) : Json(*name);
    if (c.cu_q.empty()) j.erase("cu_q"), j.erase("cu_k");
    j["causal"] = c.causal;
    j["scale"] = c.scale;
    j["descale"] = Json::array();
    for (const auto& d : c.descale)
        j["descale"].push_back(d.index() ? Json(std::get<1>(d)) : Json(std::get<0>(d)));
    Json scales = Json::object();
    const char* names[] = {"q", "k", "v"};
    for (unsigned i = 0; i < 3; ++i)
        if (const auto& s = c.scales[i])
            scales[names[i]] = {
                {"buffer", s->buffer}, {"block", s->block}, {"axis", std::string(1, s->axis)}};
    if (!scales.empty()) j["scales"] = scales;
    j["model"] = c.model;
    const Tolerance& t = c.tolerance;
    Json bounds = Json::object();
    const auto bound = [&](const char* key, const std::optional<double>& value) {
        if (value) bounds[key] = *value;
    };
    bound("row_rel_err_mean", t.row_rel_err_mean);
    bound("frobenius_rel_err", t.frobenius_rel_err);
    bound("max_abs_err", t.max_abs_err);
    bound("cosine", t.cosine);
    bound("lse_max_abs_err", t.lse_max_abs_err);
    if (!bounds.empty()) j["tolerance"] = bounds;
    return j;
}

}  // namespace

std::string print_launch_file(const LaunchFile& launch) {
    Json buffers = Json::object(), fields = Json::array();
    for (const LaunchBuffer& b : launch.buffers) buffers[b.name] = to_json(b);
    for (const KernargField& f : launch.kernarg) add_field(fields, f);
    Json j = {{"code_object", launch.code_object},
              {"kernel", launch.kernel},
              {"grid", launch.grid},
              {"workgroup", launch.workgroup},
              {"dynamic_lds", launch.dynamic_lds},
              {"buffers", buffers},
              {"kernarg", {{"size", launch.kernarg_bytes}, {"fields", fields}}}};
    if (launch.check) j["check"] = to_json(*launch.check);
    if (!launch.dump.empty()) j["dump"] = launch.dump;
    return j.dump(1) + "\n";
}

}  // namespace zyfa
