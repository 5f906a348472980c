// What an instruction costs on one machine, worked out once for each place in the code.
#pragma once

#include <optional>
#include <vector>

#include "sim/timing/timing.hpp"
#include "sim/wave.hpp"

namespace zyfa::sim {

struct Cost {
    Category category = Category::internal;
    uint16_t port = 0;    // cycles of the vector port, or of the vector memory path
    uint16_t slot = 0;    // cycles until the wave may try its next instruction
    uint32_t idle = 0;    // the same beyond the slot: s_nop, s_sleep
    uint16_t fetch = 0;   // cycles more because it straddles a fetch boundary
    uint16_t pipe = 0;    // cycles of the matrix pipe
    uint16_t result = 0;  // cycles until its result may be used; 0: at once, or a counter says so
    uint16_t packed = 0;  // matrix: cycles until a packed f32 instruction may follow
    bool no_overlap = false;  // waits for the matrix pipe, though it does not use it
    bool scaled = false;      // matrix instruction with block scales
    bool useful = false;      // see TimingOptions::useful
    uint16_t lds = 0;         // cycles of LDS when nothing is known of the addresses
    std::optional<LdsAccess> access;
    Op chain = Op::s_nop;  // matrix: instructions of one chain pass accumulators on at once
};

std::vector<Cost> costs(const Code&, const TimingOptions&);

}  // namespace zyfa::sim
