// The whole way of a kernel: description -> schedule -> assembly, object, code object.
#pragma once

#include "emitter/emit.hpp"
#include "kernels/recipes.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {

struct Built {
    Program program;  // scheduled, registers allocated
    Emitted emitted;
    double seconds = 0;
};

Built build(const Recipe&, const Watch& = {});

// The recipe of that id; Error with the nearest id if there is none.
const Recipe& recipe_or_error(std::string_view id);

}  // namespace zyfa
