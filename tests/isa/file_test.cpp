// Where write_file() puts its bytes: whole regular files by renaming, all else in place.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "isa/error.hpp"
#include "isa/file.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "zyfa_file_XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    fs::path operator/(const char* name) const { return path / name; }
    size_t entries() const {
        return size_t(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

}  // namespace

TEST_CASE("a written file replaces what a name pointed to, and leaves nothing beside it",
          "[isa][file]") {
    Folder folder;
    write_file(folder / "file", "old");
    fs::create_hard_link(folder / "file", folder / "second");
    write_file(folder / "file", "new");
    REQUIRE(read_text(folder / "file") == "new");
    REQUIRE(read_text(folder / "second") == "old");  // a reader of the old file keeps it
    REQUIRE(folder.entries() == 2);
}

TEST_CASE("symbolic links are followed and stay links", "[isa][file]") {
    Folder folder;
    fs::create_directory(folder / "sub");
    write_file(folder / "sub" / "file", "old");
    fs::create_symlink("sub/file", folder / "relative");
    fs::create_symlink(folder / "relative", folder / "chain");
    write_file(folder / "chain", "new");
    REQUIRE(read_text(folder / "sub" / "file") == "new");
    fs::create_symlink("sub/fresh", folder / "dangling");
    write_file(folder / "dangling", "made");
    REQUIRE(read_text(folder / "sub" / "fresh") == "made");
    for (const char* name : {"relative", "chain", "dangling"})
        REQUIRE(fs::is_symlink(folder / name));
    fs::create_symlink("loop", folder / "loop");
    REQUIRE_THROWS_AS(write_file(folder / "loop", "x"), Error);
    REQUIRE(fs::is_symlink(folder / "loop"));
}

TEST_CASE("a pipe is written into, not replaced", "[isa][file]") {
    Folder folder;
    const fs::path pipe = folder / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const int end = open(pipe.c_str(), O_RDWR | O_NONBLOCK);
    REQUIRE(end >= 0);
    write_file(pipe, "through");
    char got[16] = {};
    const ssize_t bytes = read(end, got, sizeof got);
    close(end);
    REQUIRE(fs::is_fifo(pipe));
    REQUIRE(std::string_view(got, bytes < 0 ? 0 : size_t(bytes)) == "through");
    REQUIRE(folder.entries() == 1);
}

TEST_CASE("a device is written into, not replaced, and its error is told", "[isa][file]") {
    Folder folder;
    const fs::path full = folder / "full";
    const bool made = mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0;
    const int end = made ? open(full.c_str(), O_WRONLY) : -1;  // fails on a mount without devices
    if (end < 0) {
        std::fputs("skipped: device nodes cannot be made or opened here\n", stdout);
        return;
    }
    close(end);
    REQUIRE_THROWS_WITH(write_file(full, "x"), Catch::Contains("No space left"));
    REQUIRE(fs::is_character_file(full));
    REQUIRE(folder.entries() == 1);
}
