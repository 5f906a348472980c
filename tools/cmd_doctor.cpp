#include <dlfcn.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "tools/command.hpp"
#include "tools/input.hpp"

namespace zyfa {

namespace {

enum class State { ok, missing, optional };  // optional: not there, and nothing suffers from it

struct Check {
    const char* name;
    State state;
    std::string text;
};

constexpr std::string_view kProbe =
    ".amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"\n"
    "v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15], v32, v33\n"
    "ds_read_b64_tr_b8 v[0:1], v2\n"
    "buffer_load_dwordx4 v0, s[0:3], 0 offen lds\n"
    "s_endpgm\n";

Check assembler() {
    try {
        Bytes object = assemble(kProbe, "<probe>");
        return {"gfx950 assembler", State::ok, fmt::format("{} bytes of object", object.size())};
    } catch (const std::exception& error) {
        return {"gfx950 assembler", State::missing, error.what()};
    }
}

Check decoder() {
    static constexpr uint8_t kEndpgm[] = {0x00, 0x00, 0x81, 0xbf};
    std::vector<Decoded> code = decode(kEndpgm);
    bool ok = code.size() == 1 && code[0].text == "s_endpgm";
    return {"gfx950 decoder", ok ? State::ok : State::missing,
            ok ? "s_endpgm" : "does not decode s_endpgm"};
}

Check linker() {
    try {
        Bytes object = link(assemble("s_endpgm\n", "<probe>"));
        return {"ld.lld", State::ok, fmt::format("{} bytes of code object", object.size())};
    } catch (const std::exception& error) { return {"ld.lld", State::missing, error.what()}; }
}

Check cpu() {
    std::string features;
    if (__builtin_cpu_supports("avx2")) features += " avx2";
    if (__builtin_cpu_supports("fma")) features += " fma";
    if (__builtin_cpu_supports("avx512f")) features += " avx512f";
    return {"processor", State::ok,
            fmt::format("{} threads,{}", std::thread::hardware_concurrency(),
                        features.empty() ? " baseline instructions" : features)};
}

Check memory() {
    double total =
        double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)) / double(1 << 30);
    return {"memory", State::ok, fmt::format("{:.1f} GiB", total)};
}

Check data() {
    std::string path = find_data("data/sink_s1024_q.bin");
    return {"activation data", path.empty() ? State::missing : State::ok,
            path.empty() ? "data/ not found beside the tool" : path};
}

Check hip() {
    void* library = dlopen("libamdhip64.so", RTLD_LAZY | RTLD_LOCAL);
    return {"HIP library", library ? State::ok : State::optional,
            library ? "libamdhip64.so loads" : "not here; no command needs it"};
}

}  // namespace

void add_doctor(CLI::App& app, Session& session) {
    auto* cmd = app.add_subcommand("doctor", "What this machine has of what the tool needs");
    cmd->footer("  zyfa-gen doctor\n  zyfa-gen doctor --json\n  zyfa-gen doctor --color=always\n");
    cmd->callback([&session] {
        std::vector<Check> checks = {{"LLVM", State::ok, llvm_version()},
                                     assembler(),
                                     decoder(),
                                     linker(),
                                     cpu(),
                                     memory(),
                                     data(),
                                     hip()};
        static constexpr const char* kStates[] = {"ok", "missing", "absent"};
        static constexpr Paint kPaints[] = {Paint::green, Paint::red, Paint::plain};
        Json results = Json::array();
        for (const Check& check : checks) {
            results.push_back(
                {{"name", check.name}, {"state", kStates[int(check.state)]}, {"text", check.text}});
            if (check.state == State::missing) session.status = Exit::no;
            if (session.common.json) continue;
            std::string state = fmt::format("{:<8}", kStates[int(check.state)]);
            fmt::print("{}{:<18}{}\n",
                       paint(state, kPaints[int(check.state)], stdout, session.common), check.name,
                       check.text);
        }
        if (session.common.json) print_envelope("doctor", Json::array(), results);
    });
}

}  // namespace zyfa
