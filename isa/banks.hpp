// LDS bank conflicts of one wave access: which lanes are served together comes from the machine
// file (lds_phases), measured where that was possible. Lanes of one phase that need different rows
// of the same bank wait for one another; the same 4 bytes are fetched once.
// Used by LDS layouts at build time and by the timing model; both so mean the same by "conflict".
#pragma once

#include <span>

#include "isa/machine.hpp"

namespace zyfa {

struct BankUse {
    unsigned minimal = 0;  // phases without any conflict
    unsigned needed = 0;   // phases with the waiting rows; times lds/phase_cycles = cycles
    // The longest wait of one bank: the two first lanes of it, or -1.
    unsigned bank = 0, rows = 0;
    int lane_a = -1, lane_b = -1;

    bool conflict_free() const { return needed == minimal; }
};

// byte_address: of each lane's first byte. Lanes outside `active` are not served.
// Error: an active address that is not a multiple of the lane's width.
BankUse bank_use(LdsAccess, std::span<const uint32_t, 64> byte_address, uint64_t active = ~0ull,
                 const Machine& = mi355x());

// The phases alone, for addresses that need not be aligned (a word is then where it starts): the
// same count as bank_use().needed, and many times faster.
unsigned phases_needed(LdsAccess, std::span<const uint64_t, 64> byte_address, uint64_t active,
                       const Machine&);

// The access kind of an LDS instruction or direct-to-LDS load.
std::optional<LdsAccess> lds_access(Op);

}  // namespace zyfa
