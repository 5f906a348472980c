// LDS of one workgroup: bytes, which of them were ever written, and a watch for unordered accesses.
//
// Two accesses by different waves to one word, at least one a write, are ordered only if one was
// known complete (its covering s_waitcnt had run) before an s_barrier that the other was issued
// after. This holds or not whatever the interleaving that was actually run. An access is checked
// when it completes, against what is recorded of the word: its last writer and the readers of the
// two newest epochs (epoch = barriers that the wave had passed). Loads that write LDS directly
// also mark their words from issue to arrival.
#pragma once

#include <cstdint>
#include <vector>

namespace zyfa::sim {

struct Step;

struct Lds {
    static constexpr uint8_t kNobody = 0xff, kMany = 0xfe;
    struct Write {
        uint32_t done = 0;
        const Step* step = nullptr;
    };
    struct Read {
        uint32_t done = 0;
        uint32_t waves = 0;
        const Step* step = nullptr;
    };

    std::vector<uint8_t> bytes;
    std::vector<uint8_t> written;      // by word
    std::vector<uint8_t> flight_wave;  // by word: wave whose direct-to-LDS load is under way
    std::vector<const Step*> flight_step;
    std::vector<uint8_t> writer;     // wave of `writes`
    std::vector<uint8_t> by_atomic;  // the last write was an atomic
    std::vector<Write> writes;
    std::vector<Read> reads[2];  // newest epoch first

    // Poisons all bytes; the pattern depends on the seed and is a NaN in f32, bf16 and e4m3.
    void reset(uint32_t bytes, uint64_t seed);
    uint32_t size() const { return uint32_t(bytes.size()); }

    struct Clash {
        const Step* step = nullptr;
        int wave = -1;
    };
    // Records an access that completes now; the answer names an access that it is not ordered with.
    Clash record_read(uint32_t word, unsigned wave, uint32_t issued, uint32_t done, const Step*);
    Clash record_write(uint32_t word, unsigned wave, uint32_t issued, uint32_t done, const Step*);
    // Atomics need no order among themselves.
    Clash record_atomic(uint32_t word, unsigned wave, uint32_t issued, uint32_t done, const Step*);
};

}  // namespace zyfa::sim
