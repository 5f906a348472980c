// "Did you mean": the nearest of some known names, by Damerau-Levenshtein distance.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zyfa {

// Insertions, deletions, substitutions and swaps of neighbours that turn a into b.
unsigned edit_distance(std::string_view a, std::string_view b);

// The nearest name, or empty when none is near enough (a third of the word, at least 2 edits).
std::string nearest(std::string_view word, const std::vector<std::string>& names);

// " (did you mean 'list'?)", or empty.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace zyfa
