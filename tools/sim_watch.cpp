#include "tools/sim_watch.hpp"

#include <cerrno>
#include <cstring>

namespace zyfa {

namespace {

[[noreturn]] void cannot_write(const std::string& path) {
    throw Error(fmt::format("{}: cannot write: {}", path, strerror(errno)));
}

}  // namespace

SimWatch::SimWatch(const SimOptions& opt, const Common& common, const CodeObject& object,
                   const Built* built)
    : options_(opt), common_(common) {
    sim::Focus focus{opt.wave, opt.workgroup,
                     sim::parse_lanes(opt.lanes.empty() ? "0-3" : opt.lanes)};
    std::vector<uint32_t> addresses;
    for (const std::string& place : opt.breaks) {
        places_.emplace_back(place, addresses_of(place, object, built));
        const auto& found = places_.back().second;
        addresses.insert(addresses.end(), found.begin(), found.end());
    }
    const auto shown = sim::parse_shown(opt.dump);
    if (!addresses.empty()) {
        stops_ = std::make_unique<sim::Stops>(addresses, opt.break_count, shown, focus,
                                              [this](const sim::Stop& stop) { show(stop); });
        hooks_.all.push_back(stops_.get());
    }
    if (opt.trace.empty()) return;
    file_ = opt.trace == "-" ? stdout : fopen(opt.trace.c_str(), "wb");
    if (!file_) cannot_write(opt.trace);
    trace_ = std::make_unique<sim::Trace>(focus, [this](std::string_view line) { write(line); });
    hooks_.all.push_back(trace_.get());
}

SimWatch::~SimWatch() { close(); }

void SimWatch::close() {
    if (file_ && file_ != stdout) fclose(file_);
    file_ = nullptr;
}

sim::Hook* SimWatch::hook() { return hooks_.all.empty() ? nullptr : &hooks_; }

void SimWatch::show(const sim::Stop& stop) {
    Json state = Json::object();
    std::string text =
        fmt::format("{:#06x}: workgroup {}, wave {}, instruction {}\n    {}\n", stop.address,
                    stop.workgroup, stop.wave, stop.instruction, stop.text);
    for (const auto& [name, value] : stop.state) {
        state[name] = value;
        text += fmt::format("    {:<10} {}\n", name, value);
    }
    shown_.push_back({{"address", stop.address},
                      {"workgroup", stop.workgroup},
                      {"wave", stop.wave},
                      {"instruction", stop.instruction},
                      {"text", stop.text},
                      {"state", state}});
    if (!common_.json) fmt::print("{}", text);
}

void SimWatch::write(std::string_view line) {
    const uint64_t limit = options_.trace_limit * 1000000;
    if (bytes_ + line.size() > limit)
        throw Error(fmt::format("{}: the trace reached its limit of {} MB (--trace-limit) after {} "
                                "instructions and ends there; the run was not finished",
                                options_.trace, options_.trace_limit, lines_),
                    Exit::untrusted);
    if (fwrite(line.data(), 1, line.size(), file_) != line.size()) cannot_write(options_.trace);
    bytes_ += line.size();
    ++lines_;
}

Json SimWatch::finish() {
    if (file_ && fflush(file_) != 0) cannot_write(options_.trace);
    if (trace_ && lines_ == 0)
        throw Error(
            fmt::format("{}: the trace is empty: no such wave or workgroup ran", options_.trace));
    close();
    if (!common_.quiet)
        for (const auto& [place, addresses] : places_)
            for (uint32_t address : addresses)
                if (stops_->seen().at(address) == 0)
                    fmt::print(stderr, "zyfa-gen: --break {}: {:#06x} was not reached{}\n", place,
                               address,
                               options_.wave < 0 && options_.workgroup < 0 ? "" : " by that wave");
    return std::move(shown_);
}

}  // namespace zyfa
