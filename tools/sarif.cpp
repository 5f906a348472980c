#include "tools/sarif.hpp"

#include <map>

#include "isa/llvm/mc.hpp"
#include "tools/findings.hpp"
#include "tools/rules.hpp"

namespace zyfa {

namespace {

// One entry for a name; the hazard table has several rows of some.
Json rules_of(std::map<std::string, size_t>& index) {
    Json list = Json::array();
    for (const KnownRule& known : known_rules()) {
        if (std::string(known.found_by) != "lint") continue;
        const std::string name(known.rule.name);
        const std::string text = fmt::format("{} (source: {}; {})", known.rule.text,
                                             known.rule.source, trust_name(known.rule.trust));
        if (const auto seen = index.find(name); seen != index.end()) {
            Json& full = list[seen->second]["fullDescription"]["text"];
            full = full.get<std::string>() + "\n" + text;
            continue;
        }
        index[name] = list.size();
        list.push_back({{"id", name},
                        {"shortDescription", {{"text", known.rule.text}}},
                        {"fullDescription", {{"text", text}}},
                        {"defaultConfiguration", {{"level", name_of(known.rule.severity)}}}});
    }
    return list;
}

// Percent-encodes what a URI may not have as it is.
std::string uri(const std::string& path) {
    std::string out;
    for (unsigned char c : path)
        if (std::isalnum(c) || std::string_view("-._~/").find(char(c)) != std::string_view::npos)
            out += char(c);
        else out += fmt::format("%{:02X}", c);
    return path.starts_with('/') ? "file://" + out : out;
}

Json location(const SarifInput& input, uint32_t line, int64_t address) {
    Json physical;
    if (input.is_file) physical["artifactLocation"] = {{"uri", uri(input.name)}};
    if (line) physical["region"] = {{"startLine", line}};
    else if (address >= 0)
        physical["address"] = {{"relativeAddress", address}, {"kind", "instruction"}};
    Json out = {{"physicalLocation", physical}};
    if (!input.is_file)
        out["logicalLocations"] = Json::array({{{"name", input.name}, {"kind", "function"}}});
    return out;
}

Json result_of(const SarifInput& input, const Finding& f,
               const std::map<std::string, size_t>& index,
               std::map<std::string, unsigned>& before) {
    const std::string key = f.rule + "\n" + f.text + "\n" + f.other.substr(f.other.find(' ') + 1);
    const std::string print = fmt::format("{}\n{}\n{}", input.name, key, before[key]++);
    const std::vector<uint8_t> bytes(print.begin(), print.end());
    std::string message = fmt::format("{}: {}", f.message, f.text);
    if (!f.other.empty()) message += fmt::format("; with {}", f.other);
    Json result = {{"ruleId", f.rule},
                   {"ruleIndex", index.at(f.rule)},
                   {"level", name_of(f.severity)},
                   {"message", {{"text", message}}},
                   {"locations", Json::array({location(input, f.line, f.address)})},
                   {"partialFingerprints", {{"zyfa/v1", sha256(bytes)}}}};
    if (!f.other.empty()) {
        Json related = location(input, f.other_line,
                                f.other_line ? -1 : int64_t(std::stoul(f.other, nullptr, 16)));
        related["id"] = 1;
        related["message"] = {{"text", f.other}};
        result["relatedLocations"] = Json::array({related});
    }
    return result;
}

}  // namespace

Json sarif(const std::vector<SarifInput>& inputs) {
    std::map<std::string, size_t> index;
    const Json rules = rules_of(index);
    Json results = Json::array();
    for (const SarifInput& input : inputs) {
        std::map<std::string, unsigned> before;
        for (const Finding& f : input.findings)
            results.push_back(result_of(input, f, index, before));
    }
    const Json driver = {{"name", "zyfa-gen"}, {"version", tool_version()}, {"rules", rules}};
    const Json run = {{"tool", {{"driver", driver}}}, {"results", results}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({run})}};
}

}  // namespace zyfa
