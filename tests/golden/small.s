; small: gfx950 kernel
;
; workgroup      512 work items, 8 waves
; registers      66 VGPRs, 18 AGPRs, 30 SGPRs: room for 5 waves per SIMD
;                a0 stands at v68, 86 in all
; LDS            16384 of 163840 bytes
;        0 ..  8192   k tile
;     8192 .. 16384   v tile
; arguments      48 bytes at s[0:1]
;   0x000   8  ptr_o                pointer  output, f32
;   0x010   8  ptr_k                pointer  keys, e4m3
;   0x020   4  scale                value    1/sqrt(d)
;   0x024   4  tiles                value    key tiles
; at entry       s[0:1] arguments, s2 s3 s4 workgroup id x y z, v0 work item id
; instructions   28
;        6         load                 memory
;        3         scores               matrix

    .amdgcn_target "amdgcn-amd-amdhsa--gfx950"
    .amdhsa_code_object_version 6
    .text
    .p2align 8
    .globl small
    .type small,@function
small:

.Lentry:
    s_load_dwordx2           s[8:9], s[0:1], 0x10
    s_load_dwordx2           s[16:17], s[0:1], 0x20
    s_waitcnt                lgkmcnt(0)                                             ; arguments
    s_mov_b32                s10, 0x1000
    s_mov_b32                s11, 0x20000
    v_mov_b32                v0, 0
    v_accvgpr_write_b32      a0, 0
    s_branch                 .Lmain_loop

.Lmain_loop:  ; loop

    ; ---- load (memory)
    s_mov_b32                m0, 0x200
    s_nop                    0                                                      ; M0 before the load
    buffer_load_dwordx4      v1, s[8:11], 0 offen offset:4095 lds
    ds_read_b128             v[20:23], v2 offset:65520
    ds_read_b64_tr_b8        v[24:25], v2
    s_waitcnt                vmcnt(3) lgkmcnt(1)
    v_mfma_f32_32x32x64_f8f6f4 v[32:47], v[16:23], v[24:31], v[32:47]               ; [scores]
    v_pk_fma_f32             v[48:49], v[50:51], s[16:17], v[52:53] op_sel_hi:[1,0,1]  ; [load]
    v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[16:23], v[24:27], 0, v8, v9 op_sel:[1,0,0] op_sel_hi:[0,1,0] blgp:4  ; [scores]
    v_cvt_pk_fp8_f32         v60, v32, v33 op_sel:[0,0,1]
    v_exp_f32                v61, v34
    v_max3_f32               v62, v34, v35, |v36|
    s_add_i32                s17, s17, -1
    s_cmp_gt_i32             s17, 0
    s_cbranch_scc1           .Lmain_loop

.Lblock_2:
    s_load_dwordx2           s[28:29], s[0:1], 0x0
    s_waitcnt                lgkmcnt(0)
    v_lshlrev_b32            v3, 2, v0
    global_store_dword       v3, v62, s[28:29] offset:-4096
    s_endpgm

.Lend_of_kernel:
    .size small, .Lend_of_kernel-small
    .fill 64, 4, 0xbf800000  ; s_nop 0: what instruction prefetch may read

    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel small
        .amdhsa_group_segment_fixed_size               16384
        .amdhsa_private_segment_fixed_size             0
        .amdhsa_kernarg_size                           48
        .amdhsa_user_sgpr_count                        2
        .amdhsa_user_sgpr_kernarg_segment_ptr          1
        .amdhsa_user_sgpr_kernarg_preload_length       0
        .amdhsa_user_sgpr_kernarg_preload_offset       0
        .amdhsa_uses_dynamic_stack                     0
        .amdhsa_enable_private_segment                 0
        .amdhsa_system_sgpr_workgroup_id_x             1
        .amdhsa_system_sgpr_workgroup_id_y             1
        .amdhsa_system_sgpr_workgroup_id_z             1
        .amdhsa_system_sgpr_workgroup_info             0
        .amdhsa_system_vgpr_workitem_id                0
        .amdhsa_next_free_vgpr                         86
        .amdhsa_next_free_sgpr                         30
        .amdhsa_accum_offset                           68
        .amdhsa_reserve_vcc                            1
        .amdhsa_float_round_mode_32                    0
        .amdhsa_float_round_mode_16_64                 0
        .amdhsa_float_denorm_mode_32                   0
        .amdhsa_float_denorm_mode_16_64                3
        .amdhsa_dx10_clamp                             0
        .amdhsa_ieee_mode                              0
        .amdhsa_fp16_overflow                          0
        .amdhsa_tg_split                               0
    .end_amdhsa_kernel

    .amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: 'amdgcn-amd-amdhsa--gfx950'
amdhsa.kernels:
  - .name: 'small'
    .symbol: 'small.kd'
    .kernarg_segment_size: 48
    .kernarg_segment_align: 16
    .group_segment_fixed_size: 16384
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 36
    .vgpr_count: 86
    .agpr_count: 18
    .sgpr_spill_count: 0
    .vgpr_spill_count: 0
    .max_flat_workgroup_size: 512
    .reqd_workgroup_size: [512, 1, 1]
    .uses_dynamic_stack: false
    .args:
      - .name: 'ptr_o'
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: 'ptr_k'
        .offset: 16
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: 'scale'
        .offset: 32
        .size: 4
        .value_kind: by_value
      - .name: 'tiles'
        .offset: 36
        .size: 4
        .value_kind: by_value
...
    .end_amdgpu_metadata
