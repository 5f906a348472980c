// Every rule by which lint or sim may report a finding, in one list, with source and trust.
#pragma once

#include <string>
#include <vector>

#include "check/check.hpp"
#include "tools/command.hpp"

namespace zyfa {

struct KnownRule {
    Rule rule;
    const char* found_by;  // "lint" or "sim"; a name may stand for both, once each
};
std::vector<KnownRule> known_rules();

const char* tier_name(Tier);

// All of them, or the entries of one name; Error if there is none. `command` is for the JSON.
void print_rules(const std::string& only, const char* command, const Session&);

}  // namespace zyfa
