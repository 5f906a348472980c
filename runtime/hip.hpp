// A card through AMD's HIP runtime: memory, and launches of code objects. libamdhip64.so is looked
// for when this is made, so that nothing of ROCm is needed to build or to do without.
// Source of names, types and values: HIP documentation, "Module management" and "Memory
// management" (vendor text); the library itself was not at hand here.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace zyfa {

class Hip {
public:
    // Device 0. Error (Exit::unsupported): no library, one without a function that is needed, or no
    // device; the text names which.
    Hip();
    ~Hip();
    Hip(const Hip&) = delete;

    std::string device() const;  // as the runtime names it
    uint64_t allocate(uint64_t bytes);
    void release(uint64_t address);
    void write(uint64_t address, std::span<const uint8_t>);
    void read(uint64_t address, std::span<uint8_t>);
    // Waits for the end. `grid`: workgroups; `threads`: of a workgroup.
    void launch(std::span<const uint8_t> code_object, const std::string& kernel,
                const std::array<uint32_t, 3>& grid, unsigned threads,
                std::span<const uint8_t> kernarg);

private:
    struct Library;
    std::unique_ptr<Library> library_;
    std::string device_;
};

}  // namespace zyfa
