#include "check/operands.hpp"

namespace zyfa {
namespace {

constexpr Rule kRules[] = {
    {"ALIGN", "a register range starts at a number that its size does not allow",
     "LLVM 22 assembler: v[21:28] refused; SGPR pairs even, quads and wider by 4", Trust::certain,
     Severity::error, false},
    {"MFMA-OPERANDS",
     "MFMA result and accumulator input differ in kind, or the result partially "
     "overlaps an input",
     "LLVM 22 assembler (32x32x16 bf16 refused; f8f6f4 accepted, marked early-clobber in the "
     "compiler)",
     Trust::inferred, Severity::error, false},
    {"FORMAT", "cbsz or blgp above 4 names no number format",
     "AMD CDNA4 ISA, V_MFMA_*_F8F6F4; LLVM assembles it silently", Trust::certain, Severity::error,
     false},
    {"BUFFER-OFFSET", "buffer offset above 4095", "12-bit field; LLVM 22 cuts 4096..8191 silently",
     Trust::certain, Severity::error, false},
    {"IMMEDIATE", "immediate outside the range that the hardware reads",
     "s_nop 0..15, s_setprio 0..3, s_sleep 0..127, shifts by 0..31 (0..63), lanes 0..63; LLVM 22 "
     "accepts more",
     Trust::certain, Severity::warning, false},
    {"PACKED-OP-SEL", "packed f32 instruction with op_sel",
     "ROCm/rocMLIR pull request 2459: wrong results at times on gfx950; no shipped attention "
     "binary uses it",
     Trust::inferred, Severity::warning, false},
};

const Rule& rule(std::string_view name) {
    for (const Rule& r : kRules)
        if (r.name == name) return r;
    throw Error(fmt::format("no rule {}", name), Exit::internal);
}

struct Report {
    const Decoded& at;
    std::vector<Finding>& out;
    template <class... A>
    void operator()(std::string_view name, fmt::format_string<A...> text, A&&... a) const {
        out.push_back(
            finding(name, rule(name).severity, at, fmt::format(text, std::forward<A>(a)...)));
    }
};

unsigned alignment(const Operand& o) {
    if (o.words < 2) return 1;
    return o.file == File::s && o.words >= 4 ? 4 : 2;
}

std::string name_of(const Operand& o) { return range_name(word_of(o.file, o.value), o.words); }

bool overlap(const Operand& a, const Operand& b) {
    return a.is_reg() && b.is_reg() && a.file == b.file && a.value < b.value + b.words &&
           b.value < a.value + a.words;
}

void check_matrix(const Inst& i, const Report& report) {
    const Operand& d = i.operands[0];
    for (unsigned n = 1; n < i.info().operand_count; ++n) {
        const Operand& o = i.operands[n];
        if (!o.is_reg()) continue;
        if (i.info().columns[n].use != Use::acc) {
            if (overlap(d, o))
                report("MFMA-OPERANDS", "result {} overlaps input {}", name_of(d), name_of(o));
            continue;
        }
        if (o.file != d.file)
            report("MFMA-OPERANDS", "result {} and accumulator input {} differ in kind", name_of(d),
                   name_of(o));
        else if (overlap(d, o) && (o.value != d.value || o.words != d.words))
            report("MFMA-OPERANDS", "result {} partially overlaps accumulator input {}", name_of(d),
                   name_of(o));
    }
    if (i.info().rate == Rate::mfma_f8f6f4 && (i.mods.cbsz > 4 || i.mods.blgp > 4))
        report("FORMAT", "cbsz:{} blgp:{}; formats are 0 to 4", i.mods.cbsz, i.mods.blgp);
}

// A number that the hardware cuts to fewer bits than the text has.
void check_numbers(const Inst& i, const Report& report) {
    struct Limit {
        std::string_view start, end;  // of the mnemonic
        unsigned column;
        uint32_t most;
    };
    static constexpr Limit kLimits[] = {
        {"s_nop", "", 0, 15},           {"s_sleep", "", 0, 127},      {"s_lshl_b", "32", 2, 31},
        {"s_lshr_b", "32", 2, 31},      {"s_ashr_i", "32", 2, 31},    {"s_lshl_b", "64", 2, 63},
        {"s_lshr_b", "64", 2, 63},      {"s_ashr_i", "64", 2, 63},    {"v_lshlrev_b", "32", 1, 31},
        {"v_lshrrev_b", "32", 1, 31},   {"v_ashrrev_i", "32", 1, 31}, {"v_lshlrev_b", "64", 1, 63},
        {"v_lshrrev_b", "64", 1, 63},   {"v_ashrrev_i", "64", 1, 63}, {"v_readlane_b", "32", 2, 63},
        {"v_writelane_b", "32", 2, 63},
    };
    const std::string_view name = i.info().name;
    for (const Limit& l : kLimits) {
        const Operand& o = i.operands[l.column];
        if (!name.starts_with(l.start) || !name.ends_with(l.end) || o.kind != Operand::Kind::imm ||
            o.value <= l.most)
            continue;
        report("IMMEDIATE", "{} {} works as {}", name, o.value, o.value & l.most);
    }
}

}  // namespace

std::span<const Rule> operand_rules() { return kRules; }

void check_operands(const Decoded& d, std::vector<Finding>& out) {
    if (!d.known) return;
    const Inst& i = d.inst;
    const Report report{d, out};
    for (unsigned n = 0; n < i.info().operand_count; ++n) {
        const Operand& o = i.operands[n];
        if (o.is_reg() && o.value % alignment(o))
            report("ALIGN", "{} has to start at a multiple of {}", name_of(o), alignment(o));
    }
    if (i.info().is_mfma()) check_matrix(i, report);
    if (i.info().is_buffer() && i.mods.offset > 4095)
        report("BUFFER-OFFSET", "offset:{} does not fit 12 bits", i.mods.offset);
    check_numbers(i, report);
    if (i.op == Op::s_setprio && i.operands[0].value > 3)
        report("IMMEDIATE", "s_setprio {}; priorities are 0 to 3", i.operands[0].value);
    if (i.info().rate == Rate::packed_f32 && i.mods.op_sel)
        report("PACKED-OP-SEL", "op_sel on a packed f32 instruction");
}

}  // namespace zyfa
