// What the checks say of the numbers in a wave's registers, against the simulator: along the path
// that each wave takes, every register that is said to be known must hold that number.
#include <catch2/catch.hpp>

#include "check/lanes.hpp"
#include "sim/watch.hpp"
#include "sim/wave.hpp"
#include "tests/kernels/call.hpp"

using namespace zyfa;

namespace {

class Compare final : public sim::Hook {
public:
    void before(const sim::Wave& w, const sim::Step& s) override {
        if (w.number >= lanes_.size()) {
            REQUIRE(w.number == lanes_.size());  // waves start in order
            lanes_.emplace_back(pool_, w.number, std::array<uint32_t, 3>{threads, 1, 1});
        }
        const Step step{s.from, effects(s.from->inst)};
        lanes_[w.number].advance(step);
    }
    void after(const sim::Wave& w, const sim::Step& s) override {
        const Lanes& lanes = lanes_[w.number];
        const Effects e = effects(s.from->inst);
        if (e.load) return;  // comes later
        for (const Reach& r : e.writes)
            for (Word word = r.first; word < r.first + r.words; ++word) look(w, s, lanes, word);
    }
    uint32_t threads = 512;
    uint64_t compared = 0, wrong = 0;
    std::string first;

private:
    LanePool pool_;
    std::vector<Lanes> lanes_;

    void look(const sim::Wave& w, const sim::Step& s, const Lanes& lanes, Word word) {
        const LaneNumbers* known = lanes[word];
        if (!known) return;
        for (unsigned lane = 0; lane < 64; ++lane) {
            const uint32_t is = word == kSccWord ? uint32_t(w.scc)
                                : word < kFirstV ? w.scalar[word]
                                                 : w.vector[word - kFirstV].word[lane];
            ++compared;
            if (is == (*known)[lane]) continue;
            if (!wrong++)
                first = fmt::format("{} lane {}: {} is {:#x}, said to be {:#x}", s.from->text, lane,
                                    word_name(word), is, (*known)[lane]);
        }
    }
};

}  // namespace

TEST_CASE("numbers that the checks know are those of the simulator", "[kernels][lanes]") {
    for (const char* kernel : {"fp8_d128_causal", "fp8_d128_full@wide"}) {
        Compare compare;
        compare.threads = std::string(kernel).ends_with("wide") ? 256 : 512;
        Options options;
        options.hook = &compare;
        test::run({.kernel = kernel, .sq = 256, .sk = 700}, options);
        CAPTURE(kernel, compare.first);
        CHECK(compare.wrong == 0);
        CHECK(compare.compared > 10000);
    }
}
