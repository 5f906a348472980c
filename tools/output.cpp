#include "tools/output.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace zyfa {

namespace {

std::atomic<bool> g_line_open = false, g_keep = false, g_interrupted = false;

void on_interrupt(int) {
    if (g_keep && !g_interrupted.exchange(true)) return;
    if (g_line_open && write(STDERR_FILENO, "\n", 1) < 0) _exit(int(Exit::interrupted));
    _exit(int(Exit::interrupted));
}

bool is_set(const char* name) {
    const char* value = getenv(name);
    return value && *value;
}

[[noreturn]] void cannot(const char* what, const std::string& path) {
    throw Error(fmt::format("{}: cannot {}: {}", path, what, strerror(errno)));
}

}  // namespace

std::string tool_version() { return ZYFA_VERSION; }

void install_interrupt_handler() {
    struct sigaction action{};
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, nullptr);
}

KeepOnInterrupt::KeepOnInterrupt() { g_keep = true; }
KeepOnInterrupt::~KeepOnInterrupt() { g_keep = false; }
const std::atomic<bool>& KeepOnInterrupt::interrupted() { return g_interrupted; }

std::string paint(std::string_view text, Paint how, FILE* stream, const Common& common) {
    bool on = common.color == "always";
    if (common.color == "auto" && !is_set("NO_COLOR")) {
        const char* force = getenv("CLICOLOR_FORCE");
        const char* term = getenv("TERM");
        on = (force && *force && std::string_view(force) != "0") ||
             (isatty(fileno(stream)) && !(term && std::string_view(term) == "dumb"));
    }
    static constexpr const char* kCodes[] = {"", "1", "1;31", "32", "33"};
    if (!on || how == Paint::plain) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[int(how)], text);
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json input_record(const std::string& name, std::span<const uint8_t> content) {
    return {{"name", name}, {"bytes", content.size()}, {"sha256", sha256(content)}};
}

void print_envelope(std::string_view command, const Json& inputs, const Json& results) {
    Json document = {{"schema", "zyfa-1"},
                     {"tool_version", tool_version()},
                     {"llvm_version", llvm_version()},
                     {"command", command},
                     {"inputs", inputs},
                     {"results", results}};
    std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace);
    fmt::print("{}\n", text);
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<size_t> width;
    for (const auto& row : rows) {
        width.resize(std::max(width.size(), row.size()));
        for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
    }
    std::string out;
    for (const auto& row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], width[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

void make_directory(const std::string& path) {
    for (size_t end = 1; end != std::string::npos;) {
        end = path.find('/', end + 1);
        std::string part = path.substr(0, end);
        if (mkdir(part.c_str(), 0777) == 0 || errno == EEXIST) continue;
        if (struct stat info{}; stat(part.c_str(), &info) == 0) continue;
        cannot("make the folder", part);
    }
    struct stat info{};
    if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
        throw Error(path + ": is not a folder");
    if (access(path.c_str(), W_OK | X_OK) != 0) cannot("write into the folder", path);
}

Progress::Progress(const Common& common, Clock::duration plain_every)
    : quiet_(common.quiet), plain_every_(plain_every) {
    const char* term = getenv("TERM");
    terminal_ = isatty(STDERR_FILENO) && !(term && std::string_view(term) == "dumb");
}

Progress::~Progress() { clear(); }

void Progress::show(std::string_view line) {
    if (quiet_) return;
    if (!terminal_) {
        if (Clock::now() - last_ < plain_every_) return;
        fmt::print(stderr, "{}\n", line);
        last_ = Clock::now();
        return;
    }
    fmt::print(stderr, "\r\x1b[K{:.79}", line);
    fflush(stderr);
    shown_ = g_line_open = true;
}

void Progress::clear() {
    if (!shown_) return;
    fmt::print(stderr, "\r\x1b[K");
    fflush(stderr);
    shown_ = g_line_open = false;
}

}  // namespace zyfa
