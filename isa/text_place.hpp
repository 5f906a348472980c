// A place in a text file that a person wrote.
#pragma once

#include <string_view>

namespace zyfa {

struct TextPlace {
    unsigned line = 0, column = 0;  // from 1; 0: nowhere
    // Where a thing is said makes no difference to what is said.
    bool operator==(const TextPlace&) const { return true; }
};

// Of the value that a path names, as "$.phases[0].work[1]", in a text that is valid JSON with
// plain keys. Nowhere if it has no such value.
TextPlace place_in_json(std::string_view json, std::string_view path);

}  // namespace zyfa
