#include <algorithm>
#include <charconv>

#include "tools/command.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

// In the order in which help shows them.
constexpr void (*kCommands[])(CLI::App&, Session&) = {
    add_list,    add_show,      add_build,   add_sim,         add_timeline,
    add_predict, add_calibrate, add_diff,    add_lint,        add_explain,
    add_isa,     add_doctor,    add_version, add_completions, add_help,
};

std::string usage_line(const CLI::App& command) {
    if (!command.get_parent()) return "usage: zyfa-gen COMMAND [OPTIONS]\n";
    std::string line = "usage: zyfa-gen " + command.get_name() + " [OPTIONS]";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        std::string word = option->get_name(true);
        std::transform(word.begin(), word.end(), word.begin(), toupper);
        line += option->get_required() ? " " + word : " [" + word + "]";
        if (option->get_items_expected_max() > 1) line += "...";
    }
    return line + "\n";
}

std::string option_lines(const CLI::App& command) {
    std::vector<std::vector<std::string>> rows;
    for (const CLI::Option* option : command.get_options()) {
        std::string name = option->get_name(option->get_positional(), true);
        if (option->get_positional()) name = option->get_name(true);
        if (!option->get_positional() && option->get_items_expected_max() > 0 &&
            option->get_type_size() > 0)
            name += " " + option->get_type_name();
        std::string about = option->get_description();
        if (!option->get_default_str().empty())
            about += fmt::format(" (default {})", option->get_default_str());
        rows.push_back({"  " + name, about});
    }
    return table(rows);
}

// The first word that is neither an option nor the value of a shared one.
std::string first_word(const std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (words[i] == "--color") ++i;
        else if (!words[i].starts_with("-")) return words[i];
    }
    return {};
}

Error unknown(const CLI::App& app, const CLI::App* command, const std::string& word) {
    if (word.starts_with("-")) {
        std::string name = word.substr(0, word.find('='));
        std::string where = command ? " for '" + command->get_name() + "'" : "";
        return Error(fmt::format("unknown option '{}'{}{}", name, where,
                                 did_you_mean(name, option_names(command ? *command : app))));
    }
    if (!command)
        return Error(
            fmt::format("unknown command '{}'{}", word, did_you_mean(word, command_names(app))));
    return Error(fmt::format("unexpected argument '{}' for '{}'", word, command->get_name()));
}

// All words that look like options must be options before a command is asked for.
void reject_unknown_options(const CLI::App& app, const std::vector<std::string>& words) {
    const std::vector<std::string> names = option_names(app);
    for (const std::string& word : words)
        if (std::find(names.begin(), names.end(), word.substr(0, word.find('='))) == names.end() &&
            word.starts_with("--"))
            throw unknown(app, nullptr, word);
}

// Decimal digits and nothing else; CLI11 alone lets numbers wrap.
CLI::Validator whole_number(uint64_t least, uint64_t most) {
    const auto check = [least, most](const std::string& text) -> std::string {
        uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && stop == end && value >= least && value <= most) return {};
        return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
    };
    return CLI::Validator(check, "");
}

struct Range {
    const char* option;
    uint64_t least, most;
};
constexpr Range kNumbers[] = {
    {"--seed", 0, UINT64_MAX},
    {"--interleave-seed", 0, UINT64_MAX},
    {"--max-diagnostics", 0, UINT64_MAX},
    {"--max-instructions", 0, UINT64_MAX},
    {"--rows", 1, UINT64_MAX},
    {"--threads", 0, 1024},
};

void add_common_options(CLI::App& app, Common& common) {
    app.add_flag("--json", common.json, "one JSON document instead of text");
    app.add_flag("-q,--quiet", common.quiet, "no progress, no notes");
    app.add_flag("-v,--verbose", common.verbose, "more detail on stderr");
    app.add_option("--color", common.color, "auto, always or never")
        ->check(one_of({"auto", "always", "never"}))
        ->type_name("WHEN")
        ->default_str("auto");
}

Exit run(CLI::App& app, Session& session, const std::vector<std::string>& words) {
    const std::string first = first_word(words);
    const CLI::App* command = find_command(app, first);
    if (!command && !first.empty()) throw unknown(app, nullptr, first);
    for (const std::string& word : words) {
        if (word == "--") break;
        if (word == "-h") return fmt::print("{}", short_help(command ? *command : app)), Exit::ok;
        if (word == "--help")
            return fmt::print("{}", long_help(command ? *command : app)), Exit::ok;
        if (word == "--version" && !command) {
            Session version = session;
            version.common.json = std::count(words.begin(), words.end(), "--json") > 0;
            print_version(version);
            return Exit::ok;
        }
    }
    if (words.empty()) return fmt::print("{}", short_help(app)), Exit::usage;
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ExtrasError&) {
        std::vector<std::string> rest = app.remaining(true);
        throw unknown(app, command, rest.empty() ? words.front() : rest.front());
    } catch (const CLI::RequiredError& error) {
        if (!command) reject_unknown_options(app, words);
        throw Error(fmt::format("{}\n{}", error.what(), usage_line(command ? *command : app)));
    } catch (const CLI::ParseError& error) { throw Error(error.what()); }
    return session.status;
}

}  // namespace

void add_commands(CLI::App& app, Session& session) {
    app.set_help_flag();
    app.require_subcommand(1);
    add_common_options(app, session.common);
    for (auto add : kCommands) add(app, session);
    for (CLI::App* command : app.get_subcommands({})) {
        command->set_help_flag();
        command->fallthrough();
        for (const Range& range : kNumbers)
            if (CLI::Option* option = command->get_option_no_throw(range.option))
                option->check(whole_number(range.least, range.most));
    }
}

CLI::Validator one_of(std::vector<std::string> words) {
    CLI::Validator validator = CLI::IsMember(std::move(words));
    return validator.description("");  // the option's own words say it in help
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands({}))
        if (command->check_name(name)) return command;
    return nullptr;
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
    std::vector<std::string> names = {"--help"};
    for (const CLI::App* app = &command; app; app = app->get_parent())
        for (const CLI::Option* option : app->get_options())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    if (!command.get_parent()) names.push_back("--version");
    return names;
}

std::string short_help(const CLI::App& command) {
    std::string text = command.get_description() + "\n\n" + usage_line(command);
    if (!command.get_parent()) {
        std::vector<std::vector<std::string>> rows;
        for (const CLI::App* sub : command.get_subcommands({}))
            rows.push_back({"  " + sub->get_name(), sub->get_description()});
        text += "\n" + table(rows);
    }
    text += "\nexamples:\n" + command.get_footer() + "\n";
    return text + (command.get_parent()
                       ? "zyfa-gen " + command.get_name() + " --help: all options\n"
                       : "zyfa-gen COMMAND -h: help of a command\n");
}

std::string long_help(const CLI::App& command) {
    std::string text = short_help(command);
    text.erase(text.rfind("\nzyfa-gen "));
    if (command.get_parent()) {
        if (std::string own = option_lines(command); !own.empty()) text += "\noptions:\n" + own;
        text += "\noptions of every command:\n" + option_lines(*command.get_parent());
    } else {
        text += "\noptions:\n" + option_lines(command);
    }
    return text + "  -h, --help  short help, long help\n";
}

int run_command_line(int argc, const char* const* argv) {
    install_interrupt_handler();
    Session session;
    const auto complain = [&](std::string_view text) {
        fflush(stdout);
        fmt::print(stderr, "{} {}\n", paint("zyfa-gen:", Paint::red, stderr, session.common), text);
    };
    Exit status = Exit::internal;
    try {
        CLI::App app{
            "Builds, shows and simulates FP8 attention kernels for AMD gfx950 (MI350X, MI355X)"};
        app.footer(
            "  zyfa-gen list\n  zyfa-gen build fp8_d128_causal -O out\n  zyfa-gen help "
            "exit-codes\n");
        add_commands(app, session);
        status = run(app, session, {argv + 1, argv + argc});
    } catch (const Error& error) {
        complain(error.what());
        status = error.exit;
    } catch (const std::exception& error) {
        complain(fmt::format("internal error: {}", error.what()));
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("cannot write the results to stdout");
        if (status == Exit::ok) status = Exit::usage;
    }
    return int(status);
}

}  // namespace zyfa
