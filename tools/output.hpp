// Where results, progress and files go, for every command. Results to stdout, everything else to
// stderr; a pipe sees neither colour nor a progress bar; files appear whole or not at all.
#pragma once

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "isa/llvm/mc.hpp"

namespace zyfa {

using Json = nlohmann::ordered_json;  // keys stay in the order in which the code writes them

std::string tool_version();

// Options that every command takes.
struct Common {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string color = "auto";  // auto | always | never
};

enum class Paint { plain, bold, red, green, yellow };
// `text`, coloured if `stream` should show colours: --color, then NO_COLOR, CLICOLOR_FORCE,
// terminal.
std::string paint(std::string_view text, Paint, FILE* stream, const Common&);

// The number, or null: JSON has no NaN and no infinity.
Json finite(double);

// {"name":.., "bytes":.., "sha256":..}
Json input_record(const std::string& name, std::span<const uint8_t> content);

// The one document that --json prints.
void print_envelope(std::string_view command, const Json& inputs, const Json& results);

// Columns padded to their widest cell, two blanks between them.
std::string table(const std::vector<std::vector<std::string>>& rows);

// The folder and its parents; Error if it cannot be made or written into.
void make_directory(const std::string& path);

// One rewritten line on a terminal. Into a pipe, a file or a dumb terminal a plain line now and
// then, so that a short run leaves none. Nothing with --quiet.
class Progress {
public:
    using Clock = std::chrono::steady_clock;
    explicit Progress(const Common&, Clock::duration plain_every = std::chrono::seconds(10));
    ~Progress();
    void show(std::string_view line);
    void clear();

private:
    bool quiet_ = false, terminal_ = false, shown_ = false;
    Clock::duration plain_every_;
    Clock::time_point last_ = Clock::now();
};

// Ctrl-C: ends the progress line, exits with 130.
void install_interrupt_handler();

// While one of these lives, the first Ctrl-C only sets `interrupted()`; the second ends the tool.
class KeepOnInterrupt {
public:
    KeepOnInterrupt();
    ~KeepOnInterrupt();
    KeepOnInterrupt(const KeepOnInterrupt&) = delete;
    static const std::atomic<bool>& interrupted();
};

}  // namespace zyfa
