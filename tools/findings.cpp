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
    json["line"] = f.line ? Json(f.line) : Json(nullptr);
    json["wave"] = f.wave < 0 ? Json(nullptr) : Json(f.wave);
    json["workgroup"] = f.workgroup < 0 ? Json(nullptr) : Json(f.workgroup);
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

std::string reproduce_line(const Finding& f, const std::string& run) {
    if (f.wave < 0) return run;
    return fmt::format("{} --break {:#06x} --workgroup {} --wave {}", run, f.address, f.workgroup,
                       f.wave);
}

std::string to_text(const Finding& f, const std::string& name, const Common& common) {
    static constexpr Paint kPaints[] = {Paint::red, Paint::yellow, Paint::plain};
    std::string text = fmt::format(
        "{}:{}: {}: [{}] {}\n", name,
        f.line ? std::to_string(f.line) : fmt::format("{:#06x}", f.address),
        paint(name_of(f.severity), kPaints[int(f.severity)], stdout, common), f.rule, f.message);
    if (!f.text.empty()) text += fmt::format("{}{}\n", f.line ? "" : "    ", f.text);
    if (!f.other.empty())
        text += fmt::format("    with {}{}\n", f.other_line ? name + ":" : "", f.other);
    if (f.wave >= 0 && f.workgroup >= 0)
        text += fmt::format("    workgroup {}, wave {}{}{}\n", f.workgroup, f.wave,
                            f.lane < 0 ? "" : fmt::format(", lane {}", f.lane),
                            f.location ? fmt::format(", address {:#x}", f.location) : "");
    if (f.count > 1) text += fmt::format("    {} times\n", f.count);
    return text;
}

}  // namespace zyfa
