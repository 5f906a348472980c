// Device memory of the simulator: named allocations with guard bytes in a 48-bit address space.
// An access that is not inside one allocation does not reach any byte and is reported. Several
// threads may read and write at once; allocate() and release() may not run beside them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zyfa {

class Memory {
public:
    // First address handed out. High on purpose: kernels that lose the upper half of an address
    // fault here.
    static constexpr uint64_t kBase = 0x7f00'0000'0000;
    static constexpr uint8_t kGuardByte = 0xc5;

    struct Allocation {
        std::string name;
        uint64_t address = 0, bytes = 0, guard = 0;
        std::vector<uint8_t> store;  // guard, bytes, guard
        uint8_t* data() { return store.data() + guard; }
        const uint8_t* data() const { return store.data() + guard; }
        std::vector<uint8_t> unset;  // after forget(), by byte: 1 = nothing has written it
    };
    struct Released {
        std::string name;
        uint64_t address = 0, bytes = 0;
    };

    // `align` is a power of two; `guard` bytes stand before and after and keep kGuardByte.
    uint64_t allocate(std::string name, uint64_t bytes, uint64_t align = 256,
                      uint64_t guard = 4096);
    void release(uint64_t address);
    // What was at an address that is free again; addresses are never given out twice.
    const Released* released(uint64_t address) const;
    // The bytes of an allocation count as unset until they are written: a read of them is reported.
    void forget(uint64_t address);

    // nullptr if [address, address + bytes) is not wholly inside one allocation.
    uint8_t* find(uint64_t address, uint64_t bytes);
    const uint8_t* find(uint64_t address, uint64_t bytes) const;
    // The allocation around an address, for many accesses in a row; empty if there is none.
    struct Window {
        uint64_t first = 0, end = 0;
        uint8_t* data = nullptr;
        uint8_t* unset = nullptr;  // null: all bytes have been set
        uint8_t* find(uint64_t address, uint64_t bytes) const {
            return address >= first && address < end && bytes <= end - address
                       ? data + (address - first)
                       : nullptr;
        }
    };
    Window window(uint64_t address);
    // The allocation that holds or is nearest below `address`; for messages.
    std::string describe(uint64_t address) const;

    // For the host side. Error if outside.
    void write(uint64_t address, std::span<const uint8_t> bytes);
    void read(uint64_t address, std::span<uint8_t> bytes) const;
    std::span<uint8_t> bytes_of(const std::string& name);
    uint64_t address_of(const std::string& name) const;

    // Names of allocations whose guard bytes have changed (a host-side write went astray: waves
    // cannot reach them).
    std::vector<std::string> broken_guards() const;
    const std::map<uint64_t, std::unique_ptr<Allocation>>& allocations() const {
        return allocations_;
    }

private:
    std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;  // by address
    std::map<uint64_t, Released> released_;                        // by address
    uint64_t next_ = kBase;
};

}  // namespace zyfa
