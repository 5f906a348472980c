// Probes: times of phases come out as the cycle model has them, and nothing else changes.
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <set>

#include "isa/stamps.hpp"
#include "kernels/abi.hpp"
#include "tests/kernels/call.hpp"
#include "tools/attention_run.hpp"
#include "tools/phase_times.hpp"

using namespace zyfa;
using namespace zyfa::test;
using Catch::Contains;

namespace {

Chosen with_probes(const std::string& id, const Json& probes) {
    Chosen chosen = choose(id);
    Json file = Json::parse(to_json(chosen.schedule));
    file["probes"] = probes;
    chosen.schedule = parse_schedule(file.dump(), "my.json");
    return chosen;
}

// s_memtime of each wave, and what the wave had issued before it.
class Stamper : public sim::TimingSink {
public:
    explicit Stamper(const std::vector<Decoded>& code) {
        for (const Decoded& d : code) op_[d.address] = d.inst.op;
    }
    void begin(uint64_t, unsigned waves) override {
        times.assign(waves, {});
        before_.assign(waves, Op::s_nop);
    }
    void issued(const sim::Issue& i) override {
        const Op op = op_.at(i.address);
        if (op == Op::s_memtime) {
            times[i.wave].push_back(i.issued);
            before_stamp.insert(before_[i.wave]);
            before_end = before_[i.wave];
        }
        if (op != Op::s_waitcnt) before_[i.wave] = op;
    }
    void transferred(const sim::Transfer&) override {}
    void barrier_released(uint64_t, uint64_t) override {}
    void ended(uint64_t, unsigned, uint64_t) override {}

    std::vector<std::vector<uint64_t>> times;
    std::set<Op> before_stamp;
    Op before_end = Op::s_nop;

private:
    std::map<uint32_t, Op> op_;
    std::vector<Op> before_;
};

const uint32_t kArgs = stamp_args_at(kAttentionArgsBytes);

// Gives the call room for the records of all its waves.
struct Records {
    std::vector<uint32_t> words;
    void give(Prepared& p, unsigned waves) {
        const auto& grid = p.launch.grid;
        words.assign(size_t(grid[0]) * grid[1] * grid[2] * waves * kStampWords, 0);
        address_ = p.memory.allocate("stamps", words.size() * 4);
        p.memory.write(address_, bytes());
        uint8_t* at = p.launch.kernarg.data() + kArgs;
        std::memcpy(at, &address_, 8);
        std::memcpy(at + kStampGridX, &grid[0], 4);
        std::memcpy(at + kStampGridY, &grid[1], 4);
        memory_ = &p.memory;
    }
    void read() { memory_->read(address_, bytes()); }
    std::vector<uint32_t> record(size_t n) const {
        return {words.begin() + long(n * kStampWords), words.begin() + long((n + 1) * kStampWords)};
    }

private:
    uint64_t address_ = 0;
    Memory* memory_ = nullptr;
    std::span<uint8_t> bytes() {
        return {reinterpret_cast<uint8_t*>(words.data()), 4 * words.size()};
    }
};

}  // namespace

TEST_CASE("without probes the code is what it was", "[kernels][probes]") {
    for (const ShippedSchedule& s : shipped_schedules()) {
        const std::string id = fmt::format("fp8_d128_full@{}", s.name);
        CAPTURE(id);
        const Emitted plain = build(choose(id)).emitted;
        CHECK(plain.text.find("s_memtime") == std::string::npos);
        CHECK(build(with_probes(id, false)).emitted.code_object == plain.code_object);
        CHECK(choose(id).schedule.probes.empty());
    }
}

TEST_CASE("with probes the output is the same, bit for bit", "[kernels][probes]") {
    for (const ShippedSchedule& s : shipped_schedules())
        for (const char* kernel : {"fp8_d128_causal", "fp8_d128_full"}) {
            const std::string id = fmt::format("{}@{}", kernel, s.name);
            const Built built = build(with_probes(id, true));  // verify finds nothing
            for (auto [sq, sk] : {std::pair<uint64_t, uint64_t>{64, 0}, {70, 897}}) {
                CAPTURE(id, sq, sk);
                const Call call{.kernel = id, .sq = sq, .sk = sk};
                Outcome plain = run(call);
                // No records: nothing is written anywhere else.
                Outcome none = run(call, {}, {}, &built.emitted.code_object);
                CHECK(none.o == plain.o);
                CHECK(none.lse == plain.lse);
                CHECK(none.result.findings.empty());
                CHECK(none.broken_guards.empty());
                Records records;
                const unsigned waves = built.program.workgroup_size / 64;
                Outcome given = run(
                    call, {}, [&](Prepared& p) { records.give(p, waves); },
                    &built.emitted.code_object);
                CHECK(given.o == plain.o);
                CHECK(given.lse == plain.lse);
                CHECK(given.result.findings.empty());
                CHECK(given.broken_guards.empty());
            }
        }
}

TEST_CASE("stamps are the cycles in which phases begin", "[kernels][probes]") {
    for (const ShippedSchedule& s : shipped_schedules())
        for (const uint32_t sk : {333u, 5000u}) {
            const std::string id = fmt::format("fp8_d128_causal@{}", s.name);
            CAPTURE(id, sk);
            const Chosen chosen = with_probes(id, true);
            const Built built = build(chosen);
            const CodeObject object = load_code_object(built.emitted.code_object, "x");
            const auto draws = draw("gaussian", 1, *chosen.recipe, fmt::format("sq=256,sk={}", sk));
            AttentionRun attention = prepare_attention(*chosen.recipe, object, draws[0]);
            Records records;
            const unsigned waves = built.program.workgroup_size / 64;
            records.give(attention.prepared, waves);
            Stamper stamper(attention.prepared.object.code);
            TimingOptions timing;
            timing.sink = &stamper;
            Options options;
            options.timing = &timing;
            CHECK(execute(attention.prepared, options).findings.empty());
            records.read();
            const unsigned probes = unsigned(chosen.schedule.phases.size());
            const unsigned last_row = (stamp_rows(probes) - 1) * probes;
            for (unsigned w = 0; w < waves; ++w) {
                const std::vector<uint64_t>& taken = stamper.times[w];
                const std::vector<uint32_t> record = records.record(w);
                CHECK(std::is_sorted(taken.begin(), taken.end()));
                CHECK(record[kEndStamp] == taken.back());
                // Words of rows that are one pass's, then those of the last pass.
                std::vector<uint32_t> first, last;
                for (unsigned n = 0; n < kEndStamp; ++n)
                    if (record[n]) (n < last_row ? first : last).push_back(record[n]);
                REQUIRE(first.size() + last.size() < taken.size());
                CHECK(std::equal(first.begin(), first.end(), taken.begin()));
                CHECK(std::equal(last.rbegin(), last.rend(), taken.rbegin() + 1));
                CHECK((first.size() + last.size() + 1 == taken.size()) == (sk == 333));
                CHECK(last.empty() == (sk == 333));
            }
            if (chosen.schedule.barriers() == probes)
                for (Op op : stamper.before_stamp)
                    CHECK((op == Op::s_barrier || op == Op::s_setprio || op == stamper.before_end));
        }
}

TEST_CASE("each wave of each workgroup has its record", "[kernels][probes]") {
    const Chosen chosen = with_probes("fp8_d128_full@exact", {"softmax"});
    const Built built = build(chosen);
    const CodeObject object = load_code_object(built.emitted.code_object, "x");
    const auto draws = draw("gaussian", 1, *chosen.recipe, "b=2,h=3,hk=1,sq=600,sk=500");
    AttentionRun attention = prepare_attention(*chosen.recipe, object, draws[0]);
    Records records;
    records.give(attention.prepared, 8);
    const auto empty = records.record(0);
    const auto run_one = [&](int64_t workgroup) {
        Options options;
        options.only_workgroup = workgroup;
        CHECK(execute(attention.prepared, options).findings.empty());
        records.read();
    };
    for (size_t workgroup = 0; workgroup < 18; ++workgroup) {
        CHECK(records.record(8 * workgroup) == empty);
        run_one(int64_t(workgroup));
        for (size_t n = 0; n < 18 * 8; ++n)
            CHECK((records.record(n) == empty) == (n / 8 > workgroup));
    }
}

TEST_CASE("probes are phases by name, or all", "[kernels][probes]") {
    CHECK(with_probes("fp8_d128_full@exact", true).schedule.probes == std::vector<unsigned>{1, 2});
    CHECK(with_probes("fp8_d128_full@exact", {"softmax"}).schedule.probes ==
          std::vector<unsigned>{2});
    CHECK(with_probes("fp8_d128_full@exact", Json::array()).schedule.probes.empty());
    for (const Json& probes : {Json(true), Json(false), Json{"softmax"}}) {
        const Schedule s = with_probes("fp8_d128_full@exact", probes).schedule;
        CHECK(Json::parse(to_json(s))["probes"] == probes);
        CHECK(parse_schedule(to_json(s), "my.json") == s);
    }
    CHECK_THROWS_WITH(with_probes("fp8_d128_full@exact", {"soft"}),
                      Contains("my.json: $.probes[0]: there is no phase 'soft'"));
    CHECK_THROWS_WITH(with_probes("fp8_d128_full@exact", {"softmax", "softmax"}),
                      Contains("my.json: $.probes[1]: 'softmax' is there twice"));
    CHECK_THROWS_WITH(with_probes("fp8_d128_full@exact", 3), Contains("my.json: $.probes"));
}

TEST_CASE("stretches between stamps that were taken", "[kernels][probes]") {
    std::vector<uint32_t> stamps(kStampWords);
    const auto lengths = [&](unsigned probes) {
        std::vector<uint32_t> all;
        for (const Stretch& s : stretches(stamps, 3, probes)) {
            CHECK(s.wave == 3);
            all.push_back(s.cycles);
        }
        return all;
    };
    CHECK(lengths(2).empty());
    // Three passes; the first and the last have one of two phases.
    stamps[1] = 100, stamps[2] = 110, stamps[3] = 130, stamps[4] = 170, stamps[kEndStamp] = 190;
    CHECK(lengths(2) == std::vector<uint32_t>{10, 20, 40, 20});
    // All rows are taken: what lies between the last two is not known. Times may wrap around.
    for (unsigned n = 0; n < kEndStamp; ++n) stamps[n] = 0u - 305 + 10 * n;
    stamps[kEndStamp] = 1000;
    const auto all = lengths(21);
    REQUIRE(all.size() == 62);
    CHECK(std::count(all.begin(), all.end(), 10u) == 61);
    CHECK(all.back() == 1000u - stamps[62]);
}
