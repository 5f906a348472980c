// A small code object for tests, assembled once.
#pragma once

#include "isa/llvm/mc.hpp"

namespace zyfa::test {

inline const char* kSmallKernel = R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl small
.p2align 8
.type small,@function
small:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_mov_b32_e32 v1, 1.0
  s_waitcnt lgkmcnt(0)
  s_endpgm
.Lend:
.size small, .Lend-small
.rodata
.p2align 6
.amdhsa_kernel small
  .amdhsa_next_free_vgpr 24
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 16
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_kernarg_size 24
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_vgpr_workitem_id 1
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_ieee_mode 0
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: small
    .symbol: small.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 24
    .agpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: scale, .offset: 16, .size: 4, .value_kind: by_value }
.end_amdgpu_metadata
)";

inline const Bytes& small_object() {
    static const Bytes object = link(assemble(kSmallKernel));
    return object;
}

}  // namespace zyfa::test
