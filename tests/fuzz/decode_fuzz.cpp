// Any bytes as machine code: every one of them is decoded or comes back as .long, in order and
// without a gap, and what is known can be printed.
#include <cstdlib>

#include "isa/llvm/mc.hpp"
#include "isa/text.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/sim/objects.hpp"

using namespace zyfa;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    size = std::min<size_t>(size, 4096) & ~size_t(3);
    uint32_t next = 0;
    for (const Decoded& d : decode({data, size})) {
        if (d.address != next) std::abort();
        next += d.bytes;
        if (d.known && print(d.inst).empty()) std::abort();
    }
    if (next != size) std::abort();
    return 0;
}

std::vector<std::vector<uint8_t>> test::fuzz_seeds() {
    // A word of each format, so that mutation reaches all of them.
    static constexpr uint32_t kWords[] = {
        0x7e0202f2, 0xd3ae8000, 0x02040d10, 0xbf8c0f70, 0xc0060080, 0x00000000, 0xe0501000,
        0x80050100, 0xd86c0000, 0x00000001, 0xdc508000, 0x007f0000, 0xd3b04000, 0x1c0e0501,
        0x7e0202f9, 0x06060601, 0x7e0202fa, 0xff011101, 0xd3ac0000, 0x000a1314, 0xd3ae0000,
        0x04420b08, 0xbf810000, 0xbf82ffff, 0x020204ff, 0x12345678, 0x7c800202, 0xd8ec0000};
    const auto* bytes = reinterpret_cast<const uint8_t*>(kWords);
    return {{bytes, bytes + sizeof kWords}, small_object()};
}
