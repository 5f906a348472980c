// The whole way of a kernel: description -> schedule -> assembly, object, code object.
#pragma once

#include "emitter/emit.hpp"
#include "kernels/recipes.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {

// A kernel and how its loop is laid out in time.
struct Chosen {
    std::string id;  // as typed: "fp8_d128_causal", "fp8_d128_causal@wide", "...@my.json"
    const Recipe* recipe = nullptr;
    Schedule schedule;
    std::string file;  // of the schedule, if it was read
};

struct Built {
    Program program;  // scheduled, registers allocated
    Emitted emitted;
    double seconds = 0;
};

Built build(const Chosen&, const Watch& = {}, bool debug_lines = false);

// "ID", with the kernel's default schedule; "ID@NAME", a schedule that comes with the project;
// "ID@FILE.json". Error with the nearest name if there is no such thing.
Chosen choose(const std::string& what);

// The recipe of that id; Error with the nearest id if there is none.
const Recipe& recipe_or_error(std::string_view id);

}  // namespace zyfa
