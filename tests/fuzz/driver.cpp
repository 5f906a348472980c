// Deterministic mutation of the seeds: fuzz_X [--runs N] [--seconds S] [--seed N]. Input number n
// depends on seed and n alone, so a failure is repeated by --first n --runs 1. A failure is a
// crash, a sanitizer report or an exception that leaves the target.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "isa/random.hpp"
#include "tests/fuzz/fuzz.hpp"

using Bytes = std::vector<uint8_t>;
using zyfa::Random;

static void mutate(Bytes& b, Random& random) {
    static constexpr uint64_t kEdges[] = {0,      1,          0x7f,       0x80,  0xff,       0x7fff,
                                          0xffff, 0x7fffffff, 0xffffffff, ~0ull, 1ull << 63, 4096};
    if (b.empty()) b.push_back(0);
    const size_t at = random.below(b.size());
    switch (random.below(7)) {
        case 0: b[at] ^= uint8_t(1u << random.below(8)); break;
        case 1: b[at] = uint8_t(random.bits()); break;
        case 2: {  // an edge value of 1, 2, 4 or 8 bytes
            const uint64_t value = kEdges[random.below(std::size(kEdges))];
            const size_t width = size_t(1) << random.below(4);
            for (size_t n = 0; n < width && at + n < b.size(); ++n)
                b[at + n] = uint8_t(value >> (8 * n));
            break;
        }
        case 3: b.resize(at); break;
        case 4:
            b.erase(b.begin() + long(at), b.begin() + long(at + random.below(b.size() - at) + 1));
            break;
        case 5: {  // a stretch once more
            const size_t length = 1 + random.below(std::min<size_t>(b.size() - at, 64));
            const Bytes part(b.begin() + long(at), b.begin() + long(at + length));
            b.insert(b.begin() + long(random.below(b.size() + 1)), part.begin(), part.end());
            break;
        }
        default: {  // a stretch over another
            const size_t from = random.below(b.size()), length = 1 + random.below(16);
            for (size_t n = 0; n < length && std::max(at, from) + n < b.size(); ++n)
                b[at + n] = b[from + n];
        }
    }
}

int main(int argc, char** argv) {
    uint64_t runs = ~0ull, first = 0, seed = 1;
    double seconds = std::getenv("ZYFA_FULL") ? 20 : 1.5;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        if (name == "--runs") runs = std::strtoull(argv[i + 1], nullptr, 10), seconds = 1e9;
        else if (name == "--first") first = std::strtoull(argv[i + 1], nullptr, 10);
        else if (name == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
        else if (name == "--seconds") seconds = std::strtod(argv[i + 1], nullptr);
        else return fmt::print(stderr, "unknown option {}\n", name), 2;
    }
    const auto seeds = zyfa::test::fuzz_seeds();
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    uint64_t n = 0;
    for (const Bytes& input : seeds) LLVMFuzzerTestOneInput(input.data(), input.size());
    for (; n < runs && passed() < seconds; ++n) {
        Random random(seed * 0x9e3779b97f4a7c15 + first + n);
        Bytes input = seeds[random.below(seeds.size())];
        for (uint64_t edits = 1 + random.below(4); edits--;) mutate(input, random);
        try {
            LLVMFuzzerTestOneInput(input.data(), input.size());
        } catch (const std::exception& e) {
            fmt::print(stderr, "input {} of seed {}: {}\n", first + n, seed, e.what());
            return 1;
        }
    }
    fmt::print("{} mutated inputs in {:.1f} s, seed {}\n", n, passed(), seed);
    return 0;
}
