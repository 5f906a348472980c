// Timelines hold what the cycle model said, and nothing that depends on the machine they were made
// on. How the page behaves in a browser is not tested here; see docs/timeline.md.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "isa/error.hpp"
#include "report/page.hpp"
#include "report/perfetto.hpp"
#include "report/picture.hpp"
#include "sim/timing/timing.hpp"
#include "tests/kernels/call.hpp"

using namespace zyfa;
using nlohmann::json;

namespace {

struct Ran {
    Recorder recorder{0};
    Timing timing;
    CodeObject object;
};
// Each wave of a SIMD, loops and memory included, in a fraction of a second.
const Ran& ran() {
    static const Ran once = [] {
        Ran r;
        TimingOptions wanted;
        wanted.sink = &r.recorder;
        Options options;
        options.timing = &wanted;
        r.object = load_code_object(test::code_object_of("fp8_d128_causal"), "x");
        r.timing =
            *test::run({.kernel = "fp8_d128_causal", .sq = 256, .sk = 4096}, options).result.timing;
        return r;
    }();
    return once;
}
Recording stretch(uint64_t begin, uint64_t end) {
    Recording r = ran().recorder.cut(begin, end, ran().object.code);
    r.name = "a < b & c";
    r.about = "Predicted by a model";
    return r;
}

}  // namespace

TEST_CASE("a recording holds the whole workgroup", "[report]") {
    const WorkgroupTiming& group = ran().timing.workgroups.at(0);
    REQUIRE(ran().recorder.cycles() == group.cycles);
    const Recording r = stretch(0, group.cycles);
    // Shares are those of the model, whose figures are the mean over four SIMDs.
    double matrix = 0, port = 0;
    for (unsigned simd = 0; simd < 4; ++simd) {
        matrix += busy(r, simd).matrix / 4;
        port += busy(r, simd).port / 4;
    }
    CHECK(matrix == Approx(group.busy.matrix).epsilon(1e-9));
    CHECK(port == Approx(group.busy.port).epsilon(1e-9));
    CHECK(busy(r, 0).lds == Approx(group.busy.lds).epsilon(1e-9));
    // Waits of each wave add up to its account.
    std::vector<uint64_t> waited(r.waves, 0);
    for (const sim::Issue& i : r.issues) waited[i.wave] += i.issued - i.able;
    CHECK(r.code.size() > 1000);
    for (unsigned w = 0; w < r.waves; ++w) {
        uint64_t all = 0;
        for (uint64_t cycles : group.account[w]) all += cycles;
        CHECK(all == group.cycles);
        CHECK(waited[w] > 0);
        CHECK(waited[w] < group.cycles);
    }
}

TEST_CASE("a stretch holds what overlaps it", "[report]") {
    const Recording r = stretch(20000, 21000);
    CHECK(r.begin == 20000);
    CHECK(r.end == 21000);
    CHECK(r.issues.size() > 8 * 1000 / 64);
    for (const sim::Issue& i : r.issues) {
        CHECK(i.able < 21000);
        CHECK(std::max(i.issued + std::max(4u, i.port_cycles), i.pipe_end) > 20000);
        CHECK(r.place(i.address).address == i.address);
    }
    REQUIRE(r.until.size() == r.issues.size());
    std::map<unsigned, uint64_t> last;
    for (size_t n = 0; n < r.issues.size(); ++n) {
        CHECK(r.issues[n].issued >=
              last[r.issues[n].wave]);  // drawn boxes of a wave do not overlap
        CHECK(r.until[n] > r.issues[n].issued);
        last[r.issues[n].wave] = r.until[n];
    }
    CHECK_THROWS_AS(stretch(21000, 21000), Error);
    CHECK_THROWS_AS(stretch(1u << 30, 1u << 31), Error);
    CHECK_THROWS_AS(Recorder(0).cut(0, 1, {}), Error);
}

TEST_CASE("the page is one file with its data inside", "[report]") {
    const std::vector<Recording> two{stretch(20000, 22000), stretch(0, 500)};
    const std::string page = timeline_page(two);
    CHECK(page == timeline_page(two));
    CHECK(page.find("{{") == page.npos);
    CHECK(page.find("<title>a &lt; b &amp; c and a &lt; b &amp; c") != page.npos);
    for (const char* outside : {"http:", "https:", "src=", "@import", "url(", "fetch("})
        CHECK(page.find(outside) == page.npos);
    const std::string open = "<script type=\"application/json\" id=\"data\">";
    const size_t at = page.find(open) + open.size(), end = page.find("</script>", at);
    REQUIRE(end != page.npos);
    const json data = json::parse(page.substr(at, end - at));
    REQUIRE(data["runs"].size() == 2);
    const json& run = data["runs"][0];
    CHECK(run["name"] == "a < b & c");
    CHECK(run["waves"].size() == 8);
    size_t issues = 0;
    for (const json& wave : run["waves"]) {
        REQUIRE(wave.size() % 8 == 0);
        issues += wave.size() / 8;
        for (size_t n = 0; n < wave.size(); n += 8) {
            CHECK(wave[n].get<size_t>() < run["code"].size());
            CHECK(wave[n + 3].get<size_t>() < data["spent"].size());
        }
    }
    CHECK(issues == two[0].issues.size());
    CHECK(run["transfers"].size() == 9 * two[0].transfers.size());
    CHECK_THROWS_AS(timeline_page({}), Error);
    CHECK_THROWS_AS(timeline_page(std::vector<Recording>(3, two[0])), Error);
}

// "Trace Event Format", Google
// (docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): what each phase must
// carry; complete events of one thread nest or follow one another.
static void check_trace(const json& trace) {
    REQUIRE(trace["traceEvents"].is_array());
    CHECK((trace["displayTimeUnit"] == "ns" || trace["displayTimeUnit"] == "ms"));
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> slices;
    std::map<std::pair<int, int>, std::string> threads;
    for (const json& e : trace["traceEvents"]) {
        REQUIRE(e["name"].is_string());
        REQUIRE(e["pid"].is_number_integer());
        const std::string phase = e["ph"];
        if (phase == "M") {
            CHECK((e["name"] == "process_name" || e["name"] == "thread_name"));
            CHECK(e["args"]["name"].is_string());
            if (e["name"] == "thread_name") threads[{e["pid"], e["tid"]}] = e["args"]["name"];
            continue;
        }
        REQUIRE(e["ts"].is_number());
        if (phase == "X") {
            REQUIRE(e["dur"].is_number());
            CHECK(e["dur"].get<double>() > 0);
            CHECK(e["cat"].is_string());
            CHECK(e["args"].is_object());
            const std::pair<int, int> thread{e["pid"], e["tid"]};
            REQUIRE(threads.count(thread));  // named before it is used
            slices[thread].emplace_back(e["ts"], e["ts"].get<double>() + e["dur"].get<double>());
        } else if (phase == "C") {
            REQUIRE(!e["args"].empty());
            for (const json& value : e["args"]) CHECK(value.is_number());
        } else {
            REQUIRE(phase == "i");
            CHECK((e["s"] == "g" || e["s"] == "p" || e["s"] == "t"));
        }
    }
    for (auto& [thread, list] : slices) {
        CAPTURE(threads[thread]);
        std::sort(list.begin(), list.end());
        size_t overlapping = 0;
        for (size_t n = 1; n < list.size(); ++n) overlapping += list[n].first < list[n - 1].second;
        CHECK(overlapping == 0);
    }
}

TEST_CASE("the trace keeps the trace event format", "[report]") {
    const std::vector<Recording> two{stretch(20000, 24000), stretch(0, 5000)};
    const std::string text = perfetto_trace(two);
    CHECK(text == perfetto_trace(two));
    const json trace = json::parse(text);
    check_trace(trace);
    size_t waits = 0, pipe = 0;
    for (const json& e : trace["traceEvents"]) {
        waits += e["ph"] == "X" && e["cat"] == "wait";
        pipe += e["ph"] == "X" && e["pid"] == 1 && e["tid"] == 1;
    }
    CHECK(waits > 100);
    CHECK(pipe == size_t(std::count_if(two[0].issues.begin(), two[0].issues.end(), [](auto& i) {
              return i.simd == 0 && i.pipe_end > i.pipe_begin;
          })));
}

TEST_CASE("the picture is the same for the same recording", "[report]") {
    const std::vector<Recording> two{stretch(20000, 24000), stretch(0, 5000)};
    const std::string svg = timeline_picture(two);
    CHECK(svg == timeline_picture(two));
    CHECK(svg != timeline_picture(two, 1));
    CHECK(svg.starts_with("<svg xmlns="));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(svg.find("a &lt; b &amp; c") != svg.npos);
    CHECK(svg.find("prefers-color-scheme:dark") != svg.npos);
    CHECK(svg.size() < 400000);
    CHECK_THROWS_AS(timeline_picture({}), Error);
}
