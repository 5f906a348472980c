#include "isa/text_place.hpp"

#include <algorithm>
#include <charconv>

namespace zyfa {
namespace {

class Walk {
public:
    Walk(std::string_view text) : text_(text) { space(); }

    bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
    bool enter(char c) {
        if (!at(c)) return false;
        ++at_;
        space();
        return true;
    }
    // Past one value, or past a key and its colon.
    void skip() {
        unsigned depth = 0;
        do {
            if (at('"')) string();
            else if (at('{') || at('[')) ++depth, ++at_;
            else if (at('}') || at(']')) --depth, ++at_;
            else if (at(',') || at(':')) ++at_;
            else word();
            space();
        } while (depth && at_ < text_.size());
        if (at(',') || at(':')) ++at_;
        space();
    }
    std::string_view key() const {
        return text_.substr(at_ + 1, text_.find('"', at_ + 1) - at_ - 1);
    }
    TextPlace place() const {
        TextPlace p{1, 1};
        for (const char c : text_.substr(0, at_))
            if (c == '\n') ++p.line, p.column = 1;
            else ++p.column;
        return p;
    }

private:
    std::string_view text_;
    size_t at_ = 0;

    void space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    void word() { at_ = std::min(text_.find_first_of(" \t\r\n,:[]{}\"", at_ + 1), text_.size()); }
    void string() {
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
            if (text_[at_] == '\\') ++at_;
        ++at_;
    }
};

}  // namespace

TextPlace place_in_json(std::string_view json, std::string_view path) {
    Walk walk(json);
    path.remove_prefix(1);  // $
    while (!path.empty()) {
        const size_t end = std::min(path.find_first_of(".[", 1), path.size());
        const std::string_view step = path.substr(1, end - 1);
        if (path[0] == '.') {
            if (!walk.enter('{')) return {};
            for (; !walk.at('}') && walk.key() != step; walk.skip()) walk.skip();
            if (walk.at('}')) return {};
            walk.skip();
        } else {
            unsigned index = 0;
            std::from_chars(step.data(), step.data() + step.size(), index);
            if (!walk.enter('[')) return {};
            for (; index && !walk.at(']'); --index) walk.skip();
            if (walk.at(']')) return {};
        }
        path.remove_prefix(end);
    }
    return walk.place();
}

}  // namespace zyfa
