#include "tools/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zyfa {

const char* name_of(Severity severity) {
    return severity == Severity::error     ? "error"
           : severity == Severity::warning ? "warning"
                                           : "note";
}

bool has_errors(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.severity == Severity::error; });
}

Json to_json(const Finding& f) {
    Json json = {{"rule", f.rule},       {"severity", name_of(f.severity)},
                 {"address", f.address}, {"text", f.text},
                 {"other", f.other},     {"message", f.message}};
    json["wave"] = f.wave < 0 ? Json(nullptr) : Json(f.wave);
    json["lane"] = f.lane < 0 ? Json(nullptr) : Json(f.lane);
    json["location"] = f.location;
    json["count"] = f.count;
    return json;
}

Json to_json(const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings) list.push_back(to_json(finding));
    return list;
}

std::string to_text(const Finding& f, const std::string& name, const Common& common) {
    static constexpr Paint kPaints[] = {Paint::red, Paint::yellow, Paint::plain};
    std::string text = fmt::format(
        "{}:{:#06x}: {}: [{}] {}\n", name, f.address,
        paint(name_of(f.severity), kPaints[int(f.severity)], stdout, common), f.rule, f.message);
    if (!f.text.empty()) text += fmt::format("    {}\n", f.text);
    if (!f.other.empty()) text += fmt::format("    with {}\n", f.other);
    if (f.count > 1) text += fmt::format("    {} times\n", f.count);
    return text;
}

}  // namespace zyfa
