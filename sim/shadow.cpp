#include "sim/shadow.hpp"

#include <algorithm>

namespace zyfa::sim {

void note_outside(Wave& w, const Step& s, const char* what, unsigned bytes, uint64_t address,
                  int lane) {
    const Memory& memory = *w.group->memory;
    w.note(
        memory.released(address) ? "USE-AFTER-FREE" : "OUT-OF-BOUNDS", Severity::error, s, nullptr,
        fmt::format("{} of {} bytes at {:#x}: {}", what, bytes, address, memory.describe(address)),
        lane, address);
}

void read_shadow(Wave& w, const Step& s, const Memory::Window& window, uint64_t address,
                 unsigned bytes, int lane) {
    if (!w.group->options->uninitialised_memory) return;
    const uint8_t* first = window.unset + (address - window.first);
    const uint8_t* bad = std::find(first, first + bytes, uint8_t(1));
    if (bad == first + bytes) return;
    uint64_t at = address + uint64_t(bad - first);
    w.note("UNINIT-MEMORY", Severity::warning, s, nullptr,
           fmt::format("reads memory that nothing has written: {}", w.group->memory->describe(at)),
           lane, at);
}

void write_shadow(const Memory::Window& window, uint64_t address, unsigned bytes) {
    std::fill_n(window.unset + (address - window.first), bytes, uint8_t(0));
}

}  // namespace zyfa::sim
