// Plants s_memtime where phases begin, behind their barrier, and keeps the stamps in the lanes of a
// register until the kernel ends (isa/stamps.hpp). Comes behind `order`, so that the order of all
// else is what it is without probes.
//
// s_memtime goes through lgkmcnt, and while one is on its way no other count than 0 proves an LDS
// read. So LDS reads that a phase with matrix work finds outstanding are waited for in front of it,
// and the stamp is taken in behind the fourth matrix instruction, when it is there and the matrix
// pipe has work; in other phases at the end.
#include "isa/stamps.hpp"

#include <algorithm>
#include <optional>

#include "isa/machine.hpp"
#include "scheduler/pass.hpp"

namespace zyfa {
namespace {

constexpr unsigned kMatrixBefore = 4;  // 256 cycles and more

Operand virtual_reg(File file, uint32_t first, unsigned words) {
    Operand o = Operand::reg(file, first, words);
    o.is_virtual = true;
    return o;
}
Operand word(Operand o, unsigned n) {
    o.value += n;
    o.words = 1;
    return o;
}
const Operand kM0Reg = Operand::reg(File::s, kM0), kExecReg = Operand::reg(File::s, kExec, 2);

bool touches_m0(const Accesses& list) {
    return std::any_of(list.begin(), list.end(), [](const Access& a) {
        return a.file == File::s && !a.is_virtual && a.first <= kM0 && kM0 < a.first + a.words;
    });
}
class Planter {
public:
    Planter(Program& program, const Machine& machine)
        : p_(program), count_(unsigned(p_.probes.size())) {
        for (const Value& v : p_.values) {
            uint32_t& next = next_[unsigned(v.file)];
            next = std::max(next, v.first + v.words);
        }
        p_.sections.push_back({"probes", Pipe::scalar});
        stamps_ = value("stamps", File::v, 1);
        row_ = value("stamps_row", File::s, 1);
        record_ = value("stamps_record", File::s, 2);
        // Out of the way of other values, which would have to wait for the half that nobody reads.
        now_ = value("stamp", File::s, 2, int(machine.registers_sgpr_addressable.count()) - 2);
    }

    void run() {
        for (const Block& b : p_.blocks)
            if (!is_free(b, 0))
                throw Error(b.insts[0].at, "probes: a block needs m0 or scc of the one before",
                            Exit::internal);
        open();
        phases();
        close();
        apply();
    }

private:
    Program& p_;
    const unsigned count_;
    uint32_t next_[3]{};
    Operand stamps_, row_, record_, now_;
    struct Planted {
        size_t block, index;
        std::vector<Inst> insts;
    };
    std::vector<Planted> all_;

    Operand value(const char* name, File file, unsigned words, int pinned = -1) {
        uint32_t& next = next_[unsigned(file)];
        p_.values.push_back({name, file, next, uint8_t(words), uint8_t(words), pinned, {}});
        next += words;
        return virtual_reg(file, next - words, words);
    }
    // What the hardware hands over in this register.
    Operand given(File file, int pinned) const {
        for (const Value& v : p_.values)
            if (v.file == file && v.pinned == pinned) return virtual_reg(file, v.first, v.words);
        throw Error("probes: the kernel has no value for what a launch hands over", Exit::internal);
    }

    // m0 and scc, which planted code changes, are not needed here: they are written before they are
    // read. Behind the end of a block they never are, see run().
    bool is_free(const Block& b, size_t index) const {
        bool m0_known = false, scc_known = false;
        for (size_t n = index; n < b.insts.size() && !(m0_known && scc_known); ++n) {
            const Inst& i = b.insts[n];
            if ((!m0_known && touches_m0(reads(i))) || (!scc_known && reads_scc(i))) return false;
            m0_known |= touches_m0(writes(i));
            scc_known |= writes_scc(i);
        }
        return true;
    }

    class Code {
    public:
        Code(const Planter& planter, const Inst& beside) {
            model_.at = beside.at;
            model_.phase = beside.phase;
            model_.entry = beside.entry;
            model_.section = uint16_t(planter.p_.sections.size() - 1);
        }
        Inst& add(Op op, std::initializer_list<Operand> operands, const char* note = "") {
            Inst i = model_;
            i.op = op;
            std::copy(operands.begin(), operands.end(), i.operands.begin());
            i.note = note;
            list.push_back(std::move(i));
            return list.back();
        }
        std::vector<Inst> list;

    private:
        Inst model_;
    };
    void plant(size_t block, size_t index, Code code) {
        all_.push_back({block, index, std::move(code.list)});
    }

    // --- before the loop -------------------------------------------------------------------------
    void open() {
        const uint32_t at = stamp_args_at(p_.kernarg_bytes);
        p_.args.push_back({"stamps", at, 8, true, "u32 [workgroup, wave, 64], or null"});
        p_.args.push_back({"stamps_grid_x", at + kStampGridX, 4, false, "workgroups along x"});
        p_.args.push_back({"stamps_grid_y", at + kStampGridY, 4, false, "workgroups along y"});
        p_.kernarg_bytes = at + kStampArgsBytes;

        const Block& entry = p_.blocks[0];
        const Operand args = value("stamps_args", File::s, 4);
        Code load(*this, entry.insts[0]);
        load.add(Op::s_load_dwordx4, {args, given(File::s, 0), Operand::imm(at)});
        plant(0, 0, std::move(load));

        const size_t index = behind_first_wait(entry);
        Code c(*this, entry.insts[index]);
        const Operand n = value("stamps_number", File::s, 1), high = value("high", File::s, 1),
                      wave = value("stamps_wave", File::s, 1), lane = value("wave", File::v, 1);
        const auto scalar = [&](Op op, const Operand& to, const Operand& a, const Operand& b) {
            c.add(op, {to, a, b});
        };
        c.add(Op::v_bfe_u32, {lane, given(File::v, 0), Operand::imm(6), Operand::imm(4)});
        c.add(Op::v_readfirstlane_b32, {wave, lane});
        scalar(Op::s_mul_i32, n, given(File::s, 4), word(args, 3));
        scalar(Op::s_add_u32, n, n, given(File::s, 3));
        scalar(Op::s_mul_i32, n, n, word(args, 2));
        scalar(Op::s_add_u32, n, n, given(File::s, 2));
        scalar(Op::s_mul_i32, n, n, Operand::imm(p_.workgroup_size / 64));
        scalar(Op::s_add_u32, n, n, wave);
        scalar(Op::s_lshr_b32, high, n, Operand::imm(24));
        scalar(Op::s_lshl_b32, n, n, Operand::imm(8));
        static_assert(kStampRecordBytes == 1u << 8);
        Operand address = args;
        address.words = 2;
        scalar(Op::s_add_u32, word(record_, 0), word(args, 0), n);
        scalar(Op::s_addc_u32, word(record_, 1), word(args, 1), high);
        c.add(Op::s_cmp_lg_u64, {address, Operand::imm(0)});
        scalar(Op::s_cselect_b64, record_, record_, Operand::imm(0));
        c.add(Op::s_mov_b32, {row_, Operand::imm(0u - count_)});
        c.add(Op::v_mov_b32, {stamps_, Operand::imm(0)});
        plant(0, index, std::move(c));
    }

    // Behind the first instruction that waits for arguments anyway.
    size_t behind_first_wait(const Block& b) const {
        std::vector<std::pair<uint32_t, uint32_t>> loaded;
        bool waited = false;
        for (size_t n = 0; n < b.insts.size(); ++n) {
            const Inst& i = b.insts[n];
            if (waited && is_free(b, n)) return n;
            if (i.info().is_smem()) {
                const Operand& to = i.operands[0];
                loaded.emplace_back(to.value, to.value + to.words);
            }
            for (const Access& a : reads(i))
                for (const auto& [first, last] : loaded)
                    waited |= a.file == File::s && a.is_virtual && a.first < last &&
                              first < a.first + a.words;
        }
        throw Error("probes: the kernel's first block reads no argument", Exit::internal);
    }

    // --- phases ----------------------------------------------------------------------------------
    struct Span {
        size_t first_block, first, last_block, last;  // instructions; the last one is in it
    };
    std::optional<Span> span_of(uint16_t phase) const {
        std::optional<Span> s;
        for (size_t b = 0; b < p_.blocks.size(); ++b)
            for (size_t n = 0; n < p_.blocks[b].insts.size(); ++n) {
                if (p_.blocks[b].insts[n].phase != phase) continue;
                if (!s) s = Span{b, n, b, n};
                s->last_block = b, s->last = n;
            }
        return s;
    }
    bool has_matrix(const Span& s, uint16_t phase) const {
        for (size_t b = s.first_block; b <= s.last_block; ++b)
            for (const Inst& i : p_.blocks[b].insts)
                if (i.phase == phase && i.info().is_mfma()) return true;
        return false;
    }

    // One pass through the loop, as often as it is copied: by probe, its phase, if that has code.
    struct Copy {
        struct Timed {
            uint16_t phase;
            Span span;
        };
        std::vector<std::optional<Timed>> probes;
    };
    std::vector<Copy> copies() const {
        std::vector<Copy> all;
        unsigned before = ~0u;
        for (uint16_t f = 0; f < p_.phases.size(); ++f) {
            const unsigned number = p_.phases[f].number;
            if (!number) continue;
            if (number <= before) all.emplace_back().probes.resize(count_);
            before = number;
            const auto probe = std::find(p_.probes.begin(), p_.probes.end(), number);
            if (probe == p_.probes.end()) continue;
            if (const auto span = span_of(f))
                all.back().probes[size_t(probe - p_.probes.begin())] = {f, *span};
        }
        return all;
    }

    void phases() {
        for (const Copy& copy : copies()) {
            bool is_first = true;
            for (unsigned n = 0; n < count_; ++n) {
                const auto& timed = copy.probes[n];
                if (!timed) continue;
                const size_t at = border(timed->phase, timed->span);
                keep(timed->phase, timed->span, at, n, is_first ? &copy : nullptr);
                is_first = false;
            }
        }
    }

    size_t border(uint16_t phase, const Span& s) {
        const Block& b = p_.blocks[s.first_block];
        size_t index = s.first;
        const auto opens = [](Op op) {
            return op == Op::s_waitcnt || op == Op::s_barrier || op == Op::s_setprio;
        };
        while (index < b.insts.size() && b.insts[index].phase == phase && opens(b.insts[index].op))
            ++index;
        Code c(*this, b.insts[s.first]);
        if (has_matrix(s, phase)) c.add(Op::s_waitcnt, {}).need = Need::lds_drained;
        c.add(Op::s_memtime, {now_}, "a phase begins");
        plant(s.first_block, index, std::move(c));
        return index;
    }

    // `opens`: the copy whose first stamp this is. Its row is the next one, and what an earlier
    // pass has left there for phases that this one lacks goes.
    void keep(uint16_t phase, const Span& s, size_t border, unsigned lane, const Copy* opens) {
        const auto put = [&](size_t block, size_t index, const Inst& beside) {
            Code c(*this, beside);
            const auto write = [&](unsigned to, const Operand& what) {
                c.add(Op::s_add_u32, {kM0Reg, row_, Operand::imm(to)});
                c.add(Op::v_writelane_b32, {stamps_, what, kM0Reg});
            };
            if (opens) {
                c.add(Op::s_add_u32, {row_, row_, Operand::imm(count_)});
                c.add(Op::s_min_u32, {row_, row_, Operand::imm((stamp_rows(count_) - 1) * count_)});
                for (unsigned n = 0; n < count_; ++n)
                    if (!opens->probes[n]) write(n, Operand::imm(0));
            }
            write(lane, word(now_, 0));
            plant(block, index, std::move(c));
        };
        const Block& first = p_.blocks[s.first_block];
        unsigned matrix = 0;
        for (size_t n = border; n < first.insts.size() && first.insts[n].phase == phase; ++n) {
            matrix += first.insts[n].info().is_mfma();
            if (matrix >= kMatrixBefore && is_free(first, n + 1))
                return put(s.first_block, n + 1, first.insts[n]);
        }
        // What stands last may be skipped: then in front of where the way round it leads.
        const Inst& end = p_.blocks[s.last_block].insts[s.last];
        const bool skipped = is_skipped(s) || end.info().is_branch();
        const size_t block = s.last_block + skipped;
        size_t index = skipped ? 0 : s.last + 1;
        if (!skipped && s.last_block == s.first_block) index = std::max(index, border);
        if (block >= p_.blocks.size() || !is_free(p_.blocks[block], index))
            throw Error(p_.blocks[s.last_block].insts[s.last].at,
                        "probes: m0 or scc is needed across the end of a phase", Exit::internal);
        put(block, index, p_.blocks[s.last_block].insts[s.last]);
    }
    bool is_skipped(const Span& s) const {
        for (size_t b = s.first_block; b < s.last_block; ++b) {
            const Inst& last = p_.blocks[b].insts.back();
            if (!last.info().is_branch()) continue;
            for (const Operand& o : last.operands)
                if (o.kind == Operand::Kind::label && o.value > s.last_block &&
                    !comes_back(o.value, s.last_block))
                    return true;
        }
        return false;
    }
    // Code out of line, one block that jumps back.
    bool comes_back(size_t block, size_t to) const {
        const Inst& last = p_.blocks[block].insts.back();
        return last.op == Op::s_branch && last.operands[0].value <= to;
    }

    // --- behind the loop -------------------------------------------------------------------------
    void close() {
        size_t behind = 0;
        for (size_t b = 0; b < p_.blocks.size(); ++b)
            for (const Inst& i : p_.blocks[b].insts)
                if (p_.phases[i.phase].number) behind = b + 1;
        while (behind < p_.blocks.size() && p_.blocks[behind].insts.empty()) ++behind;
        if (behind >= p_.blocks.size())
            throw Error("probes: nothing stands behind the loop", Exit::internal);
        Code end(*this, p_.blocks[behind].insts[0]);
        end.add(Op::s_memtime, {now_}, "the loop has ended");
        end.add(Op::v_writelane_b32, {stamps_, word(now_, 0), Operand::imm(kEndStamp)});
        plant(behind, 0, std::move(end));
        for (size_t b = 0; b < p_.blocks.size(); ++b)
            for (size_t n = 0; n < p_.blocks[b].insts.size(); ++n)
                if (p_.blocks[b].insts[n].op == Op::s_endpgm) store(b, n);
    }

    void store(size_t block, size_t index) {
        const Operand at = value("lane", File::v, 1);
        Code c(*this, p_.blocks[block].insts[index]);
        c.add(Op::v_mbcnt_lo_u32_b32, {at, Operand::imm(~0u), Operand::imm(0)});
        c.add(Op::v_mbcnt_hi_u32_b32, {at, Operand::imm(~0u), at});
        c.add(Op::v_lshlrev_b32, {at, Operand::imm(2), at});
        c.add(Op::s_cmp_lg_u64, {record_, Operand::imm(0)});
        c.add(Op::s_cselect_b64, {kExecReg, kExecReg, Operand::imm(0)}, "no lane without a record");
        c.add(Op::global_store_dword, {at, stamps_, record_});
        plant(block, index, std::move(c));
    }

    // From the back, so that places stay what they are; of one place the first planted comes first.
    void apply() {
        std::stable_sort(all_.begin(), all_.end(), [](const Planted& a, const Planted& b) {
            return std::pair(a.block, a.index) < std::pair(b.block, b.index);
        });
        for (size_t n = all_.size(); n-- > 0;) {
            std::vector<Inst>& insts = p_.blocks[all_[n].block].insts;
            insts.insert(insts.begin() + long(all_[n].index), all_[n].insts.begin(),
                         all_[n].insts.end());
        }
    }
};

}  // namespace

Program plant_probes(Program program, const Machine& machine) {
    if (!program.probes.empty()) Planter(program, machine).run();
    return program;
}

}  // namespace zyfa
