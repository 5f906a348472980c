#include <charconv>
#include <vector>

#include "isa/spelling.hpp"
#include "isa/text.hpp"

namespace zyfa {
namespace {

using namespace spelling;

bool eat(std::string_view& s, std::string_view prefix) {
    if (!s.starts_with(prefix)) return false;
    s.remove_prefix(prefix.size());
    return true;
}
bool wrapped(std::string_view& s, std::string_view open, std::string_view close) {
    if (!s.starts_with(open) || !s.ends_with(close) || s.size() <= open.size() + close.size())
        return false;
    s = s.substr(open.size(), s.size() - open.size() - close.size());
    return true;
}
// Decimal or 0x..., with or without a minus; nullopt when anything else is there.
std::optional<int64_t> integer(std::string_view s) {
    bool minus = eat(s, "-");
    int base = eat(s, "0x") ? 16 : 10;
    uint64_t v = 0;
    auto [end, bad] = std::from_chars(s.data(), s.data() + s.size(), v, base);
    if (bad != std::errc{} || end != s.data() + s.size() || v > 0xffffffffu) return {};
    return minus ? -int64_t(v) : int64_t(v);
}

struct Parser {
    std::string_view line, rest;
    Inst inst;
    const OpInfo* row = nullptr;

    [[noreturn]] void fail(std::string_view why) const {
        throw Error(fmt::format("'{}': {}", line, why));
    }
    void expect(bool ok, std::string_view why) const {
        if (!ok) fail(why);
    }

    // The next piece: up to a blank or a comma outside of brackets.
    std::string_view piece(bool stop_at_comma) {
        while (eat(rest, " ") || eat(rest, "\t")) {}
        size_t n = 0;
        for (int depth = 0; n < rest.size(); ++n) {
            char c = rest[n];
            if (c == '[' || c == '(') ++depth;
            if (c == ']' || c == ')') --depth;
            if (depth == 0 && (c == ' ' || c == '\t' || (stop_at_comma && c == ','))) break;
        }
        auto p = rest.substr(0, n);
        rest.remove_prefix(n);
        return p;
    }

    std::optional<Operand> reg(std::string_view s) const {
        for (const auto& n : kScalarNames)
            if (n.name == s) return Operand::reg(File::s, n.first, n.words);
        bool is_virtual = eat(s, "%");
        if (s.size() < 2) return {};
        File file;
        switch (s[0]) {
            case 's': file = File::s; break;
            case 'v': file = File::v; break;
            case 'a': file = File::a; break;
            default: return {};
        }
        s.remove_prefix(1);
        std::optional<int64_t> first, last;
        if (wrapped(s, "[", "]")) {
            size_t colon = s.find(':');
            first = integer(s.substr(0, colon));
            last = colon == s.npos ? first : integer(s.substr(colon + 1));
        } else {
            first = last = integer(s);
        }
        if (!first || !last || *first < 0 || *last < *first || *last - *first >= 64) return {};
        if (!is_virtual && *last >= (file == File::s ? 102 : 256)) return {};
        Operand o = Operand::reg(file, uint32_t(*first), unsigned(*last - *first + 1));
        o.is_virtual = is_virtual;
        return o;
    }

    std::optional<Operand> constant(std::string_view s, unsigned column) const {
        const Constant kind = constant_of(*row, column);
        const bool wide = is_wide(kind), imm = row->columns[column].use == Use::imm;
        if (imm && is_register_number(inst.op)) return hardware_register(s);
        if (imm && inst.op == Op::s_set_gpr_idx_on) return index_mode(s);
        for (const auto& f : kInlineFloats)
            if (f.name == s) return Operand::imm(f.bits);
        if (wide && s == kWideInverse2Pi) return Operand::imm(0x3e22f983);
        bool marked = wrapped(s, "lit(", ")");
        bool hex = s.find("0x") != s.npos;
        auto v = integer(s);
        if (!v) return {};
        Operand o = Operand::imm(uint32_t(*v));
        if (is_signed_16bit(inst.op)) o.value = uint32_t(int32_t(int16_t(*v)));
        const bool has_name = is_inline_int(o.value) || !inline_float(o.value).empty();
        const bool is_half = kind == Constant::f16 || kind == Constant::b16;
        if (!imm && !row->is_smem() && row->columns[column].use != Use::literal)
            o.literal = wide ? (marked || hex) && has_name : marked && (has_name || is_half);
        return o;
    }

    Operand hardware_register(std::string_view s) const {
        expect(wrapped(s, "hwreg(", ")"), "hwreg(..) was expected");
        const size_t comma = s.find(',');
        const std::string_view name = s.substr(0, comma);
        std::optional<uint32_t> number;
        for (const auto& r : kHardwareRegisters)
            if (r.name == name) number = r.number;
        uint32_t code = number ? *number : value(name, 0, 63), first = 0, count = 32;
        if (comma != s.npos) {
            std::string_view rest = s.substr(comma + 1);
            const size_t second = rest.find(',');
            expect(second != rest.npos, "hwreg(..) has one or three parts");
            const auto trim = [](std::string_view t) { return t.substr(t.find_first_not_of(' ')); };
            first = value(trim(rest.substr(0, second)), 0, 31);
            count = value(trim(rest.substr(second + 1)), 1, 32);
        }
        return Operand::imm(code | first << 6 | (count - 1) << 11);
    }
    Operand index_mode(std::string_view s) const {
        expect(eat(s, "gpr_idx(") && s.ends_with(")"), "gpr_idx(..) was expected");
        s.remove_suffix(1);
        uint32_t mode = 0;
        while (!s.empty()) {
            const size_t comma = s.find(',');
            for (unsigned n = 0; n < 4; ++n)
                if (s.substr(0, comma) == kIndexModes[n]) mode |= 1u << n;
            s = comma == s.npos ? std::string_view{} : s.substr(comma + 1);
        }
        return Operand::imm(mode);
    }
    // The inverse of the printer's swizzle().
    uint32_t swizzle(std::string_view s) const {
        if (!eat(s, "swizzle(") || !s.ends_with(")")) return value(s, 0, 0xffff);
        s.remove_suffix(1);
        const size_t comma = s.find(',');
        const std::string_view kind = s.substr(0, comma);
        std::vector<uint32_t> n;
        std::string_view rest = comma == s.npos ? std::string_view{} : s.substr(comma + 1);
        if (kind == "BITMASK_PERM") {
            expect(wrapped(rest, "\"", "\"") && rest.size() == 5,
                   "a mask of five letters was expected");
            uint32_t keep = 0, set = 0, flip = 0;
            for (char c : rest) {
                keep = keep << 1 | (c == 'p' || c == 'i');
                set = set << 1 | (c == '1');
                flip = flip << 1 | (c == 'i');
            }
            return keep | set << 5 | flip << 10;
        }
        while (!rest.empty()) {
            const size_t next = rest.find(',');
            n.push_back(value(rest.substr(0, next), 0, 32));
            rest = next == rest.npos ? std::string_view{} : rest.substr(next + 1);
        }
        n.resize(4);
        if (kind == "FFT") return 0xe000 | n[0];
        if (kind == "ROTATE") return 0xc000 | n[0] << 10 | n[1] << 5;
        if (kind == "QUAD_PERM") return 0x8000 | n[0] | n[1] << 2 | n[2] << 4 | n[3] << 6;
        if (kind == "SWAP") return 31 | n[0] << 10;
        if (kind == "REVERSE") return 31 | (n[0] - 1) << 10;
        if (kind == "BROADCAST") return (32 - n[0]) | n[1] << 5;
        fail(fmt::format("swizzle '{}' is not understood", kind));
    }

    void operand(std::string_view s, unsigned column) {
        Use use = row->columns[column].use;
        Operand o;
        bool is_number = s.size() > 1 && s[0] == '-' && s[1] >= '0' && s[1] <= '9';
        bool neg = wrapped(s, "neg(", ")") || (!is_number && eat(s, "-"));
        bool abs = wrapped(s, "|", "|") || wrapped(s, "abs(", ")");
        bool sext = wrapped(s, "sext(", ")");
        if (s == "off" && (use == Use::vaddr || use == Use::gbase || use == Use::sbase)) {
            o = Operand::off();
        } else if (use == Use::target) {
            auto v = integer(s);
            expect(v.has_value(), "the branch target is not a number");
            o = Operand::label(uint32_t(*v));
        } else if (auto r = reg(s)) {
            o = *r;
        } else if (auto c = constant(s, column)) {
            o = *c;
        } else {
            fail(fmt::format("operand {} ('{}') is not understood", column + 1, s));
        }
        o.neg = neg;
        o.abs = abs;
        o.sext = sext;
        if (!fits(o, row->columns[column]))
            fail(fmt::format("operand {} does not fit {}", column + 1, row->name));
        inst.operands[column] = o;
    }

    static bool fits(const Operand& o, Column c) {
        bool scalar = o.is_reg(File::s), vector = o.is_reg() && !scalar;
        bool constant = o.kind == Operand::Kind::imm, same = o.words == c.words;
        if ((o.neg || o.abs) && c.use != Use::src) return false;
        switch (c.use) {
            case Use::def:
            case Use::mod:
            case Use::vreg: return vector && same;
            case Use::src: return constant || (o.is_reg() && same);
            case Use::matrix: return vector && (o.words == 8 || o.words == 6 || o.words == 4);
            case Use::acc: return constant || (vector && same);
            case Use::sdef:
            case Use::smod: return scalar && same;
            case Use::ssrc: return constant ? c.words <= 2 : scalar && same;
            case Use::vaddr:
                return o.kind == Operand::Kind::off || (o.is_reg(File::v) && o.words <= 2);
            case Use::gaddr: return o.is_reg(File::v) && o.words <= 2;
            case Use::gbase: return o.kind == Operand::Kind::off || (scalar && same);
            case Use::sbase: return o.kind == Operand::Kind::off || (scalar && same);
            case Use::imm:
            case Use::literal: return constant;
            case Use::target: return o.kind == Operand::Kind::label;
            case Use::none: return false;
        }
        return false;
    }

    uint32_t value(std::string_view s, int64_t low, int64_t high) const {
        auto v = integer(s);
        if (!v || *v < low || *v > high) fail(fmt::format("'{}' is out of range", s));
        return uint32_t(*v);
    }

    // [a,b,..] into bit or digit fields of `width` bits.
    uint32_t list(std::string_view s, unsigned width, unsigned entries) const {
        expect(wrapped(s, "[", "]"), "a list in brackets was expected");
        uint32_t bits = 0;
        unsigned n = 0;
        while (!s.empty()) {
            size_t comma = s.find(',');
            if (n == entries) fail("the list is too long");
            bits |= value(s.substr(0, comma), 0, (1 << width) - 1) << (width * n++);
            s = comma == s.npos ? std::string_view{} : s.substr(comma + 1);
        }
        return bits;
    }

    bool dpp(std::string_view name, std::string_view number) {
        Mods& m = inst.mods;
        if (name == "quad_perm") {
            m.dpp_ctrl = uint16_t(list(number, 2, 4));
            return true;
        }
        for (const auto& d : kDppControls) {
            if (d.name != name) continue;
            auto v = d.numbered ? integer(number) : std::optional<int64_t>(0);
            if (!v || *v < d.lowest || *v > d.highest) continue;
            m.dpp_ctrl = uint16_t(d.base + *v - d.lowest);
            return true;
        }
        return false;
    }

    void modifier(std::string_view s) {
        Mods& m = inst.mods;
        size_t colon = s.find(':');
        std::string_view name = s.substr(0, colon);
        std::string_view text = colon == s.npos ? std::string_view{} : s.substr(colon + 1);
        bool vector = row->name.starts_with("v_"), buffer = row->is_buffer();
        bool memory = row->is_vmem();
        unsigned entries = list_entries(*row);

        if (vector && !row->is_mfma() && dpp(name, text)) {
            expect(inst.encoding == Encoding::dpp, "a DPP control without _dpp");
        } else if (vector && name == "row_mask") {
            m.row_mask = uint8_t(value(text, 0, 15));
        } else if (vector && name == "bank_mask") {
            m.bank_mask = uint8_t(value(text, 0, 15));
        } else if (vector && name == "bound_ctrl") {
            m.bound_ctrl = value(text, 0, 1) == 1;
        } else if (vector && name == "op_sel") {
            m.op_sel = uint8_t(list(text, 1, entries));
        } else if (vector && name == "op_sel_hi") {
            m.op_sel_hi = uint8_t((m.op_sel_hi & ~((1u << entries) - 1)) | list(text, 1, entries));
        } else if (has_pairs(*row) && name == "neg_lo") {
            m.neg_lo = uint8_t(list(text, 1, entries));
        } else if (has_pairs(*row) && name == "neg_hi") {
            m.neg_hi = uint8_t(list(text, 1, entries));
        } else if (vector && s == "clamp") {
            m.clamp = true;
        } else if (vector && (s == "mul:2" || s == "mul:4" || s == "div:2")) {
            m.omod = s == "mul:2" ? 1 : s == "mul:4" ? 2 : 3;
        } else if (row->is_mfma() && name == "cbsz") {
            m.cbsz = uint8_t(value(text, 0, 7));
        } else if (row->is_mfma() && name == "abid") {
            m.abid = uint8_t(value(text, 0, 15));
        } else if (row->is_mfma() && name == "blgp") {
            m.blgp = uint8_t(value(text, 0, 7));
        } else if (vector && name == "bitop3") {
            m.bitop3 = uint8_t(value(text, 0, 255));
        } else if (inst.encoding == Encoding::sdwa && sdwa(name, text)) {
        } else if (row->has_two_offsets() && name == "offset0") {
            m.offset |= value(text, 0, 255);
        } else if (row->has_two_offsets() && name == "offset1") {
            m.offset |= value(text, 0, 255) << 8;
        } else if (name == "offset" && inst.op == Op::ds_swizzle_b32) {
            m.offset = swizzle(text);
        } else if (name == "offset" && row->is_flat()) {
            m.offset = value(text, 0, 4095);
        } else if (name == "offset" && (row->is_global() || row->is_scratch())) {
            m.offset = value(text, -4096, 4095);
        } else if (name == "offset" && buffer) {
            m.offset = value(text, 0, 4095);
        } else if (name == "offset" && row->is_lds()) {
            m.offset = value(text, 0, 0xffff);
        } else if (name == "offset" && row->is_smem()) {
            m.offset = value(text, 0, 0xfffff);
        } else if (buffer && s == "offen") {
            m.offen = true;
        } else if (buffer && s == "idxen") {
            m.idxen = true;
        } else if (memory && s == "sc0") {
            m.sc0 = true;
        } else if (memory && s == "nt") {
            m.nt = true;
        } else if (memory && s == "sc1") {
            m.sc1 = true;
        } else if (row->is_lds_form() && s == "lds") {
            m.lds = true;
        } else if (inst.op == Op::s_waitcnt) {
            counter(s);
        } else {
            fail(fmt::format("modifier '{}' is not supported here", s));
        }
    }

    bool sdwa(std::string_view name, std::string_view text) {
        const auto pick = [&](auto& names, uint8_t& to) {
            for (unsigned n = 0; n < std::size(names); ++n)
                if (names[n] == text) {
                    to = uint8_t(n);
                    return true;
                }
            return false;
        };
        Mods& m = inst.mods;
        if (name == "dst_sel") return pick(kSelects, m.dst_sel);
        if (name == "dst_unused") return pick(kUnused, m.dst_unused);
        if (name == "src0_sel") return pick(kSelects, m.src0_sel);
        if (name == "src1_sel") return pick(kSelects, m.src1_sel);
        return false;
    }

    void counter(std::string_view s) {
        Mods& m = inst.mods;
        if (auto t = s; wrapped(t, "vmcnt(", ")")) m.vmcnt = uint8_t(value(t, 0, 63));
        else if (t = s; wrapped(t, "expcnt(", ")")) m.expcnt = uint8_t(value(t, 0, 7));
        else if (t = s; wrapped(t, "lgkmcnt(", ")")) m.lgkmcnt = uint8_t(value(t, 0, 15));
        else fail(fmt::format("counter '{}' is not understood", s));
    }

    bool has_word(std::string_view word) const {
        size_t at = rest.find(word);
        return at != rest.npos &&
               (at + word.size() == rest.size() || rest[at + word.size()] == ' ');
    }
    Form form(std::string_view mnemonic) const {
        if (has_word(" lds")) return Form::lds_dma;
        bool atomic = mnemonic.find("_atomic_") != mnemonic.npos;
        return atomic && has_word(" sc0") ? Form::returning : Form::plain;
    }

    std::optional<Inst> parse() {
        line = line.substr(0, std::min(line.find("//"), line.find(';')));
        while (!line.empty() && line.back() <= ' ') line.remove_suffix(1);
        while (!line.empty() && line.front() <= ' ') line.remove_prefix(1);
        rest = line;
        std::string_view mnemonic = piece(false);
        const Form which = form(mnemonic);
        auto op = find_op(mnemonic, which);
        if (!op) {
            static constexpr std::pair<std::string_view, Encoding> kSuffixes[] = {
                {"_e32", Encoding::e32},
                {"_e64", Encoding::e64},
                {"_dpp", Encoding::dpp},
                {"_sdwa", Encoding::sdwa}};
            for (auto [suffix, encoding] : kSuffixes)
                if (mnemonic.ends_with(suffix)) {
                    mnemonic.remove_suffix(suffix.size());
                    inst.encoding = encoding;
                    op = find_op(mnemonic, which);
                    break;
                }
        }
        if (!op) return {};
        inst.op = *op;
        inst.mods = default_mods(*op);
        row = &info(*op);
        for (unsigned i = 0; i < row->operand_count; ++i) {
            if (i) expect(eat(rest, ","), "too few operands");
            operand(piece(true), i);
        }
        expect(!rest.starts_with(","), "too many operands");
        for (auto p = piece(false); !p.empty(); p = piece(false)) modifier(p);
        return inst;
    }
};

}  // namespace

std::optional<Inst> parse(std::string_view line) { return Parser{line, {}, {}}.parse(); }

}  // namespace zyfa
