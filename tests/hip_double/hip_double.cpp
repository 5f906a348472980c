// A HIP runtime without a card, for the way there and back: memory is the host's, a launch checks
// what it is given and fills the output with 1000 cycles and 50 ticks of 100 MHz for each wave, the
// records of a kernel with probes with times 1000 cycles apart.
// It says nothing about AMD's library beyond the names and the calls that HIP documents.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "calibrate/bench.hpp"
#include "isa/stamps.hpp"
#include "kernels/abi.hpp"

extern "C" {

int hipInit(unsigned) { return 0; }
int hipGetDeviceCount(int* count) {
    *count = std::getenv("HIP_DOUBLE_NO_DEVICE") ? 0 : 1;
    return 0;
}
int hipSetDevice(int device) { return device; }
int hipDeviceGetName(char* name, int bytes, int) {
    std::strncpy(name, "double of a card", size_t(bytes));
    return 0;
}
int hipMalloc(void** address, size_t bytes) {
    *address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *address ? 0 : 2;
}
int hipFree(void* address) {
    std::free(address);
    return 0;
}
int hipMemcpy(void* to, const void* from, size_t bytes, int) {
    std::memcpy(to, from, bytes);
    return 0;
}
int hipModuleLoadData(void** module, const void* image) {
    *module = const_cast<void*>(image);
    return std::memcmp(image,
                       "\x7f"
                       "ELF",
                       4) == 0 &&
                   !std::getenv("HIP_DOUBLE_OTHER_ARCH")
               ? 0
               : 209;
}
int hipModuleUnload(void*) { return 0; }
int hipModuleGetFunction(void** function, void* module, const char* name) {
    *function = module;
    return *name ? 0 : 500;
}
int hipModuleLaunchKernel(void*, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned, void*, void** params, void** extra) {
    if (params || by != 1 || bz != 1 || bx % 64) return 1;
    if (extra[0] != reinterpret_cast<void*>(1) || extra[2] != reinterpret_cast<void*>(2) ||
        extra[4] != reinterpret_cast<void*>(3))
        return 1;
    const auto* args = static_cast<const uint8_t*>(extra[1]);
    const size_t bytes = *static_cast<size_t*>(extra[3]);
    uint32_t* out = nullptr;
    if (const uint32_t at = zyfa::stamp_args_at(zyfa::kAttentionArgsBytes);
        bytes == at + zyfa::kStampArgsBytes) {
        uint32_t grid[2];
        std::memcpy(&out, args + at, 8);
        std::memcpy(grid, args + at + zyfa::kStampGridX, 8);
        if (grid[0] != gx || grid[1] != gy) return 1;
        for (size_t n = 0; n < size_t(gx) * gy * gz * (bx / 64) * zyfa::kStampWords; ++n)
            out[n] = uint32_t(5000 + 1000 * (n % zyfa::kStampWords));
        return 0;
    }
    if (gy != 1 || gz != 1 || bytes != zyfa::kProbeArgsBytes) return 1;
    uint32_t rounds = 0;
    std::memcpy(&out, args + zyfa::kProbeOut, 8);
    std::memcpy(&rounds, args + zyfa::kProbeRounds, 4);
    for (size_t n = 0; n < size_t(gx) * rounds * (bx / 64); ++n)
        out[2 * n] = 1000, out[2 * n + 1] = 50;
    return 0;
}
int hipDeviceSynchronize() { return 0; }
const char* hipGetErrorString(int) { return "an error of the double"; }
}
