// The tool as a process, for tests: its exit code and what it prints.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace zyfa::test {

namespace fs = std::filesystem;

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "zyfa_cli_XXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path); }
    std::string operator/(const std::string& name) const { return (path / name).string(); }
    std::string write(const std::string& name, std::string_view content) const {
        std::ofstream(path / name, std::ios::binary) << content;
        return (path / name).string();
    }
};

inline std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

struct Outcome {
    int status;
    std::string out, err;
};

// `before` stands in front of the binary's name: variables, timeout, cd.
inline Outcome run(const std::string& arguments, const std::string& before = "") {
    Folder folder;
    std::string command = before + " '" ZYFA_GEN "' " + arguments + " </dev/null >'" +
                          folder / "out" + "' 2>'" + folder / "err" + "'";
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(folder / "out"),
            read(folder / "err")};
}

inline size_t lines(const std::string& text) {
    return size_t(std::count(text.begin(), text.end(), '\n'));
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace zyfa::test
