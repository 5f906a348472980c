// The commands of zyfa-gen: one cmd_*.cpp for each, all with the same shape of `add` function.
// What they promise to scripts (streams, exit codes, JSON) is in docs/cli.md.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/output.hpp"

namespace zyfa {

struct Session {
    Common common;
    Exit status = Exit::ok;
};

void add_list(CLI::App& app, Session&);
void add_show(CLI::App& app, Session&);
void add_lint(CLI::App& app, Session&);
void add_explain(CLI::App& app, Session&);
void add_build(CLI::App& app, Session&);
void add_sim(CLI::App& app, Session&);
void add_diff(CLI::App& app, Session&);
void add_timeline(CLI::App& app, Session&);
void add_calibrate(CLI::App& app, Session&);
void add_predict(CLI::App& app, Session&);
void add_isa(CLI::App& app, Session&);
void add_doctor(CLI::App& app, Session&);
void add_version(CLI::App& app, Session&);
void add_completions(CLI::App& app, Session&);
void add_help(CLI::App& app, Session&);

void print_version(const Session&);

CLI::Validator one_of(std::vector<std::string> words);

// All of them, and the options that all share.
void add_commands(CLI::App& app, Session&);

// -h: what it is, usage, examples. --help: every option as well. `command` may be the root.
std::string short_help(const CLI::App& command);
std::string long_help(const CLI::App& command);

const CLI::App* find_command(const CLI::App& app, const std::string& name);  // or nullptr
std::vector<std::string> command_names(const CLI::App& app);
std::vector<std::string> option_names(const CLI::App& command);  // the command's and the shared

// What may follow the command: its options, for some also kernel ids.
std::vector<std::string> completion_words(const CLI::App& command);

// Runs a whole command line; returns the exit code. main() is nothing but this.
int run_command_line(int argc, const char* const* argv);

}  // namespace zyfa
