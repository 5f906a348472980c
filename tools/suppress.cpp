#include "tools/suppress.hpp"

#include <charconv>
#include <set>
#include <sstream>

#include "isa/error.hpp"
#include "isa/file.hpp"
#include "sim/rules.hpp"

namespace zyfa {

namespace {

bool parse_address(std::string_view word, int64_t& out) {
    if (word == "*") return out = Suppressions::kAny, true;
    if (word == "-") return out = Suppressions::kNone, true;
    if (!word.starts_with("0x")) return false;
    uint32_t value = 0;
    auto [stop, error] = std::from_chars(word.data() + 2, word.data() + word.size(), value, 16);
    out = value;
    return error == std::errc() && stop == word.data() + word.size();
}

std::string shown(int64_t address) {
    return address == Suppressions::kNone ? "-" : fmt::format("{:#06x}", address);
}

}  // namespace

bool Suppressions::hides(std::string_view rule, uint32_t address, uint32_t other) const {
    for (const auto& line : lines_) {
        if (line->rule != rule || (line->address != kAny && line->address != address) ||
            (line->other != kAny && line->other != other))
            continue;
        line->hits.fetch_add(1, std::memory_order_relaxed);
        return true;
    }
    return false;
}

uint64_t Suppressions::hits() const {
    uint64_t sum = 0;
    for (const auto& line : lines_) sum += line->hits;
    return sum;
}

Suppressions parse_suppressions(std::string_view text, const std::string& file,
                                const std::string& kernel) {
    Suppressions out;
    std::istringstream lines{std::string(text)};
    unsigned number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const auto fail = [&](const std::string& why) {
            throw Error(fmt::format("{}:{}: {}", file, number, why));
        };
        const size_t hash = line.find('#');
        std::istringstream words(line.substr(0, hash));
        std::vector<std::string> word;
        for (std::string w; words >> w;) word.push_back(w);
        if (word.empty()) continue;
        if (word.size() != 3 && word.size() != 4)
            fail("expected RULE [KERNEL] ADDRESS OTHER # reason");
        if (!find_sim_rule(word[0]))
            fail(fmt::format("unknown rule '{}'; sim --rules lists them", word[0]));
        auto made = std::make_unique<Suppressions::Line>();
        made->rule = word[0];
        made->number = number;
        for (auto [at, to] :
             {std::pair{word.size() - 2, &made->address}, std::pair{word.size() - 1, &made->other}})
            if (!parse_address(word[at], *to))
                fail(fmt::format("'{}' is no address (0x..), '*' or '-'", word[at]));
        const size_t reason =
            hash == std::string::npos ? hash : line.find_first_not_of(" \t\r", hash + 1);
        if (reason == std::string::npos) fail("a reason is missing (# ...)");
        made->reason = line.substr(reason);
        if (word.size() == 3 || word[1] == kernel) out.lines_.push_back(std::move(made));
    }
    return out;
}

Suppressions load_suppressions(const std::string& file, const std::string& kernel) {
    return parse_suppressions(read_text(file), file, kernel);
}

int64_t other_address(const Finding& f) {
    int64_t value = Suppressions::kNone;
    parse_address(f.other.substr(0, f.other.find(':')), value);
    return value;
}

std::string suppressions_of(const std::vector<Finding>& findings, const std::string& kernel) {
    std::set<std::string> lines;
    for (const Finding& f : findings)
        lines.insert(fmt::format("{} {} {:#06x} {}  # {}\n", f.rule, kernel, f.address,
                                 shown(other_address(f)), f.message));
    std::string text =
        "# Findings of one run, as zyfa-gen sim --write-suppressions wrote them. Replace each\n"
        "# reason by why it is no fault, or delete the line.\n";
    for (const std::string& line : lines) text += line;
    return text;
}

}  // namespace zyfa
