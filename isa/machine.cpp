#include "isa/machine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/lanes.hpp"

namespace zyfa {

namespace {

using Json = nlohmann::ordered_json;

constexpr char kMi355xJson[] =
#include "isa/machines/mi355x.inc"
    ;

constexpr std::string_view kRateNames[kRates] = {
    "salu",      "smem",      "branch",     "wait",       "nop",         "barrier",
    "valu",      "quarter",   "trans",      "packed_f32", "mfma_f8f6f4", "mfma_16bit",
    "mfma_8bit", "mfma_i8",   "mfma_f32",   "lds_b32",    "lds_b64",     "lds_b128",
    "lds_write", "vmem_load", "vmem_store", "lds_dma",
};
constexpr std::string_view kAccessNames[kLdsAccesses] = {
    "read_b32",  "read_b64",  "read_b128",  "read_tr_b8", "read_tr_b16",
    "write_b32", "write_b64", "write_b128", "dma_b32",    "dma_b128",
};

struct Row {
    const char *section, *key, *unit, *meaning;
    Number Machine::* member;
};
constexpr Row kRows[] = {
#define NUMBER(section, key, unit, meaning) \
    {#section, #key, unit, meaning, &Machine::section##_##key},
#include "isa/machine.def"
};

bool is_count_unit(std::string_view unit) {
    for (auto u : {"count", "lanes", "bytes", "words", "cycles", "slots", "passes"})
        if (unit == u) return true;
    return false;
}

struct Loader {
    std::string file;

    [[noreturn]] void fail(const std::string& path, const std::string& text) const {
        throw Error(fmt::format("{}: {}: {}", file, path.empty() ? "/" : path, text));
    }

    const Json& object(const Json& parent, const std::string& path, const std::string& key) const {
        const auto it = parent.find(key);
        if (it == parent.end()) fail(path, fmt::format("\"{}\" is missing", key));
        if (!it->is_object()) fail(path + "/" + key, "must be an object");
        return *it;
    }
    std::string text(const Json& parent, const std::string& path, const std::string& key) const {
        const auto it = parent.find(key);
        if (it == parent.end()) fail(path, fmt::format("\"{}\" is missing", key));
        if (!it->is_string() || it->get_ref<const std::string&>().empty())
            fail(path + "/" + key, "must be a text that is not empty");
        return it->get<std::string>();
    }
    double number(const Json& j, const std::string& path) const {
        if (!j.is_number() || !std::isfinite(j.get<double>())) fail(path, "must be a number");
        return j.get<double>();
    }
    void only_keys(const Json& j, const std::string& path,
                   const std::vector<std::string>& known) const {
        for (const auto& [key, value] : j.items()) {
            if (std::find(known.begin(), known.end(), key) != known.end()) continue;
            std::string list;
            for (const auto& k : known) list += (list.empty() ? "" : ", ") + k;
            fail(path + "/" + key, "unknown key; known here: " + list);
        }
    }
    Trust trust(const Json& j, const std::string& path) const {
        const std::string word = text(j, path, "trust");
        std::string list;
        for (unsigned t = 0; t <= unsigned(Trust::guess); ++t) {
            if (word == trust_name(Trust(t))) return Trust(t);
            list += fmt::format("{}{}", t ? ", " : "", trust_name(Trust(t)));
        }
        fail(path + "/trust", fmt::format("\"{}\" is not one of {}", word, list));
    }

    Number load_number(const Json& parent, const std::string& at, const std::string& key,
                       std::string_view unit) const {
        const Json& j = object(parent, at, key);
        const std::string path = at + "/" + key;
        only_keys(j, path, {"value", "unit", "trust", "source", "range"});
        Number n;
        if (!j.contains("value")) fail(path, "\"value\" is missing");
        n.value = number(j["value"], path + "/value");
        n.unit = text(j, path, "unit");
        if (n.unit != unit)
            fail(path + "/unit", fmt::format("\"{}\" should be \"{}\"", n.unit, unit));
        n.trust = trust(j, path);
        n.source = text(j, path, "source");
        if (is_count_unit(unit) && n.value != std::floor(n.value))
            fail(path + "/value", "must be a whole number");
        if (is_count_unit(unit) && n.value < 0 && key != "global_offset_min")
            fail(path + "/value", "must not be negative");
        n.low = n.high = n.value;
        if (!j.contains("range")) {
            if (n.trust != Trust::certain && n.trust != Trust::vendor_text)
                fail(path, fmt::format("a number of trust \"{}\" needs a \"range\": [low, high]",
                                       trust_name(n.trust)));
            return n;
        }
        const Json& r = j["range"];
        if (!r.is_array() || r.size() != 2) fail(path + "/range", "must be [low, high]");
        n.low = number(r[0], path + "/range/0");
        n.high = number(r[1], path + "/range/1");
        if (n.low > n.value || n.value > n.high)
            fail(path + "/range", fmt::format("does not contain the value {}", n.value));
        return n;
    }

    uint64_t lane_mask(const Json& j, const std::string& path) const {
        if (!j.is_string()) fail(path, "must be a text such as \"0-3,12-15\"");
        const auto& s = j.get_ref<const std::string&>();
        uint64_t mask = 0;
        size_t at = 0;
        const auto lane = [&] {
            unsigned v = 0, digits = 0;
            for (; at < s.size() && s[at] >= '0' && s[at] <= '9' && digits < 3; ++digits)
                v = 10 * v + unsigned(s[at++] - '0');
            if (!digits || v > 63) fail(path, fmt::format("\"{}\" is no list of lanes 0-63", s));
            return v;
        };
        for (;;) {
            const unsigned first = lane();
            unsigned last = first;
            if (at < s.size() && s[at] == '-') ++at, last = lane();
            if (last < first)
                fail(path, fmt::format("\"{}\": {}-{} runs backward", s, first, last));
            for (unsigned l = first; l <= last; ++l) mask |= 1ull << l;
            if (at == s.size()) return mask;
            if (s[at++] != ',') fail(path, fmt::format("\"{}\" is no list of lanes 0-63", s));
        }
    }

    LdsPhases load_phases(const Json& parent, const std::string& at, const std::string& key,
                          unsigned lane_bytes, unsigned bank_bytes) const {
        const Json& j = object(parent, at, key);
        const std::string path = at + "/" + key;
        only_keys(j, path, {"value", "unit", "banks", "trust", "source"});
        LdsPhases p;
        p.trust = trust(j, path);
        p.source = text(j, path, "source");
        if (text(j, path, "unit") != "lanes") fail(path + "/unit", "should be \"lanes\"");
        if (!j.contains("banks")) fail(path, "\"banks\" is missing");
        p.banks = unsigned(std::clamp(number(j["banks"], path + "/banks"), 0.0, 1e6));
        if (p.banks == 0 || (p.banks & (p.banks - 1)))
            fail(path + "/banks", "must be a power of two");
        if (!j.contains("value") || !j["value"].is_array()) fail(path, "\"value\" must be a list");
        uint64_t seen = 0;
        for (size_t n = 0; n < j["value"].size(); ++n) {
            const std::string here = fmt::format("{}/value/{}", path, n);
            const uint64_t mask = lane_mask(j["value"][n], here);
            if (seen & mask) fail(here, "a lane stands in two phases");
            if (unsigned(std::popcount(mask)) * lane_bytes > p.banks * bank_bytes)
                fail(here, "more bytes than the banks hold");
            seen |= mask;
            p.lanes.push_back(mask);
        }
        if (seen != ~0ull) fail(path + "/value", "some lane stands in no phase");
        return p;
    }
};

}  // namespace

std::string_view rate_name(Rate r) { return kRateNames[unsigned(r)]; }
std::string_view lds_access_name(LdsAccess a) { return kAccessNames[unsigned(a)]; }

unsigned Machine::issue_cycles(const Inst& i) const {
    const OpInfo& op = i.info();
    if (i.op == Op::s_nop) return issue_slot_cycles.count() * (i.operands[0].value + 1);
    if (op.is_mfma()) {
        const unsigned widest = 4u * std::max(i.operands[1].words, i.operands[2].words);
        const unsigned per_slot = matrix_hold_bytes_per_slot.count();
        return issue_slot_cycles.count() * (matrix_hold_base_slots.count() + widest / per_slot);
    }
    return rate(op.rate).count();
}

unsigned Machine::passes(const Inst& i) const {
    const MatrixShape s = matrix_shape(i);
    if (s.mn == 0) return 0;
    const bool big = s.mn == 32, any_8bit = s.a.bits == 8 || s.b.bits == 8;
    const auto pick = [&](const Number& of_32, const Number& of_16) {
        return (big ? of_32 : of_16).count();
    };
    if (i.info().rate == Rate::mfma_f8f6f4)
        return any_8bit ? pick(matrix_passes_32x32x64_8bit, matrix_passes_16x16x128_8bit)
                        : pick(matrix_passes_32x32x64_narrow, matrix_passes_16x16x128_narrow);
    if (s.a.bits == 32) return pick(matrix_passes_32x32_f32, matrix_passes_16x16_f32);
    if (s.a.bits == 16) return pick(matrix_passes_32x32_16bit, matrix_passes_16x16_16bit);
    if (i.info().rate == Rate::mfma_i8) return pick(matrix_passes_32x32_i8, matrix_passes_16x16_i8);
    return pick(matrix_passes_32x32_8bit, matrix_passes_16x16_8bit);
}

unsigned Machine::occupancy_waves_per_simd(unsigned vgprs, unsigned agprs) const {
    const auto round_up = [](unsigned x, unsigned to) { return (x + to - 1) / to * to; };
    const unsigned first_agpr = std::max(round_up(vgprs, registers_accum_offset_granule.count()),
                                         registers_accum_offset_min.count());
    const unsigned total =
        round_up(agprs ? first_agpr + agprs : std::max(vgprs, 1u), registers_vgpr_granule.count());
    return std::min(chip_waves_per_simd_max.count(), registers_vgpr_words_total.count() / total);
}

std::vector<MachineRow> rows(const Machine& m) {
    std::vector<MachineRow> out;
    for (const Row& r : kRows)
        out.push_back({fmt::format("{}/{}", r.section, r.key), &(m.*r.member), r.meaning});
    for (unsigned r = 0; r < kRates; ++r)
        out.push_back({fmt::format("rates/{}", kRateNames[r]), &m.rates[r],
                       "cycles of its pipe per wave instruction"});
    return out;
}

Machine load_machine(std::string_view text, std::string_view file) {
    const Loader load{std::string(file)};
    Json root;
    std::set<std::string> keys_twice;
    try {
        // nlohmann keeps the last of two equal keys; a calibration must not lose one silently
        std::vector<std::set<std::string>> open;
        root = Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
            if (event == Json::parse_event_t::object_start) open.emplace_back();
            if (event == Json::parse_event_t::object_end) open.pop_back();
            if (event == Json::parse_event_t::key &&
                !open.back().insert(parsed.get<std::string>()).second)
                keys_twice.insert(parsed.get<std::string>());
            return true;
        });
    } catch (const nlohmann::json::exception& e) {
        throw Error(fmt::format("{}: not JSON: {}", file, e.what()));
    }
    if (!root.is_object()) load.fail("", "must be an object");
    if (!keys_twice.empty())
        load.fail("", fmt::format("key \"{}\" stands twice in one object", *keys_twice.begin()));

    std::vector<std::string> sections{"name", "model", "about", "rates", "lds_phases"};
    for (const Row& r : kRows)
        if (std::find(sections.begin(), sections.end(), r.section) == sections.end())
            sections.push_back(r.section);
    load.only_keys(root, "", sections);

    Machine m;
    m.name = load.text(root, "", "name");
    m.model = load.text(root, "", "model");
    m.about = load.text(root, "", "about");
    for (const auto& section : sections) {
        std::vector<std::string> known;
        for (const Row& r : kRows)
            if (r.section == section) known.push_back(r.key);
        if (known.empty()) continue;
        load.only_keys(load.object(root, "", section), "/" + section, known);
    }
    for (const Row& r : kRows)
        m.*r.member =
            load.load_number(root[r.section], std::string("/") + r.section, r.key, r.unit);
    for (auto* positive :
         {&m.memory_line_bytes, &m.memory_request_bytes, &m.chip_compute_units,
          &m.chip_l2_bytes_per_clock, &m.chip_xcds, &m.chip_simds_per_cu, &m.issue_slot_cycles,
          &m.lds_granule, &m.lds_bank_bytes, &m.registers_vgpr_granule,
          &m.registers_accum_offset_granule, &m.matrix_hold_bytes_per_slot})
        if (positive->value < 1) load.fail("", "granules, bank width and hold width must not be 0");

    const Json& rates = load.object(root, "", "rates");
    load.only_keys(rates, "/rates", {kRateNames, kRateNames + kRates});
    for (unsigned r = 0; r < kRates; ++r)
        m.rates[r] = load.load_number(rates, "/rates", std::string(kRateNames[r]), "cycles");
    const Json& phases = load.object(root, "", "lds_phases");
    load.only_keys(phases, "/lds_phases", {kAccessNames, kAccessNames + kLdsAccesses});
    for (unsigned a = 0; a < kLdsAccesses; ++a)
        m.lds_phases[a] =
            load.load_phases(phases, "/lds_phases", std::string(kAccessNames[a]),
                             lds_access_bytes(LdsAccess(a)), m.lds_bank_bytes.count());
    return m;
}

std::string_view mi355x_json() { return {kMi355xJson, sizeof kMi355xJson - 1}; }

const Machine& mi355x() {
    static const Machine machine = load_machine(mi355x_json(), "isa/machines/mi355x.json");
    return machine;
}

}  // namespace zyfa
