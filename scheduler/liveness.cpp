#include "scheduler/liveness.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "isa/text.hpp"
#include "scheduler/paths.hpp"

namespace zyfa {

bool Bits::merge(const Bits& o) {
    bool changed = false;
    for (size_t i = 0; i < words_.size(); ++i) {
        const uint64_t both = words_[i] | o.words_[i];
        changed |= both != words_[i];
        words_[i] = both;
    }
    return changed;
}
void Bits::keep(const Bits& o) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= o.words_[i];
}
bool Bits::meets(const Bits& o) const {
    for (size_t i = 0; i < words_.size(); ++i)
        if (words_[i] & o.words_[i]) return true;
    return false;
}
std::vector<size_t> Bits::ones() const {
    std::vector<size_t> out;
    for (size_t i = 0; i < words_.size(); ++i)
        for (uint64_t w = words_[i]; w; w &= w - 1)
            out.push_back(64 * i + size_t(std::countr_zero(w)));
    return out;
}

Cells::Cells(const Program& program) {
    uint32_t words[3]{};
    for (const Value& v : program.values)
        words[unsigned(v.file)] = std::max(words[unsigned(v.file)], v.first + v.words);
    for (unsigned f = 0; f < 3; ++f) {
        virtual_first[f] = count;
        count += words[f];
    }
    for (unsigned f = 0; f < 3; ++f) {
        physical_first[f] = count;
        count += f == unsigned(File::s) ? kSgprs : 256;
    }
}

namespace {

enum Half : uint8_t { lo = 1, hi = 2, both = 3 };

struct Touch {
    uint32_t cell;
    uint8_t halves;
    bool late = false;    // read while the result is already being written
    bool masked = false;  // write that keeps what inactive lanes hold
    bool never_kills = false;
};

struct Step {
    std::vector<Touch> reads, writes;
    bool writes_exec = false, fills_exec = false;
};

uint8_t halves_written(const Inst& i) {
    if (i.info().hazard != Hazard::cvt_half) return both;
    return written_part(i).first >= 2 ? hi : lo;
}

// The registers of a memory or matrix operand are read after the first result word may be written,
// or the encoding forbids the overlap (LLVM marks such results early-clobber).
bool reads_late(const Inst& i, const Access& read) {
    if (i.info().is_smem()) return true;
    if (!i.info().is_mfma()) {
        for (const Access& w : writes(i))
            if (w.words > 1 && (w.first != read.first || w.words != read.words)) return true;
        return false;
    }
    for (const Access& w : writes(i))
        if (w.file == read.file && w.is_virtual == read.is_virtual && w.first == read.first &&
            w.words == read.words)
            return false;
    return true;
}

Step step_of(const Inst& i, const Cells& cells) {
    Step s;
    const auto kept = [&](const Access& a) {
        if (a.column >= kMaxOperands) return false;
        const Use use = i.info().columns[a.column].use;
        return use == Use::def || (use == Use::mod && (i.info().hazard == Hazard::cvt_half ||
                                                       i.op == Op::v_writelane_b32));
    };
    // A byte leaves the other one of its half.
    bool keeps_lanes = i.op == Op::v_writelane_b32 || written_part(i).count == 1;
    for (const Access& a : reads(i)) {
        if (a.column < kMaxOperands && i.info().columns[a.column].use == Use::def)
            keeps_lanes = true;  // DPP
        if (!cells.has(a) || kept(a)) continue;
        for (uint32_t w = 0; w < a.words; ++w)
            s.reads.push_back(
                {cells.of(a.file, a.first + w, a.is_virtual), both, reads_late(i, a)});
    }
    for (const Access& a : writes(i)) {
        if (!a.is_virtual && a.file == File::s && a.first <= kExec + 1 && a.first + a.words > kExec)
            s.writes_exec = true;
        if (!cells.has(a)) continue;
        const bool lanes = a.file != File::s && !i.info().is_mfma();
        for (uint32_t w = 0; w < a.words; ++w)
            s.writes.push_back({cells.of(a.file, a.first + w, a.is_virtual), halves_written(i),
                                false, lanes, lanes && keeps_lanes});
    }
    s.fills_exec = s.writes_exec && i.op == Op::s_mov_b64 &&
                   i.operands[1].kind == Operand::Kind::imm && i.operands[1].value == 0xffffffffu;
    return s;
}

struct FullExec {
    bool full = true;
    void join(const FullExec& o) { full &= o.full; }
    bool operator==(const FullExec&) const = default;
};
// Half-cells written on every path, and on some path.
struct Written {
    Bits surely, maybe;
    void join(const Written& o) {
        surely.keep(o.surely);
        maybe.merge(o.maybe);
    }
    bool operator==(const Written&) const = default;
};

void mark(Bits& bits, const Touch& t, bool value = true) {
    for (unsigned h = 0; h < 2; ++h)
        if (t.halves >> h & 1) value ? bits.set(2 * t.cell + h) : bits.clear(2 * t.cell + h);
}

class Analysis {
public:
    Analysis(const Program& program, Liveness& out) : program_(program), out_(out) {
        for (const Block& block : program.blocks) {
            first_.push_back(uint32_t(steps_.size()));
            for (const Inst& inst : block.insts) {
                out.insts.push_back(&inst);
                steps_.push_back(step_of(inst, out.cells));
            }
        }
        first_.push_back(uint32_t(steps_.size()));
        out.points = uint32_t(2 * steps_.size());
    }

    void run() {
        forward_exec();
        forward_written();
        backward();
        collect();
    }

private:
    const Program& program_;
    Liveness& out_;
    std::vector<uint32_t> first_;  // of each block
    std::vector<Step> steps_;
    std::vector<bool> full_;  // EXEC surely full at this instruction
    std::vector<Bits> live_out_;
    std::vector<std::optional<Written>> written_;

    unsigned blocks() const { return unsigned(program_.blocks.size()); }

    void forward_exec() {
        full_.assign(steps_.size(), true);
        const auto through = [&](unsigned b, FullExec& s) {
            for (uint32_t k = first_[b]; k < first_[b + 1]; ++k) {
                full_[k] = s.full;
                if (steps_[k].writes_exec) s.full = steps_[k].fills_exec;
            }
        };
        const auto in = along_paths(program_, FullExec{}, through);
        for (unsigned b = 0; b < blocks(); ++b)
            if (FullExec s; in[b]) s = *in[b], through(b, s);
    }

    void forward_written() {
        Written entry{Bits(2 * out_.cells.count), Bits(2 * out_.cells.count)};
        const auto give = [&](uint32_t cell) {
            for (Bits* bits : {&entry.surely, &entry.maybe}) mark(*bits, {cell, both});
        };
        for (uint32_t c = out_.cells.physical_first[0]; c < out_.cells.count; ++c) give(c);
        for (const Value& v : program_.values)
            if (v.pinned >= 0)
                for (uint32_t w = 0; w < v.words; ++w)
                    give(out_.cells.of(v.file, v.first + w, true));
        const auto write = [&](uint32_t k, Written& s) {
            for (const Touch& t : steps_[k].writes) {
                mark(s.surely, t);
                mark(s.maybe, t);
            }
        };
        written_ = along_paths(program_, entry, [&](unsigned b, Written& s) {
            for (uint32_t k = first_[b]; k < first_[b + 1]; ++k) write(k, s);
        });
        for (unsigned b = 0; b < blocks(); ++b) {
            if (!written_[b]) continue;
            Written s = *written_[b];
            for (uint32_t k = first_[b]; k < first_[b + 1]; ++k) {
                for (const Touch& t : steps_[k].reads)
                    if (!s.surely[2 * t.cell] && !s.surely[2 * t.cell + 1]) refuse(k, t, s);
                write(k, s);
            }
        }
    }

    void refuse(uint32_t k, const Touch& t, const Written& s) const {
        const Inst& inst = *out_.insts[k];
        const bool never = !s.maybe[2 * t.cell] && !s.maybe[2 * t.cell + 1];
        for (const Value& v : program_.values) {
            const uint32_t first = out_.cells.of(v.file, v.first, true);
            if (t.cell < first || t.cell >= first + v.words) continue;
            throw Error(
                inst.at,
                fmt::format("{} reads word {} of '{}' ({}:{}), which is {}", inst.info().name,
                            t.cell - first, v.name, v.at.file_name(), v.at.line(),
                            never ? "never written before" : "not written on every path to here"));
        }
    }

    // Live in front of step k from live behind it; `region` = live behind the part of the block
    // that runs under the same EXEC.
    void back(uint32_t k, Bits& live, Bits& region) const {
        const Step& s = steps_[k];
        if (s.writes_exec) region = live;
        for (const Touch& t : s.writes) {
            if (t.never_kills) continue;
            if (t.masked && !full_[k] && (region[2 * t.cell] || region[2 * t.cell + 1])) continue;
            mark(live, t, false);
        }
        for (const Touch& t : s.reads) mark(live, t);
    }

    void backward() {
        const auto next = successors(program_);
        std::vector<Bits> live_in(blocks(), Bits(2 * out_.cells.count));
        live_out_ = live_in;
        for (bool changed = true; changed;) {
            changed = false;
            for (unsigned b = blocks(); b-- > 0;) {
                for (unsigned n : next[b]) live_out_[b].merge(live_in[n]);
                Bits live = live_out_[b], region = live;
                for (uint32_t k = first_[b + 1]; k-- > first_[b];) back(k, live, region);
                changed |= live_in[b].merge(live);
            }
        }
    }

    void collect() {
        out_.live.assign(out_.cells.count, Bits(out_.points));
        const auto put = [&](const Bits& live, const Bits& maybe, uint32_t point) {
            Bits there = live;
            there.keep(maybe);
            for (size_t half : there.ones()) out_.live[half / 2].set(point);
        };
        for (unsigned b = 0; b < blocks(); ++b) {
            // Behind each step, then in front: what was written before decides what is alive.
            std::vector<Bits> maybe;
            Written s = written_[b]
                            ? *written_[b]
                            : Written{Bits(2 * out_.cells.count), Bits(2 * out_.cells.count, true)};
            for (uint32_t k = first_[b]; k < first_[b + 1]; ++k) {
                maybe.push_back(s.maybe);
                for (const Touch& t : steps_[k].writes) mark(s.maybe, t);
            }
            maybe.push_back(s.maybe);
            Bits live = live_out_[b], region = live;
            for (uint32_t k = first_[b + 1]; k-- > first_[b];) {
                put(live, maybe[k - first_[b] + 1], 2 * k + 1);
                for (const Touch& t : steps_[k].writes) out_.live[t.cell].set(2 * k + 1);
                for (const Touch& t : steps_[k].reads)
                    if (t.late) out_.live[t.cell].set(2 * k + 1);
                back(k, live, region);
                put(live, maybe[k - first_[b]], 2 * k);
            }
        }
    }
};

}  // namespace

Liveness::Liveness(const Program& program) : cells(program) { Analysis(program, *this).run(); }

}  // namespace zyfa
