// A JSON value that knows its path, for strict reading: every question it cannot answer is an Error
// "file: $.path: what is wrong; what is allowed".
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "isa/error.hpp"

namespace zyfa {

class JsonReader {
public:
    JsonReader(const nlohmann::json& value, std::string file, std::string path = "$")
        : value(value), file(std::move(file)), path(std::move(path)) {}

    const nlohmann::json& value;
    std::string file, path;

    template <class... A>
    [[noreturn]] void fail(fmt::format_string<A...> text, A&&... a) const {
        throw Error(file + ": " + path + ": " + fmt::format(text, std::forward<A>(a)...));
    }
    // An object with no other keys than these.
    void expect_keys(std::initializer_list<std::string_view> allowed) const;
    void expect_object() const;
    bool has(const char* key) const { return value.contains(key); }
    JsonReader operator[](const std::string& key) const;  // Error if absent
    JsonReader operator[](size_t index) const;
    size_t list_size() const;  // Error if not a list
    size_t list_size(size_t exactly) const;
    std::string text() const;
    bool boolean() const;
    double number(double least, double most) const;
    uint64_t unsigned_integer(uint64_t least, uint64_t most) const;
    int64_t integer(int64_t least, int64_t most) const;
    std::string shown() const;  // the value, cut short, for messages
};

// Parses; a repeated key in one object is an Error, too.
nlohmann::json parse_json(std::string_view text, const std::string& file);

}  // namespace zyfa
