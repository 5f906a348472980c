#include "kernels/fp8_d128.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include "dsl/layout.hpp"
#include "kernels/abi.hpp"
#include "kernels/lds_layout.hpp"
#include "kernels/tiles.hpp"

// One workgroup = 8 waves = 256 queries of one head; wave w owns 32 of them, a lane owns one query.
// Everything is computed transposed: S^T = K Q^T, O^T = V^T P^T, so that the softmax of a row stays
// in one lane but for an exchange with lane + 32, and P needs no move between lanes: the transposed
// LDS reads of V follow the order in which the accumulators leave P.
namespace zyfa {
namespace {

constexpr unsigned kWaves = 8, kWaveRows = 32, kHead = 128, kBlock = 64;  // kBlock: keys per MFMA k
constexpr float kLog2e = 1.44269504088896340736f, kLn2 = 0.69314718055994530942f;
// P is made as 2^(t - max + 8): its largest value is 256, which e4m3 holds exactly, and e4m3's
// smallest step then lies 2^-17 below the row maximum instead of 2^-9.
constexpr float kTop = 8.0f;

class Fp8D128 {
public:
    explicit Fp8D128(const Recipe& recipe)
        : r(recipe), k(std::string(recipe.id), {kWaves, true}), blocks(recipe.k_tile / kBlock) {}

    Program describe() {
        load_arguments();
        locate_wave();
        make_addresses();
        load_queries();
        count_tiles();
        initialise();
        Label done = k.label("done");
        k.s_cmp_eq_u32(tiles, 0);
        k.s_cbranch_scc1(done);
        fetch(0);
        Label head = k.label("key_tiles");
        k.place(head, true);
        step(0);
        k.s_cbranch_scc0(done);
        step(1);
        k.s_cbranch_scc1(head);
        k.place(done);
        k.wait_all();  // no load may land in LDS after the workgroup is gone
        normalise_and_store();
        store_lse();
        k.s_endpgm();
        return k.finish();
    }

private:
    template <class T>
    static uint32_t at(T AttentionArgs::* member) {
        static const AttentionArgs a{};
        return uint32_t(reinterpret_cast<const char*>(&(a.*member)) -
                        reinterpret_cast<const char*>(&a));
    }
    // A field out of the three 16-word blocks that hold pointers and strides.
    template <class T>
    Sgpr<2> field(T AttentionArgs::* member) {
        uint32_t word = at(member) / 4;
        return args[word / 16].template slice<2>(word % 16);
    }

    void load_arguments() {
        auto part = k.section("arguments", Pipe::scalar);
        std::vector<KernelArg> list;
        for (const AttentionField& f : kAttentionFields)
            list.push_back({f.name, f.offset, f.bytes, f.is_pointer, f.about});
        k.arguments(list, kAttentionArgsBytes);
        for (int i = 0; i < 3; ++i) k.s_load_dwordx16(args[i], k.kernarg, 64 * i);
        k.s_load_dwordx4(sizes, k.kernarg, int(at(&AttentionArgs::sq)));
        sq = sizes[0], sk = sizes[1];
    }

    void locate_wave() {
        auto part = k.section("who am I", Pipe::vector);
        k.v_and_b32(thread, 0x3ff, k.workitem_id);
        k.v_and_b32(lane, 63, thread);
        k.v_lshrrev_b32(thread, 6, thread);
        k.v_readfirstlane_b32(wave, thread);
        k.s_lshl_b32(wave_lds, wave, 10);
        k.s_lshl_b32(first_query, k.workgroup_id_x, 8);
        divide_heads(k, kv_head, k.workgroup_id_y, sizes[2]);
        load_scales();
    }

    // c = softmax_scale * q_descale * k_descale * log2(e): scores times c are exponents of 2.
    void load_scales() {
        auto offset = k.sgpr<2>("descale_offset"), where = k.sgpr<2>("descale_address");
        k.s_mov_b64(offset, 0);
        add_product(k, offset, k.workgroup_id_z, field(&AttentionArgs::descale_stride_b));
        add_product(k, offset, kv_head, field(&AttentionArgs::descale_stride_h));
        k.s_lshl_b64(offset, offset, 2);
        auto load = [&](Sgpr<1> to, uint64_t AttentionArgs::* member) {
            add64(k, where, field(member), offset);
            k.s_load_dword(to, where, 0);
        };
        auto q_descale = k.sgpr<1>("q_descale"), k_descale = k.sgpr<1>("k_descale");
        load(q_descale, &AttentionArgs::q_descale);
        load(k_descale, &AttentionArgs::k_descale);
        load(v_descale, &AttentionArgs::v_descale);
        auto product = k.vgpr<1>("scale_product");
        k.v_mov_b32(product, sizes[3]);
        k.v_mul_f32(product, q_descale, product);
        k.v_mul_f32(product, k_descale, product);
        k.v_mul_f32(product, kLog2e, product);
        k.v_readfirstlane_b32(scale, product);
    }

    // Base of this batch entry and head in elements, then bytes.
    Sgpr<2> head_base(std::string_view name, uint64_t AttentionArgs::* pointer, Sgpr<1> head,
                      int64_t AttentionArgs::* stride_b, int64_t AttentionArgs::* stride_h,
                      unsigned log2_bytes, int64_t AttentionArgs::* stride_row = nullptr) {
        auto base = k.sgpr<2>(name);
        k.s_mov_b64(base, 0);
        add_product(k, base, k.workgroup_id_z, field(stride_b));
        add_product(k, base, head, field(stride_h));
        if (stride_row) add_product(k, base, first_query, field(stride_row));
        if (log2_bytes) k.s_lshl_b64(base, base, int(log2_bytes));
        add64(k, base, base, field(pointer));
        return base;
    }

    void make_addresses() {
        auto part = k.section("addresses", Pipe::scalar);
        LaneExpr lane_number = LaneExpr::lane();
        k.s_sub_i32(query_rows, sq, first_query);
        k.s_min_i32(query_rows, query_rows, int(kQueryTile));

        auto half = k.vgpr<1>("half");
        (lane_number >> 5).emit(k, half, lane);
        (lane_number & 31).emit(k, query, lane);
        k.s_lshl_b32(wave_row, wave, 5);
        k.v_add_u32(query, wave_row, query);  // row within the workgroup's 256
        k.v_lshlrev_b32(half_16, 4, half);

        k.s_and_b32(odd_wave, wave, 1);
        k.s_lshl_b32(odd_wave, odd_wave, 6);
        stream(keys, "k", &AttentionArgs::k, &AttentionArgs::k_stride_b, &AttentionArgs::k_stride_h,
               &AttentionArgs::k_stride_row, key_chunk());
        stream(values, "v", &AttentionArgs::v, &AttentionArgs::v_stride_b,
               &AttentionArgs::v_stride_h, &AttentionArgs::v_stride_row, value_chunk());

        for (unsigned n = 0; n < 4; ++n) key_read_expr(n / 2, n % 2).emit(k, key_read[n], lane);
        for (unsigned d = 0; d < 4; ++d) value_read_expr(d).emit(k, value_read[d], lane);
    }

    // --- tiles of keys and values, global -> LDS -------------------------------------------------
    struct Stream {
        std::array<int, 2> region{};
        Sgpr<4> descriptor;
        Sgpr<1> row_bytes, step_bytes;
        std::vector<Vgpr<1>> offset;  // one per 64 keys
    };

    void stream(Stream& s, std::string name, uint64_t AttentionArgs::* pointer,
                int64_t AttentionArgs::* stride_b, int64_t AttentionArgs::* stride_h,
                int64_t AttentionArgs::* stride_row, const LaneExpr& chunk) {
        for (unsigned b : {0u, 1u})
            s.region[b] = k.lds_region(name + std::to_string(b), r.k_tile * kHead);
        s.descriptor = k.sgpr<4>(name + "_descriptor");
        s.row_bytes = k.sgpr<1>(name + "_row_bytes");
        s.step_bytes = k.sgpr<1>(name + "_step_bytes");
        make_descriptor(k, s.descriptor,
                        head_base(name + "_base", pointer, kv_head, stride_b, stride_h, 0));
        k.s_mov_b32(s.row_bytes, field(stride_row)[0]);
        k.s_mul_i32(s.step_bytes, s.row_bytes, int(r.k_tile));

        auto row = k.vgpr<1>(name + "_row"), byte = k.vgpr<1>(name + "_byte");
        chunk.emit(k, byte, lane);
        k.v_xor_b32(byte, odd_wave, byte);
        k.v_lshrrev_b32(row, 3, lane);
        auto first_row = k.sgpr<1>("first_row");
        k.s_lshl_b32(first_row, wave, 3);
        k.v_add_u32(row, first_row, row);
        for (unsigned b = 0; b < blocks; ++b) {
            s.offset.push_back(k.vgpr<1>(name + "_offset"));
            if (b) k.v_add_u32(row, int(kBlock), row);
            k.v_mul_lo_u32(s.offset[b], row, s.row_bytes);
            k.v_add_u32(s.offset[b], s.offset[b], byte);
        }
        LdsTile tile =
            &s == &keys ? key_tile(s.region[0], r.k_tile) : value_tile(s.region[0], r.k_tile);
        for (unsigned unit = 0; unit < 8 * blocks; ++unit) {
            check_fill(
                tile, unit,
                [&](unsigned l) {
                    return LdsTile::Spot{8 * unit + l / 8, chunk.at(l) ^ (unit % 2 * 64)};
                },
                Where::current());
        }
    }

    void fetch(Stream& s, unsigned buffer) {
        auto rows = k.sgpr<1>("tile_rows");
        k.s_min_i32(rows, unfetched, int(r.k_tile));
        bound_rows(k, s.descriptor, rows, s.row_bytes, kHead);
        for (unsigned b = 0; b < blocks; ++b) {
            k.s_add_u32(m0, wave_lds, k.lds_first_byte(s.region[buffer]) + b * kBlock * kHead);
            k.buffer_load_dwordx4_lds(s.offset[b], s.descriptor, 0).region(s.region[buffer]);
        }
        k.s_add_u32(s.descriptor[0], s.descriptor[0], s.step_bytes);
        k.s_addc_u32(s.descriptor[1], s.descriptor[1], 0);
    }

    // Past the last tile num_records is 0: zeros land, and the number of loads in flight stays.
    void fetch(unsigned buffer) {
        auto part = k.section("fetch", Pipe::memory);
        fetch(keys, buffer);
        fetch(values, buffer);
        k.s_sub_i32(unfetched, unfetched, int(r.k_tile));
    }

    // --- before the loop -------------------------------------------------------------------------
    void load_queries() {
        auto part = k.section("queries", Pipe::memory);
        auto row_bytes = k.sgpr<1>("q_row_bytes");
        auto descriptor = k.sgpr<4>("q_descriptor");
        auto offset = k.vgpr<1>("q_offset");
        make_descriptor(
            k, descriptor,
            head_base("q_base", &AttentionArgs::q, k.workgroup_id_y, &AttentionArgs::q_stride_b,
                      &AttentionArgs::q_stride_h, 0, &AttentionArgs::q_stride_row));
        k.s_mov_b32(row_bytes, field(&AttentionArgs::q_stride_row)[0]);
        bound_rows(k, descriptor, query_rows, row_bytes, kHead);
        k.v_mul_lo_u32(offset, query, row_bytes);
        k.v_add_u32(offset, offset, half_16);
        for (unsigned step = 0; step < 2; ++step) {
            for (unsigned i = 0; i < 2; ++i)
                k.buffer_load_dwordx4(q.part<4>(2 * step + i), offset, descriptor, 0)
                    .offset(64 * step + 32 * i);
            q_operand[step] = {q.part<8>(step), row_order(), {}};
            std::iota(q_operand[step].rows.begin(), q_operand[step].rows.end(), int16_t(0));
        }
    }

    // The last key that a query sees: sk - 1, or the diagonal (bottom-right aligned).
    void count_tiles() {
        auto part = k.section("mask limits", Pipe::scalar);
        auto last = k.sgpr<1>("last_key");
        k.s_sub_i32(last, sk, 1);
        if (r.causal) {
            auto shift = k.sgpr<1>("diagonal_shift"), bottom = k.sgpr<1>("last_query");
            auto diagonal = k.vgpr<1>("diagonal");
            k.s_sub_i32(shift, sk, sq);
            k.s_add_i32(wave_limit, first_query, wave_row);
            k.s_add_i32(wave_limit, wave_limit, shift);
            k.s_min_i32(wave_limit, wave_limit, last);
            k.s_add_i32(bottom, first_query, query_rows);
            k.s_sub_i32(bottom, bottom, 1);
            k.s_add_i32(bottom, bottom, shift);
            auto first_limit = k.sgpr<1>("first_limit");
            k.s_add_i32(first_limit, first_query, shift);
            k.v_add_u32(diagonal, first_limit, query);
            k.v_min_i32(lane_limit, last, diagonal);
            k.s_min_i32(last, last, bottom);
        } else {
            k.s_mov_b32(wave_limit, last);
            k.v_mov_b32(lane_limit, last);
        }
        auto four_half = k.vgpr<1>("four_half");
        k.v_lshrrev_b32(four_half, 2, half_16);
        k.v_sub_u32(lane_limit, lane_limit, four_half);
        k.s_max_i32(last, last, -1);
        k.s_add_i32(last, last, int(r.k_tile));
        k.s_lshr_b32(tiles, last, r.k_tile == 64 ? 6 : 7);
        k.s_mov_b32(unfetched, sk);
        k.s_sub_i32(wave_limit, wave_limit, int(r.k_tile - 1));  // last unmasked tile start
        k.s_mov_b32(first_key, 0);
    }

    void initialise() {
        auto part = k.section("zero", Pipe::vector);
        for (auto& tile : o)
            for (unsigned i = 0; i < 16; ++i) k.v_mov_b32(tile[i], 0);
        for (unsigned b = 0; b < blocks; ++b) {
            p.push_back(k.vgpr<8>("p"));
            for (unsigned i = 0; i < 8; ++i) k.v_mov_b32(p[b][i], 0);
        }
        for (unsigned i = 0; i < 2 * blocks; ++i) s.push_back(k.vgpr<16>("s"));
        k.v_mov_b32(row_sum, 0);
        // Not -inf: differences stay defined, and 2^(-inf - x) is 0 for a fully masked row.
        k.v_mov_b32(row_max, std::numeric_limits<float>::lowest());
        k.v_mov_b32(minus_infinity, -std::numeric_limits<float>::infinity());
    }

    // --- one tile of keys ------------------------------------------------------------------------
    void step(unsigned buffer) {
        {
            auto part = k.section("hand over", Pipe::lds);
            k.wait_filled(keys.region[buffer]);
            k.wait_filled(values.region[buffer]);
            k.wait_drained(keys.region[1 - buffer]);
            k.wait_drained(values.region[1 - buffer]);
            k.s_barrier();
        }
        fetch(1 - buffer);
        scores(buffer);
        mask();
        softmax();
        weigh(buffer);
        k.s_add_i32(first_key, first_key, int(r.k_tile));
        k.s_sub_u32(tiles, tiles, 1);
        k.s_cmp_lg_u32(tiles, 0);
    }

    void scores(unsigned buffer) {
        auto part = k.section("scores", Pipe::matrix);
        for (unsigned tile = 0; tile < s.size(); ++tile) {
            for (unsigned step = 0; step < 2; ++step) {
                auto regs = k.vgpr<8>("k_fragment");
                TileOperand rows = read_rows(k, key_tile(keys.region[buffer], r.k_tile), regs,
                                             {key_read[2 * step], key_read[2 * step + 1]},
                                             {key_read_expr(step, 0), key_read_expr(step, 1)},
                                             tile * 32 * kHead, 64 * step);
                multiply(k, s[tile], rows, q_operand[step], step ? C<16>(in_place) : C<16>(0));
            }
        }
        for (auto& tile : s)
            for (unsigned i = 0; i < 16; ++i) k.v_mul_f32(tile[i], scale, tile[i]);
    }

    void mask() {
        auto part = k.section("mask", Pipe::vector);
        Label unmasked = k.label("unmasked");
        k.s_cmp_le_i32(first_key, wave_limit);
        k.s_cbranch_scc1(unmasked);
        auto limit = k.vgpr<1>("tile_limit");
        k.v_subrev_u32(limit, first_key, lane_limit);
        for (unsigned tile = 0; tile < s.size(); ++tile) {
            for (unsigned i = 0; i < 16; ++i) {
                k.v_cmp_le_i32(vcc, int(32 * tile + c_cell(32, 0, i).row), limit);
                k.v_cndmask_b32(s[tile][i], minus_infinity, s[tile][i], vcc);
            }
        }
        k.place(unmasked);
    }

    void softmax() {
        auto part = k.section("softmax", Pipe::vector);
        auto higher = k.vgpr<1>("higher"), other = k.vgpr<1>("other_half"),
             reference = k.vgpr<1>("reference"), alpha = k.vgpr<1>("alpha");
        k.v_max3_f32(higher, row_max, s[0][0], s[0][1]);
        for (unsigned i = 2; i < 16 * s.size(); i += 2)
            k.v_max3_f32(higher, higher, s[i / 16][i % 16], s[i / 16][i % 16 + 1]);
        k.v_mov_b32(other, higher);
        k.v_permlane32_swap_b32(higher, other);
        k.v_max_f32(higher, higher, other);
        k.v_sub_f32(alpha, row_max, higher);
        k.v_exp_f32(alpha, alpha);
        k.v_mov_b32(row_max, higher);
        k.v_add_f32(reference, -kTop, higher);
        for (auto& tile : s)
            for (unsigned i = 0; i < 16; ++i) k.v_sub_f32(tile[i], tile[i], reference);
        for (auto& tile : s)
            for (unsigned i = 0; i < 16; ++i) k.v_exp_f32(tile[i], tile[i]);
        k.v_mul_f32(row_sum, alpha, row_sum);
        for (auto& tile : s)
            for (unsigned i = 0; i < 16; ++i) k.v_add_f32(row_sum, row_sum, tile[i]);
        for (unsigned b = 0; b < blocks; ++b) {
            for (unsigned i = 0; i < 8; ++i) {
                const Vgpr<16>& from = s[2 * b + i / 4];
                unsigned n = 4 * (i % 4);
                k.v_cvt_pk_fp8_f32(p[b][i], from[n], from[n + 1]);
                k.v_cvt_pk_fp8_f32(p[b][i], from[n + 2], from[n + 3]).high();
            }
        }
        for (auto& tile : o)
            for (unsigned i = 0; i < 16; ++i) k.v_mul_f32(tile[i], alpha, tile[i]);
    }

    void weigh(unsigned buffer) {
        auto part = k.section("weigh values", Pipe::matrix);
        for (unsigned d = 0; d < 4; ++d) {
            for (unsigned b = 0; b < blocks; ++b) {
                auto regs = k.vgpr<8>("v_fragment");
                TileOperand columns =
                    read_columns(k, value_tile(values.region[buffer], r.k_tile), regs,
                                 value_read[d], value_read_expr(d), b * kBlock * kHead, 16 * kHead);
                TileOperand weights{p[b], packed_accumulator_order(), {}};
                for (int16_t& key : weights.k) key = int16_t(key + b * kBlock);
                multiply(k, o[d], columns, weights);
            }
        }
    }

    // --- after the loop --------------------------------------------------------------------------
    void normalise_and_store() {
        auto part = k.section("store", Pipe::memory);
        auto other = k.vgpr<1>("other_half"), factor = k.vgpr<1>("factor"),
             offset = k.vgpr<1>("o_offset");
        k.v_mov_b32(other, row_sum);
        k.v_permlane32_swap_b32(row_sum, other);
        k.v_add_f32(row_sum, row_sum, other);
        k.v_rcp_f32(factor, row_sum);
        k.v_cmp_neq_f32(vcc, 0.0f, row_sum);  // true for NaN
        k.v_cndmask_b32(factor, 0.0f, factor, vcc);
        k.v_mul_f32(factor, v_descale, factor);

        auto descriptor = k.sgpr<4>("o_descriptor");
        auto row_bytes = k.sgpr<1>("o_row_bytes");
        make_descriptor(
            k, descriptor,
            head_base("o_base", &AttentionArgs::o, k.workgroup_id_y, &AttentionArgs::o_stride_b,
                      &AttentionArgs::o_stride_h, 1, &AttentionArgs::o_stride_row));
        k.s_lshl_b32(row_bytes, field(&AttentionArgs::o_stride_row)[0], 1);
        bound_rows(k, descriptor, query_rows, row_bytes, 2 * kHead);
        k.v_mul_lo_u32(offset, query, row_bytes);
        k.v_add_u32(offset, offset, half_16);
        for (unsigned d = 0; d < 4; ++d) {
            for (unsigned i = 0; i < 16; ++i) k.v_mul_f32(o[d][i], factor, o[d][i]);
            for (unsigned pair = 0; pair < 2; ++pair) {
                // Lane halves hold columns 0-3 and 4-7 of each 8: swap so that each has 8 in a row.
                auto line = k.vgpr<4>("o_line");
                for (unsigned i = 0; i < 4; ++i)
                    k.v_cvt_pk_bf16_f32(line[i], o[d][8 * pair + 2 * i],
                                        o[d][8 * pair + 2 * i + 1]);
                k.v_permlane32_swap_b32(line[0], line[2]);
                k.v_permlane32_swap_b32(line[1], line[3]);
                k.buffer_store_dwordx4(line, offset, descriptor, 0).offset(64 * d + 32 * pair);
            }
        }
    }

    void store_lse() {
        auto part = k.section("lse", Pipe::memory);
        auto value = k.vgpr<1>("lse_value"), offset = k.vgpr<1>("lse_offset"),
             out = k.vgpr<1>("upper_half_out");
        k.v_log_f32(value, row_sum);
        k.v_add_f32(row_max, -kTop, row_max);
        k.v_add_f32(value, row_max, value);
        k.v_mul_f32(value, kLn2, value);
        auto descriptor = k.sgpr<4>("lse_descriptor");
        auto base = head_base("lse_base", &AttentionArgs::lse, k.workgroup_id_y,
                              &AttentionArgs::lse_stride_b, &AttentionArgs::lse_stride_h, 2);
        auto start = k.sgpr<1>("lse_start");
        k.s_lshl_b32(start, first_query, 2);
        k.s_add_u32(base[0], base[0], start);
        k.s_addc_u32(base[1], base[1], 0);
        make_descriptor(k, descriptor, base);
        k.s_lshl_b32(start, query_rows, 2);
        k.s_cmp_lg_u64(field(&AttentionArgs::lse), 0);
        k.s_cselect_b32(descriptor[2], start, 0);
        k.v_lshlrev_b32(offset, 2, query);
        k.v_lshlrev_b32(out, 27, half_16);  // the upper half has the same rows: out of range
        k.v_or_b32(offset, out, offset);
        k.buffer_store_dword(value, offset, descriptor, 0);
    }

    const Recipe& r;
    Kernel k;
    unsigned blocks;  // of 64 keys in a tile

    std::array<Sgpr<16>, 3> args{k.sgpr<16>("pointers"), k.sgpr<16>("strides"),
                                 k.sgpr<16>("more_strides")};
    Sgpr<4> sizes = k.sgpr<4>("sizes");
    Sgpr<1> sq, sk;
    Sgpr<1> wave = k.sgpr<1>("wave"), wave_lds = k.sgpr<1>("wave_lds"),
            wave_row = k.sgpr<1>("wave_row"), odd_wave = k.sgpr<1>("odd_wave"),
            first_query = k.sgpr<1>("first_query"), query_rows = k.sgpr<1>("query_rows"),
            kv_head = k.sgpr<1>("kv_head"), v_descale = k.sgpr<1>("v_descale"),
            scale = k.sgpr<1>("scale"), wave_limit = k.sgpr<1>("wave_limit"),
            tiles = k.sgpr<1>("tiles"), unfetched = k.sgpr<1>("unfetched_keys"),
            first_key = k.sgpr<1>("first_key");
    Vgpr<1> thread = k.vgpr<1>("thread"), lane = k.vgpr<1>("lane"), query = k.vgpr<1>("query"),
            half_16 = k.vgpr<1>("half_16"), lane_limit = k.vgpr<1>("lane_limit"),
            row_sum = k.vgpr<1>("row_sum"), row_max = k.vgpr<1>("row_max"),
            minus_infinity = k.vgpr<1>("minus_infinity");
    std::array<Vgpr<1>, 4> key_read{k.vgpr<1>("key_read"), k.vgpr<1>("key_read"),
                                    k.vgpr<1>("key_read"), k.vgpr<1>("key_read")};
    std::array<Vgpr<1>, 4> value_read{k.vgpr<1>("value_read"), k.vgpr<1>("value_read"),
                                      k.vgpr<1>("value_read"), k.vgpr<1>("value_read")};
    Vgpr<16> q = k.vgpr<16>("q");
    std::array<TileOperand, 2> q_operand;
    std::vector<Vgpr<16>> s;
    std::vector<Vgpr<8>> p;
    std::array<Vgpr<16>, 4> o{k.vgpr<16>("o"), k.vgpr<16>("o"), k.vgpr<16>("o"), k.vgpr<16>("o")};
    Stream keys, values;
};

}  // namespace

Program fp8_d128(const Recipe& recipe) { return Fp8D128(recipe).describe(); }

}  // namespace zyfa
