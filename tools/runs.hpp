// One launch under many orders of waves and loads: is the output always the same?
#pragma once

#include <functional>
#include <map>

#include "sim/replay.hpp"

namespace zyfa {

struct Repeats {
    uint64_t runs = 0;
    std::string hash;                  // of the bytes of all buffers that the first run changed
    std::vector<std::string> buffers;  // those
    std::vector<std::pair<uint64_t, std::string>> differing;  // seed and hash, the first ten
    uint64_t differing_runs = 0;
    bool constant() const { return differing_runs == 0; }
};

// Seeds 1..runs, memory as it is now each time; memory is left as the last run made it. Findings of
// all runs are in the result, equal ones counted. `each` hears of every run; false stops.
struct Repeated {
    Repeats repeats;
    Result result;
};
Repeated run_repeatedly(Prepared&, Options, uint64_t runs,
                        const std::function<bool(uint64_t done)>& each = {});

// sha256 of the buffers whose bytes differ from `before`, in order of address.
using Contents = std::map<uint64_t, std::vector<uint8_t>>;
Contents contents_of(const Memory&);
std::string hash_of_written(const Memory&, const Contents& before,
                            std::vector<std::string>* names = nullptr);

}  // namespace zyfa
