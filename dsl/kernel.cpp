#include "dsl/kernel.hpp"

#include <algorithm>

namespace zyfa {
namespace {

bool is_inline_constant(uint32_t bits) {
    int value = int(bits);
    if (value >= -16 && value <= 64) return true;
    for (float f : {0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 4.0f, -4.0f})
        if (bits == zyfa::bits(f)) return true;
    return bits == 0x3e22f983;  // 1/(2 pi)
}

// gfx9: one scalar register or literal per vector instruction, literals only in the 32-bit forms.
// Source: LLVM 22 assembler for gfx950 refuses the rest; trust: certain.
void check_constant_bus(const Inst& i) {
    unsigned scalars = 0, literals = 0, sources = 0;
    uint32_t seen = ~0u;
    bool literal_first = false, long_form = false, first = true;
    for (unsigned n = 0; n < i.info().operand_count; ++n) {
        Use use = i.info().columns[n].use;
        const Operand& o = i.operands[n];
        if (use == Use::sdef && i.info().is_valu() && !(o.value == kVcc && !o.is_virtual))
            long_form = true;
        if (use == Use::ssrc && i.info().is_valu() && !(o.value == kVcc && !o.is_virtual))
            long_form = true;
        bool mask = use == Use::ssrc && o.is_reg(File::s);
        if (use != Use::src && !mask) continue;
        if (use == Use::src) ++sources;
        if (o.is_reg(File::s)) {
            if (o.value != seen) ++scalars;
            seen = o.value;
            if (!first) long_form = true;
        } else if (o.kind == Operand::Kind::imm && !is_inline_constant(o.value)) {
            ++literals;
            literal_first = first;
        } else if (o.kind == Operand::Kind::imm && !first) {
            long_form = true;
        }
        if (o.neg || o.abs) long_form = true;
        if (use == Use::src) first = false;
    }
    require(scalars + literals <= 1, i.at,
            "{}: gfx9 allows one scalar register or literal per vector instruction, this has {}",
            i.info().name, scalars + literals);
    require(literals == 0 || (sources <= 2 && literal_first && !long_form), i.at,
            "{}: a literal is possible only as the first source of a 32-bit encoding",
            i.info().name);
}

unsigned offset_limit(const OpInfo& op) {
    if (op.is_lds()) return 65535;
    if (op.is_buffer()) return 4095;  // LLVM cuts more to 12 bits without a word
    if (op.is_global()) return 4095;
    return 0;
}

}  // namespace

Inst& Emit::edit() { return kernel->program.blocks[block].insts[index]; }
const Inst& Emit::inst() const { return kernel->program.blocks[block].insts[index]; }

Emit& Emit::offset(unsigned bytes, Where at) {
    unsigned limit = offset_limit(inst().info());
    require(bytes <= limit, at, "{}: offset {} is out of reach, the limit is {}",
            inst().info().name, bytes, limit);
    edit().mods.offset = bytes;
    return *this;
}
Emit& Emit::high() { return op_sel(4); }
Emit& Emit::op_sel(unsigned bits) {
    edit().mods.op_sel = uint8_t(bits);
    return *this;
}
Emit& Emit::op_sel_hi(unsigned bits) {
    edit().mods.op_sel_hi = uint8_t(bits);
    return *this;
}
Emit& Emit::clamp() {
    edit().mods.clamp = true;
    return *this;
}
Emit& Emit::sc0() {
    edit().mods.sc0 = true;
    return *this;
}
Emit& Emit::nt() {
    edit().mods.nt = true;
    return *this;
}
Emit& Emit::sc1() {
    edit().mods.sc1 = true;
    return *this;
}
Emit& Emit::region(int lds_region) {
    edit().lds_region = int16_t(lds_region);
    return *this;
}

Emit& Emit::formats(unsigned a, unsigned b, Where at) {
    require(inst().info().rate == Rate::mfma_f8f6f4, at, "{} has no formats to choose",
            inst().info().name);
    require(a <= 4 && b <= 4, at,
            "matrix format {} does not exist: 0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4", std::max(a, b));
    constexpr unsigned words[] = {8, 8, 6, 6, 4};
    require(inst().operands[1].words == words[a] && inst().operands[2].words == words[b], at,
            "formats {} and {} take {} and {} registers, not {} and {}", a, b, words[a], words[b],
            inst().operands[1].words, inst().operands[2].words);
    edit().mods.cbsz = uint8_t(a);
    edit().mods.blgp = uint8_t(b);
    return *this;
}

Emit& Emit::counts(unsigned vmcnt, unsigned lgkmcnt, Where at) {
    require(inst().op == Op::s_waitcnt, at, "counts() belongs to s_waitcnt");
    require(vmcnt <= 63 && lgkmcnt <= 15, at, "s_waitcnt: vmcnt is 0..63, lgkmcnt 0..15");
    edit().mods.vmcnt = uint8_t(vmcnt);
    edit().mods.lgkmcnt = uint8_t(lgkmcnt);
    edit().pinned = true;
    return *this;
}

SectionScope::~SectionScope() { kernel.current_section = before; }

Kernel::Kernel(std::string name, KernelOptions options) {
    program.name = std::move(name);
    program.workgroup_size = options.waves * 64;
    program.flush_f32_denormals = options.flush_f32_denormals;
    program.blocks.push_back({"entry", {}, false});
    Where at = Where::current();
    kernarg = {new_value("kernarg", File::s, 2, 2, 0, at)};
    workgroup_id_x = {new_value("workgroup_id_x", File::s, 1, 1, 2, at)};
    workgroup_id_y = {new_value("workgroup_id_y", File::s, 1, 1, 3, at)};
    workgroup_id_z = {new_value("workgroup_id_z", File::s, 1, 1, 4, at)};
    workitem_id = {new_value("workitem_id", File::v, 1, 1, 0, at)};
}

uint32_t Kernel::new_value(std::string_view name, File file, unsigned words, unsigned align,
                           int pinned, Where at) {
    uint32_t first = next_word[unsigned(file)];
    next_word[unsigned(file)] += words;
    program.values.push_back(
        {std::string(name), file, first, uint8_t(words), uint8_t(align), pinned, at});
    return first;
}

SectionScope Kernel::section(std::string_view name, Pipe pipe) {
    uint16_t before = current_section;
    program.sections.push_back({std::string(name), pipe});
    current_section = uint16_t(program.sections.size() - 1);
    return {*this, before};
}

PhaseScope::~PhaseScope() {
    kernel.current_phase = phase;
    kernel.is_behind = behind;
    kernel.current_entry = entry;
}

PhaseScope Kernel::phase(PhaseInfo info) {
    const uint16_t before = current_phase;
    program.phases.push_back(std::move(info));
    current_phase = uint16_t(program.phases.size() - 1);
    return {*this, before, is_behind, current_entry};
}
PhaseScope Kernel::behind() {
    const bool before = is_behind;
    is_behind = true;
    return {*this, current_phase, before, current_entry};
}
PhaseScope Kernel::entry(const ScheduleEntry& entry) {
    const uint16_t before = current_entry;
    const auto same = [&](const ScheduleEntry& e) {
        return e.name == entry.name && e.at.line == entry.at.line && e.at.column == entry.at.column;
    };
    const auto found = std::ranges::find_if(program.entries, same);
    current_entry = uint16_t(found - program.entries.begin());
    if (found == program.entries.end()) program.entries.push_back(entry);
    return {*this, current_phase, is_behind, before};
}

Label Kernel::label(std::string_view name, Where at) {
    label_names.emplace_back(name);
    label_lines.push_back(at);
    label_blocks.push_back(-1);
    return {uint32_t(label_names.size() - 1)};
}

void Kernel::place(Label label, bool loop_head, Where at) {
    require(label_blocks[label.block] < 0, at, "label '{}' is placed twice",
            label_names[label.block]);
    std::string name = label_names[label.block];
    auto taken = [&](const std::string& n) {
        return std::ranges::any_of(program.blocks, [&](const Block& b) { return b.label == n; });
    };
    for (unsigned n = 2; taken(name); ++n) name = fmt::format("{}_{}", label_names[label.block], n);
    label_blocks[label.block] = int(program.blocks.size());
    program.blocks.push_back({name, {}, loop_head});
}

void Kernel::arguments(std::span<const KernelArg> args, uint32_t bytes) {
    program.args.assign(args.begin(), args.end());
    program.kernarg_bytes = bytes;
}

int Kernel::lds_region(std::string_view name, uint32_t bytes, uint32_t align, Where at) {
    uint32_t first = (program.lds_bytes + align - 1) / align * align;
    require(first + bytes <= 163840, at, "LDS region '{}' ends at {} of 163840 bytes", name,
            first + bytes);
    program.lds.push_back({std::string(name), first, bytes});
    program.lds_bytes = first + bytes;
    return int(program.lds.size()) - 1;
}

Emit Kernel::need(Need need, int region, Where at) {
    Emit e = s_waitcnt(Here(at));
    e.edit().need = need;
    e.edit().lds_region = int16_t(region);
    return e;
}
Emit Kernel::wait_filled(int region, Where at) { return need(Need::lds_filled, region, at); }
Emit Kernel::wait_drained(int region, Where at) { return need(Need::lds_drained, region, at); }
void Kernel::wait_all(Where at) { need(Need::all, -1, at); }

Emit Kernel::emit(Op op, Packed args) {
    const OpInfo& row = zyfa::info(op);
    if (!program.blocks.back().insts.empty() &&
        program.blocks.back().insts.back().info().is_branch()) {
        program.blocks.push_back({fmt::format("after_{}", program.blocks.size()), {}, false});
    }
    Inst i;
    i.op = op;
    i.operands = args.operands;
    i.mods = default_mods(op);
    i.at = args.at;
    i.section = current_section;
    i.phase = current_phase;
    i.entry = current_entry;
    i.behind = is_behind;
    for (unsigned n = 0; n < args.count; ++n) {
        Operand& o = i.operands[n];
        if (row.columns[n].use == Use::acc && o.kind == Operand::Kind::none) o = i.operands[0];
        if (row.columns[n].use == Use::vaddr) i.mods.offen = o.is_reg();
    }
    if (row.is_mfma()) {
        const Operand &d = i.operands[0], &c = i.operands[3];
        require(row.columns[3].use != Use::acc || !c.is_reg() || c.file == d.file, i.at,
                "{}: C and D must be of one kind, vgpr or agpr", row.name);
    }
    if (row.is_valu()) check_constant_bus(i);
    program.blocks.back().insts.push_back(std::move(i));
    return {*this, program.blocks.size() - 1, program.blocks.back().insts.size() - 1};
}

Program Kernel::finish(Where at) {
    for (size_t n = 0; n < label_blocks.size(); ++n)
        require(label_blocks[n] >= 0, label_lines[n], "label '{}' is never placed", label_names[n]);
    Program p = program;
    for (Block& block : p.blocks) {
        for (Inst& i : block.insts)
            for (Operand& o : i.operands)
                if (o.kind == Operand::Kind::label) o.value = uint32_t(label_blocks[o.value]);
    }
    const auto& last = p.blocks.back().insts;
    require(!last.empty() && (last.back().op == Op::s_endpgm || last.back().op == Op::s_branch), at,
            "kernel '{}' runs past its end: the last instruction must be s_endpgm", p.name);
    return p;
}

}  // namespace zyfa
