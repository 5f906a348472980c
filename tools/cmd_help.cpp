#include "tools/command.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

struct Topic {
    const char* name;
    const char* text;
};

constexpr Topic kTopics[] = {
    {"exit-codes",
     "0    success; same; clean\n"
     "1    the answer is no: findings, a mismatch, a result outside its bounds\n"
     "2    wrong use, or an input that cannot be read\n"
     "3    unsupported by design: kernel, opcode, shape, machine, target\n"
     "4    the result is not to be trusted: the simulator met something it cannot vouch for\n"
     "70   internal error (never 1)\n"
     "130  interrupted\n"},
    {"json",
     "--json prints one document to stdout:\n"
     "  schema        \"zyfa-1\"; changes when a key changes its meaning\n"
     "  tool_version, llvm_version, command\n"
     "  inputs[]      name, bytes, sha256 of every file that was read\n"
     "  results[]     what the command found, one entry per kernel, file or launch\n"
     "The order of keys is fixed. A number that does not exist is null. Units are in the names.\n"},
};

std::vector<std::string> topics(const CLI::App& app) {
    std::vector<std::string> names = command_names(app);
    for (const Topic& topic : kTopics) names.push_back(topic.name);
    return names;
}

}  // namespace

void add_help(CLI::App& app, Session&) {
    auto name = std::make_shared<std::string>();
    auto* cmd = app.add_subcommand("help", "Help for a command, or one of: exit-codes, json");
    cmd->add_option("topic", *name, "a command, exit-codes or json");
    cmd->footer("  zyfa-gen help\n  zyfa-gen help version\n  zyfa-gen help exit-codes\n");
    cmd->callback([&app, name] {
        if (name->empty()) return fmt::print("{}", long_help(app));
        for (const Topic& topic : kTopics)
            if (*name == topic.name) return fmt::print("{}", topic.text);
        if (const CLI::App* command = find_command(app, *name))
            return fmt::print("{}", long_help(*command));
        throw Error(fmt::format("no help for '{}'{}", *name, did_you_mean(*name, topics(app))));
    });
}

}  // namespace zyfa
