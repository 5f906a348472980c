#include "sim/report.hpp"

#include <utility>

namespace zyfa::sim {

bool Reporter::repeats(uint64_t workgroup, const char* rule, uint32_t address,
                       uint32_t other_address) {
    auto it = entries_.find(Key{address, rule, other_address});
    if (it == entries_.end() || it->second.workgroup > workgroup) return false;
    ++it->second.finding.count;
    return true;
}

void Reporter::add(uint64_t workgroup, Finding finding, uint32_t other_address) {
    Key key{finding.address, finding.rule, other_address};
    auto [it, fresh] = entries_.try_emplace(key, Entry{workgroup, finding});
    if (fresh) return;
    uint64_t count = it->second.finding.count + finding.count;
    if (workgroup < it->second.workgroup) it->second = {workgroup, std::move(finding)};
    it->second.finding.count = count;
}

void Reporter::merge(const Reporter& other) {
    for (const auto& [key, entry] : other.entries_)
        add(entry.workgroup, entry.finding, std::get<2>(key));
}

std::vector<Finding> Reporter::sorted() const {
    std::vector<Finding> list;
    for (const auto& [key, entry] : entries_) list.push_back(entry.finding);
    return list;
}

}  // namespace zyfa::sim
