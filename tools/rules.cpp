#include "tools/rules.hpp"

#include <set>

#include "sim/rules.hpp"
#include "tools/findings.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

constexpr Rule kLoaderRules[] = {
    {"METADATA", "descriptor and metadata of a kernel disagree, or name what is not used",
     "LLVM AMDGPUUsage, kernel descriptor and code object V5 metadata", Trust::certain,
     Severity::note, false},
};

// "error", "note, with --pedantic; error in kernels of ours, or with --tier conservative"
std::string severity_text(const Rule& rule) {
    std::string text = name_of(rule.severity);
    if (rule.pedantic) text += ", with --pedantic";
    if (rule.tier == Tier::llvm_conservative)
        text += "; error in kernels of ours, or with --tier conservative";
    return text;
}

Json to_json(const KnownRule& known) {
    const Rule& rule = known.rule;
    return {{"rule", rule.name},
            {"found_by", known.found_by},
            {"tier", tier_name(rule.tier)},
            {"severity", name_of(rule.severity)},
            {"pedantic", rule.pedantic},
            {"text", rule.text},
            {"source", rule.source},
            {"trust", trust_name(rule.trust)}};
}

}  // namespace

const char* tier_name(Tier tier) {
    return tier == Tier::required ? "required" : "llvm_conservative";
}

std::vector<KnownRule> known_rules() {
    std::vector<KnownRule> list;
    for (const Rule& rule : describe_rules()) list.push_back({rule, "lint"});
    for (const Rule& rule : kLoaderRules) list.push_back({rule, "lint"});
    for (const SimRule& r : sim_rules())
        list.push_back({{r.name, r.about, r.source, r.trust, r.severity, false}, "sim"});
    return list;
}

void print_rules(const std::string& only, const char* command, const Session& session) {
    std::vector<KnownRule> list;
    std::set<std::string> names;
    for (const KnownRule& known : known_rules()) {
        names.emplace(known.rule.name);
        if (only.empty() || known.rule.name == only) list.push_back(known);
    }
    if (list.empty())
        throw Error(
            fmt::format("no rule '{}'{}", only, did_you_mean(only, {names.begin(), names.end()})));
    Json results = Json::array();
    for (const KnownRule& known : list) {
        results.push_back(to_json(known));
        if (session.common.json) continue;
        fmt::print("{} ({}: {}): {}\n    source: {}; {}\n", known.rule.name, known.found_by,
                   severity_text(known.rule), known.rule.text, known.rule.source,
                   trust_name(known.rule.trust));
    }
    if (session.common.json) print_envelope(command, Json::array(), results);
}

}  // namespace zyfa
