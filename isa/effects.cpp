#include "isa/effects.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace zyfa {

Word word_of(File file, uint32_t number) {
    switch (file) {
        case File::s: return Word(number);
        case File::v: return Word(kFirstV + number);
        default: return Word(kFirstA + number);
    }
}

std::string word_name(Word w) {
    if (w == kSccWord) return "scc";
    if (w >= kFirstA) return fmt::format("a{}", w - kFirstA);
    if (w >= kFirstV) return fmt::format("v{}", w - kFirstV);
    switch (w) {
        case kFlatScratch: return "flat_scratch_lo";
        case kFlatScratch + 1: return "flat_scratch_hi";
        case kXnackMask: return "xnack_mask_lo";
        case kXnackMask + 1: return "xnack_mask_hi";
        case kVcc: return "vcc_lo";
        case kVcc + 1: return "vcc_hi";
        case kM0: return "m0";
        case kExec: return "exec_lo";
        case kExec + 1: return "exec_hi";
        default: return fmt::format("s{}", w);
    }
}

std::string range_name(Word first, unsigned words) {
    if (words == 2 && first == kVcc) return "vcc";
    if (words == 2 && first == kExec) return "exec";
    if (words == 1 || first == kSccWord) return word_name(first);
    const char file = first >= kFirstA ? 'a' : first >= kFirstV ? 'v' : 's';
    const unsigned base = first >= kFirstA ? kFirstA : first >= kFirstV ? kFirstV : 0;
    return fmt::format("{}[{}:{}]", file, first - base, first - base + words - 1);
}

namespace {

// Scalar source encodings above 127 that stand for other registers.
Reach reach(File file, uint32_t first, unsigned words, Role role) {
    if (file == File::s) {
        if (first == kVccz) return {kVccWord, 2, role};
        if (first == kExecz) return {kExecWord, 2, role};
        if (first == kScc) return {kSccWord, 1, role};
        if (first >= kFirstV) return {0, 0, role};
    }
    return {word_of(file, first), uint8_t(words), role};
}

Kind kind_of(const OpInfo& row) {
    if (row.is_mfma()) return Kind::matrix;
    if (row.rate == Rate::trans) return Kind::trans;
    if (row.is_valu()) return Kind::valu;
    if (row.is_smem()) return Kind::smem;
    if (row.is_lds()) return Kind::lds;
    if (row.is_vmem()) return Kind::vmem;
    return row.is_salu() ? Kind::salu : Kind::other;
}

Flow flow_of(Op op) {
    if (op == Op::s_endpgm) return Flow::stop;
    if (op == Op::s_branch) return Flow::jump;
    if (op == Op::s_setpc_b64 || op == Op::s_swappc_b64 || op == Op::s_call_b64)
        return Flow::unknown;
    return info(op).is_branch() ? Flow::fork : Flow::next;
}

Op chain_of(Op op) {
    if (op == Op::v_mfma_scale_f32_32x32x64_f8f6f4) return Op::v_mfma_f32_32x32x64_f8f6f4;
    if (op == Op::v_mfma_scale_f32_16x16x128_f8f6f4) return Op::v_mfma_f32_16x16x128_f8f6f4;
    return op;
}

bool sums_products(const OpInfo& row) { return row.name.starts_with("v_dot"); }

Role role_of(const Inst& i, Kind kind, const Access& a) {
    if (a.column >= kMaxOperands) return Role::plain;
    const Use use = i.info().columns[a.column].use;
    if (kind == Kind::matrix)  // a sparse MFMA accumulates onto its destination
        return use == Use::acc || use == Use::mod ? Role::matrix_c : Role::matrix_ab;
    if (use == Use::mod && i.info().keeps_part()) return Role::kept;
    if ((i.op == Op::v_readlane_b32 || i.op == Op::v_writelane_b32) && a.column == 2)
        return Role::lane_select;
    if (kind == Kind::vmem && a.file == File::s) return Role::memory_sgpr;
    if (i.info().is_store() && use == Use::vreg) return Role::store_data;
    // DPP moves the first source between lanes.
    const unsigned first = is_written(i.info().columns[0].use) ? 1 : 0;
    if (i.encoding == Encoding::dpp && a.file != File::s && a.column == first) return Role::dpp;
    if (sums_products(i.info()) && a.file != File::s && (a.column == 3 || a.column == 0))
        return Role::matrix_c;
    return Role::plain;
}

}  // namespace

Effects effects(const Inst& i) {
    const OpInfo& row = i.info();
    Effects e;
    e.kind = kind_of(row);
    e.counter = row.counter;
    e.flow = flow_of(i.op);
    e.half = (row.hazard == Hazard::cvt_half && written_part(i).first != 0) ||
             (i.encoding == Encoding::sdwa && i.mods.dst_sel != 6);
    e.both_counters = row.is_flat();
    e.permlane = row.hazard == Hazard::permlane;
    e.lane_read = row.hazard == Hazard::readlane;
    e.lane_any = e.lane_read || i.op == Op::v_writelane_b32;
    e.dpp = i.encoding == Encoding::dpp;
    e.lds_dma = row.is_lds_dma();
    if (e.kind == Kind::matrix) {
        e.passes = uint8_t(passes(i));
        e.smfma = row.hazard == Hazard::smfma;
        e.chain = chain_of(i.op);
    }
    if (sums_products(row)) {
        e.dot = true;
        e.chain = i.op;
    }
    e.div_fmas = i.op == Op::v_div_fmas_f32 || i.op == Op::v_div_fmas_f64;
    e.hwreg_write = i.op == Op::s_setreg_b32 || i.op == Op::s_setreg_imm32_b32;
    if (e.hwreg_write || i.op == Op::s_getreg_b32)
        e.hwreg = int8_t(i.operands[e.hwreg_write ? 0 : 1].value & 63);
    if (i.op == Op::s_nop) e.slots = uint8_t((i.operands[0].value & 15) + 1);
    for (const Access& a : reads(i)) {
        const Reach r = reach(a.file, a.first, a.words, role_of(i, e.kind, a));
        if (r.words) e.reads.add(r);
        if (r.role == Role::store_data && r.words > 2)
            e.wide_store = !row.is_buffer() || !i.operands[3].is_reg(File::s);
    }
    for (const Access& a : writes(i)) {
        const Reach r = reach(a.file, a.first, a.words, Role::plain);
        if (r.words) e.writes.add(r);
    }
    if (reads_scc(i)) e.reads.add({kSccWord, 1, Role::plain});
    if (writes_scc(i)) e.writes.add({kSccWord, 1, Role::plain});
    e.load = e.writes.count &&
             (e.kind == Kind::smem || e.kind == Kind::lds || (e.kind == Kind::vmem && !e.lds_dma));
    return e;
}

namespace {

std::vector<std::string_view> operands_of(std::string_view line) {
    std::vector<std::string_view> out;
    const size_t space = line.find(' ');
    if (space == line.npos) return out;
    std::string_view rest = line.substr(space + 1);
    while (!rest.empty()) {
        const size_t comma = rest.find(',');
        std::string_view one = rest.substr(0, comma);
        while (!one.empty() && (one.front() == ' ' || one.front() == '-' || one.front() == '|'))
            one.remove_prefix(1);
        out.push_back(one.substr(0, one.find_first_of(" |")));
        if (comma == rest.npos) break;
        rest.remove_prefix(comma + 1);
    }
    return out;
}

bool number(std::string_view& s, unsigned& value) {
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc{}) return false;
    s.remove_prefix(size_t(end - s.data()));
    return true;
}

Reach named(std::string_view s) {
    struct Name {
        std::string_view name;
        Word word;
        uint8_t words;
    };
    static constexpr Name kNames[] = {
        {"vcc", kVcc, 2},       {"vcc_lo", kVcc, 1},      {"vcc_hi", kVcc + 1, 1},
        {"exec", kExec, 2},     {"exec_lo", kExec, 1},    {"exec_hi", kExec + 1, 1},
        {"m0", kM0, 1},         {"src_scc", kSccWord, 1}, {"flat_scratch", 102, 2},
        {"xnack_mask", 104, 2},
    };
    for (const Name& n : kNames)
        if (s == n.name) return {n.word, n.words, Role::plain};
    if (s.size() < 2) return {};
    const char file = s[0];
    if (file != 's' && file != 'v' && file != 'a') return {};
    s.remove_prefix(1);
    const bool range = s.front() == '[';
    if (range) s.remove_prefix(1);
    unsigned first = 0, last = 0;
    if (!number(s, first)) return {};
    last = first;
    if (range) {
        if (s.empty() || s.front() != ':') return {};
        s.remove_prefix(1);
        if (!number(s, last)) return {};
    }
    const unsigned limit = file == 's' ? 127 : 255;
    if (last > limit || last < first) return {};
    const File f = file == 's' ? File::s : file == 'v' ? File::v : File::a;
    return {word_of(f, first), uint8_t(last - first + 1), Role::plain};
}

}  // namespace

Effects effects_of_text(std::string_view line) {
    const std::string_view name = line.substr(0, line.find(' '));
    const auto starts = [&](std::string_view p) { return name.starts_with(p); };
    Effects e;
    e.known = false;
    const bool flat = starts("flat_"), lds = starts("ds_");
    const bool vmem = flat || starts("buffer_") || starts("global_") || starts("scratch_");
    const bool smem = starts("s_load") || starts("s_buffer_") || starts("s_scratch_") ||
                      starts("s_memrealtime") || starts("s_dcache") || starts("s_atomic");
    const bool matrix = starts("v_mfma") || starts("v_smfmac");
    const bool compare = starts("v_cmp"),
               store = name.find("store") != name.npos || starts("ds_write") || starts("ds_add_");
    if (matrix) {
        e.kind = Kind::matrix;
        e.passes = 16;  // the slowest there is
    } else if (starts("v_")) {
        e.kind = Kind::valu;
    } else if (lds) {
        e.kind = Kind::lds;
    } else if (vmem) {
        e.kind = Kind::vmem;
    } else if (smem) {
        e.kind = Kind::smem;
    } else if (starts("s_")) {
        e.kind = Kind::salu;
    }
    e.counter = vmem ? Counter::vm : lds ? Counter::lgkm : smem ? Counter::smem : Counter::none;
    e.both_counters = flat;
    e.permlane = starts("v_permlane");
    e.lane_read = starts("v_readlane") || starts("v_readfirstlane");
    e.lane_any = e.lane_read || starts("v_writelane");
    e.half = e.kind == Kind::valu && line.find("op_sel") != line.npos && starts("v_cvt");
    e.dot = starts("v_dot");
    e.div_fmas = starts("v_div_fmas");
    e.lds_dma = vmem && (line.ends_with(" lds") || name.find("load_lds") != name.npos);
    if (starts("s_setpc") || starts("s_swappc") || starts("s_call") || starts("s_cbranch_i") ||
        starts("s_cbranch_g") || starts("s_cbranch_j") || starts("s_rfe") || name == ".long")
        e.flow = Flow::unknown;
    if (starts("s_endpgm")) e.flow = Flow::stop;

    const auto operands = operands_of(line);
    for (unsigned n = 0; n < operands.size(); ++n) {
        Reach r = named(operands[n]);
        if (!r.words) continue;
        const bool scalar = is_scalar(r.first);
        bool written = n == 0 && !store && !e.lds_dma && !starts("s_cmp") && !starts("s_bitcmp") &&
                       !starts("s_setreg") && e.kind != Kind::other;
        if (n == 1 && e.kind == Kind::valu && (e.permlane || (scalar && operands.size() > 3)))
            written = true;
        if (written) e.writes.add(r);
        if (matrix && n > 0) r.role = n == 3 ? Role::matrix_c : Role::matrix_ab;
        if (vmem && scalar) r.role = Role::memory_sgpr;
        if (store && vmem && !scalar) r.role = Role::store_data;
        const bool load = vmem || lds || smem || matrix || compare;
        if (!written || !load) e.reads.add(written ? Reach{r.first, r.words, Role::kept} : r);
    }
    if (starts("v_cmpx")) e.writes.add({kExecWord, 2, Role::plain});
    if (e.kind == Kind::salu) e.writes.add({kSccWord, 1, Role::plain});
    e.load = e.writes.count && (vmem || lds || smem);
    return e;
}

}  // namespace zyfa
