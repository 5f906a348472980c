// The machine file: complete, consistent with arithmetic, and refused when anything is off.
#include "isa/machine.hpp"
#include "isa/machines.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "isa/banks.hpp"
#include "isa/lanes.hpp"
#include "isa/random.hpp"

using namespace zyfa;
using Json = nlohmann::ordered_json;

namespace {

std::string refusal(const std::string& text) {
    try {
        load_machine(text, "m.json");
        return "accepted";
    } catch (const Error& e) { return e.what(); }
}
std::string refusal(const Json& j) { return refusal(j.dump()); }
Json good() { return Json::parse(mi355x_json()); }

}  // namespace

TEST_CASE("the embedded machine loads and says what it is", "[isa][machine]") {
    const Machine& m = mi355x();
    REQUIRE(m.name == "mi355x");
    REQUIRE(m.lds_bytes.count() == 163840);
    REQUIRE(m.lds_bytes.count() % m.lds_granule.count() == 0);
    REQUIRE(m.rate(Rate::trans).value == 8);
    REQUIRE(m.rate(Rate::trans).trust == Trust::inferred);
    REQUIRE(rows(m).size() > 80);
    for (const MachineRow& r : rows(m)) {
        CAPTURE(r.path);
        REQUIRE(!r.number->source.empty());
        REQUIRE(!r.meaning.empty());
        REQUIRE(r.number->low <= r.number->value);
        if (r.number->trust == Trust::guess) REQUIRE(r.number->low < r.number->high);
    }
}

TEST_CASE("rates, passes and peaks say the same thing three times", "[isa][machine]") {
    const Machine& m = mi355x();
    // flop per clock and compute unit = 2 mn mn k / (passes * 4 cycles) * 4 SIMDs
    const auto flops = [&](unsigned mn, unsigned k, const Number& passes) {
        return 2.0 * mn * mn * k / (passes.value * m.matrix_pass_cycles.value) *
               m.chip_simds_per_cu.value;
    };
    REQUIRE(flops(32, 64, m.matrix_passes_32x32x64_8bit) == m.peak_fp8_flops.value);
    REQUIRE(flops(16, 128, m.matrix_passes_16x16x128_8bit) == m.peak_fp8_flops.value);
    REQUIRE(flops(32, 64, m.matrix_passes_32x32x64_narrow) == m.peak_fp6_fp4_flops.value);
    REQUIRE(flops(16, 128, m.matrix_passes_16x16x128_narrow) == m.peak_fp6_fp4_flops.value);
    REQUIRE(flops(32, 16, m.matrix_passes_32x32_16bit) == m.peak_bf16_flops.value);
    REQUIRE(flops(16, 32, m.matrix_passes_16x16_16bit) == m.peak_bf16_flops.value);
    REQUIRE(flops(32, 32, m.matrix_passes_32x32_i8) == m.peak_i8_ops.value);
    // the datasheet: 5.03 PF FP8, 157.3 TF FP32
    const double chip = m.chip_compute_units.value * m.clock_peak.value * 1e9;
    REQUIRE(m.peak_fp8_flops.value * chip == Approx(5.03e15).epsilon(0.001));
    REQUIRE(m.peak_f32_flops.value * chip == Approx(157.3e12).epsilon(0.001));
    // 64 lanes, one fused multiply-add each, 4 SIMDs
    REQUIRE(2 * 64 * m.chip_simds_per_cu.value / m.rate(Rate::valu).value * 2 ==
            m.peak_f32_flops.value);
    // LDS: rates times bandwidth = bytes of the access
    for (auto [rate, access] : {std::pair{Rate::lds_b32, LdsAccess::read_b32},
                                {Rate::lds_b64, LdsAccess::read_b64},
                                {Rate::lds_b128, LdsAccess::read_b128}}) {
        REQUIRE(m.rate(rate).value * m.lds_read_bytes_per_clock.value ==
                64 * lds_access_bytes(access));
        REQUIRE(m.rate(rate).value ==
                double(m.phases(access).lanes.size()) * m.lds_phase_cycles.value);
    }
}

TEST_CASE("an instruction's own cost", "[isa][machine]") {
    const Machine& m = mi355x();
    Inst i;
    i.op = Op::s_nop;
    i.operands[0] = Operand::imm(7);
    REQUIRE(m.issue_cycles(i) == 32);
    i.op = Op::v_exp_f32;
    REQUIRE(m.issue_cycles(i) == 8);
    i.op = Op::v_mfma_f32_32x32x64_f8f6f4;
    i.operands[1] = Operand::reg(File::v, 0, 8), i.operands[2] = Operand::reg(File::v, 8, 4);
    REQUIRE(m.issue_cycles(i) == 12);
    REQUIRE(m.issue_cycles(i) == m.rate(Rate::mfma_f8f6f4).count());
    // Whole 16 bytes of the widest source count.
    for (const auto& [words, cycles] : {std::pair{6, 8}, {4, 8}, {2, 4}, {1, 4}}) {
        i.operands[1].words = i.operands[2].words = uint8_t(words);
        REQUIRE(m.issue_cycles(i) == unsigned(cycles));
    }
    // The other reading of 24 bytes is in the range, and moves no other width.
    Machine other = m;
    other.matrix_hold_bytes_per_slot.value = m.matrix_hold_bytes_per_slot.low;
    for (const auto& [words, cycles] : {std::pair{8, 12}, {6, 12}, {4, 8}, {2, 4}, {1, 4}}) {
        i.operands[1].words = i.operands[2].words = uint8_t(words);
        REQUIRE(other.issue_cycles(i) == unsigned(cycles));
    }
    REQUIRE(m.rate(Rate::mfma_16bit).count() == 8);
}

TEST_CASE("occupancy follows the allocation granule", "[isa][machine]") {
    const Machine& m = mi355x();
    // LLVM's table: 64 -> 8, 72 -> 7, 80 -> 6, 96 -> 5, 128 -> 4, 168 -> 3, 256 -> 2, 512 -> 1
    auto [vgprs, agprs, waves] = GENERATE(table<unsigned, unsigned, unsigned>({{64, 0, 8},
                                                                               {65, 0, 7},
                                                                               {72, 0, 7},
                                                                               {80, 0, 6},
                                                                               {96, 0, 5},
                                                                               {128, 0, 4},
                                                                               {129, 0, 3},
                                                                               {168, 0, 3},
                                                                               {169, 0, 2},
                                                                               {256, 0, 2},
                                                                               {250, 6, 1},
                                                                               {253, 3, 1},
                                                                               {256, 256, 1},
                                                                               {1, 0, 8},
                                                                               {126, 4, 3}}));
    CAPTURE(vgprs, agprs);
    REQUIRE(m.occupancy_waves_per_simd(vgprs, agprs) == waves);
}

TEST_CASE("a machine file with a fault is refused by its path", "[isa][machine]") {
    REQUIRE(refusal(good()) == "accepted");
    const auto mutate = [](auto change) {
        Json j = good();
        change(j);
        return refusal(j);
    };
    using Catch::Contains;
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytez"] = 1; }),
               Contains("m.json: /lds/bytez: unknown key"));
    CHECK_THAT(mutate([](Json& j) { j["ldz"] = 1; }), Contains("/ldz: unknown key"));
    CHECK_THAT(mutate([](Json& j) { j["lds"].erase("bytes"); }),
               Contains("/lds: \"bytes\" is missing"));
    CHECK_THAT(mutate([](Json& j) { j.erase("rates"); }), Contains("\"rates\" is missing"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"].erase("trust"); }),
               Contains("/lds/bytes: \"trust\" is missing"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["trust"] = "sure"; }),
               Contains("\"sure\" is not one of"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["source"] = ""; }),
               Contains("/lds/bytes/source"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["value"] = "163840"; }),
               Contains("must be a number"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["value"] = 163840.5; }),
               Contains("whole number"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["value"] = -1; }), Contains("negative"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["unit"] = "words"; }),
               Contains("should be \"bytes\""));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["bytes"]["note"] = "x"; }),
               Contains("/lds/bytes/note: unknown key"));
    CHECK_THAT(mutate([](Json& j) { j["lds"]["granule"]["value"] = 0; }),
               Contains("must not be 0"));
    CHECK_THAT(mutate([](Json& j) { j["rates"]["trans"]["value"] = 20; }),
               Contains("/rates/trans/range"));
    CHECK_THAT(mutate([](Json& j) { j["rates"]["trans"].erase("range"); }),
               Contains("needs a \"range\""));
    CHECK_THAT(mutate([](Json& j) { j["rates"].erase("valu"); }), Contains("\"valu\" is missing"));
    CHECK_THAT(mutate([](Json& j) { j["lds_phases"]["read_b64"]["value"][0] = "0-30"; }),
               Contains("in no phase"));
    CHECK_THAT(mutate([](Json& j) { j["lds_phases"]["read_b64"]["value"][0] = "0-32"; }),
               Contains("more bytes"));
    CHECK_THAT(mutate([](Json& j) { j["lds_phases"]["read_b32"]["value"].push_back("3"); }),
               Contains("two phases"));
    CHECK_THAT(mutate([](Json& j) { j["lds_phases"]["read_b64"]["value"][0] = "0-,3"; }),
               Contains("no list of lanes"));
    CHECK_THAT(mutate([](Json& j) { j["lds_phases"]["read_b64"]["value"][0] = "0-64"; }),
               Contains("no list of lanes"));
    CHECK_THAT(mutate([](Json& j) { j["lds_phases"]["read_b64"]["banks"] = 0; }),
               Contains("power of two"));
    CHECK_THAT(refusal(std::string("{\"name\": 1")), Contains("not JSON"));
    CHECK_THAT(refusal(std::string("[]")), Contains("must be an object"));
    CHECK_THAT(refusal(std::string("{\"name\": \"a\", \"name\": \"b\"}")),
               Contains("stands twice"));
}

namespace {
template <class F>
BankUse use(LdsAccess a, F address, uint64_t active = ~0ull) {
    std::array<uint32_t, 64> addresses{};
    for (unsigned lane = 0; lane < 64; ++lane) addresses[lane] = address(lane);
    return bank_use(a, addresses, active);
}
}  // namespace

TEST_CASE("bank conflicts follow the measured lane groups", "[isa][banks]") {
    // consecutive addresses never conflict
    for (unsigned n = 0; n < kLdsAccesses; ++n) {
        const auto a = LdsAccess(n);
        const BankUse u = use(a, [&](unsigned l) { return l * lds_access_bytes(a); });
        CAPTURE(lds_access_name(a));
        REQUIRE(u.conflict_free());
        REQUIRE(u.minimal == mi355x().phases(a).lanes.size());
        REQUIRE(u.lane_a == -1);
    }
    // b128 with a stride of 256 bytes: 16 lanes of a phase meet in four banks
    const BankUse worst = use(LdsAccess::read_b128, [](unsigned l) { return l * 256; });
    REQUIRE(worst.minimal == 4);
    REQUIRE(worst.needed == 64);
    REQUIRE(worst.rows == 16);
    REQUIRE(worst.bank == 0);
    REQUIRE(worst.lane_a == 0);
    REQUIRE(worst.lane_b == 1);
    // the same place for everyone is one fetch
    REQUIRE(use(LdsAccess::read_b128, [](unsigned) { return 4096u; }).conflict_free());
    // lanes 3 and 4 of b128 are served in different phases, 3 and 12 in the same one
    const auto pair = [](unsigned a, unsigned b) {
        return use(
                   LdsAccess::read_b128, [&](unsigned l) { return l == b ? 1024u : 0u; },
                   1ull << a | 1ull << b)
            .needed;
    };
    REQUIRE(pair(3, 4) == 2);   // two phases, no conflict
    REQUIRE(pair(3, 12) == 2);  // one phase, two rows
    const auto is_free = [](unsigned a, unsigned b) {
        return use(
                   LdsAccess::read_b128, [&](unsigned l) { return l == b ? 1024u : 0u; },
                   1ull << a | 1ull << b)
            .conflict_free();
    };
    REQUIRE(is_free(3, 4));
    REQUIRE(!is_free(3, 12));
    REQUIRE(!is_free(0, 27));
    REQUIRE(is_free(0, 28));
    // 32 write banks, 64 read banks: 128 bytes apart
    const auto two = [](unsigned l) { return l == 1 ? 128u : 0u; };
    REQUIRE(use(LdsAccess::read_b64, two, 3).needed == 1);
    REQUIRE(use(LdsAccess::write_b64, two, 3).needed == 2);
    REQUIRE(use(LdsAccess::read_b32, two, 0).needed == 0);
    REQUIRE_THROWS_WITH(use(LdsAccess::read_b128, [](unsigned l) { return l * 8; }),
                        Catch::Contains("lane 1 has address 0x8, not a multiple of 16"));
}

TEST_CASE("passes of the machine file and of the instruction agree", "[isa][machine]") {
    const Machine& m = mi355x();
    for (unsigned n = 0; n < kOpCount; ++n) {
        Inst i;
        i.op = Op(n);
        for (unsigned cbsz = 0; cbsz < kFormats; ++cbsz)
            for (unsigned blgp = 0; blgp < kFormats; ++blgp) {
                i.mods.cbsz = uint8_t(cbsz), i.mods.blgp = uint8_t(blgp);
                CAPTURE(i.info().name, cbsz, blgp);
                REQUIRE(passes(i) == m.passes(i));
            }
    }
}

TEST_CASE("the fast count of LDS phases is that of the full one", "[isa]") {
    Random random(7);
    for (unsigned a = 0; a < kLdsAccesses; ++a)
        for (unsigned n = 0; n < 200; ++n) {
            const auto access = LdsAccess(a);
            const unsigned bytes = lds_access_bytes(access);
            std::array<uint32_t, 64> narrow;
            std::array<uint64_t, 64> wide;
            for (unsigned l = 0; l < 64; ++l) {
                narrow[l] = uint32_t(random.bits() % (n % 2 ? 65536 : 2048)) / bytes * bytes;
                wide[l] = narrow[l];
            }
            const uint64_t active = n % 3 ? ~0ull : random.bits();
            CAPTURE(lds_access_name(access), n);
            REQUIRE(phases_needed(access, wide, active, mi355x()) ==
                    bank_use(access, narrow, active).needed);
        }
}

TEST_CASE("the machines that come along differ in their clocks alone", "[isa][machine]") {
    REQUIRE(shipped_machines().front() == "mi355x");
    CHECK(shipped_machine("mi355x") == &mi355x());
    CHECK(shipped_machine("mi300x") == nullptr);
    CHECK(shipped_machine("") == nullptr);
    const Machine* other = shipped_machine("mi350x");
    REQUIRE(other);
    CHECK(other->name == "mi350x");
    CHECK(other->model == mi355x().model);
    const auto a = rows(mi355x()), b = rows(*other);
    REQUIRE(a.size() == b.size());
    for (size_t n = 0; n < a.size(); ++n) {
        CAPTURE(a[n].path);
        if (a[n].path.starts_with("clock/")) CHECK(b[n].number->value < a[n].number->value);
        else CHECK(b[n].number->value == a[n].number->value);
    }
}
