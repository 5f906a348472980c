#include "runtime/hip.hpp"

#include <dlfcn.h>

#include "isa/error.hpp"

namespace zyfa {

namespace {

constexpr int kSuccess = 0, kHostToDevice = 1, kDeviceToHost = 2;
// Keys of hipModuleLaunchKernel's `extra`.
void* const kBufferPointer = reinterpret_cast<void*>(1);
void* const kBufferSize = reinterpret_cast<void*>(2);
void* const kEnd = reinterpret_cast<void*>(3);

constexpr const char* kNames[] = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6"};

}  // namespace

struct Hip::Library {
    void* handle = nullptr;
    int (*init)(unsigned) = nullptr;
    int (*device_count)(int*) = nullptr;
    int (*set_device)(int) = nullptr;
    int (*device_name)(char*, int, int) = nullptr;
    int (*allocate)(void**, size_t) = nullptr;
    int (*release)(void*) = nullptr;
    int (*copy)(void*, const void*, size_t, int) = nullptr;
    int (*load)(void**, const void*) = nullptr;
    int (*unload)(void*) = nullptr;
    int (*function)(void**, void*, const char*) = nullptr;
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**) = nullptr;
    int (*synchronize)() = nullptr;
    const char* (*error_text)(int) = nullptr;

    Library() {
        std::string why;
        for (const char* name : kNames) {
            handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (handle) break;
            if (why.empty()) why = dlerror();
        }
        if (!handle)
            throw Error("no HIP runtime on this machine: " + why +
                            "; a card needs AMD's ROCm (or LD_LIBRARY_PATH with the folder of "
                            "libamdhip64.so)",
                        Exit::unsupported);
        find(init, "hipInit");
        find(device_count, "hipGetDeviceCount");
        find(set_device, "hipSetDevice");
        find(device_name, "hipDeviceGetName");
        find(allocate, "hipMalloc");
        find(release, "hipFree");
        find(copy, "hipMemcpy");
        find(load, "hipModuleLoadData");
        find(unload, "hipModuleUnload");
        find(function, "hipModuleGetFunction");
        find(launch, "hipModuleLaunchKernel");
        find(synchronize, "hipDeviceSynchronize");
        find(error_text, "hipGetErrorString");
    }
    // Not closed: the runtime has threads of its own.

    template <class F>
    void find(F& f, const char* name) {
        f = reinterpret_cast<F>(dlsym(handle, name));
        if (!f) throw Error(fmt::format("the HIP runtime has no {}", name), Exit::unsupported);
    }
    void check(int status, const char* what) const {
        if (status == kSuccess) return;
        const char* text = error_text(status);
        throw Error(fmt::format("{}: {} ({})", what, text ? text : "unknown error", status),
                    Exit::unsupported);
    }
};

Hip::Hip() : library_(std::make_unique<Library>()) {
    const Library& l = *library_;
    l.check(l.init(0), "hipInit");
    int count = 0;
    l.check(l.device_count(&count), "hipGetDeviceCount");
    if (count == 0) throw Error("the HIP runtime sees no device", Exit::unsupported);
    l.check(l.set_device(0), "hipSetDevice");
    char name[256] = {};
    l.check(l.device_name(name, int(sizeof name) - 1, 0), "hipDeviceGetName");
    device_ = name;
}
Hip::~Hip() = default;

std::string Hip::device() const { return device_; }

uint64_t Hip::allocate(uint64_t bytes) {
    void* address = nullptr;
    library_->check(library_->allocate(&address, bytes), "hipMalloc");
    return reinterpret_cast<uint64_t>(address);
}
void Hip::release(uint64_t address) {
    library_->check(library_->release(reinterpret_cast<void*>(address)), "hipFree");
}
void Hip::write(uint64_t address, std::span<const uint8_t> bytes) {
    library_->check(
        library_->copy(reinterpret_cast<void*>(address), bytes.data(), bytes.size(), kHostToDevice),
        "hipMemcpy to the device");
}
void Hip::read(uint64_t address, std::span<uint8_t> bytes) {
    library_->check(library_->copy(bytes.data(), reinterpret_cast<const void*>(address),
                                   bytes.size(), kDeviceToHost),
                    "hipMemcpy from the device");
}

void Hip::launch(std::span<const uint8_t> code_object, const std::string& kernel,
                 const std::array<uint32_t, 3>& grid, unsigned threads,
                 std::span<const uint8_t> kernarg) {
    const Library& l = *library_;
    void *module = nullptr, *function = nullptr;
    l.check(l.load(&module, code_object.data()),
            ("hipModuleLoadData of " + kernel + " (made for gfx950)").c_str());
    l.check(l.function(&function, module, kernel.c_str()), "hipModuleGetFunction");
    size_t bytes = kernarg.size();
    void* extra[] = {kBufferPointer, const_cast<uint8_t*>(kernarg.data()), kBufferSize, &bytes,
                     kEnd};
    l.check(
        l.launch(function, grid[0], grid[1], grid[2], threads, 1, 1, 0, nullptr, nullptr, extra),
        ("hipModuleLaunchKernel of " + kernel).c_str());
    l.check(l.synchronize(), ("hipDeviceSynchronize behind " + kernel).c_str());
    l.check(l.unload(module), "hipModuleUnload");
}

}  // namespace zyfa
