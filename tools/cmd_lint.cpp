#include <algorithm>

#include "tools/command.hpp"
#include "tools/findings.hpp"
#include "tools/lint.hpp"
#include "tools/listing.hpp"
#include "tools/rules.hpp"
#include "tools/sarif.hpp"
#include "tools/source_lines.hpp"
#include "tools/subject.hpp"

namespace zyfa {

namespace {

struct LintOptions {
    std::vector<std::string> what;
    std::string explain, tier, format = "text";
    size_t most = 50;
    bool pedantic = false, rules = false, no_fail = false;
};

// What is ours keeps all rules; a file may come from anywhere, and shipped code lives without some.
Tier tier_of(const LintOptions& opt, const Subject& subject) {
    if (opt.tier.empty()) return subject.built ? Tier::llvm_conservative : Tier::required;
    return opt.tier == "required" ? Tier::required : Tier::llvm_conservative;
}

size_t unknown_count(const CodeObject& object) {
    return size_t(std::count_if(object.code.begin(), object.code.end(),
                                [](const Decoded& d) { return !d.known; }));
}

// `unsaid`: notes that --pedantic would add.
void print_text(const Subject& subject, const std::vector<Finding>& findings, size_t unsaid,
                size_t most, const Session& session) {
    for (size_t i = 0; i < std::min(most, findings.size()); ++i)
        fmt::print("{}", to_text(findings[i], subject.name, session.common));
    if (findings.size() > most)
        fmt::print("{}: {} more (--max-diagnostics)\n", subject.name, findings.size() - most);
    const size_t errors =
        size_t(std::count_if(findings.begin(), findings.end(),
                             [](const Finding& f) { return f.severity == Severity::error; }));
    const size_t padding = padding_of(subject.object.code);
    fmt::print("{}: {} instructions{}, {} errors, {} other findings{}\n", subject.name,
               subject.object.code.size() - padding,
               padding ? fmt::format(" and {} of padding", padding) : "", errors,
               findings.size() - errors,
               unsaid ? fmt::format("; {} notes with --pedantic", unsaid) : "");
    if (size_t unknown = unknown_count(subject.object))
        fmt::print("{}: {} instructions are not in the table; nothing is proved across them\n",
                   subject.name, unknown);
}

Json result_of(const Subject& subject, const std::vector<Finding>& findings, Tier tier,
               size_t unsaid) {
    const size_t padding = padding_of(subject.object.code);
    return {{"id", subject.name},           {"instructions", subject.object.code.size() - padding},
            {"padding", padding},           {"not_in_table", unknown_count(subject.object)},
            {"tier", tier_name(tier)},      {"pedantic_notes", unsaid},
            {"findings", to_json(findings)}};
}

void lint(const LintOptions& opt, Session& session) {
    const bool json = session.common.json || opt.format == "json", as_sarif = opt.format == "sarif";
    if (session.common.json && as_sarif)
        throw Error("lint: --json and --format sarif exclude each other");
    session.common.json = json;
    if (opt.rules || !opt.explain.empty()) return print_rules(opt.explain, "lint", session);
    if (opt.what.empty()) throw Error("lint: name a kernel id, a code object or an assembly file");
    Json inputs = Json::array(), results = Json::array();
    std::vector<SarifInput> for_sarif;
    for (const std::string& what : opt.what) {
        const Subject subject = open_subject(what);
        const Tier tier = tier_of(opt, subject);
        const std::vector<Finding> all = lint_findings(subject.object, tier, true);
        std::vector<Finding> findings =
            opt.pedantic ? all : lint_findings(subject.object, tier, false);
        if (!subject.assembly.empty())
            show_source(findings, subject.object.code,
                        source_lines(subject.assembly, subject.object.code));
        const size_t unsaid = all.size() - findings.size();
        if (has_errors(findings) && !opt.no_fail) session.status = Exit::no;
        for (const Json& input : subject.inputs) inputs.push_back(input);
        if (json) results.push_back(result_of(subject, findings, tier, unsaid));
        else if (as_sarif) for_sarif.push_back({subject.name, !subject.built, std::move(findings)});
        else print_text(subject, findings, unsaid, opt.most, session);
    }
    if (json) print_envelope("lint", inputs, results);
    if (as_sarif) fmt::print("{}\n", sarif(for_sarif).dump(1));
}

}  // namespace

void add_lint(CLI::App& app, Session& session) {
    auto opt = std::make_shared<LintOptions>();
    auto* cmd = app.add_subcommand("lint", "Check waits, hazards and operands of machine code");
    cmd->alias("check")->alias("verify");
    cmd->add_option("id", opt->what, "kernel ids, code objects, assembly files, or - for stdin");
    cmd->add_flag("--pedantic", opt->pedantic,
                  "notes, too: waits that are stronger than needed, and wait states that LLVM "
                  "adds but shipped binaries live without");
    cmd->add_option("--tier", opt->tier,
                    "required, or conservative: wait states that only LLVM adds are errors, too")
        ->type_name("TIER")
        ->check(one_of({"required", "conservative"}))
        ->default_str("conservative for kernel ids, required for files");
    cmd->add_option("--format", opt->format, "text, json (as --json), or sarif: SARIF 2.1.0")
        ->type_name("FORMAT")
        ->check(one_of({"text", "json", "sarif"}))
        ->default_str("text");
    cmd->add_flag("--rules", opt->rules, "list all rules, of sim too, with source and trust");
    cmd->add_option("--explain", opt->explain, "text and source of one rule of lint or sim")
        ->type_name("RULE");
    cmd->add_option("--max-diagnostics", opt->most, "most findings that are printed for a file")
        ->type_name("N")
        ->default_str("50");
    cmd->add_flag("--no-fail", opt->no_fail, "exit 0 even with findings");
    cmd->footer(
        "  zyfa-gen lint fp8_d128_causal\n"
        "  zyfa-gen lint vendor.co changed.s --pedantic\n"
        "  zyfa-gen lint out/*.co --format sarif > lint.sarif\n");
    cmd->callback([opt, &session] { lint(*opt, session); });
}

}  // namespace zyfa
