#include "report/perfetto.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace zyfa {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
public:
    Writer(Json& events, const Recording& r, unsigned process)
        : events_(events), r_(r), process_(process) {}

    void write() {
        meta("process_name", 0, r_.name);
        for (unsigned s = 0; s < r_.simds; ++s) {
            meta("thread_name", matrix(s), fmt::format("SIMD {} matrix pipe", s));
            meta("thread_name", port(s), fmt::format("SIMD {} vector port", s));
        }
        for (unsigned w = 0; w < r_.waves; ++w)
            meta("thread_name", wave(w), fmt::format("wave {}", w));
        meta("thread_name", lds(), "LDS");
        meta("thread_name", path(), "memory path");
        for (size_t n = 0; n < r_.issues.size(); ++n) issue(r_.issues[n], r_.until[n]);
        for (const sim::Transfer& t : r_.transfers) transfer(t);
        for (uint64_t b : r_.barriers)
            events_.push_back({{"name", "barrier"},
                               {"ph", "i"},
                               {"s", "p"},
                               {"pid", process_},
                               {"tid", wave(0)},
                               {"ts", b}});
        in_flight();
    }

private:
    Json& events_;
    const Recording& r_;
    unsigned process_;

    // Threads by number: two for each SIMD, the waves, then what the compute unit has once.
    unsigned matrix(unsigned simd) const { return 1 + 2 * simd; }
    unsigned port(unsigned simd) const { return 2 + 2 * simd; }
    unsigned wave(unsigned n) const { return 1 + 2 * r_.simds + n; }
    unsigned lds() const { return wave(r_.waves); }
    unsigned path() const { return lds() + 1; }

    void meta(const char* what, unsigned thread, const std::string& name) {
        events_.push_back({{"name", what},
                           {"ph", "M"},
                           {"pid", process_},
                           {"tid", thread},
                           {"args", {{"name", name}}}});
    }
    void slice(unsigned thread, const std::string& name, std::string_view category, uint64_t begin,
               uint64_t end, Json args) {
        events_.push_back({{"name", name},
                           {"cat", category},
                           {"ph", "X"},
                           {"pid", process_},
                           {"tid", thread},
                           {"ts", begin},
                           {"dur", end - begin},
                           {"args", std::move(args)}});
    }
    static std::string mnemonic(const std::string& text) { return text.substr(0, text.find(' ')); }

    void issue(const sim::Issue& i, uint64_t until) {
        const Recording::Place& p = r_.place(i.address);
        const std::string name = mnemonic(p.text);
        const Json args = {{"address", fmt::format("{:#06x}", i.address)}, {"text", p.text}};
        if (i.issued > i.able)
            slice(wave(i.wave), fmt::format("wait: {}", spent_name(i.waited)), "wait", i.able,
                  i.issued, args);
        slice(wave(i.wave), name, kind_name(p.kind), i.issued, until, args);
        if (i.port_cycles)
            slice(port(i.simd), fmt::format("w{} {}", i.wave, name), kind_name(p.kind), i.issued,
                  i.issued + i.port_cycles, args);
        if (i.pipe_end > i.pipe_begin)
            slice(matrix(i.simd), fmt::format("w{} {}", i.wave, name), kind_name(p.kind),
                  i.pipe_begin, i.pipe_end, args);
    }
    void transfer(const sim::Transfer& t) {
        const Recording::Place& p = r_.place(t.address);
        if (t.begin == t.end) return;
        slice(t.kind <= sim::Transfer::Kind::lds_dma ? lds() : path(),
              fmt::format("w{} {}", t.wave, mnemonic(p.text)), kind_name(p.kind), t.begin, t.end,
              {{"text", p.text},
               {"bytes", t.bytes},
               {"conflict_cycles", t.conflicts},
               {"issued", t.issued},
               {"arrives", t.arrives}});
    }
    void in_flight() {
        std::map<uint64_t, int> steps;
        for (const sim::Transfer& t : r_.transfers) {
            if (t.kind < sim::Transfer::Kind::lds_dma) continue;
            ++steps[t.issued];
            --steps[t.arrives];
        }
        int now = 0;
        for (const auto& [cycle, step] : steps) {
            now += step;
            events_.push_back({{"name", "memory accesses in flight"},
                               {"ph", "C"},
                               {"pid", process_},
                               {"ts", cycle},
                               {"args", {{"count", now}}}});
        }
    }
};

}  // namespace

std::string perfetto_trace(std::span<const Recording> recordings) {
    Json events = Json::array();
    unsigned process = 0;
    for (const Recording& r : recordings) Writer(events, r, ++process).write();
    Json about = Json::object();
    for (const Recording& r : recordings) about[r.name] = r.about;
    // One event a line: traces are looked at and compared as text, too.
    std::string out =
        "{\"displayTimeUnit\":\"ns\",\"otherData\":" + about.dump() + ",\"traceEvents\":[\n";
    for (size_t n = 0; n < events.size(); ++n)
        out += events[n].dump() + (n + 1 < events.size() ? ",\n" : "\n");
    return out + "]}\n";
}

}  // namespace zyfa
