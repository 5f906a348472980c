// Checks that have been seen to speak: each wait, barrier and nop of each shipped schedule is
// dropped, weakened by one, or swapped with its neighbour, one at a time. The static checker alone
// or the simulator must report the kernel, whatever its numbers say; what neither reports must be
// harmless by the plan's own proof.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "check/lds_order.hpp"
#include "kernels/plan.hpp"
#include "tests/kernels/call.hpp"
#include "tools/lint.hpp"
#include "tools/pipeline.hpp"

using namespace zyfa;

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}
std::string mnemonic(const std::string& line) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    return word;
}

struct Mutant {
    size_t line;
    std::string how;
    Lines replacement;  // of `line`, and of the next if it is two lines long
};

// "vmcnt(4)" -> "vmcnt(5)", "s_nop 3" -> "s_nop 2"; empty if there is no such count.
std::string with_count(const std::string& line, const std::string& name, int step) {
    const size_t at = line.find(name);
    if (at == line.npos) return {};
    const size_t first = line.find_first_of("0123456789", at + name.size());
    const size_t last = line.find_first_not_of("0123456789", first);
    const int count = std::stoi(line.substr(first, last - first)) + step;
    if (count < 0) return {};
    return line.substr(0, first) + std::to_string(count) +
           (last == line.npos ? "" : line.substr(last));
}

std::vector<Mutant> mutants_of(const Lines& lines) {
    std::vector<Mutant> all;
    for (size_t n = 0; n < lines.size(); ++n) {
        const std::string word = mnemonic(lines[n]);
        const bool wait = word == "s_waitcnt", barrier = word == "s_barrier", nop = word == "s_nop";
        if (!wait && !barrier && !nop) continue;
        if (lines[n].find("; aligns") != lines[n].npos) continue;  // no slot is needed there
        all.push_back({n, "dropped", {""}});
        const auto weaker = [&](const char* name, int step) {
            const std::string text = with_count(lines[n], name, step);
            if (!text.empty()) all.push_back({n, "weakened", {text}});
        };
        if (wait) weaker("vmcnt", 1), weaker("lgkmcnt", 1);
        if (nop) weaker("s_nop", -1);
        const std::string next = n + 1 < lines.size() ? mnemonic(lines[n + 1]) : "";
        // The other way round, a wait would only come sooner.
        if (wait && next == "s_barrier") all.push_back({n, "swapped", {lines[n + 1], lines[n]}});
    }
    return all;
}

Bytes assembled(Lines lines, const Mutant* m) {
    for (size_t i = 0; m && i < m->replacement.size(); ++i) lines[m->line + i] = m->replacement[i];
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return link(assemble(text, "mutant.s"));
}

size_t errors_of(const Bytes& object) {
    const auto findings =
        lint_findings(load_code_object(object, "mutant"), Tier::llvm_conservative, false);
    return size_t(std::ranges::count_if(
        findings, [](const Finding& f) { return f.severity != Severity::note; }));
}

// Found nowhere, and right so: without the barrier of that phase the plan still proves every tile.
bool is_spare_barrier(const Schedule& schedule, const Lines& lines, size_t line) {
    if (mnemonic(lines[line]) != "s_barrier") return false;
    // The first one of the loop, where one stands in front of the loop: no tile is refilled
    // between.
    const auto is_barrier = [](const std::string& l) { return mnemonic(l) == "s_barrier"; };
    const auto before = std::count_if(lines.begin(), lines.begin() + long(line), is_barrier);
    if (Plan(schedule).first_barrier && before == 1 + long(schedule.stagger)) return true;
    for (size_t n = line + 1; n-- > 0;)
        for (unsigned p = 0; p < schedule.phases.size(); ++p) {
            const std::string& name = schedule.phases[p].name;
            if (lines[n].find("[" + name + "]") == std::string::npos &&
                lines[n].find("---- " + name + " (") == std::string::npos)
                continue;
            Schedule without = schedule;
            without.phases[p].barrier = false;
            try {
                Plan plan(without);
                return true;
            } catch (const PlanError&) { return false; }
        }
    return false;
}

// Neither reports it: then it must be proven harmless. The order of every LDS access follows from
// the code alone (check/lds_order.hpp), waits of registers always do, and the bits of the result
// stay in the orders of waves and loads that are hardest on it.
bool is_proven_harmless(const Bytes& object, const test::Call& call,
                        const std::vector<uint8_t>& right) {
    const CodeObject loaded = load_code_object(object, "mutant");
    const Grant grant = grant_of(loaded.kernels.at(0));
    const LdsCoverage order = lds_coverage(loaded.code, {grant.entry, grant.workgroup});
    if (order.all == 0 || order.followed < order.all) return false;
    for (const auto& [interleave, starved, seed] : {std::tuple{Interleave::late_dma, 0u, 0u},
                                                    {Interleave::starve, 0u, 0u},
                                                    {Interleave::starve, 3u, 0u},
                                                    {Interleave::reversed, 0u, 0u},
                                                    {Interleave::lockstep, 0u, 0u},
                                                    {Interleave::random, 0u, 1u},
                                                    {Interleave::random, 0u, 2u}}) {
        Options options;
        options.threads = 1;
        options.interleave = interleave;
        options.starved = starved;
        options.seed = seed;
        const test::Outcome r = test::run(call, options, {}, &object);
        if (!r.result.findings.empty() || r.o != right) return false;
    }
    return true;
}

struct Tally {
    std::atomic<unsigned> mutants{0}, lint{0}, sim{0}, spare{0}, missed{0};
};

}  // namespace

TEST_CASE("a kernel with a wait, barrier or nop too few is caught", "[kernels][mutation]") {
#ifdef __SANITIZE_ADDRESS__
    const size_t stride = 60;
#else
    const size_t stride = std::getenv("ZYFA_FULL") ? 1 : 9;
#endif
    std::vector<std::pair<std::string, const Schedule*>> subjects;
    for (const ShippedSchedule& shipped : shipped_schedules())
        for (const char* id : {"fp8_d128_causal", "fp8_d128_full"})
            if (stride == 1 || std::string(id) == "fp8_d128_causal")
                subjects.emplace_back(fmt::format("{}@{}", id, shipped.name),
                                      &shipped_schedule(shipped.name));
    for (const auto& [kernel, schedule_of] : subjects) {
        const Schedule& schedule = *schedule_of;
        const Lines lines = lines_of(build(choose(kernel)).emitted.text);
        REQUIRE(errors_of(assembled(lines, nullptr)) == 0);
        const std::vector<Mutant> mutants = mutants_of(lines);
        Tally tally;
        std::mutex mutex;
        std::string missed, dynamic, spare;
        std::atomic<size_t> next{0};
        // Enough tiles for every copy of the loop body and every place in LDS, twice.
        const uint64_t keys = 32 * schedule.key_tile + 37;
        const test::Call call{.kernel = kernel, .sq = 256, .sk = keys};
        const test::Outcome right = test::run(call);
        REQUIRE(right.result.findings.empty());
        const auto work = [&] {
            for (size_t n; (n = stride * next++) < mutants.size();) {
                const Mutant& m = mutants[n];
                ++tally.mutants;
                const Bytes object = assembled(lines, &m);
                if (errors_of(object)) {
                    ++tally.lint;
                    continue;
                }
                Options options;
                options.threads = 1;
                const test::Outcome r = test::run(call, options, {}, &object);
                if (!r.result.findings.empty()) {
                    ++tally.sim;
                    std::lock_guard lock(mutex);
                    dynamic += fmt::format("\n  simulator only: line {}, {}: {}", m.line + 1, m.how,
                                           lines[m.line]);
                } else if (is_spare_barrier(schedule, lines, m.line) ||
                           is_proven_harmless(object, call, right.o)) {
                    ++tally.spare;
                    std::lock_guard lock(mutex);
                    spare += fmt::format("\n  harmless: line {}, {}: {}", m.line + 1, m.how,
                                         lines[m.line]);
                } else {
                    ++tally.missed;
                    std::lock_guard lock(mutex);
                    missed += fmt::format("\n  line {}, {}: {}", m.line + 1, m.how, lines[m.line]);
                }
            }
        };
        std::thread other(work);
        work();
        other.join();
        fmt::print(
            "{}: {} mutants, {} found by the checker, {} more by the simulator, {} harmless, {} "
            "missed{}{}{}\n",
            kernel, tally.mutants.load(), tally.lint.load(), tally.sim.load(), tally.spare.load(),
            tally.missed.load(), missed, dynamic, spare);
        CHECK(tally.mutants > 2);
        CHECK(tally.missed == 0);
        CHECK(tally.spare <= 1 + tally.mutants / 50);
    }
}
