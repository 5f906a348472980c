// Error: something the program cannot go on with. It carries the line of the *kernel* source (or
// of the input file) that caused it and the exit code that the command line answers with.
// Findings (hazards, mismatches) are not errors: they are returned as data.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace zyfa {

using Where = std::source_location;

enum class Exit : int {  // docs: zyfa-gen help exit-codes
    ok = 0,
    no = 1,           // the answer is "no": findings, differs, mismatch
    usage = 2,        // wrong use or unreadable input
    unsupported = 3,  // by design: kernel, opcode, shape, target
    untrusted = 4,    // the simulator met something it cannot vouch for
    internal = 70,
    interrupted = 130,
};

struct Error : std::runtime_error {
    explicit Error(const std::string& text, Exit exit = Exit::usage)
        : runtime_error(text), exit(exit) {}
    Error(Where at, const std::string& text, Exit exit = Exit::usage)
        : runtime_error(fmt::format("{}:{}: {}", at.file_name(), at.line(), text)), exit(exit) {}
    Exit exit;
};

// require(i.offset < 4096, i.at, "{}: offset {} is out of reach", name, i.offset);
template <class... A>
void require(bool ok, Where at, fmt::format_string<A...> text, A&&... a) {
    if (!ok) throw Error(at, fmt::format(text, std::forward<A>(a)...));
}

}  // namespace zyfa
