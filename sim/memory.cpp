#include "sim/memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "isa/error.hpp"

namespace zyfa {

uint64_t Memory::allocate(std::string name, uint64_t bytes, uint64_t align, uint64_t guard) {
    if (align == 0 || (align & (align - 1)))
        throw Error(fmt::format("buffer {}: alignment {} is not a power of two", name, align));
    auto made = std::make_unique<Allocation>();
    made->name = std::move(name);
    made->address = (next_ + guard + align - 1) & ~(align - 1);
    made->bytes = bytes;
    made->guard = guard;
    made->store.assign(bytes + 2 * guard, kGuardByte);
    std::fill_n(made->data(), bytes, uint8_t(0));
    uint64_t address = made->address;
    // A hole of at least 64 KiB keeps neighbours apart, so that a stray access hits nothing.
    next_ = (address + bytes + guard + 0x1ffff) & ~uint64_t(0xffff);
    if (next_ >> 48) throw Error("the simulator's 48-bit address space is used up");
    allocations_.emplace(address, std::move(made));
    return address;
}

void Memory::release(uint64_t address) {
    auto it = allocations_.find(address);
    if (it == allocations_.end())
        throw Error(fmt::format("no allocation starts at {:#x}", address));
    released_[address] = {std::move(it->second->name), address, it->second->bytes};
    allocations_.erase(it);
}

const Memory::Released* Memory::released(uint64_t address) const {
    auto it = released_.upper_bound(address);
    if (it == released_.begin()) return nullptr;
    const Released& r = std::prev(it)->second;
    return address - r.address < r.bytes ? &r : nullptr;
}

void Memory::forget(uint64_t address) {
    Allocation& a = *allocations_.at(address);
    a.unset.assign(a.bytes, 1);
}

const uint8_t* Memory::find(uint64_t address, uint64_t bytes) const {
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) return nullptr;
    const Allocation& a = *std::prev(it)->second;
    uint64_t offset = address - a.address;
    if (offset > a.bytes || bytes > a.bytes - offset) return nullptr;
    return a.data() + offset;
}

uint8_t* Memory::find(uint64_t address, uint64_t bytes) {
    return const_cast<uint8_t*>(std::as_const(*this).find(address, bytes));
}

Memory::Window Memory::window(uint64_t address) {
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) return {};
    Allocation& a = *std::prev(it)->second;
    if (address - a.address >= a.bytes) return {};
    return {a.address, a.address + a.bytes, a.data(), a.unset.empty() ? nullptr : a.unset.data()};
}

std::string Memory::describe(uint64_t address) const {
    if (const Released* r = released(address))
        return fmt::format("{} + {} of {} bytes, which was released", r->name, address - r->address,
                           r->bytes);
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) return "below every allocation";
    const Allocation& a = *std::prev(it)->second;
    uint64_t offset = address - a.address;
    if (offset < a.bytes) return fmt::format("{} + {} of {} bytes", a.name, offset, a.bytes);
    return fmt::format("{} bytes past the end of {}", offset - a.bytes, a.name);
}

void Memory::write(uint64_t address, std::span<const uint8_t> bytes) {
    uint8_t* at = find(address, bytes.size());
    if (!at)
        throw Error(fmt::format("write of {} bytes at {:#x}: {}", bytes.size(), address,
                                describe(address)));
    if (bytes.empty()) return;
    std::memcpy(at, bytes.data(), bytes.size());
    Window w = window(address);
    if (w.unset) std::memset(w.unset + (at - w.data), 0, bytes.size());
}

void Memory::read(uint64_t address, std::span<uint8_t> bytes) const {
    const uint8_t* at = find(address, bytes.size());
    if (!at)
        throw Error(
            fmt::format("read of {} bytes at {:#x}: {}", bytes.size(), address, describe(address)));
    if (!bytes.empty()) std::memcpy(bytes.data(), at, bytes.size());
}

std::span<uint8_t> Memory::bytes_of(const std::string& name) {
    for (auto& [address, a] : allocations_)
        if (a->name == name) return {a->data(), a->bytes};
    throw Error(fmt::format("no buffer is named {}", name));
}

uint64_t Memory::address_of(const std::string& name) const {
    for (auto& [address, a] : allocations_)
        if (a->name == name) return address;
    throw Error(fmt::format("no buffer is named {}", name));
}

std::vector<std::string> Memory::broken_guards() const {
    std::vector<std::string> broken;
    for (auto& [address, a] : allocations_) {
        auto intact = [](uint8_t b) { return b == kGuardByte; };
        auto first = a->store.begin();
        bool ok = std::all_of(first, first + a->guard, intact) &&
                  std::all_of(first + a->guard + a->bytes, a->store.end(), intact);
        if (!ok) broken.push_back(a->name);
    }
    return broken;
}

}  // namespace zyfa
