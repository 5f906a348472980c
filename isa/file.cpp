#include "isa/file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "isa/error.hpp"

namespace zyfa {
namespace fs = std::filesystem;
namespace {

struct Close {
    void operator()(std::FILE* f) const {
        if (f != stdin && f != stdout) std::fclose(f);
    }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
    throw Error(fmt::format("{}: {}", path.string(), why));
}

std::string megabytes(uint64_t bytes) {
    return fmt::format("{} bytes ({:.1f} MB)", bytes, double(bytes) / 1048576);
}

void check_kind(const fs::path& path, uint64_t max_bytes) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (status.type() == fs::file_type::not_found) fail(path, "no such file");
    if (code) fail(path, code.message());
    if (status.type() == fs::file_type::directory) fail(path, "is a directory");
    if (status.type() != fs::file_type::regular) return;  // a pipe: counted while it is read
    const uint64_t bytes = fs::file_size(path, code);
    if (code) fail(path, code.message());
    if (bytes > max_bytes)
        fail(path,
             fmt::format("{} is over the limit of {}", megabytes(bytes), megabytes(max_bytes)));
}

template <class Container>
Container read_all(const fs::path& path, uint64_t max_bytes) {
    const bool from_stdin = path == "-";
    if (path.empty()) throw Error("empty file name");
    if (!from_stdin) check_kind(path, max_bytes);
    const File file(from_stdin ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) fail(path, std::strerror(errno));
    Container all;
    char chunk[65536];
    while (const size_t got = std::fread(chunk, 1, sizeof chunk, file.get())) {
        all.insert(all.end(), chunk, chunk + got);
        if (all.size() > max_bytes) fail(path, "over the limit of " + megabytes(max_bytes));
    }
    if (std::ferror(file.get())) fail(path, std::strerror(errno));
    if (all.empty()) fail(path, "is empty");
    return all;
}

// Where the bytes go: a regular file, or none yet, behind any symbolic links is replaced as a
// whole; all else (a device, a pipe, an open descriptor's name in /proc) is opened as it stands.
struct Target {
    fs::path path;
    bool replaced = true;
};

Target target_of(const fs::path& path) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (fs::is_directory(status)) fail(path, "is a directory");
    if (fs::exists(status) && !fs::is_regular_file(status)) return {path, false};
    fs::path at = path;
    for (unsigned links = 0; fs::is_symlink(at, code); ++links) {
        if (links == 40) fail(path, std::strerror(ELOOP));  // as many as Linux follows
        const std::string folder = fs::weakly_canonical(at.parent_path(), code).string();
        if (folder.starts_with("/proc/")) return {path, false};
        at = at.parent_path() / fs::read_symlink(at, code);
        if (code) fail(path, code.message());
    }
    return {at};
}

bool write_all(std::FILE* file, std::span<const uint8_t> bytes) {
    const size_t written = bytes.empty() ? 0 : std::fwrite(bytes.data(), 1, bytes.size(), file);
    return written == bytes.size() && std::fflush(file) == 0;
}

}  // namespace

std::vector<uint8_t> read_file(const fs::path& path, uint64_t max_bytes) {
    return read_all<std::vector<uint8_t>>(path, max_bytes);
}

std::string read_text(const fs::path& path, uint64_t max_bytes) {
    return read_all<std::string>(path, max_bytes);
}

void write_file(const fs::path& path, std::span<const uint8_t> bytes) {
    if (path.empty()) throw Error("empty file name");
    if (path == "-") {
        if (!write_all(stdout, bytes)) fail(path, std::strerror(errno));
        return;
    }
    const Target target = target_of(path);
    fs::path opened = target.path;
    if (target.replaced) opened += fmt::format(".{}.tmp", getpid());
    File file(std::fopen(opened.c_str(), "wb"));
    if (!file) fail(path, fmt::format("cannot write: {}", std::strerror(errno)));
    const bool written = write_all(file.get(), bytes);
    std::error_code code;
    const int why = errno;
    file.reset();
    if (written && target.replaced) fs::rename(opened, target.path, code);
    if (written && !code) return;
    const std::string text = written ? code.message() : std::strerror(why);
    if (target.replaced) fs::remove(opened, code);
    fail(path, "cannot write: " + text);
}

void write_file(const fs::path& path, std::string_view text) {
    write_file(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

}  // namespace zyfa
