// Device memory as the checks see it: accesses outside every allocation, inside one that was
// released, and reads of bytes that nothing has written. The bytes themselves are sim/memory.hpp's.
#pragma once

#include "sim/wave.hpp"

namespace zyfa::sim {

// USE-AFTER-FREE or OUT-OF-BOUNDS. `what`: "load", "store", ...; lane -1: a scalar access.
void note_outside(Wave&, const Step&, const char* what, unsigned bytes, uint64_t address, int lane);

// To be called for each access that has found its bytes, when the window has a shadow.
void read_shadow(Wave&, const Step&, const Memory::Window&, uint64_t address, unsigned bytes,
                 int lane);
void write_shadow(const Memory::Window&, uint64_t address, unsigned bytes);

}  // namespace zyfa::sim
