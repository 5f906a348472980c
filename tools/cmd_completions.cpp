#include <algorithm>

#include "kernels/recipes.hpp"
#include "tools/command.hpp"

namespace zyfa {

namespace {

std::string joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::string bash(const CLI::App& app) {
    std::string text =
        "_zyfa_gen() {\n"
        "    local words current=${COMP_WORDS[COMP_CWORD]}\n"
        "    if ((COMP_CWORD == 1)); then\n";
    text += fmt::format("        words='{}'\n    else\n        case ${{COMP_WORDS[1]}} in\n",
                        joined(command_names(app)));
    for (const CLI::App* command : app.get_subcommands({}))
        text += fmt::format("            {}) words='{}' ;;\n", command->get_name(),
                            joined(completion_words(*command)));
    return text +
           "        esac\n    fi\n"
           "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n"
           "complete -o default -F _zyfa_gen zyfa-gen\n";
}

std::string zsh(const CLI::App& app) {
    std::string text = "#compdef zyfa-gen\n_zyfa_gen() {\n    if ((CURRENT == 2)); then\n";
    text += fmt::format("        compadd -- {}\n        return\n    fi\n    case $words[2] in\n",
                        joined(command_names(app)));
    for (const CLI::App* command : app.get_subcommands({}))
        text += fmt::format("        {}) compadd -- {} ;;\n", command->get_name(),
                            joined(completion_words(*command)));
    return text + "    esac\n    _files\n}\ncompdef _zyfa_gen zyfa-gen\n";
}

std::string fish(const CLI::App& app) {
    std::string text;
    for (const CLI::App* command : app.get_subcommands({})) {
        text += fmt::format("complete -c zyfa-gen -n __fish_use_subcommand -a {} -d '{}'\n",
                            command->get_name(), command->get_description());
        for (const std::string& word : completion_words(*command))
            text += fmt::format("complete -c zyfa-gen -n '__fish_seen_subcommand_from {}' {} {}\n",
                                command->get_name(), word.starts_with("--") ? "-l" : "-a",
                                word.starts_with("--") ? word.substr(2) : word);
    }
    return text;
}

}  // namespace

std::vector<std::string> completion_words(const CLI::App& command) {
    static constexpr std::string_view kTakeIds[] = {"show", "build", "sim", "diff", "lint"};
    std::vector<std::string> words = option_names(command);
    if (std::find(std::begin(kTakeIds), std::end(kTakeIds), command.get_name()) !=
        std::end(kTakeIds))
        for (const Recipe& recipe : recipes()) words.emplace_back(recipe.id);
    return words;
}

void add_completions(CLI::App& app, Session&) {
    auto shell = std::make_shared<std::string>();
    auto* cmd = app.add_subcommand("completions", "Completion script for bash, zsh or fish");
    cmd->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->check(one_of({"bash", "zsh", "fish"}));
    cmd->footer(
        "  source <(zyfa-gen completions bash)\n"
        "  zyfa-gen completions zsh > _zyfa-gen\n"
        "  zyfa-gen completions fish > ~/.config/fish/completions/zyfa-gen.fish\n");
    cmd->callback([&app, shell] {
        fmt::print("{}", *shell == "bash" ? bash(app) : *shell == "zsh" ? zsh(app) : fish(app));
    });
}

}  // namespace zyfa
