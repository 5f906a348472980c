// Compiles a HIP file of this folder with clang-22 for gfx950, runs its kernels in the simulator.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>

#include "isa/file.hpp"
#include "sim/code_object.hpp"

namespace zyfa::test {

inline bool has_clang() {
    static const bool has = [] {
        const bool found = std::system("clang-22 --version > /dev/null 2>&1") == 0;
        if (!found) WARN("skipped: there is no clang-22 to compile HIP kernels with");
        return found;
    }();
    return has;
}

// `options`: "-O0", "-O3"; anything else that clang takes.
inline const CodeObject& compiled(const std::string& file, const std::string& options) {
    static std::map<std::string, CodeObject> cache;
    const std::string key = file + ' ' + options;
    if (auto at = cache.find(key); at != cache.end()) return at->second;
    const std::string source = std::string(ZYFA_SOURCE_DIR) + "/tests/hip/" + file;
    std::string pattern = (std::filesystem::temp_directory_path() / "zyfa-hip-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()));
    const std::string out = pattern + "/a.co";
    const std::string command =
        "clang-22 -x hip --cuda-device-only --no-gpu-bundle-output --offload-arch=gfx950 -nogpuinc "
        "-nogpulib -I" ZYFA_SOURCE_DIR " " +
        options + " " + source + " -o " + out;
    REQUIRE(std::system(command.c_str()) == 0);
    CodeObject object = load_code_object(out);
    std::filesystem::remove_all(pattern);
    return cache.emplace(key, std::move(object)).first->second;
}

// One kernel run: buffers, then arguments in order.
struct Run {
    Memory memory;
    std::vector<uint8_t> kernarg;
    std::vector<std::pair<const void*, uint64_t>> arguments;
    Result result;
    Options options;
    uint32_t dynamic_lds = 0;
    std::vector<std::vector<uint8_t>> plain;

    template <class T>
    uint64_t buffer(const std::vector<T>& content) {
        const uint64_t at = memory.allocate(fmt::format("buffer {}", memory.allocations().size()),
                                            content.size() * sizeof(T));
        memory.write(
            at, {reinterpret_cast<const uint8_t*>(content.data()), content.size() * sizeof(T)});
        return at;
    }
    template <class T>
    std::vector<T> read(uint64_t at, size_t count) const {
        std::vector<T> out(count);
        memory.read(at, {reinterpret_cast<uint8_t*>(out.data()), count * sizeof(T)});
        return out;
    }
    template <class... A>
    void operator()(const CodeObject& object, const std::string& name, std::array<uint32_t, 3> grid,
                    std::array<uint32_t, 3> workgroup, A... values) {
        const KernelInfo& kernel = object.kernel(name);
        Launch launch;
        launch.code = object.code;
        launch.setup = setup_of(object, kernel);
        launch.grid = grid;
        launch.workgroup = workgroup;
        launch.dynamic_lds = dynamic_lds;
        launch.image = object.image.get();
        launch.kernarg.resize(kernel.kernarg_bytes);
        fill_hidden_arguments(kernel, grid, workgroup, dynamic_lds, launch.kernarg);
        unsigned n = 0;
        const auto put = [&](auto value) {
            REQUIRE(n < kernel.arguments.size());
            const KernelArgument& a = kernel.arguments[n++];
            REQUIRE(a.size == sizeof value);
            std::memcpy(launch.kernarg.data() + a.offset, &value, sizeof value);
        };
        (put(values), ...);
        options.threads = 1;
        result = zyfa::run(launch, memory, options);
        for (const Finding& f : result.findings)
            if (f.severity == Severity::error) {
                FAIL_CHECK(name << ": " << f.rule << " at " << f.text << ": " << f.message << "  "
                                << f.other);
                break;
            }
    }
};

struct Numbers {
    std::mt19937 engine{12345};
    uint32_t u32() { return uint32_t(engine()); }
    uint64_t u64() { return uint64_t(u32()) << 32 | u32(); }
    int between(int low, int high) { return low + int(u32() % uint32_t(high - low + 1)); }
    float real(float low, float high) { return low + (high - low) * float(u32() >> 8) * 0x1p-24f; }
    template <class T, class F>
    std::vector<T> many(size_t n, F f) {
        std::vector<T> out(n);
        for (T& x : out) x = T(f());
        return out;
    }
};

}  // namespace zyfa::test
