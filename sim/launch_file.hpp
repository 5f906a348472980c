// The launch file: one JSON document that says which kernel of which code object runs on which
// buffers, and how its output is judged. Strict: an unknown or repeated key, a wrong type or an
// impossible value is an Error with the JSON path and what would be allowed.
// Format: docs/launch-file.md. Reading it touches no other file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/dtype.hpp"

namespace zyfa {

enum class Init : uint8_t { zeros, ones, poison, normal, arange, uniform, file, values, packed };

struct LaunchBuffer {
    std::string name;
    std::vector<uint64_t> shape, strides;  // elements; strides are always filled in
    DType dtype = DType::u8;
    uint64_t bytes = 0;  // what shape and strides span, or what the file asks for
    Init init = Init::zeros;
    double low = 0, high = 1;  // uniform
    std::string file;          // init file, as written
    std::string layout;        // init packed: sim/packing.hpp
    std::vector<std::string> from;
    std::vector<double> values;  // init values, in row-major order of the shape
    uint64_t seed = 0;           // normal, uniform; poison: 0 = all ones (a NaN in every float)
    double scale = 1;            // multiplies zeros .. uniform
    uint64_t guard = 4096;       // bytes before and after
    bool released = false;       // freed again before the kernel starts

    uint64_t elements() const;
};

struct KernargField {
    uint32_t offset = 0;
    bool is_pointer = false;
    DType type = DType::u64;
    std::string buffer;  // pointer: empty = null
    uint64_t add = 0;    // pointer: bytes after the start of the buffer ("name+256")
    uint64_t bits = 0;   // scalar: little-endian image
};

struct CheckScale {
    std::string buffer;
    uint64_t block = 1;
    char axis = 'd';  // 'd' channels, 's' rows
};

// Bounds on the error figures; absent = not judged.
struct Tolerance {
    std::optional<double> row_rel_err_mean, frobenius_rel_err, max_abs_err, cosine, lse_max_abs_err;
};

struct AttentionCheck {
    std::string q, k, v, o;
    std::string lse, cu_q, cu_k;  // empty: none
    bool causal = false;
    double scale = 1;
    std::array<std::variant<double, std::string>, 3> descale{1.0, 1.0, 1.0};  // number or buffer
    std::array<std::optional<CheckScale>, 3> scales;                          // of q, k, v
    std::string model = "exact";
    Tolerance tolerance;
};

struct LaunchFile {
    std::string name;              // for messages
    std::filesystem::path folder;  // that paths in the file start from
    std::string code_object;       // as written; code_object_path() is what to open
    std::string kernel;            // empty: the only one
    std::array<uint32_t, 3> grid{1, 1, 1}, workgroup{64, 1, 1};
    uint32_t dynamic_lds = 0;
    std::vector<LaunchBuffer> buffers;  // in order of name
    uint32_t kernarg_bytes = 0;
    std::vector<KernargField> kernarg;
    std::optional<AttentionCheck> check;
    std::map<std::string, std::string> dump;  // buffer to file, as written

    const LaunchBuffer* buffer(std::string_view name) const;
    // A leading ${ZYFA_AITER_DIR} is replaced by that variable's value (no other one is): the
    // folder of AITER's gfx950 code objects, which are not part of this project.
    std::filesystem::path code_object_path() const;
    std::filesystem::path resolve(const std::string& path) const;
};

LaunchFile parse_launch_file(std::string_view text, std::string name,
                             std::filesystem::path folder = ".");
LaunchFile load_launch_file(const std::filesystem::path&);

// The text that parses to the same launch. Floating-point arguments are written as the bits they
// are.
std::string print_launch_file(const LaunchFile&);

}  // namespace zyfa
