#include "tools/pipeline.hpp"

#include <chrono>

#include "isa/file.hpp"
#include "isa/machine.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

Built build(const Chosen& chosen, const Watch& watch, bool debug_lines) {
    const auto start = std::chrono::steady_clock::now();
    Program program = describe(*chosen.recipe, chosen.schedule);        // kernels, dsl
    Program scheduled = schedule(std::move(program), mi355x(), watch);  // scheduler
    Emitted emitted = emit(scheduled, debug_lines);                     // emitter
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return {std::move(scheduled), std::move(emitted), spent.count()};  // -> simulator, files
}

Chosen choose(const std::string& what) {
    const size_t at = what.find('@');
    Chosen chosen{what, &recipe_or_error(what.substr(0, at)), {}, {}};
    if (at == what.npos) {
        chosen.schedule = default_schedule(*chosen.recipe);
        return chosen;
    }
    const std::string name = what.substr(at + 1);
    if (name.find_first_of("/.") == name.npos) {
        chosen.schedule = shipped_schedule(name);
        return chosen;
    }
    chosen.file = name;
    chosen.schedule = parse_schedule(read_text(name), name);
    return chosen;
}

const Recipe& recipe_or_error(std::string_view id) {
    if (const Recipe* recipe = find_recipe(id)) return *recipe;
    std::vector<std::string> ids;
    for (const Recipe& recipe : recipes()) ids.emplace_back(recipe.id);
    throw Error(fmt::format("unknown kernel '{}'{}", id, did_you_mean(id, ids)));
}

}  // namespace zyfa
