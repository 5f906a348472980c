#include <algorithm>

#include "emitter/emit.hpp"

namespace zyfa {

unsigned accum_offset(const Resources& r, const Machine& m) {
    const unsigned granule = m.registers_accum_offset_granule.count();
    return std::max((r.vgprs + granule - 1) / granule * granule,
                    m.registers_accum_offset_min.count());
}

unsigned total_vgprs(const Resources& r, const Machine& m) {
    return r.agprs ? accum_offset(r, m) + r.agprs : std::max(r.vgprs, 1u);
}

// User SGPRs are the kernarg pointer in s[0:1]; the workgroup ids x, y, z follow in s2, s3, s4, and
// v0 holds the work item id x: the launch state that the kernels of this project and AITER's
// expect.
std::string print_metadata(const Program& p, const Machine& m) {
    std::string out;
    const auto add = [&]<class... A>(fmt::format_string<A...> text, A&&... a) {
        fmt::format_to(std::back_inserter(out), text, std::forward<A>(a)...);
        out += '\n';
    };
    const unsigned total = total_vgprs(p.used, m), sgprs = std::max(p.used.sgprs, 5u);

    add("    .section .rodata,\"a\",@progbits");
    add("    .p2align 6");
    add("    .amdhsa_kernel {}", p.name);
    const auto set = [&](std::string_view name, unsigned value) {
        add("        .amdhsa_{:<38} {}", name, value);
    };
    set("group_segment_fixed_size", p.lds_bytes);
    set("private_segment_fixed_size", 0);
    set("kernarg_size", p.kernarg_bytes);
    set("user_sgpr_count", 2);
    set("user_sgpr_kernarg_segment_ptr", 1);
    set("user_sgpr_kernarg_preload_length", 0);
    set("user_sgpr_kernarg_preload_offset", 0);
    set("uses_dynamic_stack", 0);
    set("enable_private_segment", 0);
    set("system_sgpr_workgroup_id_x", 1);
    set("system_sgpr_workgroup_id_y", 1);
    set("system_sgpr_workgroup_id_z", 1);
    set("system_sgpr_workgroup_info", 0);
    set("system_vgpr_workitem_id", 0);
    set("next_free_vgpr", total);
    set("next_free_sgpr", sgprs);
    set("accum_offset", accum_offset(p.used, m));
    set("reserve_vcc", 1);
    set("float_round_mode_32", 0);
    set("float_round_mode_16_64", 0);
    set("float_denorm_mode_32", p.flush_f32_denormals ? 0 : 3);
    set("float_denorm_mode_16_64", 3);
    set("dx10_clamp", 0);
    set("ieee_mode", 0);
    set("fp16_overflow", 0);
    set("tg_split", 0);
    add("    .end_amdhsa_kernel");
    add("");

    // LLVM counts vcc, xnack_mask and flat_scratch on top of the numbered SGPRs.
    const unsigned counted_sgprs = sgprs + 6;
    add("    .amdgpu_metadata");
    add("---");
    add("amdhsa.version: [1, 2]");
    add("amdhsa.target: 'amdgcn-amd-amdhsa--gfx950'");
    add("amdhsa.kernels:");
    add("  - .name: '{}'", p.name);
    add("    .symbol: '{}.kd'", p.name);
    add("    .kernarg_segment_size: {}", p.kernarg_bytes);
    add("    .kernarg_segment_align: 16");
    add("    .group_segment_fixed_size: {}", p.lds_bytes);
    add("    .private_segment_fixed_size: 0");
    add("    .wavefront_size: {}", m.chip_wave_lanes.count());
    add("    .sgpr_count: {}", counted_sgprs);
    add("    .vgpr_count: {}", total);
    add("    .agpr_count: {}", p.used.agprs);
    add("    .sgpr_spill_count: 0");
    add("    .vgpr_spill_count: 0");
    add("    .max_flat_workgroup_size: {}", p.workgroup_size);
    add("    .reqd_workgroup_size: [{}, 1, 1]", p.workgroup_size);
    add("    .uses_dynamic_stack: false");
    add("    .args:{}", p.args.empty() ? " []" : "");
    for (const KernelArg& a : p.args) {
        add("      - .name: '{}'", a.name);
        add("        .offset: {}", a.offset);
        add("        .size: {}", a.bytes);
        add("        .value_kind: {}", a.is_pointer ? "global_buffer" : "by_value");
        if (a.is_pointer) add("        .address_space: global");
    }
    add("...");
    add("    .end_amdgpu_metadata");
    return out;
}

}  // namespace zyfa
