#include "tools/command.hpp"
#include "tools/rules.hpp"

namespace zyfa {

void add_explain(CLI::App& app, Session& session) {
    auto rule = std::make_shared<std::string>();
    auto* cmd = app.add_subcommand("explain", "What a rule of lint or sim says, its source");
    cmd->add_option("rule", *rule, "as it stands in [..] in a finding; all if none is named");
    cmd->footer(
        "  zyfa-gen explain LDS-RACE\n"
        "  zyfa-gen explain MFMA-GAP --json\n"
        "  zyfa-gen explain | less\n");
    cmd->callback([rule, &session] { print_rules(*rule, "explain", session); });
}

}  // namespace zyfa
