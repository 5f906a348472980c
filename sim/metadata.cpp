#include "sim/metadata.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace zyfa {
namespace {

using nlohmann::json;
constexpr uint32_t kMetadataNote = 32;
constexpr int kMaxDepth = 16;  // real metadata has 4; the parser recurses

// Walks the bytes once to see that nesting is shallow and lengths are possible.
struct DepthCheck : nlohmann::json_sax<json> {
    explicit DepthCheck(size_t bytes) : bytes(bytes) {}
    size_t bytes;
    int depth = 0;
    bool open(size_t count) { return ++depth <= kMaxDepth && count <= bytes; }
    bool close() { return --depth >= 0; }
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(size_t count) override { return open(count); }
    bool key(string_t&) override { return true; }
    bool end_object() override { return close(); }
    bool start_array(size_t count) override { return open(count); }
    bool end_array() override { return close(); }
    bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }
};

struct Map {  // one MessagePack map and what it is called in messages
    const InputName& input;
    const json& value;
    std::string path;

    const json* find(const char* key) const {
        const auto it = value.find(key);
        return it == value.end() ? nullptr : &*it;
    }
    const json& get(const char* key) const {
        const json* v = find(key);
        if (!v) input.fail(Exit::usage, "metadata has no {}{}", path, key);
        return *v;
    }
    std::string text(const char* key) const {
        const json& v = get(key);
        if (!v.is_string()) input.fail(Exit::usage, "metadata {}{} is not a string", path, key);
        const auto& s = v.get_ref<const std::string&>();
        if (!std::all_of(s.begin(), s.end(), [](char c) { return c >= 0x20 && c < 0x7f; }))
            input.fail(Exit::usage, "metadata {}{} is not printable", path, key);
        return s;
    }
    uint32_t number(const char* key) const { return number(get(key), path + key); }
    uint32_t number(const json& v, const std::string& what) const {
        if (!v.is_number_integer() || (!v.is_number_unsigned() && v.get<int64_t>() < 0) ||
            v.get<uint64_t>() > std::numeric_limits<uint32_t>::max())
            input.fail(Exit::usage, "metadata {} is not an unsigned 32-bit number", what);
        return v.get<uint32_t>();
    }
};

json parse_note(const Elf& elf) {
    for (const ElfNote& note : elf.notes()) {
        if (note.owner != "AMDGPU" || note.type != kMetadataNote) continue;
        DepthCheck check(note.bytes.size());
        const std::vector<uint8_t> bytes(note.bytes.begin(), note.bytes.end());
        json value;
        if (json::sax_parse(bytes, &check, json::input_format_t::msgpack))
            value = json::from_msgpack(bytes, true, false);
        if (!value.is_object())
            elf.input.fail(Exit::usage, "the metadata note is not a MessagePack map");
        return value;
    }
    elf.input.fail(Exit::usage, "has no NT_AMDGPU_METADATA note, so kernels cannot be launched");
}

KernelArgument read_argument(const Map& map, uint32_t kernarg_bytes) {
    KernelArgument a;
    a.offset = map.number(".offset");
    a.size = map.number(".size");
    a.kind = map.text(".value_kind");
    if (map.find(".name")) a.name = map.text(".name");
    if (a.offset > kernarg_bytes || a.size > kernarg_bytes - a.offset)
        map.input.fail(Exit::usage, "metadata {} ends past .kernarg_segment_size {}", map.path,
                       kernarg_bytes);
    return a;
}

KernelMetadata read_kernel(const Map& map) {
    KernelMetadata k{};
    k.name = map.text(".name");
    k.symbol = map.text(".symbol");
    k.kernarg_bytes = map.number(".kernarg_segment_size");
    k.lds_bytes = map.number(".group_segment_fixed_size");
    k.scratch_bytes = map.number(".private_segment_fixed_size");
    k.sgprs = map.number(".sgpr_count");
    k.vgprs = map.number(".vgpr_count");
    k.max_flat_workgroup_size = map.number(".max_flat_workgroup_size");
    if (map.find(".agpr_count")) k.agprs = map.number(".agpr_count");
    if (const json* v = map.find(".uses_dynamic_stack")) k.dynamic_stack = *v == json(true);
    if (map.number(".wavefront_size") != 64)
        map.input.fail(Exit::unsupported, "metadata {}.wavefront_size is not 64", map.path);
    if (const json* size = map.find(".reqd_workgroup_size")) {
        if (!size->is_array() || size->size() != 3)
            map.input.fail(Exit::usage, "metadata {}.reqd_workgroup_size is not three numbers",
                           map.path);
        for (unsigned i = 0; i < 3; ++i)
            k.required_workgroup[i] = map.number((*size)[i], map.path + ".reqd_workgroup_size");
    }
    if (const json* args = map.find(".args")) {
        if (!args->is_array())
            map.input.fail(Exit::usage, "metadata {}.args is not a list", map.path);
        for (size_t i = 0; i < args->size(); ++i)
            k.arguments.push_back(read_argument(
                {map.input, (*args)[i], fmt::format("{}.args[{}]", map.path, i)}, k.kernarg_bytes));
    }
    return k;
}

}  // namespace

std::vector<KernelMetadata> read_metadata(const Elf& elf) {
    const json root = parse_note(elf);
    const Map map{elf.input, root, ""};
    const json& kernels = map.get("amdhsa.kernels");
    if (!kernels.is_array()) elf.input.fail(Exit::usage, "metadata amdhsa.kernels is not a list");
    if (kernels.empty()) elf.input.fail(Exit::usage, "metadata amdhsa.kernels lists no kernel");
    std::vector<KernelMetadata> all;
    for (size_t i = 0; i < kernels.size(); ++i)
        all.push_back(read_kernel({elf.input, kernels[i], fmt::format("amdhsa.kernels[{}]", i)}));
    return all;
}

}  // namespace zyfa
