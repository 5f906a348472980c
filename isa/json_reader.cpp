#include "isa/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace zyfa {

using nlohmann::json;

void JsonReader::expect_object() const {
    if (!value.is_object()) fail("must be an object, not {}", shown());
}

void JsonReader::expect_keys(std::initializer_list<std::string_view> allowed) const {
    expect_object();
    for (const auto& [key, unused] : value.items()) {
        if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
        std::string names;
        for (std::string_view name : allowed) {
            if (!names.empty()) names += ", ";
            names += name;
        }
        fail("unknown key '{}'; allowed: {}", key, names);
    }
}

JsonReader JsonReader::operator[](const std::string& key) const {
    const auto it = value.find(key);
    if (it == value.end()) fail("needs the key '{}'", key);
    return {*it, file, path + "." + key};
}

JsonReader JsonReader::operator[](size_t index) const {
    return {value[index], file, fmt::format("{}[{}]", path, index)};
}

size_t JsonReader::list_size() const {
    if (!value.is_array()) fail("must be a list, not {}", shown());
    return value.size();
}

size_t JsonReader::list_size(size_t exactly) const {
    if (list_size() != exactly) fail("must have {} entries, not {}", exactly, value.size());
    return exactly;
}

std::string JsonReader::text() const {
    if (!value.is_string()) fail("must be a string, not {}", shown());
    return value.get<std::string>();
}

bool JsonReader::boolean() const {
    if (!value.is_boolean()) fail("must be true or false, not {}", shown());
    return value.get<bool>();
}

double JsonReader::number(double least, double most) const {
    const double x = value.is_number() ? value.get<double>() : NAN;
    if (!(x >= least && x <= most))
        fail("must be a number in {}..{}, not {}", least, most, shown());
    return x;
}

uint64_t JsonReader::unsigned_integer(uint64_t least, uint64_t most) const {
    const bool fits = value.is_number_unsigned() && value.get<uint64_t>() >= least &&
                      value.get<uint64_t>() <= most;
    if (!fits) fail("must be a whole number in {}..{}, not {}", least, most, shown());
    return value.get<uint64_t>();
}

int64_t JsonReader::integer(int64_t least, int64_t most) const {
    const bool fits =
        value.is_number_integer() &&
        !(value.is_number_unsigned() && value.get<uint64_t>() > uint64_t(INT64_MAX)) &&
        value.get<int64_t>() >= least && value.get<int64_t>() <= most;
    if (!fits) fail("must be a whole number in {}..{}, not {}", least, most, shown());
    return value.get<int64_t>();
}

std::string JsonReader::shown() const {
    std::string s = value.dump(-1, ' ', true, json::error_handler_t::replace);
    constexpr size_t kMost = 60;
    if (s.size() > kMost) s = s.substr(0, kMost) + "...";
    return s;
}

json parse_json(std::string_view text, const std::string& file) {
    std::vector<std::set<std::string>> open;
    std::string repeated;
    const json::parser_callback_t watch = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key &&
            !open.back().insert(parsed.get<std::string>()).second && repeated.empty())
            repeated = parsed.get<std::string>();
        return true;
    };
    json value;
    try {
        value = json::parse(text, watch);
    } catch (const json::parse_error& e) {
        const std::string_view before = text.substr(0, std::min(e.byte, text.size()));
        const auto line = std::count(before.begin(), before.end(), '\n') + 1;
        std::string why = e.what();
        const size_t colon = why.find(": ");
        if (colon != std::string::npos) why = why.substr(colon + 2);
        std::replace(why.begin(), why.end(), '\n', ' ');
        throw Error(fmt::format("{}:{}: not valid JSON: {}", file, line, why));
    } catch (const json::exception& e) {
        throw Error(fmt::format("{}: not valid JSON: {}", file, e.what()));
    }
    if (!repeated.empty()) throw Error(fmt::format("{}: key '{}' is repeated", file, repeated));
    return value;
}

}  // namespace zyfa
