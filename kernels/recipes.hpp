// Recipe: a kernel by name, and the list of those that zyfa-gen offers. With a schedule it becomes
// a Program.
#pragma once

#include <span>
#include <string_view>

#include "isa/program.hpp"
#include "kernels/schedule.hpp"

namespace zyfa {

struct Recipe {
    std::string_view id, about;
    std::string_view dtype;  // of q, k, v
    unsigned d_qk, d_v;
    bool causal;                // bottom-right aligned
    std::string_view schedule;  // the shipped one that it has by default
    Program (*describe)(const Recipe&, const Schedule&);
};

std::span<const Recipe> recipes();
const Recipe* find_recipe(std::string_view id);
inline const Schedule& default_schedule(const Recipe& r) { return shipped_schedule(r.schedule); }
inline Program describe(const Recipe& r, const Schedule& s) { return r.describe(r, s); }

}  // namespace zyfa
