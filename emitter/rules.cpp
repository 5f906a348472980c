#include <algorithm>
#include <set>

#include "emitter/emit.hpp"
#include "isa/lanes.hpp"

namespace zyfa {
namespace {

bool is_symbol(std::string_view s) {
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    if (s.empty() || !letter(s[0])) return false;
    return std::all_of(s.begin(), s.end(),
                       [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '.'; });
}

bool overlaps(const Operand& a, const Operand& b) {
    return a.is_reg() && b.is_reg() && a.file == b.file && a.value < b.value + b.words &&
           b.value < a.value + a.words;
}

struct Rules {
    const Program& p;
    const Machine& m;

    [[noreturn]] void refuse_program(const std::string& text) const {
        throw Error(fmt::format("kernel {}: {}", p.name, text));
    }

    void sizes() const {
        if (!is_symbol(p.name)) refuse_program("the name is no symbol of an assembly file");
        if (p.lds_bytes > m.lds_bytes.count())
            refuse_program(
                fmt::format("{} bytes of LDS, but there are {}", p.lds_bytes, m.lds_bytes.count()));
        for (const LdsRegion& r : p.lds)
            if (uint64_t(r.first_byte) + r.bytes > p.lds_bytes)
                refuse_program(fmt::format("LDS region {} ends at byte {}, the kernel declares {}",
                                           r.name, uint64_t(r.first_byte) + r.bytes, p.lds_bytes));
        const Resources& u = p.used;
        const auto too_many = [&](const char* what, unsigned used, const Number& limit) {
            if (used > limit.count())
                refuse_program(
                    fmt::format("{} {}, but a wave can name {}", used, what, limit.count()));
        };
        too_many("VGPRs", u.vgprs, m.registers_vgpr_addressable);
        too_many("AGPRs", u.agprs, m.registers_agpr_addressable);
        too_many("SGPRs", u.sgprs, m.registers_sgpr_addressable);
        const unsigned lanes = m.chip_wave_lanes.count();
        if (p.workgroup_size == 0 || p.workgroup_size % lanes ||
            p.workgroup_size > m.chip_workgroup_threads_max.count())
            refuse_program(fmt::format("a workgroup of {}: it must be a multiple of {} up to {}",
                                       p.workgroup_size, lanes,
                                       m.chip_workgroup_threads_max.count()));
        const unsigned simds = m.chip_simds_per_cu.count();
        const unsigned wanted = (p.workgroup_size / lanes + simds - 1) / simds;
        const unsigned fit = m.occupancy_waves_per_simd(u.vgprs, u.agprs);
        if (fit < wanted)
            refuse_program(
                fmt::format("{} VGPRs and AGPRs leave room for {} waves per SIMD, the "
                            "workgroup of {} needs {}",
                            total_vgprs(u, m), fit, p.workgroup_size, wanted));
    }

    void arguments() const {
        std::vector<const KernelArg*> sorted;
        std::set<std::string> names;
        for (const KernelArg& a : p.args) {
            sorted.push_back(&a);
            if (!is_symbol(a.name) || !names.insert(a.name).second)
                refuse_program(
                    fmt::format("argument name \"{}\" is empty, not a word or used twice", a.name));
            const unsigned align = a.is_pointer ? 8 : 4;
            if (a.is_pointer && a.bytes != 8)
                refuse_program(
                    fmt::format("argument {} is a pointer of {} bytes", a.name, a.bytes));
            if (a.bytes == 0 || a.offset % align)
                refuse_program(fmt::format(
                    "argument {} has {} bytes at offset {}, which is not a multiple of {}", a.name,
                    a.bytes, a.offset, align));
            if (uint64_t(a.offset) + a.bytes > p.kernarg_bytes)
                refuse_program(fmt::format("argument {} ends at byte {} of {}", a.name,
                                           uint64_t(a.offset) + a.bytes, p.kernarg_bytes));
        }
        std::sort(sorted.begin(), sorted.end(),
                  [](auto* a, auto* b) { return a->offset < b->offset; });
        for (size_t i = 1; i < sorted.size(); ++i)
            if (sorted[i - 1]->offset + sorted[i - 1]->bytes > sorted[i]->offset)
                refuse_program(fmt::format("arguments {} and {} overlap at offset {}",
                                           sorted[i - 1]->name, sorted[i]->name,
                                           sorted[i]->offset));
    }

    void blocks() const {
        std::set<std::string> labels{kEndLabel};
        if (p.blocks.empty()) refuse_program("no instructions");
        for (uint32_t b = 0; b < p.blocks.size(); ++b) {
            const Block& block = p.blocks[b];
            const std::string label = label_name(p, b);
            if (!is_symbol(label.substr(2)) || !labels.insert(label).second)
                refuse_program(
                    fmt::format("label \"{}\" is not a word or used twice", block.label));
            for (const Inst& i : block.insts) {
                const bool last = &i == &block.insts.back();
                require(last || !i.info().is_branch() || i.op == Op::s_endpgm, i.at,
                        "{} stands inside block {}, not at its end", i.info().name, block.label);
                instruction(i);
            }
        }
        const auto& tail = p.blocks.back().insts;
        if (tail.empty() || (tail.back().op != Op::s_endpgm && tail.back().op != Op::s_branch))
            refuse_program("the last block does not end in s_endpgm or s_branch");
    }

    void instruction(const Inst& i) const {
        const OpInfo& op = i.info();
        require(i.need == Need::none, i.at,
                "{}: the wait has no number yet: schedule the program first", op.name);
        for (unsigned n = 0; n < op.operand_count; ++n) operand(i, n);
        if (op.is_mfma()) matrix(i);
        modifiers(i);
    }

    void operand(const Inst& i, unsigned n) const {
        const Operand& o = i.operands[n];
        const OpInfo& op = i.info();
        if (o.kind == Operand::Kind::label)
            require(o.value < p.blocks.size(), i.at, "{}: block {} does not exist", op.name,
                    o.value);
        if (!o.is_reg()) return;
        require(!o.is_virtual, i.at, "{}: operand {} is still virtual: schedule the program first",
                op.name, n + 1);
        if (o.file != File::s) {
            const unsigned declared = o.file == File::v ? p.used.vgprs : p.used.agprs;
            const char file = o.file == File::v ? 'v' : 'a';
            require(o.value + o.words <= declared, i.at, "{}: {}{} is used, {} are declared",
                    op.name, file, o.value + o.words - 1, declared);
            require(o.words == 1 || o.value % 2 == 0, i.at,
                    "{}: {}[{}:{}] must start at an even register", op.name, file, o.value,
                    o.value + o.words - 1);
            return;
        }
        const unsigned align = o.words == 1 ? 1 : o.words == 2 ? 2 : 4;
        require(o.value % align == 0, i.at, "{}: s[{}:{}] must start at a multiple of {}", op.name,
                o.value, o.value + o.words - 1, align);
        const unsigned named = m.registers_sgpr_addressable.count();
        require(o.value >= named || o.value + o.words <= p.used.sgprs, i.at,
                "{}: s{} is used, {} are declared", op.name, o.value + o.words - 1, p.used.sgprs);
    }

    void matrix(const Inst& i) const {
        const OpInfo& op = i.info();
        const auto& o = i.operands;
        const MatrixShape shape = matrix_shape(i);
        require(i.mods.cbsz < kFormats && i.mods.blgp < kFormats, i.at,
                "{}: cbsz:{} blgp:{} name no format; the largest is {}", op.name, i.mods.cbsz,
                i.mods.blgp, kFormats - 1);
        require(op.rate == Rate::mfma_f8f6f4 || (!i.mods.cbsz && !i.mods.blgp), i.at,
                "{}: cbsz and blgp have no meaning here that this project supports", op.name);
        require(i.mods.abid == 0, i.at, "{}: abid has no meaning here", op.name);
        require(o[1].words == shape.a.words() && o[2].words == shape.b.words(), i.at,
                "{}: A of {} and B of {} words, the formats need {} and {}", op.name, o[1].words,
                o[2].words, shape.a.words(), shape.b.words());
        const Operand& c = o[3];
        if (op.columns[3].use == Use::acc && c.is_reg()) {
            require(c.file == o[0].file, i.at, "{}: C and D must both be VGPRs or both AGPRs",
                    op.name);
            require(!overlaps(o[0], c) || o[0].value == c.value, i.at,
                    "{}: C overlaps D without being D", op.name);
        }
        for (unsigned n : {1u, 2u})
            require(!overlaps(o[0], o[n]), i.at, "{}: D overlaps {}", op.name, n == 1 ? 'A' : 'B');
        require(!op.is_sparse() || !overlaps(o[0], o[3]), i.at, "{}: D overlaps the index",
                op.name);
        for (unsigned n = 4; n < op.operand_count;
             ++n)  // LLVM issue 158117: anything else reads wrong bits
            require(o[n].is_reg(File::v), i.at, "{}: a scale must be a VGPR", op.name);
    }

    void modifiers(const Inst& i) const {
        const OpInfo& op = i.info();
        const Mods& mods = i.mods;
        const auto at_most = [&](uint32_t value, const Number& limit, const char* what) {
            require(value <= limit.count(), i.at, "{}: {} {} is out of reach, the largest is {}",
                    op.name, what, value, limit.count());
        };
        if (op.is_buffer()) at_most(mods.offset, m.limits_buffer_offset, "offset");
        if (op.is_lds()) at_most(mods.offset, m.limits_ds_offset, "offset");
        if (op.is_global()) {
            const int offset = int(mods.offset);
            require(offset >= int(m.limits_global_offset_min.value) &&
                        offset <= int(m.limits_global_offset_max.value),
                    i.at, "{}: offset {} is out of reach, it runs from {} to {}", op.name, offset,
                    m.limits_global_offset_min.value, m.limits_global_offset_max.value);
        }
        if (i.op == Op::s_nop) at_most(i.operands[0].value, m.limits_s_nop, "count");
        if (i.op == Op::s_setprio) at_most(i.operands[0].value, m.limits_s_setprio, "priority");
        if (i.op == Op::s_sleep) at_most(i.operands[0].value, m.limits_s_sleep, "count");
        if (i.op == Op::s_waitcnt) {
            at_most(mods.vmcnt, m.limits_vmcnt, "vmcnt");
            at_most(mods.lgkmcnt, m.limits_lgkmcnt, "lgkmcnt");
            at_most(mods.expcnt, m.limits_expcnt, "expcnt");
        }
        if (op.rate == Rate::packed_f32) {
            require(mods.op_sel == 0, i.at,
                    "{}: op_sel on packed f32 is in no binary known to work; use op_sel_hi",
                    op.name);
            for (unsigned n = 1; n < op.operand_count; ++n)
                require(i.operands[n].kind != Operand::Kind::imm || i.operands[n].value == 0, i.at,
                        "{}: how a constant fills the high half is unproven; use a register",
                        op.name);
        }
        if (op.hazard == Hazard::cvt_half && !op.name.starts_with("v_cvt_scalef32_")) {
            const unsigned place = writes_byte(op) ? 0b1100 : 1u << (op.operand_count - 1);
            require((mods.op_sel & ~place) == 0, i.at,
                    "{}: of op_sel only the entries of the destination have a meaning", op.name);
        }
        require(mods.omod < 4, i.at, "{}: omod {} does not exist", op.name, mods.omod);
    }
};

}  // namespace

void refuse(const Program& p, const Machine& m) {
    const Rules rules{p, m};
    rules.sizes();
    rules.arguments();
    rules.blocks();
}

}  // namespace zyfa
