#include "check/lds_order.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "check/lanes.hpp"
#include "check/values.hpp"
#include "isa/counters.hpp"

namespace zyfa {
namespace {

constexpr Rule kRules[] = {
    {"WAIT-DMA",
     "LDS is used that this wave's own load still fills; a warning if only some path leaves the "
     "wait out",
     "CDNA4 ISA, S_WAITCNT and direct-to-LDS loads (vmcnt); M0 + offset + lane * size",
     Trust::certain, Severity::error, false},
    {"LDS-FILL",
     "LDS is used that another wave's load or write still fills: between them stand no wait of "
     "that wave and as many barriers as it may be behind",
     "CDNA4 ISA, S_BARRIER, S_WAITCNT; the simulator's LDS-RACE", Trust::certain, Severity::error,
     false},
    {"LDS-REUSE",
     "LDS is filled or written while another wave may still read it: between them stand no wait "
     "of that wave and as many barriers as it may be behind",
     "CDNA4 ISA, S_BARRIER, S_WAITCNT; the simulator's LDS-RACE", Trust::certain, Severity::error,
     false},
    {"BARRIER-COUNT", "waves end here after different numbers of barriers",
     "CDNA4 ISA, S_BARRIER: an ended wave does not count, so this may be meant", Trust::inferred,
     Severity::warning, false},
    {"DMA-AT-END",
     "a wave ends while its own loads into LDS are under way; a warning if only on some path",
     "LDS is given to the next workgroup when this one ends; the simulator's DMA-AT-END",
     Trust::inferred, Severity::error, false},
    {"LDS-UNPROVEN", "LDS accesses whose addresses are not followed, so their order is not checked",
     "check/lanes.hpp", Trust::certain, Severity::note, true},
};

enum class Use : uint8_t { read, write, fill };

// Words of 4 bytes of LDS, from `first` on.
class Words {
public:
    bool empty() const { return bits_.empty(); }
    void add(uint32_t byte, unsigned count) {
        for (uint32_t w = byte / 4; w <= (byte + count - 1) / 4; ++w) {
            if (bits_.empty()) first_ = w / 64;
            if (w / 64 < first_) {
                bits_.insert(bits_.begin(), first_ - w / 64, 0);
                first_ = w / 64;
            }
            if (w / 64 - first_ >= bits_.size()) bits_.resize(w / 64 - first_ + 1);
            bits_[w / 64 - first_] |= uint64_t(1) << w % 64;
        }
    }
    // First byte that both have.
    std::optional<uint32_t> common(const Words& o) const {
        const size_t begin = std::max(first_, o.first_),
                     end = std::min(first_ + bits_.size(), o.first_ + o.bits_.size());
        for (size_t n = begin; n < end; ++n)
            if (const uint64_t both = bits_[n - first_] & o.bits_[n - o.first_])
                return uint32_t(n * 64 + unsigned(__builtin_ctzll(both))) * 4;
        return std::nullopt;
    }

private:
    size_t first_ = 0;
    std::vector<uint64_t> bits_;
};

constexpr uint32_t kMostLds = 1 << 18;  // what is beyond is LDS-RANGE's business

struct Shape {  // of an access through addresses in registers
    unsigned bytes = 0;
    uint32_t stride = 0;  // of the two offsets of read2 and write2; 0: one offset
};
Shape shape_of(std::string_view name) {
    for (std::string_view start : {"ds_read_b", "ds_write_b", "ds_read2_b", "ds_write2_b",
                                   "ds_read2st64_b", "ds_write2st64_b"}) {
        if (!name.starts_with(start)) continue;
        const bool two = start.find('2') != start.npos, far = start.find("64") != start.npos;
        for (unsigned bits : {32, 64, 96, 128})
            if (name.substr(start.size()).starts_with(std::to_string(bits)))
                return {bits / 8, two ? bits / 8 * (far ? 64u : 1u) : 0};
    }
    return {};
}

bool touches_lds(const Effects& e, const Inst& i) {
    const std::string_view name = i.info().name;
    return e.lds_dma || (e.kind == Kind::lds && name.find("permute") == name.npos &&
                         name.find("swizzle") == name.npos);
}

std::optional<Words> words_of(const Lanes& lanes, const Step& step) {
    const Inst& i = step.decoded->inst;
    const auto exec = lanes.exec();
    if (!exec) return std::nullopt;
    Words out;
    const auto add = [&](uint64_t byte, unsigned count) {
        if (byte + count <= kMostLds) out.add(uint32_t(byte), count);
    };
    if (step.effects.lds_dma) {
        const auto m0 = lanes.scalar(kM0Word);
        if (!m0) return std::nullopt;
        const std::string_view name = i.info().name;
        const unsigned size = name.find("x4") != name.npos   ? 16
                              : name.find("x3") != name.npos ? 12
                                                             : 4;
        for (unsigned lane = 0; lane < 64; ++lane)
            if (*exec >> lane & 1) add(uint64_t(*m0) + i.mods.offset + lane * size, size);
        return out;
    }
    const Shape shape = shape_of(i.info().name);
    if (!shape.bytes) return std::nullopt;
    const LaneNumbers* address = lanes.of(i.operands[is_written(i.info().columns[0].use) ? 1 : 0]);
    if (!address) return std::nullopt;
    for (unsigned lane = 0; lane < 64; ++lane) {
        if (!(*exec >> lane & 1)) continue;
        const uint64_t base = (*address)[lane];
        if (!shape.stride) {
            add(base + i.mods.offset, shape.bytes);
        } else {
            add(base + (i.mods.offset & 0xff) * shape.stride, shape.bytes);
            add(base + (i.mods.offset >> 8 & 0xff) * shape.stride, shape.bytes);
        }
    }
    return out;
}

// What one wave does, found from its own work-item ids.
struct Walk {
    std::vector<std::optional<Lanes>> in;
    std::vector<std::vector<unsigned>> next;  // blocks that may follow, by block
    std::vector<Words> words;                 // by access; empty: unknown or never run
    std::vector<bool> runs;                   // by access
    // Barriers on the ways from the entry to the front of a block, each loop passed once at most.
    std::vector<std::vector<unsigned>> barriers;
    std::vector<bool> uncounted;  // too many ways
};

// How many barriers this wave has passed since the others, a group of them at a time, have surely
// finished an access: those since it waited for its own, less those that they stood behind there.
// Below 1, nothing orders the two; kUnderWay: its own is not waited for.
using Passed = int16_t;
constexpr Passed kUnderWay = -1000, kNever = 1000, kMost = 100;

struct State {
    Counters counters;
    // By access, then by group: on the worst path, and on the best of those that run the access.
    std::vector<Passed> passed, best;
    std::vector<uint8_t> younger;  // by access: most operations of its counter behind it, any path
    bool operator==(const State&) const = default;
    void join(const State& o) {
        counters.join(o.counters);
        for (size_t n = 0; n < passed.size(); ++n) {
            passed[n] = std::min(passed[n], o.passed[n]);
            if (best[n] == kNever) best[n] = o.best[n];
            else if (o.best[n] != kNever) best[n] = std::max(best[n], o.best[n]);
        }
        for (size_t a = 0; a < younger.size(); ++a) younger[a] = std::max(younger[a], o.younger[a]);
    }
};

class Check {
public:
    Check(std::span<const Decoded> code, const LdsOrder& order)
        : order_(order), graph_(flowgraph(code, {order.entry})) {
        const auto& w = order.workgroup;
        waves_ = (w[0] * w[1] * w[2] + 63) / 64;
        access_of_.assign(graph_.steps.size(), kNone);
        for (unsigned b = 0; b < graph_.blocks.size(); ++b)
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                const Effects& e = graph_.steps[i].effects;
                if (!e.known || !touches_lds(e, graph_.steps[i].decoded->inst)) continue;
                access_of_[i] = unsigned(access_.size());
                access_.push_back({i, e.lds_dma ? Use::fill : e.load ? Use::read : Use::write});
            }
        for (unsigned wave = 0; wave < waves_; ++wave) walks_.push_back(walk(wave));
        for (unsigned wave = 0; wave < waves_; ++wave) {
            unsigned g = 0;
            while (g < groups_.size() && walks_[groups_[g]].barriers != walks_[wave].barriers) ++g;
            if (g == groups_.size()) groups_.push_back(wave);
            group_of_.push_back(g);
        }
    }

    std::vector<Finding> run() {
        if (access_.empty()) return {};
        if (const auto fork = parting()) {
            found_.push_back(finding(
                "LDS-UNPROVEN", Severity::note, *graph_.steps[*fork].decoded,
                "waves part here over a number that is not followed, and meet barriers before they "
                "are together again: the order of their LDS accesses is not checked"));
            return std::move(found_);
        }
        for (unsigned wave = 0; wave < waves_; ++wave) check(wave);
        report();
        count_barriers();
        const LdsCoverage c = coverage();
        if (c.followed < c.all)
            found_.push_back(
                finding("LDS-UNPROVEN", Severity::note, *graph_.steps[access_[0].step].decoded,
                        fmt::format("the order of {} of {} LDS accesses is not checked: their "
                                    "addresses do not follow from the work-item ids alone",
                                    c.all - c.followed, c.all)));
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Finding& a, const Finding& b) { return a.address < b.address; });
        return std::move(found_);
    }

    LdsCoverage coverage() const {
        LdsCoverage c;
        for (unsigned a = 0; a < access_.size(); ++a) {
            bool runs = false, known = true;
            for (const Walk& w : walks_) {
                runs |= w.runs[a];
                known &= !w.runs[a] || !w.words[a].empty();
            }
            c.all += runs;
            c.followed += runs && known;
        }
        return c;
    }

private:
    struct Access {
        unsigned step;
        Use use;
    };
    static constexpr unsigned kNone = ~0u;

    const LdsOrder& order_;
    Flowgraph graph_;
    unsigned waves_;
    LanePool pool_;
    std::vector<Access> access_;
    std::vector<unsigned> access_of_;  // by step
    std::vector<Walk> walks_;
    std::vector<unsigned> groups_;    // a wave of each set of waves that meet the same barriers
    std::vector<unsigned> group_of_;  // by wave
    std::vector<Finding> found_;
    struct Clash {
        Passed passed;
        bool always;  // not only on some path
        unsigned wave, other, x;
        uint32_t byte;
        unsigned younger;             // operations behind x, if it is under way
        std::set<unsigned> partners;  // accesses
    };
    std::set<std::pair<unsigned, bool>> ends_;
    std::map<std::pair<unsigned, unsigned>, Clash> clashes_;  // by access and rule

    unsigned entry_block() const {
        for (unsigned b = 0; b < graph_.blocks.size(); ++b)
            if (graph_.blocks[b].entry) return b;
        return 0;
    }
    bool is_barrier(unsigned i) const {
        const Step& s = graph_.steps[i];
        return s.effects.known && s.decoded->inst.op == Op::s_barrier;
    }
    unsigned barriers_in(unsigned b) const {
        unsigned n = 0;
        for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) n += is_barrier(i);
        return n;
    }

    std::vector<unsigned> followers(unsigned b, const Lanes& behind) const {
        const auto& node = graph_.blocks[b];
        const Step& last = graph_.steps[node.end - 1];
        if (last.effects.flow != Flow::fork || node.next.size() != 2 || !last.effects.known)
            return node.next;
        const auto takes = behind.takes(last.decoded->inst);
        if (!takes) return node.next;
        return {node.next[*takes ? 1 : 0]};
    }

    Walk walk(unsigned wave) {
        Walk w;
        w.in.resize(graph_.blocks.size());
        w.next.resize(graph_.blocks.size());
        w.words.resize(access_.size());
        w.runs.resize(access_.size());
        std::set<unsigned> open{entry_block()};  // in the order of the code: loops settle soonest
        for (unsigned b = 0; b < graph_.blocks.size(); ++b)
            if (graph_.blocks[b].entry) w.in[b].emplace(pool_, wave, order_.workgroup);
        while (!open.empty()) {
            const unsigned b = *open.begin();
            open.erase(open.begin());
            Lanes lanes = *w.in[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i)
                lanes.advance(graph_.steps[i]);
            w.next[b] = followers(b, lanes);
            for (unsigned n : w.next[b]) {
                if (!w.in[n]) {
                    w.in[n] = lanes;
                } else {
                    const Lanes before = *w.in[n];
                    w.in[n]->join(lanes);
                    if (before == *w.in[n]) continue;
                }
                open.insert(n);
            }
        }
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!w.in[b]) continue;
            Lanes lanes = *w.in[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                if (const unsigned a = access_of_[i]; a != kNone) {
                    w.runs[a] = true;
                    if (auto words = words_of(lanes, graph_.steps[i])) w.words[a] = *words;
                }
                lanes.advance(graph_.steps[i]);
            }
        }
        count_ways(w);
        return w;
    }

    // A branch that may go another way in each wave, unknown which, and then lead to other
    // barriers.
    std::optional<unsigned> parting() const {
        const auto in = solve<Values>(
            graph_, [&](unsigned) { return Values::at_entry(-1); },
            [&](Values& v, unsigned i) { v.advance(graph_.steps[i]); });
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            const auto& node = graph_.blocks[b];
            const bool open = std::any_of(walks_.begin(), walks_.end(), [&](const Walk& w) {
                return w.in[b] && w.next[b].size() == 2;
            });
            if (!open || !in[b] || next_barriers(node.next[0]) == next_barriers(node.next[1]))
                continue;
            Values values = *in[b];
            for (unsigned i = node.first; i + 1 < node.end; ++i) values.advance(graph_.steps[i]);
            for (const Reach& r : graph_.steps[node.end - 1].effects.reads)
                if (values[r.first].per_wave) return node.end - 1;
        }
        return std::nullopt;
    }
    // The first barrier, or end, on each way on from the front of a block.
    std::set<unsigned> next_barriers(unsigned from) const {
        std::set<unsigned> found;
        std::vector<bool> seen(graph_.blocks.size());
        std::vector<unsigned> open{from};
        while (!open.empty()) {
            const unsigned b = open.back();
            open.pop_back();
            if (seen[b]) continue;
            seen[b] = true;
            const auto& node = graph_.blocks[b];
            unsigned i = node.first;
            while (i < node.end && !is_barrier(i)) ++i;
            if (i < node.end) found.insert(i);
            else if (node.next.empty()) found.insert(node.end - 1);
            else open.insert(open.end(), node.next.begin(), node.next.end());
        }
        return found;
    }

    // Back edges are those to a block that does not stand behind its end in the code.
    void count_ways(Walk& w) const {
        constexpr size_t kMostWays = 64;
        w.barriers.resize(graph_.blocks.size());
        w.uncounted.resize(graph_.blocks.size());
        w.barriers[entry_block()] = {0};
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!w.in[b]) continue;
            const unsigned own = barriers_in(b);
            for (unsigned n : w.next[b]) {
                if (n <= b) continue;
                auto& to = w.barriers[n];
                for (unsigned count : w.barriers[b]) to.push_back(count + own);
                std::sort(to.begin(), to.end());
                to.erase(std::unique(to.begin(), to.end()), to.end());
                if (w.uncounted[b] || to.size() > kMostWays) w.uncounted[n] = true;
                if (w.uncounted[n]) to.clear();
            }
        }
    }

    // How many barriers `other` stands behind `wave`, negative if ahead; both in block b.
    std::optional<int> behind(unsigned wave, unsigned other, unsigned b) const {
        const auto &mine = walks_[wave].barriers[b], &theirs = walks_[other].barriers[b];
        if (mine.empty() || mine.size() != theirs.size()) return std::nullopt;
        const int shift = int(theirs[0]) - int(mine[0]);
        for (size_t n = 0; n < mine.size(); ++n)
            if (int(theirs[n]) - int(mine[n]) != shift) return std::nullopt;
        return shift;
    }

    void advance(State& s, unsigned wave, unsigned b, unsigned i) const {
        const Step& step = graph_.steps[i];
        const bool wait = step.effects.known && step.decoded->inst.op == Op::s_waitcnt;
        if (wait) s.counters.wait(wait_of(step.decoded->inst));
        else s.counters.commit(step.effects, i);
        if (wait || is_barrier(i)) settle(s, wave, b, wait ? wait_of(step.decoded->inst) : Wait{});
        if (is_barrier(i))
            for (auto* passed : {&s.passed, &s.best})
                for (Passed& p : *passed)
                    if (p != kUnderWay && p < kMost) ++p;
        if (step.effects.counter != Counter::none)
            for (size_t a = 0; a < access_.size(); ++a)
                if ((access_[a].use == Use::fill) == (step.effects.counter == Counter::vm) &&
                    s.best[a * groups_.size()] == kUnderWay && s.younger[a] < kVmcntMax)
                    ++s.younger[a];
        if (const unsigned a = access_of_[i]; a != kNone) {
            s.younger[a] = 0;
            for (auto* passed : {&s.passed, &s.best})
                std::fill_n(passed->begin() + long(a * groups_.size()), groups_.size(), kUnderWay);
        }
    }
    // Accesses that `wait`, or the end of the counters, shows to be complete.
    void settle(State& s, unsigned wave, unsigned b, Wait wait) const {
        for (size_t a = 0; a < access_.size(); ++a) {
            const size_t first = a * groups_.size();
            if (s.passed[first] != kUnderWay && s.best[first] != kUnderWay) continue;
            const bool fill = access_[a].use == Use::fill;
            const auto list = fill ? s.counters.vm() : s.counters.lgkm();
            const bool pending = std::any_of(
                list.begin(), list.end(), [&](const auto& p) { return p.tag == access_[a].step; });
            const bool best = !pending || s.younger[a] >= (fill ? wait.vmcnt : wait.lgkmcnt);
            for (unsigned g = 0; g < groups_.size(); ++g) {
                const size_t at = first + g;
                const auto shift = behind(wave, groups_[g], b);
                const Passed since = shift ? Passed(-*shift) : kMost;  // not known: not looked at
                if (!pending && s.passed[at] == kUnderWay) s.passed[at] = since;
                if (best && s.best[at] == kUnderWay) s.best[at] = since;
            }
            if (best) s.younger[a] = 0;
        }
    }

    void check(unsigned wave) {
        const Walk& w = walks_[wave];
        std::vector<std::optional<State>> in(graph_.blocks.size());
        State start;
        start.passed.assign(access_.size() * groups_.size(), kNever);
        start.best = start.passed;
        start.younger.assign(access_.size(), 0);
        in[entry_block()] = start;
        std::set<unsigned> open{entry_block()};  // in the order of the code: loops settle soonest
        while (!open.empty()) {
            const unsigned b = *open.begin();
            open.erase(open.begin());
            State s = *in[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i)
                advance(s, wave, b, i);
            for (unsigned n : w.next[b]) {
                if (!in[n]) {
                    in[n] = s;
                } else {
                    const State before = *in[n];
                    in[n]->join(s);
                    if (before == *in[n]) continue;
                }
                open.insert(n);
            }
        }
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            if (!in[b]) continue;
            State s = *in[b];
            for (unsigned i = graph_.blocks[b].first; i < graph_.blocks[b].end; ++i) {
                if (access_of_[i] != kNone) look(s, wave, b, access_of_[i]);
                if (graph_.steps[i].effects.flow == Flow::stop) look_at_end(s, i);
                advance(s, wave, b, i);
            }
        }
    }

    // Access `y` of the wave, in block b, against what it and the others have done before, and
    // against the same of the others.
    void look(const State& s, unsigned wave, unsigned b, unsigned y) {
        const Words& mine = walks_[wave].words[y];
        const Use use = access_[y].use;
        for (unsigned x = 0; x < access_.size(); ++x) {
            if (use == Use::read && access_[x].use == Use::read) continue;
            for (unsigned other = 0; other < waves_; ++other) {
                const size_t at = x * groups_.size() + group_of_[other];
                const bool own = other == wave;
                // LDS keeps one wave's own accesses in order, and fills arrive in order.
                if (own && (access_[x].use != Use::fill || use == Use::fill)) continue;
                const bool together = x == y && behind(wave, other, b) == 0;
                const Passed passed = together ? Passed(0) : s.passed[at];
                if (own ? passed != kUnderWay : passed > 0) continue;
                const auto byte = mine.common(walks_[other].words[x]);
                if (!byte) continue;
                const bool always = together || (own ? s.best[at] == kUnderWay : s.best[at] < 1);
                Clash& c = clashes_[{y, own ? 0 : access_[x].use == Use::read ? 1 : 2}];
                if (c.partners.empty() || (always && !c.always))
                    c = {passed, always, wave,          other,
                         x,      *byte,  younger(s, x), std::move(c.partners)};
                c.partners.insert(x);
                break;
            }
        }
    }

    void look_at_end(const State& s, unsigned i) {
        for (unsigned x = 0; x < access_.size(); ++x) {
            const size_t at = x * groups_.size();
            if (access_[x].use != Use::fill || s.passed[at] != kUnderWay) continue;
            const bool always = s.best[at] == kUnderWay;
            if (!ends_.insert({i, always}).second) return;
            found_.push_back(
                finding("DMA-AT-END", always ? Severity::error : Severity::warning,
                        *graph_.steps[i].decoded,
                        fmt::format("the wave ends while it may still fill LDS: needs vmcnt({}) "
                                    "first{}",
                                    younger(s, x), always ? "" : "; only on some path"),
                        graph_.steps[access_[x].step].decoded));
            return;
        }
    }

    unsigned younger(const State& s, unsigned x) const {
        const auto list = access_[x].use == Use::fill ? s.counters.vm() : s.counters.lgkm();
        for (const Counters::Pending& p : list)
            if (p.tag == access_[x].step) return p.younger;
        return 0;
    }

    // One finding for each access and rule, its first partner as the other end.
    void report() {
        constexpr std::string_view kDoes[] = {"read", "written", "filled"};
        constexpr std::string_view kRule[] = {"WAIT-DMA", "LDS-REUSE", "LDS-FILL"};
        for (const auto& [key, c] : clashes_) {
            const auto& [y, rule] = key;
            const std::string who = rule ? fmt::format("wave {}", c.other) : "this wave";
            const bool fill = access_[c.x].use == Use::fill;
            std::string why = c.passed == kUnderWay
                                  ? fmt::format("needs {}({}){} first", fill ? "vmcnt" : "lgkmcnt",
                                                c.younger, rule ? " there and a barrier" : "")
                                  : fmt::format("{} barrier{} too few between", 1 - c.passed,
                                                c.passed ? "s" : "");
            if (c.partners.size() > 1)
                why += fmt::format("; so with {} more", c.partners.size() - 1);
            if (!c.always) why += "; only on some path";
            found_.push_back(finding(
                kRule[rule], c.always ? Severity::error : Severity::warning,
                *graph_.steps[access_[y].step].decoded,
                fmt::format("byte {} of LDS is {} by wave {} while {} may still have it {}: {}",
                            c.byte, kDoes[unsigned(access_[y].use)], c.wave, who,
                            kDoes[unsigned(access_[c.x].use)], why),
                graph_.steps[access_[c.x].step].decoded));
        }
    }

    void count_barriers() {
        for (unsigned b = 0; b < graph_.blocks.size(); ++b) {
            const unsigned last = graph_.blocks[b].end - 1;
            if (graph_.steps[last].effects.flow != Flow::stop) continue;
            for (unsigned wave = 1; wave < waves_; ++wave) {
                if (walks_[0].uncounted[b] || walks_[wave].uncounted[b]) continue;
                const auto &first = walks_[0].barriers[b], &other = walks_[wave].barriers[b];
                if (first.empty() || other.empty() || first.back() == other.back()) continue;
                found_.push_back(finding(
                    "BARRIER-COUNT", Severity::warning, *graph_.steps[last].decoded,
                    fmt::format("wave 0 ends here after {} barriers on its longest way with each "
                                "loop passed once, wave {} after {}",
                                first.back() + barriers_in(b), wave,
                                other.back() + barriers_in(b))));
                break;
            }
        }
    }
};

}  // namespace

std::vector<Finding> check_lds_order(std::span<const Decoded> code, const LdsOrder& order) {
    return Check(code, order).run();
}
LdsCoverage lds_coverage(std::span<const Decoded> code, const LdsOrder& order) {
    return Check(code, order).coverage();
}
std::span<const Rule> lds_order_rules() { return kRules; }

}  // namespace zyfa
