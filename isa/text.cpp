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
            if (is_register_number(inst.op)) return hardware_register(bits);
            if (inst.op == Op::s_set_gpr_idx_on) return index_mode(bits);
            if (is_signed_16bit(inst.op) || row.name.starts_with("s_cmpk_"))
                add("0x{:x}", bits & 0xffff);
            else if (bits <= 64) add("{}", bits);
            else add("0x{:x}", bits);
        } else if (row.is_smem()) {
            int32_t bytes = int32_t(bits);
            add("{}0x{:x}", bytes < 0 ? "-" : "", bytes < 0 ? -int64_t(bytes) : int64_t(bytes));
        } else if (row.columns[column].use == Use::literal && inst.op != Op::s_setreg_imm32_b32) {
            add("0x{:x}", bits);
        } else if (const Constant kind = constant_of(row, column); o.literal) {
            if (is_wide(kind) && bits > 64) add("0x{:x}", bits);
            else add("lit(0x{:x})", bits);
        } else if (is_inline_int(bits)) {
            add("{}", int32_t(bits));
        } else if (auto name = inline_float(bits); !name.empty()) {
            out += is_wide(kind) && name == "0.15915494" ? kWideInverse2Pi : name;
        } else {
            add("0x{:x}", bits);
        }
    }

    // hwreg(NAME), hwreg(NAME, first bit, bits)
    void hardware_register(uint32_t code) {
        const unsigned number = code & 63, first = code >> 6 & 31, count = (code >> 11 & 31) + 1;
        std::string_view name;
        for (const auto& r : kHardwareRegisters)
            if (r.number == number) name = r.name;
        out += "hwreg(";
        if (name.empty()) add("{}", number);
        else out += name;
        if (first || count != 32) add(", {}, {}", first, count);
        out += ')';
    }
    void index_mode(uint32_t mode) {
        out += "gpr_idx(";
        bool any = false;
        for (unsigned n = 0; n < 4; ++n)
            if (mode >> n & 1) {
                if (any) out += ',';
                out += kIndexModes[n];
                any = true;
            }
        out += ')';
    }

    void operand(unsigned column) {
        Operand o = inst.operands[column];
        if (o.kind == Operand::Kind::none && row.columns[column].use == Use::acc)
            o = inst.operands[0];
        bool spelled_out = o.neg && !o.abs && o.kind == Operand::Kind::imm;
        if (o.neg) out += spelled_out ? "neg(" : "-";
        if (o.abs) out += '|';
        if (o.sext) out += "sext(";
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
        if (o.sext) out += ')';
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
        if (row.name.starts_with("v_bitop3") && m.bitop3) add(" bitop3:0x{:x}", m.bitop3);
        if (m.op_sel & mask) list("op_sel", m.op_sel, entries);
        const unsigned usual = default_mods(inst.op).op_sel_hi & mask;
        if (is_mfma_scale(row) || (has_pairs(row) && (m.op_sel_hi & mask) != usual))
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
        if (inst.encoding == Encoding::sdwa) sdwa();
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

    void sdwa() {
        const Mods& m = inst.mods;
        // A result that is no 32-bit register is written whole.
        const bool whole = row.name.starts_with("v_cmp") || row.columns[0].words != 1;
        if (!whole) add(" dst_sel:{} dst_unused:{}", kSelects[m.dst_sel], kUnused[m.dst_unused]);
        add(" src0_sel:{}", kSelects[m.src0_sel]);
        if (sources() > 1) add(" src1_sel:{}", kSelects[m.src1_sel]);
    }
    unsigned sources() const {
        unsigned n = 0;
        for (const Column& c : row.columns) n += c.use == Use::src;
        return n;
    }

    // ds_swizzle_b32. Truth: LLVM's AMDGPUInstPrinter::printSwizzle.
    void swizzle(uint32_t code) {
        const unsigned keep = code & 31, set = code >> 5 & 31, flip = code >> 10 & 31;
        const auto one_bit = [](unsigned x) { return x && (x & (x - 1)) == 0; };
        if (code == 0) return;
        out += " offset:";
        if (code >= 0xe000) {
            add("swizzle(FFT,{})", code & 31);
        } else if (code >= 0xc000) {
            add("swizzle(ROTATE,{},{})", code >> 10 & 1, code >> 5 & 31);
        } else if ((code & 0xff00) == 0x8000) {
            add("swizzle(QUAD_PERM,{},{},{},{})", code & 3, code >> 2 & 3, code >> 4 & 3,
                code >> 6 & 3);
        } else if (code & 0x8000) {
            add("{}", code);
        } else if (keep == 31 && set == 0 && one_bit(flip)) {
            add("swizzle(SWAP,{})", flip);
        } else if (keep == 31 && set == 0 && flip && one_bit(flip + 1)) {
            add("swizzle(REVERSE,{})", flip + 1);
        } else if (const unsigned group = 32 - keep;
                   group > 1 && one_bit(group) && set < group && flip == 0) {
            add("swizzle(BROADCAST,{},{})", group, set);
        } else {
            out += "swizzle(BITMASK_PERM,\"";
            const unsigned zero = set ^ flip, ones = ((31 & keep) | set) ^ flip;
            for (unsigned bit = 16; bit; bit >>= 1)
                out += (zero & bit) == (ones & bit) ? (zero & bit ? '1' : '0')
                       : zero & bit                 ? 'i'
                                                    : 'p';
            out += "\")";
        }
    }

    void memory_mods() {
        const Mods& m = inst.mods;
        flag(m.idxen, "idxen");
        flag(m.offen, "offen");
        if (row.is_smem() && m.offset) add(" offset:0x{:x}", m.offset);
        else if (row.has_two_offsets()) {
            number(m.offset & 0xff, "offset0");
            number(m.offset >> 8, "offset1");
        } else if (inst.op == Op::ds_swizzle_b32) swizzle(m.offset);
        else if ((row.is_global() || row.is_scratch()) && m.offset)
            add(" offset:{}", int32_t(m.offset));
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
Form form_of(const OpInfo& row) {
    return row.is_lds_form() ? Form::lds_dma : row.is_returning() ? Form::returning : Form::plain;
}
const Names& names(Form form) {
    static const auto all = [] {
        std::array<Names, 3> n;
        for (unsigned i = 0; i < kOpCount; ++i)
            n[unsigned(form_of(kOps[i]))][kOps[i].mnemonic()] = Op(i);
        return n;
    }();
    return all[unsigned(form)];
}

}  // namespace

std::string print(const Inst& inst, const std::function<std::string(uint32_t)>& labels) {
    return Printer{inst, inst.info(), labels, {}}.print();
}

std::optional<Op> find_op(std::string_view mnemonic, Form form) {
    auto at = names(form).find(mnemonic);
    if (at == names(form).end()) return {};
    return at->second;
}

}  // namespace zyfa
