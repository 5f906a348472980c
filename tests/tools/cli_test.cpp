// The tool as its users meet it: the binary, run as a process.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "isa/llvm/mc.hpp"
#include "tests/tools/cli.hpp"
#include "tools/suggest.hpp"

using namespace zyfa;
using namespace zyfa::test;
using nlohmann::json;

TEST_CASE("edit distance counts a swap of neighbours as one edit", "[tools]") {
    REQUIRE(edit_distance("bulid", "build") == 1);
    REQUIRE(edit_distance("", "abc") == 3);
    REQUIRE(edit_distance("show", "show") == 0);
    REQUIRE(edit_distance("kitten", "sitting") == 3);
    REQUIRE(nearest("bulid", {"show", "build"}) == "build");
    REQUIRE(nearest("xyzzy", {"show", "build"}).empty());
    REQUIRE(nearest("ver", {"show", "version"}) == "version");
}

TEST_CASE("without a command the tool prints short help and exits with 2", "[tools]") {
    Outcome bare = run("");
    REQUIRE(bare.status == 2);
    REQUIRE(has(bare.out, "usage: zyfa-gen COMMAND"));
    REQUIRE(run("-h").status == 0);
    REQUIRE(run("-h").out == bare.out);
    REQUIRE(run("--help").out.size() > bare.out.size());
}

TEST_CASE("every command that help names has a help with three examples", "[tools]") {
    std::istringstream help(run("-h").out);
    unsigned commands = 0;
    for (std::string line; std::getline(help, line);) {
        if (!line.starts_with("  ") || has(line, "zyfa-gen")) continue;
        std::string name = line.substr(2, line.find(' ', 2) - 2);
        CAPTURE(name);
        Outcome text = run(name + " -h");
        REQUIRE(text.status == 0);
        std::string examples = text.out.substr(text.out.find("examples:"));
        unsigned count = 0;
        for (size_t at = 0; (at = examples.find("\n  ", at)) != std::string::npos; ++at) ++count;
        REQUIRE(count == 3);
        REQUIRE(run("help " + name).out == run(name + " --help").out);
        ++commands;
    }
    REQUIRE(commands >= 4);
}

TEST_CASE("wrong words are refused in one line that names the nearest right one", "[tools]") {
    auto [arguments, part] = GENERATE(table<std::string, std::string>({
        {"vresion", "did you mean 'version'?"},
        {"bulid", "did you mean 'build'?"},
        {"version --jsno", "did you mean '--json'?"},
        {"build fp8_d128_casual -n", "did you mean 'fp8_d128_causal'?"},
        {"show fp8_d128_ful", "did you mean 'fp8_d128_full'?"},
        {"help exit-code", "did you mean 'exit-codes'?"},
        {"--frobnicate", "unknown option"},
        {"list surplus", "unexpected argument 'surplus'"},
        {"doctor --js", "did you mean '--json'?"},
        {"sim fp8_d128_full --shape b=1,h=1,sk=3,qs=4", "did you mean 'sq'?"},
    }));
    CAPTURE(arguments);
    Outcome result = run(arguments);
    CAPTURE(result.err);
    REQUIRE(result.status == 2);
    REQUIRE(result.out.empty());
    REQUIRE(lines(result.err) == 1);
    REQUIRE(has(result.err, part));
}

TEST_CASE("--json prints one document with the same envelope everywhere", "[tools]") {
    Folder folder;
    std::string command =
        GENERATE_COPY(as<std::string>{}, "version --json", "--version --json", "doctor --json",
                      "list --json", "show fp8_d128_full --json",
                      "show fp8_d128_full --stats --json", "build fp8_d128_full -n --json",
                      "sim fp8_d128_full --shape b=1,h=1,sq=3,sk=5 --check --json");
    CAPTURE(command);
    Outcome result = run(command);
    const auto document = nlohmann::ordered_json::parse(result.out);
    std::vector<std::string> keys;
    for (const auto& [key, value] : document.items()) keys.push_back(key);
    REQUIRE(keys == std::vector<std::string>{"schema", "tool_version", "llvm_version", "command",
                                             "inputs", "results"});
    REQUIRE(document["results"].is_array());
    REQUIRE_FALSE(document["results"].empty());
}

TEST_CASE("list shows every kernel, and a filter narrows it", "[tools]") {
    Outcome all = run("list"), some = run("list --filter causal");
    REQUIRE(all.status == 0);
    REQUIRE(has(all.out, "fp8_d128_full"));
    REQUIRE(has(some.out, "fp8_d128_causal"));
    REQUIRE_FALSE(has(some.out, "fp8_d128_full"));
    REQUIRE(run("list --filter '['").status == 2);
}

TEST_CASE("a pipe sees no colour, and colour can be forced and forbidden", "[tools]") {
    const std::string escape = "\x1b[";
    REQUIRE_FALSE(has(run("doctor").out, escape));
    REQUIRE(has(run("doctor --color=always").out, escape));
    REQUIRE(has(run("doctor", "CLICOLOR_FORCE=1").out, escape));
    REQUIRE_FALSE(has(run("doctor", "NO_COLOR=1 CLICOLOR_FORCE=1").out, escape));
    REQUIRE_FALSE(has(run("doctor --color=never", "CLICOLOR_FORCE=1").out, escape));
    REQUIRE_FALSE(has(run("show fp8_d128_full").out, escape));
}

TEST_CASE("build writes the files it names, twice the same, and --check sees a change", "[tools]") {
    Folder folder;
    const std::string build =
        "build fp8_d128_full -O '" + folder / "a/b" + "' --emit=asm,obj,co,json";
    Outcome first = run(build);
    CAPTURE(first.err);
    REQUIRE(first.status == 0);
    REQUIRE(has(first.err, "VGPRs"));
    const std::string stem = folder / "a/b/fp8_d128_full";
    const std::string before = read(stem + ".co");
    REQUIRE(
        before.starts_with("\x7f"
                           "ELF"));
    REQUIRE(json::parse(read(stem + ".json"))["kernarg"].size() > 10);
    REQUIRE(run(build + " --check").status == 0);
    REQUIRE(run(build).status == 0);
    REQUIRE(read(stem + ".co") == before);
    for (const auto& entry : fs::directory_iterator(folder / "a/b"))
        REQUIRE(entry.path().extension() != ".tmp");
    std::ofstream(stem + ".s", std::ios::app) << "\n";
    Outcome changed = run(build + " --check");
    REQUIRE(changed.status == 1);
    REQUIRE(has(changed.out, "DIFFERS"));
    REQUIRE(run("build fp8_d128_full -n -O '" + folder / "none" + "'").status == 0);
    REQUIRE_FALSE(fs::exists(folder / "none"));
}

TEST_CASE("build reports the same resources in JSON as it prints", "[tools]") {
    Outcome result = run("build fp8_d128_full -n --json");
    json kernel = json::parse(result.out)["results"][0];
    for (const char* key : {"id", "asm", "object", "code_object", "vgpr", "agpr", "sgpr",
                            "lds_bytes", "instructions", "seconds"})
        REQUIRE(kernel.contains(key));
    REQUIRE(has(result.err, std::to_string(kernel["vgpr"].get<int>()) + " VGPRs"));
    REQUIRE(has(result.err, std::to_string(kernel["instructions"].get<int>()) + " instructions"));
}

TEST_CASE("a folder that cannot be written to is named, with the reason", "[tools]") {
    Folder folder;
    folder.write("file", "x");
    for (std::string path : {folder / "file/sub", folder / "file", std::string("/proc/zyfa")}) {
        Outcome result = run("build fp8_d128_full -O '" + path + "'");
        CAPTURE(path, result.err);
        REQUIRE(result.status == 2);
        REQUIRE(has(result.err, path.substr(0, path.find("/sub"))));
        REQUIRE(lines(result.err) == 1);
    }
}

TEST_CASE("the shown assembly assembles to the code object's instructions", "[tools]") {
    for (const char* options : {"", "--no-addr", "--no-raw", "--no-addr --no-raw"}) {
        Outcome shown = run(std::string("show fp8_d128_full ") + options);
        REQUIRE(shown.status == 0);
        Outcome plain = run("show fp8_d128_full --no-addr --no-raw");
        REQUIRE(assemble(shown.out) == assemble(plain.out));
    }
}

TEST_CASE("show of a code object lists the instructions of the kernel it was built from",
          "[tools]") {
    Folder folder;
    REQUIRE(run("build fp8_d128_full -O '" + folder / "" + "'").status == 0);
    json file = json::parse(run("show '" + folder / "fp8_d128_full.co" + "' --json").out);
    json kernel = json::parse(run("show fp8_d128_full --json").out);
    REQUIRE(file["inputs"][0]["sha256"].get<std::string>().size() == 64);
    REQUIRE(file["results"][0]["stats"]["matrix"] == kernel["results"][0]["stats"]["matrix"]);
    REQUIRE(kernel["results"][0]["stats"]["matrix_cycles"] > 0);
}

TEST_CASE("files that are no gfx950 code object are refused in one line, with the right code",
          "[tools]") {
    Folder folder;
    REQUIRE(run("build fp8_d128_full -O '" + folder / "" + "'").status == 0);
    const std::string good = read(folder / "fp8_d128_full.co");
    std::string other_target = good;
    other_target[48] = 0x4c;  // e_flags: EF_AMDGPU_MACH_AMDGCN_GFX942, LLVM ELF.h
    fs::resize_file(folder.write("huge.co", good), (64u << 20) + 1);
    fs::create_directory(folder / "folder.co");
    auto [name, content, status] = GENERATE_COPY(table<std::string, std::string, int>({
        {"missing.co", "", 2},
        {"empty.co", "", 2},
        {"cut.co", good.substr(0, 100), 2},
        {"half.co", good.substr(0, good.size() / 2), 2},
        {"text.co", "not an object\n", 2},
        {"folder.co", "", 2},
        {"huge.co", "", 2},
        {"host.co", read(ZYFA_GEN).substr(0, 1 << 20), 3},
        {"archive.co", "!<arch>\n" + std::string(100, 'x'), 3},
        {"bundle.co", "__CLANG_OFFLOAD_BUNDLE__" + std::string(100, '\0'), 3},
        {"gfx942.co", other_target, 3},
    }));
    const std::string path = folder / name;
    if (name == "empty.co" || !content.empty()) folder.write(name, content);
    for (std::string command : {"show '" + path + "'", "sim '" + path + "' --shape sq=1"}) {
        Outcome result = run(command);
        CAPTURE(command, result.err);
        REQUIRE(result.status == status);
        REQUIRE(lines(result.err) == 1);
        REQUIRE(has(result.err, path));
        REQUIRE(result.out.empty());
    }
    if (name == "huge.co") REQUIRE(has(run("show '" + path + "'").err, "64"));
}

TEST_CASE("the simulator agrees with double precision, and says what the figures rest on",
          "[tools]") {
    auto shape = GENERATE(as<std::string>{}, "b=1,h=2,hk=1,sq=5,sk=2", "b=2,h=1,s=40,s_k=70",
                          "b=1,h=1,sq=0,sk=4", "b=1,h=1,sq=3,sk=0");
    Outcome result = run("sim fp8_d128_causal --check --json --shape " + shape);
    CAPTURE(shape, result.out, result.err);
    REQUIRE(result.status == 0);
    json report = json::parse(result.out)["results"][0];
    REQUIRE(report["findings"].empty());
    REQUIRE(report["failures"].empty());
    REQUIRE(report["model"] == "functional");
    REQUIRE(report["accumulate"] == "exact");
    REQUIRE(report["accuracy"]["rows_checked"] == report["accuracy"]["rows"]);
    const bool empty = has(shape, "sq=0") || has(shape, "sk=0");
    REQUIRE(report["accuracy"]["cosine"].is_null() == empty);
    REQUIRE(report["accuracy"]["row_rel_err_mean"].is_null() == empty);
    REQUIRE(report["unproven"].is_array());
}

TEST_CASE("the result does not depend on threads, nor the text on the run", "[tools]") {
    const std::string sim = "sim fp8_d128_full --check --json --shape b=1,h=2,hk=2,sq=300,sk=70 ";
    json one = json::parse(run(sim + "--threads 1").out),
         two = json::parse(run(sim + "--threads 2").out);
    one["results"][0].erase("seconds");
    two["results"][0].erase("seconds");
    REQUIRE(one == two);
    json other = json::parse(run(sim + "--seed 2").out);
    REQUIRE(other["results"][0]["accuracy"] != one["results"][0]["accuracy"]);
}

TEST_CASE("shapes that no kernel takes are refused with the reason", "[tools]") {
    auto [shape, status, part] = GENERATE(table<std::string, int, std::string>({
        {"b=1,h=32,hk=7,sq=8,sk=8", 3, "multiple"},
        {"b=1,h=1,sq=8,sk=8,d=64", 3, "d=128"},
        {"b=1,h=1,sq=8,sk=8,mask=none", 3, "causal"},
        {"b=1,h=1,sq=8,sk=8,dtype=bf16", 3, "e4m3"},
        {"b=1,h=1,sq=x", 2, "sq=x"},
        {"b=0,sq=8", 2, "b=0"},
        {"sq=8,sq=9", 2, "twice"},
        {"b=64,h=64,sq=1000000", 3, "MiB"},
        {"b=1", 2, "sq"},
    }));
    Outcome result = run("sim fp8_d128_causal --shape " + shape);
    CAPTURE(shape, result.err);
    REQUIRE(result.status == status);
    REQUIRE(has(result.err, part));
    REQUIRE(lines(result.err) == 1);
}

TEST_CASE("the tool works from another folder", "[tools]") {
    REQUIRE(run("list", "cd / &&").out == run("list").out);
    REQUIRE(run("doctor", "cd / &&").out == run("doctor").out);
}

TEST_CASE("an interrupt ends the tool with 130", "[tools]") {
    Outcome result = run("sim fp8_d128_full --shape b=1,h=8,sq=8192,sk=8192",
                         "timeout --preserve-status -s INT 0.7");
    REQUIRE(result.status == 130);
}

TEST_CASE("a stdout that cannot take the result is no success", "[tools]") {
    int status = std::system("'" ZYFA_GEN "' list >/dev/full 2>/dev/null");
    REQUIRE(WEXITSTATUS(status) == 2);
}

TEST_CASE("the bash completion script is one, and knows commands, options and kernels", "[tools]") {
    Folder folder;
    Outcome script = run("completions bash");
    folder.write("script", script.out +
                               "COMP_WORDS=(zyfa-gen show fp8_d128_c); COMP_CWORD=2; _zyfa_gen\n"
                               "test \"${COMPREPLY[*]}\" = fp8_d128_causal || exit 9\n"
                               "COMP_WORDS=(zyfa-gen vers); COMP_CWORD=1; _zyfa_gen\n"
                               "test \"${COMPREPLY[*]}\" = version || exit 8\n");
    int status = std::system(("bash '" + folder / "script" + "'").c_str());
    REQUIRE(WEXITSTATUS(status) == 0);
    REQUIRE(run("completions zsh").out.starts_with("#compdef zyfa-gen"));
    REQUIRE(has(run("completions fish").out, "-a fp8_d128_causal"));
    REQUIRE(run("completions csh").status == 2);
}

TEST_CASE("lint proves our kernels and sees a wait that is gone, with both ends", "[tools]") {
    Folder folder;
    REQUIRE(run("lint fp8_d128_causal fp8_d128_full").status == 0);
    std::string text = run("show fp8_d128_full --no-addr --no-raw").out;
    const std::string whole = folder.write("whole.s", text);
    REQUIRE(run("lint '" + whole + "'").status == 0);
    const size_t wait = text.rfind("s_waitcnt", text.find("v_mfma"));
    text.erase(wait, text.find('\n', wait) - wait);
    const std::string broken = folder.write("broken.s", text);
    Outcome result = run("lint '" + broken + "'");
    CAPTURE(result.out);
    REQUIRE(result.status == 1);
    REQUIRE(has(result.out, "[WAIT-LDS]"));
    // Each end by its line, which stands there as in the file.
    const auto lines_of = [](const std::string& from) {
        std::vector<std::string> out;
        std::istringstream stream(from);
        for (std::string line; std::getline(stream, line);) out.push_back(line);
        return out;
    };
    const auto source = lines_of(text), shown = lines_of(result.out);
    const std::string with = "    with " + broken + ":";
    REQUIRE(shown.size() >= 3);
    REQUIRE(shown[0].starts_with(broken + ":"));
    REQUIRE(shown[2].starts_with(with));
    const size_t here = std::stoul(shown[0].substr(broken.size() + 1));
    const size_t there = std::stoul(shown[2].substr(with.size()));
    REQUIRE(shown[1] == source.at(here - 1));
    REQUIRE(shown[2] == fmt::format("{}{}: {}", with, there, source.at(there - 1)));
    REQUIRE(run("lint --no-fail '" + broken + "'").status == 0);
    json findings = json::parse(run("lint --json '" + broken + "'").out)["results"][0]["findings"];
    REQUIRE_FALSE(findings.empty());
    REQUIRE_FALSE(findings[0]["other"].get<std::string>().empty());
    REQUIRE(findings[0]["line"] == here);
    REQUIRE(findings[0]["text"] == shown[1]);
    REQUIRE(has(run("lint --explain WAIT-LDS").out, "source:"));
    REQUIRE(has(run("lint --explain WAIT-LSD").err, "did you mean 'WAIT-LDS'?"));
}

TEST_CASE("lint writes SARIF: a rule, a line, the other end, stable fingerprints", "[tools]") {
    Folder folder;
    const std::string load = "  s_load_dword s8, s[0:1], 0x0\n",
                      use = "  s_mov_b32 s9, s8 ; here\n";
    std::string text = run("show fp8_d128_full --no-addr --no-raw").out;
    const size_t first = text.find("    s_", text.find("fp8_d128_full:"));
    const size_t line = size_t(std::count(text.begin(), text.begin() + long(first), '\n'));
    const auto sarif = [&](const std::string& more) {
        std::string changed = text;
        changed.insert(first, more + load + use);
        const std::string name = folder.write("changed.s", changed);
        Outcome result = run("lint --format sarif '" + name + "'");
        REQUIRE(result.status == 1);
        return json::parse(result.out)["runs"][0];
    };
    const json plain = sarif(""), moved = sarif("  s_nop 0\n");
    const json& result = plain["results"][0];
    REQUIRE(result["ruleId"] == "WAIT-SMEM");
    REQUIRE(result["level"] == "error");
    REQUIRE(plain["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"] ==
            "WAIT-SMEM");
    const json& place = result["locations"][0]["physicalLocation"];
    REQUIRE(has(place["artifactLocation"]["uri"], "/changed.s"));
    REQUIRE(place["region"]["startLine"] == line + 2);
    const json& other = result["relatedLocations"][0]["physicalLocation"];
    REQUIRE(other["region"]["startLine"] == line + 1);
    REQUIRE(moved["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] ==
            line + 3);
    REQUIRE(result["partialFingerprints"] == moved["results"][0]["partialFingerprints"]);
    const json clean = json::parse(run("lint --format sarif fp8_d128_full").out);
    REQUIRE(clean["version"] == "2.1.0");
    REQUIRE(clean["runs"][0]["results"].empty());
    REQUIRE(run("lint --json --format sarif fp8_d128_full").status == 2);
    REQUIRE(run("lint --format json fp8_d128_full").out == run("lint --json fp8_d128_full").out);
}

TEST_CASE("assembly with CRLF line ends reads as without", "[tools]") {
    Folder folder;
    std::string text = run("show fp8_d128_full --no-addr --no-raw").out, crlf;
    for (char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    Outcome result = run("lint '" + folder.write("crlf.s", crlf) + "'");
    CAPTURE(result.err);
    REQUIRE(result.status == 0);
    Outcome wrong = run("lint '" + folder.write("wrong.s", "s_nop 0\n  v_frobnicate v0\n") + "'");
    REQUIRE(wrong.status == 2);
    REQUIRE(has(wrong.err, "wrong.s:2:"));
}

TEST_CASE("an installed tool finds its data", "[tools]") {
    Folder folder;
    const std::string prefix = folder / "prefix";
    REQUIRE(
        std::system(("cmake --install '" ZYFA_BUILD_DIR "' --prefix '" + prefix + "' >/dev/null")
                        .c_str()) == 0);
    REQUIRE(fs::exists(prefix + "/share/doc/zyfa/LICENSE"));
    REQUIRE(fs::exists(prefix + "/share/doc/zyfa/cli.md"));
    const int status = std::system(("cd / && '" + prefix + "/bin/zyfa-gen' sim fp8_d128_causal " +
                                    "--dist file --shape sq=40 --check >/dev/null")
                                       .c_str());
    REQUIRE(WEXITSTATUS(status) == 0);
    const int doctor = std::system(("'" + prefix + "/bin/zyfa-gen' doctor >/dev/null").c_str());
    REQUIRE(WEXITSTATUS(doctor) == 0);
}
