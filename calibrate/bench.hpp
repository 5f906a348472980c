// Bench: the frame around a timed body. Each wave repeats a round as often as the launch says:
// all waves meet at a barrier, s_memtime, the body, a wait for all that it asked for, s_memtime;
// the difference goes to memory. The first round fills the caches and counts for nothing. A frame
// without a body is what has to be subtracted.
//
// Output: for each workgroup, round and wave two words: cycles of s_memtime, ticks of
// s_memrealtime (100 MHz). Lower waves may run one body and upper waves another.
#pragma once

#include <functional>
#include <span>

#include "dsl/kernel.hpp"

namespace zyfa {

// Kernel arguments of every probe; offsets in bytes.
inline constexpr uint32_t kProbeArgsBytes = 24, kProbeOut = 0, kProbeData = 8, kProbeRounds = 16;
inline constexpr unsigned kProbeWords = 2;  // of output, by workgroup, round and wave

struct BenchOptions {
    unsigned waves = 1;
    uint64_t lanes = ~uint64_t(0);  // exec while the body runs
    bool two_bodies = false;        // waves from waves / 2 on run the second
};

class Bench {
public:
    Bench(std::string name, const BenchOptions&);

    Kernel k;
    // Registers for a body, zero at its start.
    template <unsigned N>
    Vgpr<N> zeros(std::string_view name) {
        const Vgpr<N> r = k.vgpr<N>(name);
        for (unsigned n = 0; n < N; ++n) k.v_mov_b32(r[n], 0);
        return r;
    }
    Sgpr<2> data();                 // address of the data buffer
    Vgpr<1> lane();                 // 0..63
    Sgpr<1> rounds_left();          // with this one
    void zero_lds(uint32_t bytes);  // allocates LDS and clears the first 4 KiB of it

    using Emitted = std::function<void()>;
    // Writes the whole kernel around what the bodies emit. `upper` may be empty.
    Program finish(const Emitted& lower, const Emitted& upper);

    // Sections whose first instruction is the opening s_memtime: the body starts this many bytes
    // behind it (s_memtime, s_memrealtime, s_waitcnt).
    static constexpr std::string_view kOpening = "opening", kBody = "body";

private:
    void timed(const Emitted& body);
    BenchOptions options_;
    Sgpr<2> out_, data_, opened_, opened_real_, closed_, closed_real_;
    Sgpr<1> rounds_, wave_;
    Vgpr<1> lane_, place_;
};

}  // namespace zyfa
