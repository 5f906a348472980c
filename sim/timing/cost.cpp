#include "sim/timing/cost.hpp"

#include "isa/banks.hpp"
#include "isa/effects.hpp"

namespace zyfa::sim {

namespace {

Category category_of(const Inst& inst) {
    const OpInfo& op = inst.info();
    if (op.is_mfma()) return Category::matrix;
    if (op.is_valu()) return Category::vector;
    if (op.is_vmem()) return Category::vector_memory;
    if (op.is_lds()) return Category::lds;
    if (op.is_smem()) return Category::scalar_memory;
    if (op.is_branch()) return Category::branch;
    if (op.is_salu() && inst.op != Op::s_setprio) return Category::scalar;
    return Category::internal;
}

void matrix_cost(Cost& c, const Inst& inst, const Effects& e, const TimingOptions& o) {
    const Machine& m = *o.machine;
    const unsigned slot = m.issue_slot_cycles.count();
    const unsigned passes = m.passes(inst);
    c.pipe = uint16_t(passes * m.matrix_pass_cycles.count());
    c.result = uint16_t(c.pipe + m.matrix_result_slots.count() * slot);
    c.packed = uint16_t(c.pipe + m.matrix_packed_f32_wait_slots.count() * slot);
    c.scaled = inst.info().name.find("_scale_") != std::string_view::npos;
    c.useful = o.useful ? o.useful(inst.address)
                        : inst.info().name.find("_32x32x") != std::string_view::npos;
    c.chain = e.chain;
}

Cost cost_of(const Inst& inst, const TimingOptions& o) {
    const Machine& m = *o.machine;
    const OpInfo& op = inst.info();
    const Effects e = effects(inst);
    Cost c;
    const unsigned slot = m.issue_slot_cycles.count();
    c.category = category_of(inst);
    c.slot = uint16_t(slot);
    const unsigned issue = m.issue_cycles(inst);
    switch (c.category) {
        case Category::matrix:
            c.port = uint16_t(issue);
            matrix_cost(c, inst, e, o);
            break;
        case Category::vector:
            c.port = uint16_t(issue);
            c.result = uint16_t(issue + m.issue_dependent_valu.count() - slot);
            c.no_overlap = op.rate == Rate::packed_f32 || op.name.starts_with("v_dot");
            if (inst.bytes == 8 && inst.address % 8 == 4)
                c.fetch = uint16_t(m.issue_straddle_cycles.count());
            break;
        case Category::vector_memory:
            c.port = uint16_t(issue);
            if (op.is_lds_dma()) c.lds = uint16_t(m.rate(Rate::lds_dma).count());
            break;
        case Category::lds: c.lds = uint16_t(issue); break;
        case Category::internal:
            if (inst.op == Op::s_barrier) break;  // its rate is what the release takes
            if (inst.op == Op::s_nop) c.idle = issue - slot;
            else if (inst.op == Op::s_sleep)
                c.idle = m.issue_sleep_cycles.count() * inst.operands[0].value;
            else c.slot = uint16_t(issue);
            break;
        default: c.slot = uint16_t(issue); break;
    }
    if (c.category == Category::vector_memory || c.category == Category::lds)
        c.access = lds_access(inst.op);
    return c;
}

}  // namespace

std::vector<Cost> costs(const Code& code, const TimingOptions& options) {
    std::vector<Cost> all(code.steps.size());
    for (size_t n = 0; n < all.size(); ++n)
        if (code.steps[n].execute) all[n] = cost_of(code.steps[n].from->inst, options);
    return all;
}

std::string_view category_name(Category c) {
    static constexpr std::string_view kNames[kCategories] = {
        "vector",        "matrix", "scalar", "scalar_memory",
        "vector_memory", "lds",    "branch", "internal"};
    return kNames[unsigned(c)];
}

std::string_view spent_name(Spent s) {
    static constexpr std::string_view kNames[kSpent] = {
        "issued",  "port",  "matrix",     "nop",      "vmcnt",       "lgkmcnt",
        "barrier", "fetch", "dependence", "lds_path", "memory_path", "ended"};
    return kNames[unsigned(s)];
}

}  // namespace zyfa::sim
