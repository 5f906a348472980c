#include <unistd.h>

#include <set>

#include "isa/file.hpp"
#include "tools/command.hpp"
#include "tools/pipeline.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

struct BuildOptions {
    std::vector<std::string> ids, emit{"asm", "obj", "co"};
    std::string folder = "out";
    bool dry_run = false, check = false, debug_lines = false;
};

struct Output {
    const char* kind;    // as in --emit
    const char* key;     // in JSON
    const char* ending;  // of the file
};
constexpr Output kOutputs[] = {{"asm", "asm", ".s"},
                               {"obj", "object", ".o"},
                               {"co", "code_object", ".co"},
                               {"json", "json", ".json"}};

size_t instruction_count(const Program& program) {
    size_t count = 0;
    for (const Block& block : program.blocks) count += block.insts.size();
    return count;
}

Json resources(const Recipe& recipe, const Built& built) {
    return {{"id", recipe.id},
            {"vgpr", built.program.used.vgprs},
            {"agpr", built.program.used.agprs},
            {"sgpr", built.program.used.sgprs},
            {"lds_bytes", built.program.lds_bytes},
            {"instructions", instruction_count(built.program)}};
}

// Everything that a launcher must know of the kernel.
std::string description(const Recipe& recipe, const Built& built) {
    Json args = Json::array();
    for (const KernelArg& arg : built.program.args)
        args.push_back({{"name", arg.name},
                        {"offset", arg.offset},
                        {"bytes", arg.bytes},
                        {"pointer", arg.is_pointer},
                        {"about", arg.about}});
    Json json = resources(recipe, built);
    json["symbol"] = built.program.name;
    json["workgroup_size"] = built.program.workgroup_size;
    json["kernarg_bytes"] = built.program.kernarg_bytes;
    json["kernarg"] = args;
    return json.dump(2) + "\n";
}

std::string content(const Output& output, const Recipe& recipe, const Built& built) {
    const auto text = [](const Bytes& bytes) { return std::string(bytes.begin(), bytes.end()); };
    std::string_view kind = output.kind;
    if (kind == "asm") return built.emitted.text;
    if (kind == "obj") return text(built.emitted.object);
    if (kind == "co") return text(built.emitted.code_object);
    return description(recipe, built);
}

enum class Kept { same, differs, missing };

Kept compare_file(const std::string& path, const std::string& wanted) {
    if (access(path.c_str(), F_OK) != 0) return Kept::missing;
    try {
        return read_text(path) == wanted ? Kept::same : Kept::differs;
    } catch (const Error&) { return Kept::differs; }
}

std::vector<Chosen> chosen(const std::vector<std::string>& ids) {
    std::vector<Chosen> list;
    for (const std::string& id : ids) list.push_back(choose(id));
    if (ids.empty())
        for (const Recipe& recipe : recipes()) list.push_back(choose(std::string(recipe.id)));
    return list;
}

void print_commands(const std::string& stem) {
    fmt::print(stderr,
               "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj {0}.s -o {0}.o\n"
               "ld.lld-22 -shared {0}.o -o {0}.co\n",
               stem);
}

// Writes, compares or only names the files of one kernel; returns its entry of results[].
Json build_one(const Chosen& chosen, const BuildOptions& opt, const Session& session, bool& same) {
    const Recipe& recipe = *chosen.recipe;
    const Built built = build(chosen, {}, opt.debug_lines);
    const std::string stem = fmt::format("{}/{}", opt.folder, recipe.id);
    const std::set<std::string> wanted(opt.emit.begin(), opt.emit.end());
    Json files = Json::object(), differing = Json::array(), missing = Json::array();
    std::string same_names, names;
    for (const Output& output : kOutputs) {
        files[output.key] = nullptr;
        if (!wanted.contains(output.kind)) continue;
        const std::string path = stem + output.ending, text = content(output, recipe, built);
        files[output.key] = path;
        names += " " + path;
        const Kept kept = opt.check ? compare_file(path, text) : Kept::same;
        if (kept == Kept::same) same_names += " " + path;
        else (kept == Kept::missing ? missing : differing).push_back(path);
        if (!opt.check && !opt.dry_run) write_file(path, text);
    }
    same = differing.empty() && missing.empty();
    Json used = resources(recipe, built);
    Json result = {{"id", recipe.id}};
    result.update(files);
    used.erase("id");
    result.update(used);
    result["seconds"] = finite(built.seconds);
    if (opt.check) result["differs"] = differing, result["missing"] = missing;
    if (!session.common.quiet)
        fmt::print(stderr,
                   "{}: {} VGPRs, {} AGPRs, {} SGPRs, {} bytes LDS, no spills, {} instructions\n",
                   recipe.id, int(used["vgpr"]), int(used["agpr"]), int(used["sgpr"]),
                   int(used["lds_bytes"]), int(used["instructions"]));
    if (session.common.verbose) print_commands(stem);
    if (session.common.json) return result;
    const auto list = [](const char* verb, const Json& paths) {
        if (!paths.empty())
            fmt::print("{} {}\n", verb, fmt::join(paths.get<std::vector<std::string>>(), " "));
    };
    list("missing", missing);
    list("DIFFERS", differing);
    if (!opt.check) fmt::print("{}{}\n", opt.dry_run ? "would write" : "wrote", names);
    else if (!same_names.empty()) fmt::print("same{}\n", same_names);
    return result;
}

void build_all(const BuildOptions& opt, Session& session) {
    const std::vector<Chosen> list = chosen(opt.ids);
    if (!opt.dry_run && !opt.check) make_directory(opt.folder);
    Progress progress(session.common);
    Json results = Json::array();
    for (size_t i = 0; i < list.size(); ++i) {
        progress.show(fmt::format("[{}/{}] build {}", i + 1, list.size(), list[i].id));
        bool same = true;
        progress.clear();
        results.push_back(build_one(list[i], opt, session, same));
        if (opt.check && !same) session.status = Exit::no;
    }
    if (session.common.json) print_envelope("build", Json::array(), results);
}

}  // namespace

void add_build(CLI::App& app, Session& session) {
    auto opt = std::make_shared<BuildOptions>();
    auto* cmd = app.add_subcommand("build", "Write assembly, object and code object of kernels");
    cmd->alias("gen")->alias("emit");
    cmd->add_option("id", opt->ids, "kernels; all if none is named");
    cmd->add_option("-O,--output-dir", opt->folder, "folder for the files")
        ->type_name("DIR")
        ->default_str("out");
    cmd->add_option("--emit", opt->emit, "asm, obj, co, json: which files, comma between")
        ->type_name("KINDS")
        ->delimiter(',')
        ->check(one_of({"asm", "obj", "co", "json"}))
        ->default_str("asm,obj,co");
    cmd->add_flag(
        "-g,--debug-lines", opt->debug_lines,
        "with DWARF: kernel source lines, and the entries of the schedule as their callers");
    cmd->add_flag("-n,--dry-run", opt->dry_run, "write nothing, say what would be written");
    cmd->add_flag("--check", opt->check,
                  "write nothing; exit 1 if a file is missing or would change");
    cmd->footer(
        "  zyfa-gen build fp8_d128_causal -O out\n"
        "  zyfa-gen build --emit=asm,json\n"
        "  zyfa-gen build --check -O out\n");
    cmd->callback([opt, &session] { build_all(*opt, session); });
}

}  // namespace zyfa
