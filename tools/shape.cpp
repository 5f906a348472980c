#include "tools/shape.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "isa/error.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

// Every accepted key and the one it means.
constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
    {"b", "b"},    {"batch", "b"},   {"h", "h"},         {"hq", "h"},       {"h_q", "h"},
    {"hk", "hk"},  {"h_k", "hk"},    {"sq", "sq"},       {"s", "sq"},       {"s_q", "sq"},
    {"sk", "sk"},  {"s_k", "sk"},    {"d", "d"},         {"d_qk", "d"},     {"d_v", "d_v"},
    {"dv", "d_v"}, {"mask", "mask"}, {"dtype", "dtype"}, {"prec", "dtype"},
};

std::string_view canonical(std::string_view key) {
    std::vector<std::string> names;
    for (auto [name, means] : kKeys) {
        if (name == key) return means;
        names.emplace_back(name);
    }
    throw Error(fmt::format("--shape: unknown key '{}'{}", key, did_you_mean(key, names)));
}

uint32_t number(std::string_view key, std::string_view text, uint32_t least) {
    uint32_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || value > 1u << 24)
        throw Error(fmt::format("--shape: {}={} is not a number from {} to {}", key, text, least,
                                1u << 24));
    if (value < least)
        throw Error(fmt::format("--shape: {}={} is too small, the least is {}", key, text, least));
    return value;
}

bool causal(std::string_view text) {
    if (text == "causal" || text == "b" || text == "2") return true;
    if (text == "full" || text == "none" || text == "no" || text == "0") return false;
    throw Error(
        fmt::format("--shape: mask={} is not supported: causal (bottom-right) or none", text),
        Exit::unsupported);
}

}  // namespace

AttentionShape parse_shape(std::string_view text) {
    AttentionShape shape;
    std::set<std::string_view> seen;
    while (!text.empty()) {
        std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        size_t equals = item.find('=');
        if (equals == std::string_view::npos)
            throw Error(fmt::format("--shape: '{}' is not key=value", item));
        std::string_view word = item.substr(0, equals), value = item.substr(equals + 1);
        std::string_view key = canonical(word);
        if (!seen.insert(key).second)
            throw Error(fmt::format("--shape: '{}' is given twice", word));
        if (key == "b") shape.b = number(word, value, 1);
        if (key == "h") shape.hq = number(word, value, 1);
        if (key == "hk") shape.hk = number(word, value, 1);
        if (key == "sq") shape.sq = number(word, value, 0);
        if (key == "sk") shape.sk = number(word, value, 0);
        if (key == "d") shape.d_qk = number(word, value, 1);
        if (key == "d_v") shape.d_v = number(word, value, 1);
        if (key == "mask") shape.causal = causal(value);
        if (key == "dtype") shape.dtype = std::string(value);
    }
    if (!seen.contains("sq")) throw Error("--shape: sq (query rows) is missing");
    if (!seen.contains("sk")) shape.sk = shape.sq;
    if (!seen.contains("hk")) shape.hk = shape.hq;
    if (shape.hq % shape.hk != 0)
        throw Error(fmt::format("--shape: {} query heads are not a multiple of {} key heads",
                                shape.hq, shape.hk),
                    Exit::unsupported);
    return shape;
}

std::string AttentionShape::text() const {
    return fmt::format("b={},h={},hk={},sq={},sk={}", b, hq, hk, sq, sk);
}

}  // namespace zyfa
