#include "kernels/schedule.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "isa/json_reader.hpp"
#include "kernels/plan.hpp"

namespace zyfa {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kNames[kWorks] = {"load_k", "load_v", "qk",   "mask",    "check", "max",
                                             "exp",    "sum",    "pack", "rescale", "pv"};
constexpr std::string_view kFills[] = {"even", "front", "back"};
constexpr std::string_view kReads[] = {"before", "front", "even", "back"};
constexpr std::string_view kSoftmaxes[] = {"exact", "lean"};
constexpr std::string_view kRowSums[] = {"valu", "matrix", "sparse"};

template <class Enum, size_t N>
Enum one_of(const JsonReader& at, const std::string_view (&list)[N]) {
    const std::string text = at.text();
    const auto found = std::find(std::begin(list), std::end(list), text);
    if (found == std::end(list))
        at.fail("must be {} or {}, not '{}'", fmt::join(list, list + N - 1, ", "), list[N - 1],
                text);
    return Enum(found - std::begin(list));
}

std::string all_names() { return fmt::format("{}", fmt::join(kNames, ", ")); }

unsigned parts_of(Work work, const Schedule& s) {
    return work == Work::qk ? s.key_blocks() : work == Work::pv ? 4 : 0;
}

// "pv(i-1)", "qk(i)[0:2]"
Item parse_item(const JsonReader& at, const Schedule& s) {
    const std::string text = at.text();
    std::string_view rest = text;
    const auto bad = [&] {
        at.fail(
            "'{}' is not understood; as in qk(i), pv(i-1), load_k(i+2), or a part, qk(i)[0:2]; "
            "the work is one of {}",
            text, all_names());
    };
    const auto eat = [&](std::string_view word) {
        if (!rest.starts_with(word)) bad();
        rest.remove_prefix(word.size());
    };
    const auto digit = [&] {
        if (rest.empty() || rest[0] < '0' || rest[0] > '9') bad();
        const unsigned n = unsigned(rest[0] - '0');
        rest.remove_prefix(1);
        return n;
    };
    Item item{};
    const auto name =
        std::find(std::begin(kNames), std::end(kNames), rest.substr(0, rest.find('(')));
    if (name == std::end(kNames)) bad();
    item.work = Work(name - std::begin(kNames));
    eat(*name);
    eat("(i");
    if (rest.starts_with("+") || rest.starts_with("-")) {
        const int sign = rest[0] == '+' ? 1 : -1;
        rest.remove_prefix(1);
        item.tile = sign * int(digit());
    }
    eat(")");
    item.last = parts_of(item.work, s);
    if (rest.empty()) return item;
    const unsigned most = item.last;
    if (!most) at.fail("'{}': {} has no parts", text, *name);
    eat("[");
    item.first = digit();
    eat(":");
    item.last = digit();
    eat("]");
    if (!rest.empty()) bad();
    if (item.first >= item.last || item.last > most)
        at.fail("'{}': parts [first:last) of {} lie in 0..{}", text, *name, most);
    return item;
}

std::vector<Item> parse_items(const JsonReader& at, const Schedule& s) {
    std::vector<Item> list;
    for (size_t n = 0; n < at.list_size(); ++n) list.push_back(parse_item(at[n], s));
    return list;
}

Phase parse_phase(const JsonReader& at, const Schedule& s) {
    at.expect_keys({"name", "barrier", "priority", "wait", "work", "behind", "fill", "reads"});
    Phase p;
    p.name = at["name"].text();
    if (p.name.empty() || p.name.find_first_of("\r\n") != p.name.npos)
        at["name"].fail("must be one line of text");
    if (at.has("barrier")) p.barrier = at["barrier"].boolean();
    if (at.has("priority")) p.priority = unsigned(at["priority"].unsigned_integer(0, 3));
    if (at.has("wait")) {
        const JsonReader wait = at["wait"];
        wait.expect_keys({"vmcnt", "lgkmcnt"});
        p.wait = PinnedWait{63, 15};
        if (wait.has("vmcnt")) p.wait->vmcnt = unsigned(wait["vmcnt"].unsigned_integer(0, 62));
        if (wait.has("lgkmcnt"))
            p.wait->lgkmcnt = unsigned(wait["lgkmcnt"].unsigned_integer(0, 14));
    }
    if (at.has("work")) p.work = parse_items(at["work"], s);
    if (at.has("behind")) p.behind = parse_items(at["behind"], s);
    if (at.has("fill")) {
        p.fill = one_of<Fill>(at["fill"], kFills);
        if (p.behind.empty()) at["fill"].fail("has nothing to spread: 'behind' is empty");
    }
    if (at.has("reads")) {
        p.reads = one_of<Reads>(at["reads"], kReads);
        if (p.has_matrix_work())
            at["reads"].fail(
                "is for phases without matrix work; here operands are read behind the "
                "matrix instruction that frees their registers");
    }
    return p;
}

void parse_sizes(const JsonReader& at, Schedule& s) {
    const auto number = [&](const char* key, unsigned& to, unsigned least, unsigned most) {
        if (at.has(key)) to = unsigned(at[key].unsigned_integer(least, most));
    };
    number("waves", s.waves, 1, 16);
    number("wave_rows", s.wave_rows, 32, 256);
    if (s.wave_rows != 32 && s.wave_rows != 64) at["wave_rows"].fail("must be 32 or 64");
    if (s.waves * s.wave_rows != 256)
        at["waves"].fail("times wave_rows must be 256, the query rows of a workgroup; it is {}",
                         s.waves * s.wave_rows);
    number("key_tile", s.key_tile, 64, 128);
    if (s.key_tile != 64 && s.key_tile != 128) at["key_tile"].fail("must be 64 or 128");
    if (at.has("lds_slots")) {
        const JsonReader slots = at["lds_slots"];
        slots.expect_keys({"k", "v"});
        s.k_slots = unsigned(slots["k"].unsigned_integer(2, 9));
        s.v_slots = unsigned(slots["v"].unsigned_integer(2, 9));
        for (const char* which : {"k", "v"}) {
            const unsigned count = which[0] == 'k' ? s.k_slots : s.v_slots;
            if (count * s.key_tile * 128 > 65536)
                slots[which].fail(
                    "{} tiles of {} bytes are more than the 65536 that an LDS read reaches", count,
                    s.key_tile * 128);
        }
    }
    number("fragments", s.fragments, 1, 16);
    number("stagger", s.stagger, 0, 32);
}

void parse_modes(const JsonReader& at, Schedule& s) {
    if (at.has("softmax")) s.softmax = one_of<Exponential>(at["softmax"], kSoftmaxes);
    if (at.has("row_sum")) s.row_sum = one_of<RowSum>(at["row_sum"], kRowSums);
    if (at.has("scale_block")) {
        s.scale_block = unsigned(at["scale_block"].unsigned_integer(0, 128));
        if (s.scale_block != 0 && s.scale_block != 64 && s.scale_block != s.key_tile)
            at["scale_block"].fail("must be 0, 64 or key_tile ({}), not {}", s.key_tile,
                                   s.scale_block);
    }
    if (s.softmax == Exponential::lean && !s.scale_block)
        at["softmax"].fail(
            "lean needs $.scale_block 64 or 128: without exponents small weights fall where it is "
            "wrong, and a risen maximum has no code");
    if (s.softmax == Exponential::lean && !s.sums_weights_rounded())
        at["softmax"].fail("lean never has unrounded weights: $.row_sum must be matrix or sparse");
    if (at.has("rescale")) {
        const JsonReader mode = at["rescale"];
        if (mode.value.is_object()) {
            mode.expect_keys({"lazy"});
            s.lazy = unsigned(mode["lazy"].unsigned_integer(1, 8));
        } else if (mode.text() != "always" && mode.text() != "rare") {
            mode.fail("must be \"always\", \"rare\" or {{\"lazy\": LOG2}}, not {}", mode.shown());
        }
        const bool rare = !s.lazy && mode.text() == "rare";
        if (rare != (s.scale_block != 0))
            mode.fail("is \"rare\" with $.scale_block 64 or 128, and only then");
    }
    if (at.has("align_loops")) {
        const auto bytes = at["align_loops"].unsigned_integer(0, 64);
        if (bytes % 32) at["align_loops"].fail("must be 0, 32 or 64 bytes, not {}", bytes);
        s.alignment.loops = unsigned(bytes);
    }
    if (at.has("align_wide")) s.alignment.wide = at["align_wide"].boolean();
}

// Which phases are timed: true, or a list of names.
void parse_probes(const JsonReader& at, Schedule& s) {
    const auto probe = [&](auto wanted) {
        size_t found = 0;
        for (unsigned n = 0; n < s.phases.size(); ++n)
            if (wanted(s.phases[n])) s.probes.push_back(n + 1), ++found;
        return found;
    };
    if (at.value.is_boolean()) {
        if (at.boolean()) probe([](const Phase&) { return true; });
        return;
    }
    for (size_t n = 0; n < at.list_size(); ++n) {
        const std::string name = at[n].text();
        for (size_t m = 0; m < n; ++m)
            if (at[m].text() == name) at[n].fail("'{}' is there twice", name);
        if (!probe([&](const Phase& p) { return p.name == name; }))
            at[n].fail("there is no phase '{}'", name);
    }
    std::sort(s.probes.begin(), s.probes.end());
}

Json probes_json(const Schedule& s) {
    if (s.probes.size() == s.phases.size() || s.probes.empty()) return !s.probes.empty();
    Json names = Json::array();
    for (unsigned number : s.probes) {
        const std::string& name = s.phases[number - 1].name;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

void find_places(std::string_view json, Schedule& s) {
    for (size_t n = 0; n < s.phases.size(); ++n) {
        Phase& phase = s.phases[n];
        const std::string path = fmt::format("$.phases[{}]", n);
        phase.at = place_in_json(json, path);
        for (size_t m = 0; m < phase.work.size(); ++m)
            phase.work[m].at = place_in_json(json, fmt::format("{}.work[{}]", path, m));
        for (size_t m = 0; m < phase.behind.size(); ++m)
            phase.behind[m].at = place_in_json(json, fmt::format("{}.behind[{}]", path, m));
    }
}

}  // namespace

std::string_view work_name(Work work) { return kNames[unsigned(work)]; }

std::string show(const Item& item, const Schedule& s) {
    std::string text(work_name(item.work));
    text += item.tile ? fmt::format("(i{:+})", item.tile) : "(i)";
    if (item.last && (item.first || item.last != parts_of(item.work, s)))
        text += fmt::format("[{}:{}]", item.first, item.last);
    return text;
}

unsigned Schedule::barriers() const {
    return unsigned(
        std::count_if(phases.begin(), phases.end(), [](const Phase& p) { return p.barrier; }));
}

Schedule parse_schedule(std::string_view text, const std::string& file) {
    const nlohmann::json value = parse_json(text, file);
    const JsonReader at(value, file);
    at.expect_keys({"about", "waves", "wave_rows", "key_tile", "lds_slots", "fragments", "stagger",
                    "softmax", "row_sum", "scale_block", "rescale", "align_loops", "align_wide",
                    "probes", "phases"});
    Schedule s;
    const size_t slash = file.find_last_of('/') + 1;
    s.name = file.substr(slash, file.rfind(".json") - slash);
    if (at.has("about")) s.about = at["about"].text();
    parse_sizes(at, s);
    parse_modes(at, s);
    const JsonReader phases = at["phases"];
    if (phases.list_size() == 0) phases.fail("must name at least one phase");
    if (phases.list_size() > 32) phases.fail("has {} phases; 32 are the limit", phases.list_size());
    for (size_t n = 0; n < phases.list_size(); ++n) s.phases.push_back(parse_phase(phases[n], s));
    if (at.has("probes")) parse_probes(at["probes"], s);
    find_places(text, s);
    try {
        Plan plan(s);  // the proof that it can work
    } catch (const PlanError& e) { throw Error(fmt::format("{}: {}: {}", file, e.path, e.what())); }
    return s;
}

std::string to_json(const Schedule& s) {
    const auto items = [&](const std::vector<Item>& list) {
        Json out = Json::array();
        for (const Item& item : list) out.push_back(show(item, s));
        return out;
    };
    Json phases = Json::array();
    for (const Phase& p : s.phases) {
        Json phase = {{"name", p.name}, {"barrier", p.barrier}};
        if (p.priority) phase["priority"] = *p.priority;
        if (p.wait) {
            phase["wait"] = Json::object();
            if (p.wait->vmcnt < 63) phase["wait"]["vmcnt"] = p.wait->vmcnt;
            if (p.wait->lgkmcnt < 15) phase["wait"]["lgkmcnt"] = p.wait->lgkmcnt;
        }
        phase["work"] = items(p.work);
        if (!p.behind.empty()) {
            phase["behind"] = items(p.behind);
            phase["fill"] = kFills[unsigned(p.fill)];
        }
        if (!p.has_matrix_work()) phase["reads"] = kReads[unsigned(p.reads)];
        phases.push_back(std::move(phase));
    }
    const Json out = {{"about", s.about},
                      {"waves", s.waves},
                      {"wave_rows", s.wave_rows},
                      {"key_tile", s.key_tile},
                      {"lds_slots", {{"k", s.k_slots}, {"v", s.v_slots}}},
                      {"fragments", s.fragments},
                      {"stagger", s.stagger},
                      {"softmax", kSoftmaxes[unsigned(s.softmax)]},
                      {"row_sum", kRowSums[unsigned(s.row_sum)]},
                      {"scale_block", s.scale_block},
                      {"rescale", s.lazy          ? Json{{"lazy", *s.lazy}}
                                  : s.scale_block ? Json("rare")
                                                  : Json("always")},
                      {"align_loops", s.alignment.loops},
                      {"align_wide", s.alignment.wide},
                      {"probes", probes_json(s)},
                      {"phases", phases}};
    return out.dump(2) + "\n";
}

namespace {
#include "kernels/schedules.inc"
}  // namespace

std::span<const ShippedSchedule> shipped_schedules() { return kShipped; }

const Schedule& shipped_schedule(std::string_view name) {
    static const std::map<std::string_view, Schedule> parsed = [] {
        std::map<std::string_view, Schedule> all;
        for (const ShippedSchedule& s : kShipped)
            all.emplace(s.name, parse_schedule(s.json, fmt::format("{}.json", s.name)));
        return all;
    }();
    const auto found = parsed.find(name);
    if (found != parsed.end()) return found->second;
    std::string names;
    for (const ShippedSchedule& s : kShipped) names += fmt::format(" {}", s.name);
    throw Error(fmt::format("there is no schedule '{}'; the project has:{}", name, names));
}

}  // namespace zyfa
