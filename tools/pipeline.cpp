#include "tools/pipeline.hpp"

#include <chrono>

#include "isa/machine.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

Built build(const Recipe& recipe, const Watch& watch) {
    const auto start = std::chrono::steady_clock::now();
    Program program = describe(recipe);                                 // kernels, dsl
    Program scheduled = schedule(std::move(program), mi355x(), watch);  // scheduler
    Emitted emitted = emit(scheduled);                                  // emitter
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return {std::move(scheduled), std::move(emitted), spent.count()};  // -> simulator, files
}

const Recipe& recipe_or_error(std::string_view id) {
    if (const Recipe* recipe = find_recipe(id)) return *recipe;
    std::vector<std::string> ids;
    for (const Recipe& recipe : recipes()) ids.emplace_back(recipe.id);
    throw Error(fmt::format("unknown kernel '{}'{}", id, did_you_mean(id, ids)));
}

}  // namespace zyfa
