// Findings of one host thread: equal ones (rule, instruction, other end) are counted, the sample
// kept is that of the lowest workgroup, so that the merged list does not depend on threads.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "isa/finding.hpp"

namespace zyfa::sim {

class Reporter {
public:
    // Counts one more of a known pair; false if it is not known or this workgroup's is the better
    // sample.
    bool repeats(uint64_t workgroup, const char* rule, uint32_t address, uint32_t other_address);
    void add(uint64_t workgroup, Finding finding, uint32_t other_address);
    void merge(const Reporter&);
    std::vector<Finding> sorted() const;

private:
    using Key = std::tuple<uint32_t, std::string, uint32_t>;  // address, rule, other's address
    struct Entry {
        uint64_t workgroup;
        Finding finding;
    };
    std::map<Key, Entry> entries_;
};

}  // namespace zyfa::sim
