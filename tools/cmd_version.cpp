#include "tools/command.hpp"

namespace zyfa {

void print_version(const Session& session) {
    if (session.common.json) {
        print_envelope("version", Json::array(),
                       {{{"tool_version", tool_version()},
                         {"llvm_version", llvm_version()},
                         {"targets", {"gfx950"}}}});
        return;
    }
    fmt::print("zyfa-gen {} (LLVM {}, target gfx950)\n", tool_version(), llvm_version());
}

void add_version(CLI::App& app, Session& session) {
    auto* cmd = app.add_subcommand("version", "Version of the tool and of LLVM, targets");
    cmd->footer("  zyfa-gen version\n  zyfa-gen version --json\n  zyfa-gen --version\n");
    cmd->callback([&session] { print_version(session); });
}

}  // namespace zyfa
