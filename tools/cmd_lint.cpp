#include <algorithm>
#include <set>

#include "check/check.hpp"
#include "tools/command.hpp"
#include "tools/findings.hpp"
#include "tools/subject.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

struct LintOptions {
    std::vector<std::string> what;
    std::string explain;
    size_t most = 50;
    bool pedantic = false, rules = false, no_fail = false;
};

Json to_json(const Rule& rule) {
    return {
        {"rule", rule.name},     {"severity", name_of(rule.severity)}, {"text", rule.text},
        {"source", rule.source}, {"trust", trust_name(rule.trust)},    {"pedantic", rule.pedantic}};
}

void print_rules(const std::string& only, const Session& session) {
    const std::vector<Rule> rules = describe_rules();
    std::set<std::string> names;
    Json list = Json::array();
    for (const Rule& rule : rules) {
        names.emplace(rule.name);
        if (only.empty() || rule.name == only) list.push_back(to_json(rule));
    }
    if (list.empty())
        throw Error(
            fmt::format("no rule '{}'{}", only, did_you_mean(only, {names.begin(), names.end()})));
    if (session.common.json) return print_envelope("lint", Json::array(), list);
    for (const Json& rule : list)
        fmt::print("{} ({}{}): {}\n    source: {}; {}\n", rule["rule"].get<std::string>(),
                   rule["severity"].get<std::string>(),
                   rule["pedantic"].get<bool>() ? ", with --pedantic" : "",
                   rule["text"].get<std::string>(), rule["source"].get<std::string>(),
                   rule["trust"].get<std::string>());
}

std::vector<Finding> findings_of(const CodeObject& object, bool pedantic) {
    CheckOptions options;
    options.pedantic = pedantic;
    options.entries.clear();
    for (const KernelInfo& kernel : object.kernels) options.entries.push_back(kernel.entry);
    std::vector<Finding> findings = check(object.code, options);
    findings.insert(findings.end(), object.notes.begin(), object.notes.end());
    return findings;
}

size_t unknown_count(const CodeObject& object) {
    return size_t(std::count_if(object.code.begin(), object.code.end(),
                                [](const Decoded& d) { return !d.known; }));
}

void print_text(const Subject& subject, const std::vector<Finding>& findings, size_t most,
                const Session& session) {
    for (size_t i = 0; i < std::min(most, findings.size()); ++i)
        fmt::print("{}", to_text(findings[i], subject.name, session.common));
    if (findings.size() > most)
        fmt::print("{}: {} more (--max-diagnostics)\n", subject.name, findings.size() - most);
    const size_t errors =
        size_t(std::count_if(findings.begin(), findings.end(),
                             [](const Finding& f) { return f.severity == Severity::error; }));
    fmt::print("{}: {} instructions, {} errors, {} other findings\n", subject.name,
               subject.object.code.size(), errors, findings.size() - errors);
    if (size_t unknown = unknown_count(subject.object))
        fmt::print("{}: {} instructions are not in the table; nothing is proved across them\n",
                   subject.name, unknown);
}

void lint(const LintOptions& opt, Session& session) {
    if (opt.rules || !opt.explain.empty()) return print_rules(opt.explain, session);
    if (opt.what.empty()) throw Error("lint: name a kernel id, a code object or an assembly file");
    Json inputs = Json::array(), results = Json::array();
    for (const std::string& what : opt.what) {
        const Subject subject = open_subject(what);
        const std::vector<Finding> findings = findings_of(subject.object, opt.pedantic);
        if (has_errors(findings) && !opt.no_fail) session.status = Exit::no;
        for (const Json& input : subject.inputs) inputs.push_back(input);
        results.push_back({{"id", subject.name},
                           {"instructions", subject.object.code.size()},
                           {"not_in_table", unknown_count(subject.object)},
                           {"findings", to_json(findings)}});
        if (!session.common.json) print_text(subject, findings, opt.most, session);
    }
    if (session.common.json) print_envelope("lint", inputs, results);
}

}  // namespace

void add_lint(CLI::App& app, Session& session) {
    auto opt = std::make_shared<LintOptions>();
    auto* cmd = app.add_subcommand("lint", "Check waits, hazards and operands of machine code");
    cmd->alias("check")->alias("verify");
    cmd->add_option("id", opt->what, "kernel ids, code objects, assembly files, or - for stdin");
    cmd->add_flag("--pedantic", opt->pedantic, "notes, too: waits that wait for more than needed");
    cmd->add_flag("--rules", opt->rules, "list the rules with source and trust");
    cmd->add_option("--explain", opt->explain, "text and source of one rule")->type_name("RULE");
    cmd->add_option("--max-diagnostics", opt->most, "most findings that are printed for a file")
        ->type_name("N")
        ->default_str("50");
    cmd->add_flag("--no-fail", opt->no_fail, "exit 0 even with findings");
    cmd->footer(
        "  zyfa-gen lint fp8_d128_causal\n"
        "  zyfa-gen lint vendor.co changed.s --pedantic\n"
        "  zyfa-gen lint --rules\n");
    cmd->callback([opt, &session] { lint(*opt, session); });
}

}  // namespace zyfa
