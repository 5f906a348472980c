#include <fcntl.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/Support/raw_ostream.h>
#include <spawn.h>
#include <sys/wait.h>

#include <filesystem>

#include "isa/file.hpp"
#include "isa/llvm/mc.hpp"
#include "isa/llvm/target.hpp"

extern char** environ;

namespace zyfa {

Bytes assemble(std::string_view text, std::string_view name) {
    mc::Target t;
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream out(object);
    mc::run_assembler(t, text, name, [&](llvm::MCContext& context) {
        std::unique_ptr<llvm::MCCodeEmitter> emitter(
            t.target->createMCCodeEmitter(*t.instructions, context));
        std::unique_ptr<llvm::MCAsmBackend> backend(
            t.target->createMCAsmBackend(*t.subtarget, *t.registers, t.options));
        auto writer = backend->createObjectWriter(out);
        return std::unique_ptr<llvm::MCStreamer>(
            t.target->createMCObjectStreamer(t.triple, context, std::move(backend),
                                             std::move(writer), std::move(emitter), *t.subtarget));
    });
    return Bytes(object.begin(), object.end());
}

namespace {

namespace fs = std::filesystem;

struct TemporaryFolder {
    fs::path path;
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "zyfa-XXXXXX").string();
        if (!mkdtemp(name.data())) throw Error("cannot make a temporary folder at " + name);
        path = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

// Exit status of the program, or -1 when it cannot be started; its output goes to `log`.
int run(const std::vector<std::string>& words, const fs::path& log) {
    std::vector<char*> argv;
    for (const auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    pid_t child = 0;
    int failed = posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return code == 127 ? -1 : code;
}

}  // namespace

Bytes link(std::span<const uint8_t> object) {
    TemporaryFolder folder;
    auto input = folder.path / "kernel.o", output = folder.path / "kernel.co",
         log = folder.path / "log";
    write_file(input, object);
    for (std::string linker : {"ld.lld-22", "/usr/lib/llvm-22/bin/ld.lld"}) {
        int code = run({linker, "-shared", input, "-o", output}, log);
        if (code < 0) continue;
        if (code > 0) {
            std::string words = fs::file_size(log) ? read_text(log) : "";
            for (size_t at; (at = words.find(folder.path.string() + "/")) != words.npos;)
                words.erase(at, folder.path.string().size() + 1);
            throw Error(fmt::format("{} failed with status {}: {}", linker, code, words));
        }
        return read_file(output);
    }
    throw Error("ld.lld of LLVM 22 was not found (Debian package lld-22)", Exit::unsupported);
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace zyfa
