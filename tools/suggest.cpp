#include "tools/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zyfa {

unsigned edit_distance(std::string_view a, std::string_view b) {
    std::vector<unsigned> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (unsigned j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = unsigned(i);
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        std::swap(before_last, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
    const unsigned limit = std::max<unsigned>(2, unsigned(word.size() / 3));
    unsigned best = limit + 1;
    std::string found;
    for (const std::string& name : names) {
        if (word.size() >= 3 && name.starts_with(word)) return name;
        unsigned distance = edit_distance(word, name);
        if (distance < best && distance < std::max(word.size(), name.size())) {
            best = distance;
            found = name;
        }
    }
    return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
    std::string name = nearest(word, names);
    return name.empty() ? name : fmt::format(" (did you mean '{}'?)", name);
}

}  // namespace zyfa
