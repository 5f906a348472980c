#include "sim/launch_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "isa/file.hpp"
#include "isa/formats.hpp"
#include "isa/json_reader.hpp"
#include "sim/packing.hpp"

namespace zyfa {
namespace {

constexpr uint64_t kMaxBufferBytes = 8ull << 30, kMaxGuard = 1ull << 30;
constexpr uint64_t kMaxKernarg = 65536, kLdsBytes = 163840, kMaxThreads = 1024;
constexpr double kMost = 1e300;
// softmax, and the formulas of reference/emulate.hpp
constexpr std::string_view kModels[] = {
    "exact",          "aiter_v3_fp8",       "aiter_v3_fp8_hd256",
    "aiter_v3_bf16",  "aiter_v4_fp8",       "aiter_v4_lean_f32",
    "aiter_v4_i8fp8", "aiter_v4_lean_byte", "aiter_v4_lean_byte_fp4",
    "aiter_mla_fp8"};
constexpr std::string_view kAiterDir = "${ZYFA_AITER_DIR}";

// ---- buffers ----

DType read_dtype(const JsonReader& j) {
    const auto type = find_dtype(j.text());
    if (!type) j.fail("{} is no element type; allowed: {}", j.shown(), dtype_names());
    return *type;
}

std::vector<uint64_t> read_counts(const JsonReader& j, uint64_t most) {
    if (j.list_size() < 1 || j.list_size() > 8) j.fail("must have 1 to 8 entries");
    std::vector<uint64_t> all;
    for (size_t i = 0; i < j.list_size(); ++i) all.push_back(j[i].unsigned_integer(0, most));
    return all;
}

// Elements from the first to the last, or nothing if that is over the limit.
std::optional<uint64_t> span_of(const LaunchBuffer& b, uint64_t most) {
    unsigned __int128 last = 0, count = 1;
    for (size_t i = 0; i < b.shape.size(); ++i) {
        if (b.shape[i] == 0) return 0;
        count *= b.shape[i];
        last += static_cast<unsigned __int128>(b.shape[i] - 1) * b.strides[i];
        if (last >= most || count > most) return {};
    }
    return uint64_t(last) + 1;
}

void read_shape(const JsonReader& j, LaunchBuffer& b) {
    constexpr uint64_t kMostElements = kMaxBufferBytes * 2;
    if (j.has("bytes")) {
        if (j.has("shape") || j.has("strides")) j.fail("has 'bytes' and 'shape'; one of them");
        const uint64_t bytes = j["bytes"].unsigned_integer(0, kMaxBufferBytes);
        if (bytes * 8 % info(b.dtype).bits)
            j["bytes"].fail("{} bytes are no whole number of {} elements", bytes,
                            info(b.dtype).name);
        b.shape = {bytes * 8 / info(b.dtype).bits};
        b.strides = {1};
        b.bytes = bytes;
        return;
    }
    b.shape = read_counts(j["shape"], kMostElements);
    if (j.has("strides")) {
        b.strides = read_counts(j["strides"], kMostElements);
        if (b.strides.size() != b.shape.size())
            j["strides"].fail("must have {} entries, as 'shape'", b.shape.size());
    } else {
        b.strides.assign(b.shape.size(), 1);
        for (size_t i = b.shape.size(); i-- > 1;) {
            const auto next = static_cast<unsigned __int128>(b.strides[i]) * b.shape[i];
            if (next > kMostElements) j["shape"].fail("has too many elements");
            b.strides[i - 1] = uint64_t(next);
        }
    }
    const auto span = span_of(b, kMostElements);
    if (!span || dtype_bytes(b.dtype, *span) > kMaxBufferBytes)
        j["shape"].fail("spans more than the limit of {} bytes", kMaxBufferBytes);
    b.bytes = dtype_bytes(b.dtype, *span);
}

void read_values(const JsonReader& j, LaunchBuffer& b) {
    if (j.list_size() != b.elements())
        j.fail("has {} values for {} elements", j.list_size(), b.elements());
    const DTypeInfo& type = info(b.dtype);
    for (size_t i = 0; i < j.list_size(); ++i)
        b.values.push_back(type.is_float || b.dtype == DType::e8m0
                               ? j[i].number(type.least, type.most)
                               : double(j[i].integer(int64_t(type.least), int64_t(type.most))));
}

void read_packed(const JsonReader& j, LaunchBuffer& b) {
    j.expect_keys({"packed", "from"});
    b.init = Init::packed;
    b.layout = j["packed"].text();
    if (!is_packed_layout(b.layout))
        j["packed"].fail("{} is no layout; allowed: {}", j["packed"].shown(),
                         packed_layout_names());
    for (size_t i = 0; i < j["from"].list_size(); ++i) b.from.push_back(j["from"][i].text());
}

void read_init(const JsonReader& j, LaunchBuffer& b) {
    constexpr std::string_view kNames[] = {"zeros", "ones", "poison", "normal", "arange"};
    if (j.value.is_object()) {
        j.expect_keys({"uniform", "file", "packed", "from"});
        if (j.has("packed")) return read_packed(j, b);
        if (j.value.size() != 1)
            j.fail("must have one key, 'uniform' or 'file', or 'packed' and 'from'");
        if (j.has("file")) {
            b.init = Init::file;
            b.file = j["file"].text();
            return;
        }
        const JsonReader range = j["uniform"];
        range.list_size(2);
        b.init = Init::uniform;
        b.low = range[0].number(-kMost, kMost);
        b.high = range[1].number(b.low, kMost);
        return;
    }
    const auto at = std::find(std::begin(kNames), std::end(kNames), j.text());
    if (at == std::end(kNames))
        j.fail(
            "{} is no way to fill a buffer; allowed: zeros, ones, poison, normal, arange, "
            "{{\"uniform\": [low, high]}}, {{\"file\": path}}, {{\"packed\": layout, \"from\": "
            "[..]}}",
            j.shown());
    b.init = Init(at - std::begin(kNames));
}

bool is_name(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '_' || c == '.';
    });
}

LaunchBuffer read_buffer(const JsonReader& j, const std::string& name) {
    j.expect_keys({"shape", "bytes", "strides", "dtype", "values", "init", "seed", "scale", "guard",
                   "released"});
    if (!is_name(name)) j.fail("a buffer's name has letters, digits, '_' and '.' only");
    LaunchBuffer b;
    b.name = name;
    if (j.has("dtype") || !j.has("bytes")) b.dtype = read_dtype(j["dtype"]);
    read_shape(j, b);
    if (j.has("values") == j.has("init")) j.fail("needs either 'values' or 'init'");
    if (j.has("values")) {
        b.init = Init::values;
        read_values(j["values"], b);
    } else {
        read_init(j["init"], b);
    }
    const bool random = b.init == Init::normal || b.init == Init::uniform;
    if (j.has("seed")) {
        if (!random && b.init != Init::poison)
            j["seed"].fail("has no effect here; it belongs to normal, uniform and poison");
        b.seed = j["seed"].unsigned_integer(0, UINT64_MAX);
    }
    if (j.has("scale")) {
        if (!random && b.init != Init::ones && b.init != Init::arange)
            j["scale"].fail("has no effect here; it belongs to normal, uniform, ones and arange");
        b.scale = j["scale"].number(-kMost, kMost);
    }
    if (j.has("released")) b.released = j["released"].boolean();
    if (j.has("guard")) b.guard = j["guard"].unsigned_integer(0, kMaxGuard);
    return b;
}

void check_packed(const JsonReader& j, const LaunchFile& launch) {
    for (const LaunchBuffer& b : launch.buffers) {
        if (b.init != Init::packed) continue;
        const JsonReader from = j[b.name]["init"]["from"];
        for (size_t i = 0; i < b.from.size(); ++i) {
            const LaunchBuffer* source = launch.buffer(b.from[i]);
            if (!source) from[i].fail("there is no buffer '{}'", b.from[i]);
            if (source->init == Init::packed)
                from[i].fail("buffer '{}' is packed itself", b.from[i]);
        }
    }
}

// ---- kernel arguments ----

void read_pointer(const JsonReader& j, const LaunchFile& launch, KernargField& f) {
    f.is_pointer = true;
    if (j.value.is_null()) return;
    std::string text = j.text();
    if (const size_t plus = text.find('+'); plus != std::string::npos) {
        const std::string digits = text.substr(plus + 1);
        const bool number = !digits.empty() && digits.size() < 16 &&
                            digits.find_first_not_of("0123456789") == std::string::npos;
        if (!number) j.fail("after '+' there must be a number of bytes, not '{}'", digits);
        f.add = std::stoull(digits);
        text.resize(plus);
    }
    if (!launch.buffer(text)) j.fail("there is no buffer '{}'; null is the null pointer", text);
    f.buffer = text;
}

uint64_t scalar_bits(const JsonReader& j, DType type) {
    const DTypeInfo& t = info(type);
    if (type == DType::u64) return j.unsigned_integer(0, UINT64_MAX);
    if (type == DType::i64) return uint64_t(j.integer(INT64_MIN, INT64_MAX));
    if (!t.is_float && type != DType::e8m0)
        return uint64_t(j.integer(int64_t(t.least), int64_t(t.most))) &
               (t.bits == 64 ? ~0ull : (1ull << t.bits) - 1);
    double value = 0;
    if (j.value.is_string()) {
        const std::string s = j.text();
        if (type == DType::e8m0 || (s != "inf" && s != "-inf" && s != "nan"))
            j.fail("must be a number, \"inf\", \"-inf\" or \"nan\", not {}", j.shown());
        value = s == "nan" ? NAN : s == "inf" ? INFINITY : -INFINITY;
    } else {
        value = j.number(t.least, t.most);
    }
    uint8_t image[8] = {};
    write_element(type, image, 0, value);
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i) bits |= uint64_t(image[i]) << (8 * i);
    return bits;
}

KernargField read_field(const JsonReader& j, const LaunchFile& launch) {
    j.expect_keys({"offset", "type", "value"});
    KernargField f;
    f.offset = uint32_t(j["offset"].unsigned_integer(0, kMaxKernarg));
    const JsonReader type = j["type"];
    if (type.text() == "ptr") {
        read_pointer(j["value"], launch, f);
    } else {
        const auto dtype = find_dtype(type.text());
        if (!dtype || info(*dtype).bits < 8)
            type.fail(
                "{} is no argument type; allowed: ptr and the element types of whole bytes "
                "({})",
                type.shown(), dtype_names());
        f.type = *dtype;
        f.bits = scalar_bits(j["value"], f.type);
    }
    const unsigned bytes = f.is_pointer ? 8 : info(f.type).bits / 8;
    if (f.offset > launch.kernarg_bytes || bytes > launch.kernarg_bytes - f.offset)
        j["offset"].fail("{} bytes at {} end past kernarg.size {}", bytes, f.offset,
                         launch.kernarg_bytes);
    return f;
}

void read_kernarg(const JsonReader& j, LaunchFile& launch) {
    j.expect_keys({"size", "fields"});
    launch.kernarg_bytes = uint32_t(j["size"].unsigned_integer(0, kMaxKernarg));
    const JsonReader fields = j["fields"];
    std::vector<int> owner(launch.kernarg_bytes, -1);
    for (size_t i = 0; i < fields.list_size(); ++i) {
        const KernargField f = read_field(fields[i], launch);
        const unsigned bytes = f.is_pointer ? 8 : info(f.type).bits / 8;
        for (unsigned byte = f.offset; byte < f.offset + bytes; ++byte) {
            if (owner[byte] >= 0)
                fields[i].fail("overlaps fields[{}] at byte {}", owner[byte], byte);
            owner[byte] = int(i);
        }
        launch.kernarg.push_back(f);
    }
}

// ---- check ----

std::string read_buffer_name(const JsonReader& j, const LaunchFile& launch) {
    const std::string name = j.text();
    if (!launch.buffer(name)) j.fail("there is no buffer '{}'", name);
    return name;
}

Tolerance read_tolerance(const JsonReader& j) {
    Tolerance t;
    if (j.value.is_number()) {
        t.frobenius_rel_err = j.number(0, kMost);
        return t;
    }
    j.expect_keys(
        {"row_rel_err_mean", "frobenius_rel_err", "max_abs_err", "cosine", "lse_max_abs_err"});
    auto read = [&](const char* key, std::optional<double>& bound, double most) {
        if (j.has(key)) bound = j[key].number(0, most);
    };
    read("row_rel_err_mean", t.row_rel_err_mean, kMost);
    read("frobenius_rel_err", t.frobenius_rel_err, kMost);
    read("max_abs_err", t.max_abs_err, kMost);
    read("cosine", t.cosine, 1);
    read("lse_max_abs_err", t.lse_max_abs_err, kMost);
    return t;
}

void read_scales(const JsonReader& j, const LaunchFile& launch, AttentionCheck& c) {
    j.expect_keys({"q", "k", "v"});
    const char* names[] = {"q", "k", "v"};
    for (unsigned i = 0; i < 3; ++i) {
        if (!j.has(names[i])) continue;
        const JsonReader s = j[names[i]];
        s.expect_keys({"buffer", "block", "axis"});
        CheckScale scale;
        scale.buffer = read_buffer_name(s["buffer"], launch);
        scale.block = s["block"].unsigned_integer(1, 1ull << 40);
        const std::string axis = s["axis"].text();
        if (axis != "d" && axis != "s") s["axis"].fail("must be \"d\" (channels) or \"s\" (rows)");
        scale.axis = axis[0];
        c.scales[i] = scale;
    }
}

AttentionCheck read_attention_check(const JsonReader& j, const LaunchFile& launch) {
    j.expect_keys({"kind", "q", "k", "v", "o", "lse", "causal", "scale", "descale", "scales",
                   "cu_q", "cu_k", "model", "tolerance"});
    AttentionCheck c;
    c.q = read_buffer_name(j["q"], launch);
    c.k = read_buffer_name(j["k"], launch);
    c.v = read_buffer_name(j["v"], launch);
    c.o = read_buffer_name(j["o"], launch);
    auto optional = [&](const char* key, std::string& name) {
        if (j.has(key) && !j[key].value.is_null()) name = read_buffer_name(j[key], launch);
    };
    optional("lse", c.lse);
    optional("cu_q", c.cu_q);
    optional("cu_k", c.cu_k);
    if (c.cu_q.empty() != c.cu_k.empty()) j.fail("needs both 'cu_q' and 'cu_k', or neither");
    if (j.has("causal")) c.causal = j["causal"].boolean();
    c.scale = j["scale"].number(-kMost, kMost);
    if (j.has("descale")) {
        const JsonReader d = j["descale"];
        d.list_size(3);
        for (size_t i = 0; i < 3; ++i) {
            if (d[i].value.is_string()) c.descale[i] = read_buffer_name(d[i], launch);
            else c.descale[i] = d[i].number(-kMost, kMost);
        }
    }
    if (j.has("scales")) read_scales(j["scales"], launch, c);
    if (j.has("model")) {
        c.model = j["model"].text();
        if (std::find(std::begin(kModels), std::end(kModels), c.model) == std::end(kModels))
            j["model"].fail("{} is no model; allowed: {}", j["model"].shown(),
                            fmt::join(kModels, ", "));
    }
    if (j.has("tolerance")) c.tolerance = read_tolerance(j["tolerance"]);
    return c;
}

// ---- the whole ----

std::array<uint32_t, 3> read_dims(const JsonReader& j, uint64_t most) {
    j.list_size(3);
    std::array<uint32_t, 3> dims;
    for (size_t i = 0; i < 3; ++i) dims[i] = uint32_t(j[i].unsigned_integer(1, most));
    return dims;
}

void read_size(const JsonReader& j, LaunchFile& launch) {
    launch.grid = read_dims(j["grid"], UINT32_MAX);
    launch.workgroup = read_dims(j["workgroup"], kMaxThreads);
    uint64_t threads = 1;
    for (unsigned i = 0; i < 3; ++i) {
        threads *= launch.workgroup[i];
        const uint64_t all = uint64_t(launch.grid[i]) * launch.workgroup[i];
        if (all > UINT32_MAX)
            j["grid"][i].fail(
                "{} workgroups of {} threads are {} threads on one axis; HIP's limit "
                "is 2^32 - 1",
                launch.grid[i], launch.workgroup[i], all);
    }
    if (threads > kMaxThreads)
        j["workgroup"].fail("has {} threads; at most {}", threads, kMaxThreads);
    if (j.has("dynamic_lds"))
        launch.dynamic_lds = uint32_t(j["dynamic_lds"].unsigned_integer(0, kLdsBytes));
}

}  // namespace

uint64_t LaunchBuffer::elements() const {
    uint64_t n = 1;
    for (uint64_t s : shape) n *= s;
    return n;
}

const LaunchBuffer* LaunchFile::buffer(std::string_view wanted) const {
    for (const LaunchBuffer& b : buffers)
        if (b.name == wanted) return &b;
    return nullptr;
}

std::filesystem::path LaunchFile::resolve(const std::string& path) const { return folder / path; }

std::filesystem::path LaunchFile::code_object_path() const {
    if (!code_object.starts_with(kAiterDir)) return resolve(code_object);
    const char* dir = std::getenv("ZYFA_AITER_DIR");
    if (!dir || !*dir)
        throw Error(
            fmt::format("{}: $.code_object: '{}' needs the environment variable "
                        "ZYFA_AITER_DIR, the folder of AITER's gfx950 code objects",
                        name, code_object));
    return std::filesystem::path(dir) / code_object.substr(kAiterDir.size() + 1);
}

LaunchFile parse_launch_file(std::string_view text, std::string name,
                             std::filesystem::path folder) {
    const nlohmann::json root = parse_json(text, name);
    const JsonReader j(root, name);
    j.expect_keys({"code_object", "kernel", "grid", "workgroup", "dynamic_lds", "buffers",
                   "kernarg", "check", "dump"});
    LaunchFile launch;
    launch.name = std::move(name);
    launch.folder = std::move(folder);
    launch.code_object = j["code_object"].text();
    if (launch.code_object.empty()) j["code_object"].fail("must name a file");
    const size_t dollar = launch.code_object.find("${");
    if (dollar != std::string::npos &&
        !(dollar == 0 && launch.code_object.starts_with(std::string(kAiterDir) + "/")))
        j["code_object"].fail("the only variable is {}/, at the start", kAiterDir);
    if (j.has("kernel")) launch.kernel = j["kernel"].text();
    read_size(j, launch);
    j["buffers"].expect_object();
    for (const auto& [key, unused] : root["buffers"].items())
        launch.buffers.push_back(read_buffer(j["buffers"][key], key));
    check_packed(j["buffers"], launch);
    read_kernarg(j["kernarg"], launch);
    if (j.has("check")) {
        const std::string kind = j["check"]["kind"].text();
        if (kind == "attention") launch.check = read_attention_check(j["check"], launch);
        else if (kind == "none") j["check"].expect_keys({"kind"});
        else j["check"]["kind"].fail("must be \"none\" or \"attention\", not \"{}\"", kind);
    }
    if (j.has("dump")) {
        j["dump"].expect_object();
        for (const auto& [key, unused] : root["dump"].items()) {
            if (!launch.buffer(key)) j["dump"].fail("there is no buffer '{}'", key);
            launch.dump[key] = j["dump"][key].text();
        }
    }
    return launch;
}

LaunchFile load_launch_file(const std::filesystem::path& path) {
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    return parse_launch_file(read_text(path), path.string(), folder);
}

}  // namespace zyfa
