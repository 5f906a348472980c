#include "tools/runs.hpp"

#include <algorithm>

namespace zyfa {

namespace {

void restore(Memory& memory, const Contents& before, const std::vector<uint64_t>& unset) {
    for (const auto& [address, bytes] : before) memory.write(address, bytes);
    for (uint64_t address : unset) memory.forget(address);
}

void merge(Result& all, const Result& one) {
    all.wave_instructions += one.wave_instructions;
    all.valu += one.valu;
    all.mfma += one.mfma;
    all.seconds += one.seconds;
    all.complete &= one.complete;
    all.unproven = one.unproven;
    for (size_t n = 0; n < one.executed.size(); ++n) {
        const auto& [name, count] = one.executed[n];
        auto at = std::lower_bound(all.executed.begin(), all.executed.end(), one.executed[n],
                                   [](const auto& a, const auto& b) { return a.first < b.first; });
        if (at != all.executed.end() && at->first == name) at->second += count;
        else all.executed.insert(at, one.executed[n]);
    }
    for (const Finding& f : one.findings) {
        const auto same =
            std::find_if(all.findings.begin(), all.findings.end(), [&](const Finding& known) {
                return known.rule == f.rule && known.address == f.address && known.other == f.other;
            });
        if (same != all.findings.end()) same->count += f.count;
        else all.findings.push_back(f);
    }
}

}  // namespace

Contents contents_of(const Memory& memory) {
    Contents contents;
    for (const auto& [address, a] : memory.allocations())
        contents[address] = {a->data(), a->data() + a->bytes};
    return contents;
}

std::string hash_of_written(const Memory& memory, const Contents& before,
                            std::vector<std::string>* names) {
    std::vector<uint8_t> bytes;
    for (const auto& [address, a] : memory.allocations()) {
        const auto old = before.find(address);
        if (old == before.end() || std::equal(old->second.begin(), old->second.end(), a->data()))
            continue;
        bytes.insert(bytes.end(), a->name.begin(), a->name.end());
        bytes.push_back(0);
        bytes.insert(bytes.end(), a->data(), a->data() + a->bytes);
        if (names) names->push_back(a->name);
    }
    return sha256(bytes);
}

Repeated run_repeatedly(Prepared& p, Options options, uint64_t runs,
                        const std::function<bool(uint64_t)>& each) {
    const Contents before = contents_of(p.memory);
    std::vector<uint64_t> unset;
    for (const auto& [address, a] : p.memory.allocations())
        if (!a->unset.empty()) unset.push_back(address);
    Repeated out;
    options.interleave = Interleave::random;
    for (uint64_t seed = 1; seed <= runs; ++seed) {
        if (seed > 1) restore(p.memory, before, unset);
        options.seed = seed;
        Result result = execute(p, options);
        merge(out.result, result);
        if (!result.complete) break;
        Repeats& r = out.repeats;
        std::string hash = hash_of_written(p.memory, before, seed == 1 ? &r.buffers : nullptr);
        ++r.runs;
        if (seed == 1) r.hash = hash;
        if (hash != r.hash) {
            ++r.differing_runs;
            if (r.differing.size() < 10) r.differing.emplace_back(seed, hash);
        }
        if (each && !each(seed) && seed < runs) {
            out.result.complete = false;
            break;
        }
    }
    return out;
}

}  // namespace zyfa
