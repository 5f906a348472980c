// Seeing a run from inside: a hook that is called around every instruction, and the two that the
// command line offers, stops that show a wave's state and a trace of what was executed. A hook runs
// on the simulator's one thread and does not change the wave.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/run.hpp"

namespace zyfa::sim {

struct Step;
struct Wave;

class Hook {
public:
    virtual ~Hook() = default;
    virtual void before(const Wave&, const Step&) = 0;
    virtual void after(const Wave&, const Step&) = 0;
};

// Several hooks as one.
struct Hooks final : Hook {
    std::vector<Hook*> all;
    void before(const Wave& w, const Step& s) override {
        for (Hook* hook : all) hook->before(w, s);
    }
    void after(const Wave& w, const Step& s) override {
        for (Hook* hook : all) hook->after(w, s);
    }
};

// Which waves and lanes are looked at.
struct Focus {
    int wave = -1;           // -1: all
    int64_t workgroup = -1;  // -1: all
    std::vector<unsigned> lanes{0, 1, 2, 3};
};
// "0-3,32". Error: no lanes, or past 63.
std::vector<unsigned> parse_lanes(const std::string& list);

// What a stop shows, as typed: vgpr:v0-v3, vgpr:a0, sgpr:s4-s7, sgpr, lds:0-256, exec, vcc, scc,
// lanes (numbers of the active ones). Error names what is allowed.
struct Shown {
    enum class Kind : uint8_t { vgpr, agpr, sgpr, lds, exec, vcc, scc, lanes };
    Kind kind;
    unsigned first = 0, end = 0;  // registers or bytes
};
std::vector<Shown> parse_shown(const std::string& list);

struct Stop {
    uint64_t workgroup, instruction;  // instruction: how many the wave has executed
    unsigned wave;
    uint32_t address;
    std::string text;
    std::vector<std::pair<std::string, std::string>> state;  // name, values
};

class Stops final : public Hook {
public:
    Stops(const std::vector<uint32_t>& addresses, uint64_t count_each, std::vector<Shown>, Focus,
          std::function<void(const Stop&)> show);
    void before(const Wave&, const Step&) override;
    void after(const Wave&, const Step&) override {}
    const std::map<uint32_t, uint64_t>& seen() const { return seen_; }  // times, by address

private:
    std::map<uint32_t, uint64_t> seen_;
    uint64_t most_;
    std::vector<Shown> shown_;
    Focus focus_;
    std::function<void(const Stop&)> show_;
};

// One JSON line for an instruction: place, EXEC, what it read and what it wrote. Results of memory
// instructions are not there yet when they are issued: "out" is null for them. `write` may throw.
class Trace final : public Hook {
public:
    Trace(Focus, std::function<void(std::string_view line)> write);
    void before(const Wave&, const Step&) override;
    void after(const Wave&, const Step&) override;

private:
    bool wanted(const Wave&) const;
    std::string values(const Wave&, const Step&, bool written) const;
    Focus focus_;
    std::function<void(std::string_view)> write_;
    std::string line_;
};

}  // namespace zyfa::sim
