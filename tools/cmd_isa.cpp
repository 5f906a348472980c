#include <map>
#include <regex>

#include "isa/machine.hpp"
#include "sim/proof.hpp"
#include "tools/command.hpp"

namespace zyfa {

namespace {

constexpr std::string_view kCounters[] = {"none", "vm", "lgkm", "smem"};
constexpr std::string_view kHazards[] = {
    "none",     "salu", "smem",  "valu", "trans", "cvt_half", "readlane",
    "permlane", "xdl",  "smfma", "lds",  "vmem",  "store",    "lds_dma",
};

Json record(const OpInfo& op) {
    const sim::Evidence& e = sim::evidence(Op(&op - kOps));
    static_assert(std::size(kHazards) == unsigned(Hazard::lds_dma) + 1);
    return {{"row", op.name},
            {"mnemonic", op.mnemonic()},
            {"rate", rate_name(op.rate)},
            {"counter", kCounters[unsigned(op.counter)]},
            {"hazard", kHazards[unsigned(op.hazard)]},
            {"proof", sim::proof_name(e.proof)},
            {"source", e.source ? Json(e.source) : Json(nullptr)}};
}

constexpr const char* kColumns[] = {"row", "rate", "counter", "hazard", "proof", "source"};

std::vector<std::string> cells(const Json& r) {
    std::vector<std::string> out;
    for (const char* column : kColumns)
        out.push_back(r[column].is_null() ? "" : r[column].get<std::string>());
    return out;
}

// docs/isa.md is this and nothing else.
std::string markdown(const Json& rows) {
    std::map<std::string, unsigned> counts;
    std::string text =
        "# Instructions\n\n"
        "Printed by `zyfa-gen isa --markdown`. One line for each row of `isa/ops.def`: rate class\n"
        "(cycles: `isa/machines/mi355x.json`), counter that it raises, class in the hazard table,\n"
        "and what the simulator's semantics of it rest on:\n\n"
        "- `hardware_binary`: runs in a shipped gfx950 binary whose results were compared here\n"
        "- `vendor_text`: a vendor's document or code says so\n"
        "- `inferred`, `guess`: neither; `sim --strict` stops there with exit 4\n\n"
        "| row | rate | counter | hazard | proof | source |\n|---|---|---|---|---|---|\n";
    for (const Json& r : rows) {
        ++counts[r["proof"].get<std::string>()];
        for (const std::string& cell : cells(r)) text += "| " + cell + " ";
        text += "|\n";
    }
    text += "\n";
    for (const auto& [proof, count] : counts) text += fmt::format("- {}: {} rows\n", proof, count);
    return text;
}

void isa(const std::string& filter, bool as_markdown, const Session& session) {
    std::regex pattern;
    try {
        pattern = std::regex(filter);
    } catch (const std::regex_error&) {
        throw Error(fmt::format("--filter: '{}' is not a regular expression", filter));
    }
    Json results = Json::array();
    std::vector<std::vector<std::string>> rows = {{std::begin(kColumns), std::end(kColumns)}};
    for (const OpInfo& op : kOps) {
        if (!std::regex_search(std::string(op.name), pattern)) continue;
        results.push_back(record(op));
        rows.push_back(cells(results.back()));
    }
    if (session.common.json) return print_envelope("isa", Json::array(), results);
    fmt::print("{}", as_markdown ? markdown(results) : table(rows));
}

}  // namespace

void add_isa(CLI::App& app, Session& session) {
    struct Options {
        std::string filter;
        bool markdown = false;
    };
    auto opt = std::make_shared<Options>();
    auto* cmd = app.add_subcommand("isa", "The instructions, and what their semantics rest on");
    cmd->add_option("--filter", opt->filter, "only rows that match this regular expression")
        ->type_name("REGEX");
    cmd->add_flag("--markdown", opt->markdown, "as docs/isa.md");
    cmd->footer("  zyfa-gen isa\n  zyfa-gen isa --filter mfma\n  zyfa-gen isa --json\n");
    cmd->callback([opt, &session] { isa(opt->filter, opt->markdown, session); });
}

}  // namespace zyfa
