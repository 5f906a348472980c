#include "sim/watch.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/wave.hpp"

namespace zyfa::sim {

namespace {

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> out;
    for (size_t from = 0; from <= list.size();) {
        const size_t comma = std::min(list.find(',', from), list.size());
        out.push_back(list.substr(from, comma - from));
        from = comma + 1;
    }
    return out;
}

std::optional<unsigned> number(std::string_view text) {
    unsigned value = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size()) return {};
    return value;
}

// "4-7" or "4", with the letter `prefix` before each number. `end` = one past the last.
std::optional<std::pair<unsigned, unsigned>> range(std::string_view text, std::string_view prefix) {
    const auto one = [&](std::string_view word) -> std::optional<unsigned> {
        if (!word.starts_with(prefix)) return {};
        return number(word.substr(prefix.size()));
    };
    const size_t dash = text.find('-');
    const auto first = one(text.substr(0, dash));
    const auto last = dash == text.npos ? first : one(text.substr(dash + 1));
    if (!first || !last || *last < *first) return {};
    return std::pair{*first, *last + 1};
}

// As the code calls it: accumulators stand behind the VGPRs in one file.
std::string register_name(const Wave& w, unsigned bit) {
    const unsigned vgprs = w.group->launch->setup.vgprs;
    if (bit < kScalarBit)
        return bit < vgprs ? fmt::format("v{}", bit) : fmt::format("a{}", bit - vgprs);
    const unsigned s = bit - kScalarBit;
    if (s == kVcc || s == kVcc + 1) return s == kVcc ? "vcc_lo" : "vcc_hi";
    if (s == kExec || s == kExec + 1) return s == kExec ? "exec_lo" : "exec_hi";
    return s == kM0 ? "m0" : fmt::format("s{}", s);
}

std::string lane_values(const Wave& w, unsigned reg, const std::vector<unsigned>& lanes) {
    std::string text;
    for (unsigned l : lanes)
        text += fmt::format("{}{:#010x}", text.empty() ? "" : " ", w.vector[reg].word[l]);
    return text;
}

std::string active_lanes(uint64_t exec) {
    std::string text;
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(exec >> l & 1)) continue;
        unsigned last = l;
        while (last + 1 < kLanes && (exec >> (last + 1) & 1)) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", l);
        if (last > l) text += fmt::format("-{}", last);
        l = last;
    }
    return text.empty() ? "none" : text;
}

void show_lds(const Lds& lds, const Shown& s, Stop& stop) {
    for (unsigned at = s.first; at < s.end && at < lds.size(); at += 16) {
        std::string bytes;
        for (unsigned b = at; b < std::min({at + 16, s.end, lds.size()}); ++b)
            bytes += fmt::format("{}{:02x}", b == at ? "" : " ", lds.bytes[b]);
        stop.state.emplace_back(fmt::format("lds {:#06x}", at), bytes);
    }
}

void show(const Wave& w, const Shown& s, const Focus& focus, Stop& stop) {
    const auto put = [&](std::string name, std::string value) {
        stop.state.emplace_back(std::move(name), std::move(value));
    };
    switch (s.kind) {
        case Shown::Kind::vgpr:
        case Shown::Kind::agpr:
            for (unsigned r = s.first; r < s.end; ++r) {
                const unsigned at =
                    r + (s.kind == Shown::Kind::agpr ? w.group->launch->setup.vgprs : 0);
                if (at >= kScalarBit) break;
                put(register_name(w, at), lane_values(w, at, focus.lanes));
            }
            break;
        case Shown::Kind::sgpr:
            for (unsigned r = s.first; r < s.end; ++r)
                put(fmt::format("s{}", r), fmt::format("{:#010x}", w.scalar[r]));
            break;
        case Shown::Kind::lds: show_lds(w.group->lds, s, stop); break;
        case Shown::Kind::exec: put("exec", fmt::format("{:#018x}", w.exec())); break;
        case Shown::Kind::vcc: put("vcc", fmt::format("{:#018x}", w.scalar64(kVcc))); break;
        case Shown::Kind::scc: put("scc", w.scc ? "1" : "0"); break;
        case Shown::Kind::lanes: put("lanes", active_lanes(w.exec())); break;
    }
}

bool in_focus(const Focus& focus, const Wave& w) {
    return (focus.wave < 0 || w.number == unsigned(focus.wave)) &&
           (focus.workgroup < 0 || w.group->index == uint64_t(focus.workgroup));
}

}  // namespace

std::vector<unsigned> parse_lanes(const std::string& list) {
    std::vector<unsigned> lanes;
    for (const std::string& word : split(list)) {
        const auto r = range(word, "");
        if (!r || r->second > kLanes)
            throw Error(fmt::format("'{}' are no lanes: 0 to 63, as in 0-3,32", word));
        for (unsigned l = r->first; l < r->second; ++l) lanes.push_back(l);
    }
    return lanes;
}

std::vector<Shown> parse_shown(const std::string& list) {
    using Kind = Shown::Kind;
    static constexpr std::pair<std::string_view, Kind> kWords[] = {
        {"exec", Kind::exec}, {"vcc", Kind::vcc}, {"scc", Kind::scc}, {"lanes", Kind::lanes}};
    std::vector<Shown> all;
    for (const std::string& word : split(list)) {
        const size_t colon = word.find(':');
        const std::string name = word.substr(0, colon),
                          rest = colon == word.npos ? "" : word.substr(colon + 1);
        const auto plain = std::find_if(std::begin(kWords), std::end(kWords),
                                        [&](const auto& w) { return w.first == word; });
        if (plain != std::end(kWords)) {
            all.push_back({plain->second});
        } else if (word == "sgpr") {
            all.push_back({Kind::sgpr, 0, 102});
        } else if (auto v = range(rest, "v"); name == "vgpr" && v && v->second <= 256) {
            all.push_back({Kind::vgpr, v->first, v->second});
        } else if (auto a = range(rest, "a"); name == "vgpr" && a && a->second <= 256) {
            all.push_back({Kind::agpr, a->first, a->second});
        } else if (auto s = range(rest, "s"); name == "sgpr" && s && s->second <= 102) {
            all.push_back({Kind::sgpr, s->first, s->second});
        } else if (auto l = range(rest, ""); name == "lds" && l && l->second > l->first + 1) {
            all.push_back({Kind::lds, l->first, l->second - 1});  // the end is not shown
        } else {
            throw Error(
                fmt::format("'{}' cannot be shown; allowed: vgpr:v0-v3, vgpr:a0, sgpr, "
                            "sgpr:s4-s7, lds:FIRST-END, exec, vcc, scc, lanes",
                            word));
        }
    }
    return all;
}

Stops::Stops(const std::vector<uint32_t>& addresses, uint64_t count_each, std::vector<Shown> shown,
             Focus focus, std::function<void(const Stop&)> show)
    : most_(count_each),
      shown_(std::move(shown)),
      focus_(std::move(focus)),
      show_(std::move(show)) {
    for (uint32_t address : addresses) seen_[address] = 0;
}

void Stops::before(const Wave& w, const Step& s) {
    const auto place = seen_.find(s.from->address);
    if (place == seen_.end() || !in_focus(focus_, w) || place->second++ >= most_) return;
    Stop stop{w.group->index, w.instructions - 1, w.number, s.from->address, s.from->text, {}};
    for (const Shown& shown : shown_) show(w, shown, focus_, stop);
    show_(stop);
}

Trace::Trace(Focus focus, std::function<void(std::string_view)> write)
    : focus_(std::move(focus)), write_(std::move(write)) {}

bool Trace::wanted(const Wave& w) const { return in_focus(focus_, w); }

std::string Trace::values(const Wave& w, const Step& s, bool written) const {
    std::string text = "{";
    std::vector<unsigned> seen;
    for (unsigned n = 0; n < s.touches; ++n) {
        const Touch& t = s.touch[n];
        if (written ? !t.write : !t.read) continue;
        for (uint64_t bits = t.bits; bits; bits &= bits - 1) {
            const unsigned bit = t.word * 64u + unsigned(__builtin_ctzll(bits));
            if (std::find(seen.begin(), seen.end(), bit) != seen.end()) continue;
            seen.push_back(bit);
            text += fmt::format("{}\"{}\":", text.size() > 1 ? "," : "", register_name(w, bit));
            if (bit >= kScalarBit) {
                text += fmt::format("\"{:#010x}\"", w.scalar[bit - kScalarBit]);
                continue;
            }
            text += '[';
            for (size_t l = 0; l < focus_.lanes.size(); ++l)
                text += fmt::format("{}\"{:#010x}\"", l ? "," : "",
                                    w.vector[bit].word[focus_.lanes[l]]);
            text += ']';
        }
    }
    return text + "}";
}

void Trace::before(const Wave& w, const Step& s) {
    if (!wanted(w)) return;
    line_ = fmt::format(
        "{{\"workgroup\":{},\"wave\":{},\"instruction\":{},\"address\":{},\"text\":\"{}\","
        "\"exec\":\"{:#018x}\",\"in\":{}",
        w.group->index, w.number, w.instructions - 1, s.from->address, s.from->text, w.exec(),
        values(w, s, false));
}

void Trace::after(const Wave& w, const Step& s) {
    if (!wanted(w)) return;
    line_ += fmt::format(",\"out\":{},\"scc\":{}}}\n",
                         s.is_memory ? std::string("null") : values(w, s, true), int(w.scc));
    write_(line_);
}

}  // namespace zyfa::sim
