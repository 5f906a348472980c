#include "isa/text.hpp"

#include <unordered_map>

#include "isa/spelling.hpp"

namespace zyfa {
namespace {

using namespace spelling;

struct Printer {
    const Inst& inst;
    const OpInfo& row;
    const std::function<std::string(uint32_t)>& labels;
    std::string out;

    template <class... T>
    void add(fmt::format_string<T...> text, T&&... values) {
        fmt::format_to(std::back_inserter(out), text, std::forward<T>(values)...);
    }

    void reg(const Operand& o) {
        if (o.file == File::s && !o.is_virtual)
            for (const auto& n : kScalarNames)
                if (n.first == o.value && n.words == o.words) {
                    out += n.name;
                    return;
                }
        char file = "sva"[unsigned(o.file)];
        if (o.is_virtual) out += '%';
        if (o.words == 1) add("{}{}", file, o.value);
        else add("{}[{}:{}]", file, o.value, o.value + o.words - 1);
    }

    void constant(const Operand& o, unsigned column) {
        uint32_t bits = o.value;
        if (row.columns[column].use == Use::imm) {
            if (is_signed_16bit(inst.op)) add("0x{:x}", bits & 0xffff);
            else if (bits <= 64) add("{}", bits);
            else add("0x{:x}", bits);
        } else if (row.is_smem()) {
            int32_t bytes = int32_t(bits);
            add("{}0x{:x}", bytes < 0 ? "-" : "", bytes < 0 ? -int64_t(bytes) : int64_t(bytes));
        } else if (is_wide(row, column)) {
            if (is_inline_int(bits) && !o.literal) add("{}", int32_t(bits));
            else if (bits <= 64) add("lit(0x{:x})", bits);
            else add("0x{:x}", bits);
        } else if (is_inline_int(bits)) {
            if (o.literal) add("lit(0x{:x})", bits);
            else add("{}", int32_t(bits));
        } else if (auto name = inline_float(bits); !name.empty()) {
            if (o.literal) add("lit(0x{:x})", bits);
            else out += name;
        } else {
            add("0x{:x}", bits);
        }
    }

    void operand(unsigned column) {
        Operand o = inst.operands[column];
        if (o.kind == Operand::Kind::none && row.columns[column].use == Use::acc)
            o = inst.operands[0];
        bool spelled_out = o.neg && !o.abs && o.kind == Operand::Kind::imm;
        if (o.neg) out += spelled_out ? "neg(" : "-";
        if (o.abs) out += '|';
        switch (o.kind) {
            case Operand::Kind::reg: reg(o); break;
            case Operand::Kind::imm: constant(o, column); break;
            case Operand::Kind::off: out += "off"; break;
            case Operand::Kind::label:
                out += labels ? labels(o.value) : fmt::format("{}", o.value);
                break;
            case Operand::Kind::none:
                throw Error(inst.at, fmt::format("{}: operand {} is missing", row.name, column + 1),
                            Exit::internal);
        }
        if (o.abs) out += '|';
        if (spelled_out) out += ')';
    }

    void list(std::string_view name, unsigned bits, unsigned entries) {
        add(" {}:[", name);
        for (unsigned i = 0; i < entries; ++i) add("{}{}", i ? "," : "", bits >> i & 1);
        out += ']';
    }
    void flag(bool set, std::string_view name) {
        if (set) add(" {}", name);
    }
    void number(unsigned value, std::string_view name) {
        if (value) add(" {}:{}", name, value);
    }

    void vector_mods() {
        const Mods& m = inst.mods;
        unsigned entries = list_entries(row), mask = (1u << entries) - 1;
        if (m.op_sel & mask) list("op_sel", m.op_sel, entries);
        if (is_mfma_scale(row) || (row.is_packed() && (m.op_sel_hi & mask) != mask))
            list("op_sel_hi", m.op_sel_hi, entries);
        if (m.neg_lo & mask) list("neg_lo", m.neg_lo, entries);
        if (m.neg_hi & mask) list("neg_hi", m.neg_hi, entries);
        flag(m.clamp, "clamp");
        static constexpr std::string_view kOmod[] = {"", "mul:2", "mul:4", "div:2"};
        flag(m.omod, kOmod[m.omod & 3]);
        number(m.cbsz, "cbsz");
        number(m.abid, "abid");
        number(m.blgp, "blgp");
        if (inst.encoding == Encoding::dpp) dpp();
        flag(m.bound_ctrl, "bound_ctrl:1");
    }

    void dpp() {
        unsigned c = inst.mods.dpp_ctrl;
        if (c <= 0xff) add(" quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
        for (const auto& d : kDppControls)
            if (c >= d.base && c <= unsigned(d.base + d.highest - d.lowest)) {
                add(" {}", d.name);
                if (d.numbered) add(":{}", c - d.base + d.lowest);
            }
        add(" row_mask:0x{:x} bank_mask:0x{:x}", inst.mods.row_mask, inst.mods.bank_mask);
    }

    void memory_mods() {
        const Mods& m = inst.mods;
        flag(m.idxen, "idxen");
        flag(m.offen, "offen");
        if (row.is_smem() && m.offset) add(" offset:0x{:x}", m.offset);
        else if (row.is_global() && m.offset) add(" offset:{}", int32_t(m.offset));
        else number(m.offset, "offset");
        flag(m.sc0, "sc0");
        flag(m.nt, "nt");
        flag(m.sc1, "sc1");
        flag(row.is_lds_form(), "lds");
    }

    void waits() {
        const Mods& m = inst.mods;
        bool none = m.vmcnt == 63 && m.expcnt == 7 && m.lgkmcnt == 15;
        if (none || m.vmcnt != 63) add(" vmcnt({})", m.vmcnt);
        if (none || m.expcnt != 7) add(" expcnt({})", m.expcnt);
        if (none || m.lgkmcnt != 15) add(" lgkmcnt({})", m.lgkmcnt);
    }

    std::string print() {
        static constexpr std::string_view kSuffix[] = {"", "_e32", "_e64", "_dpp", "_sdwa"};
        out = row.mnemonic();
        if (inst.op != Op::v_nop) out += kSuffix[unsigned(inst.encoding)];
        for (unsigned i = 0; i < row.operand_count; ++i) {
            out += i ? ", " : " ";
            operand(i);
        }
        if (inst.op == Op::s_waitcnt) waits();
        if (row.name.starts_with("v_")) vector_mods();
        if (row.is_smem() || row.is_lds() || row.is_vmem()) memory_mods();
        return std::move(out);
    }
};

using Names = std::unordered_map<std::string_view, Op>;
const Names& names(bool lds_dma) {
    static const auto both = [] {
        std::array<Names, 2> n;
        for (unsigned i = 0; i < kOpCount; ++i)
            n[kOps[i].is_lds_form()][kOps[i].mnemonic()] = Op(i);
        return n;
    }();
    return both[lds_dma];
}

}  // namespace

std::string print(const Inst& inst, const std::function<std::string(uint32_t)>& labels) {
    return Printer{inst, inst.info(), labels, {}}.print();
}

std::optional<Op> find_op(std::string_view mnemonic, bool lds_dma) {
    auto at = names(lds_dma).find(mnemonic);
    if (at == names(lds_dma).end()) return {};
    return at->second;
}

}  // namespace zyfa
