#include <regex>

#include "tools/command.hpp"
#include "tools/pipeline.hpp"

namespace zyfa {

namespace {

// Of every kernel alike: nobody has run one on a card yet.
constexpr const char* kProof = "simulator only";

Json record(const Recipe& recipe, const Schedule& schedule, const Built& built) {
    const Resources& used = built.program.used;
    return {{"id", recipe.id},
            {"about", recipe.about},
            {"dtype", recipe.dtype},
            {"d_qk", recipe.d_qk},
            {"d_v", recipe.d_v},
            {"mask", recipe.causal ? "causal" : "none"},
            {"q_tile", schedule.waves * schedule.wave_rows},
            {"k_tile", schedule.key_tile},
            {"softmax", "exact"},
            {"schedule", schedule.name},
            {"vgpr", used.vgprs},
            {"agpr", used.agprs},
            {"sgpr", used.sgprs},
            {"lds_bytes", built.program.lds_bytes},
            {"proof", kProof}};
}

std::vector<std::string> row(const Json& r) {
    return {r["id"],
            r["dtype"],
            fmt::format("{}/{}", int(r["d_qk"]), int(r["d_v"])),
            r["mask"],
            fmt::format("{}x{}", int(r["q_tile"]), int(r["k_tile"])),
            r["schedule"],
            fmt::format("{}", int(r["vgpr"])),
            fmt::format("{}", int(r["agpr"])),
            fmt::format("{}", int(r["sgpr"])),
            fmt::format("{}", int(r["lds_bytes"])),
            r["proof"]};
}

void list_schedules(const Session& session) {
    Json results = Json::array();
    std::vector<std::vector<std::string>> rows = {{"schedule", "about"}};
    for (const ShippedSchedule& shipped : shipped_schedules()) {
        const Schedule& s = shipped_schedule(shipped.name);
        results.push_back({{"schedule", s.name}, {"about", s.about}});
        rows.push_back({s.name, s.about});
    }
    if (session.common.json) return print_envelope("list", Json::array(), results);
    fmt::print("{}", table(rows));
}

void list(const std::string& filter, bool with_about, const Session& session) {
    std::regex pattern;
    try {
        pattern = std::regex(filter);
    } catch (const std::regex_error&) {
        throw Error(fmt::format("--filter: '{}' is not a regular expression", filter));
    }
    Json results = Json::array();
    std::vector<std::vector<std::string>> rows = {{"id", "dtype", "d_qk/d_v", "mask", "tile",
                                                   "schedule", "VGPR", "AGPR", "SGPR", "LDS",
                                                   "proof"}};
    if (with_about) rows[0].push_back("about");
    for (const Recipe& recipe : recipes()) {
        if (!std::regex_search(std::string(recipe.id), pattern)) continue;
        const Chosen chosen = choose(std::string(recipe.id));
        results.push_back(record(recipe, chosen.schedule, build(chosen)));
        rows.push_back(row(results.back()));
        if (with_about) rows.back().emplace_back(recipe.about);
    }
    if (session.common.json) return print_envelope("list", Json::array(), results);
    fmt::print("{}", table(rows));
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
    struct Options {
        std::string filter;
        bool about = false, schedules = false;
    };
    auto opt = std::make_shared<Options>();
    auto* cmd = app.add_subcommand("list", "The kernels that can be built")->alias("ls");
    cmd->add_option("--filter", opt->filter, "only ids that match this regular expression")
        ->type_name("REGEX");
    cmd->add_flag("--long", opt->about, "with a sentence on each");
    cmd->add_flag("--schedules", opt->schedules, "the schedules that come with the project");
    cmd->footer("  zyfa-gen list\n  zyfa-gen list --schedules\n  zyfa-gen list --json\n");
    cmd->callback([opt, &session] {
        if (opt->schedules) list_schedules(session);
        else list(opt->filter, opt->about, session);
    });
}

}  // namespace zyfa
