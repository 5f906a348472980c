// --break and --trace of `zyfa-gen sim`: hooks made from the options, and what they have seen.
#pragma once

#include <cstdio>
#include <memory>

#include "sim/watch.hpp"
#include "tools/places.hpp"
#include "tools/sim_options.hpp"

namespace zyfa {

class SimWatch {
public:
    SimWatch(const SimOptions&, const Common&, const CodeObject&, const Built*);
    ~SimWatch();
    SimWatch(const SimWatch&) = delete;
    sim::Hook* hook();  // null: nothing is watched
    // Closes the trace, says which places were never reached; the stops as JSON.
    Json finish();

private:
    void show(const sim::Stop&);
    void write(std::string_view line);
    void close();

    const SimOptions& options_;
    const Common& common_;
    std::vector<std::pair<std::string, std::vector<uint32_t>>> places_;
    std::unique_ptr<sim::Stops> stops_;
    std::unique_ptr<sim::Trace> trace_;
    sim::Hooks hooks_;
    Json shown_ = Json::array();
    FILE* file_ = nullptr;
    uint64_t bytes_ = 0, lines_ = 0;
};

}  // namespace zyfa
