// What the tool's answers say: counts, rules, numbers, files; the binary, run as a process.
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/isa/elf_text.hpp"
#include "tests/tools/cli.hpp"
#include "tools/listing.hpp"
#include "tools/output.hpp"

using namespace zyfa;
using namespace zyfa::test;
using nlohmann::json;

TEST_CASE("numbers that are none, or out of reach, are refused in one line", "[tools]") {
    auto number = GENERATE(as<std::string>{}, "abc", "-1", "18446744073709551616", "1.5", "0x10",
                           "' 1'", "7x");
    for (std::string option :
         {"lint fp8_d128_full --max-diagnostics=", "sim fp8_d128_full --shape sq=1 --seed=",
          "sim fp8_d128_full --shape sq=1 --interleave-seed=",
          "sim fp8_d128_full --shape sq=1 --rows=", "sim fp8_d128_full --shape sq=1 --threads="}) {
        Outcome result = run(option + number);
        CAPTURE(option, number, result.err);
        REQUIRE(result.status == 2);
        REQUIRE(result.out.empty());
        REQUIRE(lines(result.err) == 1);
        REQUIRE(has(result.err, "is not a whole number from"));
    }
    REQUIRE(has(run("sim fp8_d128_full --shape sq=1 --rows 0").err, "from 1 to"));
    REQUIRE(run("sim fp8_d128_full --shape sq=1 --threads 5000").status == 2);
    REQUIRE(run("sim fp8_d128_full --shape sq=1 --seed 18446744073709551615").status == 0);
}

TEST_CASE("a kernel that never ends, or runs past its end, is a finding", "[tools]") {
    Folder folder;
    const std::string good = run("show fp8_d128_full --no-addr --no-raw").out;
    std::string endless = good, past = good;
    endless.insert(endless.find('\n', endless.find(".Lentry:")) + 1, "again:\n\ts_branch again\n");
    // Code out of line stands behind s_endpgm: the way past the end leads over it.
    past.insert(past.find('\n', past.rfind("s_branch")) + 1, "past:\n\ts_nop 0\n");
    for (size_t at; (at = past.find("s_endpgm")) != std::string::npos;)
        past.replace(at, 8, "s_branch past");
    const Outcome first =
        run("sim '" + folder.write("endless.s", endless) + "' --shape sq=40 --check");
    CAPTURE(first.out, first.err);
    REQUIRE(first.status == 4);
    REQUIRE(has(first.out, "[ENDLESS]"));
    const Outcome second = run("sim '" + folder.write("past.s", past) + "' --shape sq=40 --check");
    CAPTURE(second.out, second.err);
    REQUIRE(second.status == 1);
    REQUIRE(has(second.out, "[PAST-END]"));
}

TEST_CASE("./zyfa test refuses what it does not know before anything runs", "[tools]") {
    Folder folder;  // a PATH without compiler, cmake and package manager
    fs::create_symlink("/usr/bin/dirname", folder.path / "dirname");
    auto words =
        GENERATE(as<std::string>{}, "test --ful", "test --full now", "build --clean", "run now");
    const std::string command = "PATH='" + folder.path.string() +
                                "' /bin/bash '" ZYFA_SOURCE_DIR "/zyfa' " + words + " 2>'" +
                                folder / "err" + "' >/dev/null";
    const int status = std::system(command.c_str());
    CAPTURE(words, read(folder / "err"));
    REQUIRE(WEXITSTATUS(status) == 2);
    REQUIRE(lines(read(folder / "err")) == 1);
}

TEST_CASE("progress into a pipe is a plain line now and then, none with --quiet", "[tools]") {
    Folder folder;
    const auto shown = [&](bool quiet, std::chrono::seconds every) {
        fflush(stderr);
        const int kept = dup(STDERR_FILENO);
        FILE* file = fopen((folder / "err").c_str(), "w");
        dup2(fileno(file), STDERR_FILENO);
        {
            Common common;
            common.quiet = quiet;
            Progress progress(common, every);
            progress.show("[1/2] first");
            progress.show("[2/2] second");
        }
        fflush(stderr);
        dup2(kept, STDERR_FILENO);
        close(kept);
        fclose(file);
        return read(folder / "err");
    };
    REQUIRE(shown(false, std::chrono::seconds(0)) == "[1/2] first\n[2/2] second\n");
    REQUIRE(shown(false, std::chrono::seconds(10)).empty());
    REQUIRE(shown(true, std::chrono::seconds(0)).empty());
}

TEST_CASE("padding behind the last s_endpgm is counted apart, the same everywhere", "[tools]") {
    const json built =
        json::parse(run("build fp8_d128_full -n --json").out)["results"][0]["instructions"];
    const json stats =
        json::parse(run("show fp8_d128_full --stats --json").out)["results"][0]["stats"];
    const json lint = json::parse(run("lint fp8_d128_full --json").out)["results"][0];
    REQUIRE(stats["instructions"] == built);
    REQUIRE(lint["instructions"] == built);
    REQUIRE(stats["padding"] == 64);
    REQUIRE(lint["padding"] == 64);
    unsigned sum = 0;
    for (const auto& [name, count] : stats["classes"].items()) sum += count.get<unsigned>();
    REQUIRE(sum == built.get<unsigned>());
    REQUIRE(has(run("show fp8_d128_full --stats").out, "64 more behind the last s_endpgm"));
    REQUIRE(has(run("lint fp8_d128_full").out, " and 64 of padding"));
    const auto padding = [](const char* text) {
        return padding_of(decode(elf_text(assemble(text))));
    };
    REQUIRE(padding("s_nop 0\ns_endpgm\ns_nop 0\ns_nop 0\n") == 2);
    REQUIRE(padding("s_endpgm\nlater:\ns_nop 0\ns_branch later\ns_nop 0\n") == 1);
    REQUIRE(padding("s_endpgm\nlater:\ns_nop 0\ns_cbranch_scc0 later\ns_nop 0\n") == 0);
}

TEST_CASE("wait states that only LLVM adds: errors in what is ours, counted notes elsewhere",
          "[tools]") {
    Folder folder;
    const Outcome ours = run("lint fp8_d128_causal --json");
    REQUIRE(json::parse(ours.out)["results"][0]["tier"] == "llvm_conservative");
    REQUIRE(ours.status == 0);
    std::string text = run("show fp8_d128_full --no-addr --no-raw").out;
    const size_t at = text.rfind("s_nop", text.find("; M0-DMA"));
    text.erase(at, text.find('\n', at) - at);
    const std::string file = folder.write("near.s", text);
    const Outcome plain = run("lint '" + file + "'");
    CAPTURE(plain.out);
    REQUIRE(plain.status == 0);
    REQUIRE(has(plain.out, "0 errors, 0 other findings; 1 notes with --pedantic"));
    REQUIRE_FALSE(has(run("lint fp8_d128_full").out, "with --pedantic"));
    const Outcome pedantic = run("lint --pedantic '" + file + "'");
    REQUIRE(pedantic.status == 0);
    REQUIRE(has(pedantic.out, "note: [M0-DMA]"));
    REQUIRE_FALSE(has(pedantic.out, "with --pedantic"));
    const Outcome strict = run("lint --tier conservative '" + file + "'");
    REQUIRE(strict.status == 1);
    REQUIRE(has(strict.out, "error: [M0-DMA]"));
    REQUIRE(has(run("explain M0-DMA").out,
                "(lint: note, with --pedantic; error in kernels of ours, or with --tier "
                "conservative)"));
}

TEST_CASE("one list of rules answers to lint --explain and to explain", "[tools]") {
    REQUIRE(run("explain MFMA-GAP").out == run("lint --explain MFMA-GAP").out);
    REQUIRE(has(run("explain METADATA").out, "source:"));
    const Outcome wrong = run("explain MFMA-GAPS");
    REQUIRE(wrong.status == 2);
    REQUIRE(has(wrong.err, "did you mean 'MFMA-GAP'?"));
}

TEST_CASE("build --check tells missing from different and names only those", "[tools]") {
    Folder folder;
    const std::string where = " -O '" + folder.path.string() + "'";
    REQUIRE(run("build fp8_d128_full" + where).status == 0);
    folder.write("fp8_d128_full.o", "changed");
    fs::remove(folder.path / "fp8_d128_full.co");
    const Outcome result = run("build fp8_d128_full --check" + where);
    REQUIRE(result.status == 1);
    REQUIRE(result.out == "missing " + folder / "fp8_d128_full.co" + "\nDIFFERS " +
                              folder / "fp8_d128_full.o" + "\nsame " + folder / "fp8_d128_full.s" +
                              "\n");
    const json report =
        json::parse(run("build fp8_d128_full --check --json" + where).out)["results"][0];
    REQUIRE(report["missing"] == json::array({folder / "fp8_d128_full.co"}));
    REQUIRE(report["differs"] == json::array({folder / "fp8_d128_full.o"}));
}

TEST_CASE("version --json holds tool and LLVM in its result", "[tools]") {
    const json document = json::parse(run("version --json").out);
    REQUIRE(document["results"][0]["tool_version"] == document["tool_version"]);
    REQUIRE(document["results"][0]["llvm_version"] == document["llvm_version"]);
}

TEST_CASE("show -o writes through links and into pipes, and leaves both", "[tools]") {
    Folder folder;
    folder.write("file.s", "old");
    fs::create_symlink("file.s", folder.path / "link.s");
    REQUIRE(run("show fp8_d128_full --stats -o '" + folder / "link.s" + "'").status == 0);
    REQUIRE(fs::is_symlink(folder.path / "link.s"));
    REQUIRE(has(read(folder / "file.s"), "instructions"));
}

TEST_CASE("assembly for another target is refused as such", "[tools]") {
    Folder folder;
    const std::string file = folder.write(
        "other.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\r\n.text\r\ns_endpgm\r\n");
    for (const char* command : {"show", "lint", "sim --shape sq=1"}) {
        Outcome result = run(std::string(command) + " '" + file + "'");
        CAPTURE(command, result.err);
        REQUIRE(result.status == 3);
        REQUIRE(lines(result.err) == 1);
        REQUIRE(has(result.err, "other.s"));
    }
}

TEST_CASE("show --notes says of each line in the loop its phase and who is beside it", "[tools]") {
    const std::string text = run("show fp8_d128_full@two_phases --notes --no-addr --no-raw").out;
    const auto line_with = [&](const std::string& word, size_t from) {
        const size_t at = text.find(word, from);
        REQUIRE(at != text.npos);
        return text.substr(at, text.find('\n', at) - at);
    };
    const size_t loop = text.find(".Lkey_tiles:");
    REQUIRE(loop != text.npos);
    CHECK(has(line_with("v_mfma", loop),
              "1 matrix: 0-3 beside 2 softmax(i-1), 4-7 beside 2 softmax(i)"));
    CHECK(has(line_with("v_exp", loop),
              "2 softmax: 0-3 beside 1 matrix(i), 4-7 beside 1 matrix(i+1)"));
    CHECK(!has(line_with("v_mfma", 0), "beside"));  // in front of the loop
    CHECK(has(text.substr(0, text.find('\n')), "split between two fetches of 32 bytes"));

    const json kernel =
        json::parse(run("show fp8_d128_full@two_phases --notes --json").out)["results"][0];
    unsigned matrix = 0, in_loops = 0;
    for (const json& i : kernel["instructions"]) {
        in_loops += i["loops"] == 1;
        if (!i["text"].get<std::string>().starts_with("v_mfma")) continue;
        ++matrix;
        CHECK(i["phase"]["number"] == 1);
        CHECK(i["phase"]["name"] == "matrix");
        const std::string entry = i["phase"]["entry"];
        CHECK((entry == "qk(i)" || entry == "pv(i-1)"));
        CHECK(i["phase"]["beside"] == json{{"0-3", "2 softmax(i-1)"}, {"4-7", "2 softmax(i)"}});
        CHECK(i["vgpr"] > 80);
    }
    CHECK(matrix > 100);
    CHECK(in_loops > 1000);
    CHECK(kernel["instructions"][0]["phase"].is_null());
    // Nothing of it without --notes.
    CHECK(!json::parse(
               run("show fp8_d128_full@two_phases --json").out)["results"][0]["instructions"][0]
               .contains("phase"));
}

TEST_CASE("show --print-after=align shows what that pass added", "[tools]") {
    const std::string behind = run("show fp8_d128_full@two_phases --print-after=align").out,
                      before = run("show fp8_d128_full@two_phases --print-after=hazards").out;
    for (const char* what : {"aligns the loop to 64 bytes", "half of a nop", "long form: aligns"}) {
        CAPTURE(what);
        CHECK(has(behind, what));
        CHECK(!has(before, what));
    }
}
