#include "kernels/fp8_d128.hpp"

#include <limits>
#include <numeric>
#include <vector>

#include "dsl/layout.hpp"
#include "kernels/abi.hpp"
#include "kernels/fp8_loop.hpp"
#include "kernels/lds_layout.hpp"
#include "kernels/softmax.hpp"
#include "kernels/tiles.hpp"

// One workgroup = 256 queries of one head; a wave owns 32 or 64 of them, a lane owns one of
// each 32. Everything is computed transposed: S^T = K Q^T, O^T = V^T P^T, so that the softmax of a
// row stays in one lane but for an exchange with lane + 32, and P needs no move between lanes: the
// transposed LDS reads of V follow the order in which the accumulators leave P.
namespace zyfa {
namespace {

constexpr unsigned kHead = 128;
constexpr float kLog2e = 1.44269504088896340736f, kLn2 = 0.69314718055994530942f;
// Scores times the scale are exponents of 2. It is kept in a range where no product overflows.
constexpr float kScaleMin = 0x1p-60f, kScaleMax = 0x1p60f;

class Fp8D128 {
public:
    Fp8D128(const Recipe& recipe, const Schedule& schedule)
        : r(recipe),
          s(schedule),
          plan(schedule),
          k(std::string(recipe.id), {schedule.waves, true}) {
        l.in_agprs = s.wave_rows > 32;
        l.lane = k.vgpr<1>("lane");
        l.wave = k.sgpr<1>("wave");
        l.wave_lds = k.sgpr<1>("wave_lds");
        l.scale = k.sgpr<1>("scale");
        l.wave_limit = k.sgpr<1>("wave_limit");
        l.tiles = k.sgpr<1>("tiles");
        l.first_key = k.sgpr<1>("first_key");
        l.minus_infinity = k.vgpr<1>("minus_infinity");
        for (auto& address : l.key_read) address = k.vgpr<1>("key_read");
        for (auto& address : l.value_read) address = k.vgpr<1>("value_read");
        l.rows.resize(s.query_blocks());
        for (QueryBlock& rows : l.rows) {
            query.push_back(k.vgpr<1>("query"));
            rows.limit = k.vgpr<1>("lane_limit");
        }
        softmax = make_softmax(k, s, plan, l);
    }

    Program describe() {
        load_arguments();
        locate_wave();
        make_addresses();
        for (unsigned b = 0; b < s.query_blocks(); ++b) load_queries(b);
        count_tiles();
        initialise();
        Label done = k.label("done");
        k.s_cmp_eq_u32(l.tiles, 0);
        k.s_cbranch_scc1(done);
        emit_loop(k, s, plan, l, *softmax);
        softmax->meet();
        k.place(done);
        // No load may land in LDS after the workgroup is gone.
        for (int region : l.keys.region) k.wait_filled(region);
        for (int region : l.values.region) k.wait_filled(region);
        for (unsigned b = 0; b < s.query_blocks(); ++b) {
            normalise_and_store(b);
            store_lse(b);
        }
        k.s_endpgm();
        for (const auto& emit_rare : l.out_of_line) emit_rare();
        Program program = k.finish();
        program.alignment = s.alignment;
        program.probes = s.probes;
        program.schedule = fmt::format("{}@{}.json", r.id, s.name);
        return program;
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
        k.v_and_b32(l.lane, 63, thread);
        k.v_lshrrev_b32(thread, 6, thread);
        k.v_readfirstlane_b32(l.wave, thread);
        k.s_lshl_b32(l.wave_lds, l.wave, 10);
        if (r.causal) {
            // Later rows see more keys; the longest workgroups start first, so that the launch
            // ends with short ones.
            auto tile = k.sgpr<1>("query_tile");
            k.s_add_u32(tile, sq, int(kQueryTile - 1));
            k.s_lshr_b32(tile, tile, 8);
            k.s_sub_u32(tile, tile, k.workgroup_id_z);
            k.s_sub_u32(tile, tile, 1);
            k.s_lshl_b32(first_query, tile, 8);
        } else {
            k.s_lshl_b32(first_query, k.workgroup_id_z, 8);
        }
        divide_heads(k, kv_head, k.workgroup_id_x, sizes[2]);
        load_scales();
    }

    // c = softmax_scale * q_descale * k_descale * log2(e): scores times c are exponents of 2.
    void load_scales() {
        auto offset = k.sgpr<2>("descale_offset"), where = k.sgpr<2>("descale_address");
        k.s_mov_b64(offset, 0);
        add_product(k, offset, k.workgroup_id_y, field(&AttentionArgs::descale_stride_b));
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
        // A negative scale is taken off here and put on Q: maxima of raw scores are then right.
        auto flip = k.vgpr<1>("flip"), size = k.vgpr<1>("scale_size");
        k.v_ashrrev_i32(flip, 31, product);
        k.v_and_b32(flip, 0x80808080u, flip);
        k.v_readfirstlane_b32(q_flip, flip);
        k.v_and_b32(size, 0x7fffffff, product);
        k.v_max_f32(size, kScaleMin, size);
        k.v_min_f32(size, kScaleMax, size);
        k.v_cmp_u_f32(vcc, product, product);  // NaN stays
        k.v_cndmask_b32(size, size, product, vcc);
        k.v_readfirstlane_b32(l.scale, size);
    }

    // Base of this batch entry and head in elements, then bytes.
    Sgpr<2> head_base(std::string_view name, uint64_t AttentionArgs::* pointer, Sgpr<1> head,
                      int64_t AttentionArgs::* stride_b, int64_t AttentionArgs::* stride_h,
                      unsigned log2_bytes, int64_t AttentionArgs::* stride_row = nullptr) {
        auto base = k.sgpr<2>(name);
        k.s_mov_b64(base, 0);
        add_product(k, base, k.workgroup_id_y, field(stride_b));
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
        (lane_number >> 5).emit(k, half, l.lane);
        (lane_number & 31).emit(k, query[0], l.lane);
        k.s_lshl_b32(wave_row, l.wave, s.wave_rows == 64 ? 6 : 5);
        k.v_add_u32(query[0], wave_row, query[0]);  // row within the workgroup's 256
        for (unsigned b = 1; b < s.query_blocks(); ++b)
            k.v_add_u32(query[b], int(32 * b), query[0]);
        k.v_lshlrev_b32(half_16, 4, half);

        k.s_and_b32(odd_wave, l.wave, 1);
        k.s_lshl_b32(odd_wave, odd_wave, 6);
        stream(l.keys, "k", &AttentionArgs::k, &AttentionArgs::k_stride_b,
               &AttentionArgs::k_stride_h, &AttentionArgs::k_stride_row, key_chunk());
        stream(l.values, "v", &AttentionArgs::v, &AttentionArgs::v_stride_b,
               &AttentionArgs::v_stride_h, &AttentionArgs::v_stride_row, value_chunk());

        for (unsigned n = 0; n < 4; ++n) key_read_expr(n / 2, n % 2).emit(k, l.key_read[n], l.lane);
        for (unsigned d = 0; d < 4; ++d) {
            // The immediate offset of a read reaches 64 KiB: not over the keys, too.
            value_read_expr(d).emit(k, l.value_read[d], l.lane);
            k.v_add_u32(l.value_read[d], k.lds_first_byte(l.values.region[0]), l.value_read[d]);
        }
    }

    // --- tiles of keys and values, global -> LDS -------------------------------------------------
    // A wave fetches 8 rows with each load: every `waves`-th 8 of the tile.
    void stream(TileStream& to, std::string name, uint64_t AttentionArgs::* pointer,
                int64_t AttentionArgs::* stride_b, int64_t AttentionArgs::* stride_h,
                int64_t AttentionArgs::* stride_row, const LaneExpr& chunk) {
        const bool is_keys = &to == &l.keys;
        for (unsigned b = 0; b < (is_keys ? s.k_slots : s.v_slots); ++b)
            to.region.push_back(k.lds_region(name + std::to_string(b), s.key_tile * kHead));
        to.descriptor = k.sgpr<4>(name + "_descriptor");
        to.row_bytes = k.sgpr<1>(name + "_row_bytes");
        to.step_bytes = k.sgpr<1>(name + "_step_bytes");
        to.unfetched = k.sgpr<1>(name + "_unfetched");
        make_descriptor(k, to.descriptor,
                        head_base(name + "_base", pointer, kv_head, stride_b, stride_h, 0));
        k.s_mov_b32(to.row_bytes, field(stride_row)[0]);
        k.s_mul_i32(to.step_bytes, to.row_bytes, int(s.key_tile));
        k.s_mov_b32(to.unfetched, sk);

        auto row = k.vgpr<1>(name + "_row"), byte = k.vgpr<1>(name + "_byte");
        chunk.emit(k, byte, l.lane);
        k.v_xor_b32(byte, odd_wave, byte);
        k.v_lshrrev_b32(row, 3, l.lane);
        auto first_row = k.sgpr<1>("first_row");
        k.s_lshl_b32(first_row, l.wave, 3);
        k.v_add_u32(row, first_row, row);
        const unsigned units = s.key_tile / 8;
        for (unsigned n = 0; n < units / s.waves; ++n) {
            to.offset.push_back(k.vgpr<1>(name + "_offset"));
            if (n) k.v_add_u32(row, int(8 * s.waves), row);
            k.v_mul_lo_u32(to.offset[n], row, to.row_bytes);
            k.v_add_u32(to.offset[n], to.offset[n], byte);
        }
        LdsTile tile =
            is_keys ? key_tile(to.region[0], s.key_tile) : value_tile(to.region[0], s.key_tile, 0);
        for (unsigned unit = 0; unit < units; ++unit) {
            check_fill(
                tile, unit,
                [&](unsigned n) {
                    return LdsTile::Spot{8 * unit + n / 8, chunk.at(n) ^ (unit % 2 * 64)};
                },
                Where::current());
        }
    }

    // --- before the loop -------------------------------------------------------------------------
    void load_queries(unsigned block) {
        auto part = k.section("queries", Pipe::memory);
        if (block == 0) {
            q_row_bytes = k.sgpr<1>("q_row_bytes");
            q_descriptor = k.sgpr<4>("q_descriptor");
            make_descriptor(
                k, q_descriptor,
                head_base("q_base", &AttentionArgs::q, k.workgroup_id_x, &AttentionArgs::q_stride_b,
                          &AttentionArgs::q_stride_h, 0, &AttentionArgs::q_stride_row));
            k.s_mov_b32(q_row_bytes, field(&AttentionArgs::q_stride_row)[0]);
            bound_rows(k, q_descriptor, query_rows, q_row_bytes, kHead);
        }
        auto offset = k.vgpr<1>("q_offset");
        k.v_mul_lo_u32(offset, query[block], q_row_bytes);
        k.v_add_u32(offset, offset, half_16);
        auto q = k.vgpr<16>("q");
        for (unsigned n = 0; n < 4; ++n)
            k.buffer_load_dwordx4(q.part<4>(n), offset, q_descriptor, 0).offset(32 * n);
        for (unsigned n = 0; n < 16; ++n) k.v_xor_b32(q[n], q_flip, q[n]);
        softmax->loaded(l.rows[block], q);
        auto kept = l.in_agprs ? k.agpr<16>("q") : Agpr<16>{};
        if (l.in_agprs)
            for (unsigned n = 0; n < 16; ++n) k.v_accvgpr_write_b32(kept[n], q[n]);
        for (unsigned step = 0; step < 2; ++step) {
            TileOperand& operand = l.rows[block].q[step];
            operand = {l.in_agprs ? kept.part<8>(step).operand() : q.part<8>(step).operand(),
                       row_order(),
                       {}};
            std::iota(operand.rows.begin(), operand.rows.end(), int16_t(0));
        }
    }

    // The last key that a query sees: sk - 1, or the diagonal (bottom-right aligned).
    void count_tiles() {
        auto part = k.section("mask limits", Pipe::scalar);
        auto last = k.sgpr<1>("last_key");
        k.s_sub_i32(last, sk, 1);
        if (r.causal) {
            auto shift = k.sgpr<1>("diagonal_shift"), bottom = k.sgpr<1>("last_query");
            k.s_sub_i32(shift, sk, sq);
            // One limit for all waves where waves look at keys for one another.
            if (s.checks_scores()) k.s_mov_b32(l.wave_limit, first_query);
            else k.s_add_i32(l.wave_limit, first_query, wave_row);
            k.s_add_i32(l.wave_limit, l.wave_limit, shift);
            k.s_min_i32(l.wave_limit, l.wave_limit, last);
            k.s_add_i32(bottom, first_query, query_rows);
            k.s_sub_i32(bottom, bottom, 1);
            k.s_add_i32(bottom, bottom, shift);
            auto first_limit = k.sgpr<1>("first_limit");
            k.s_add_i32(first_limit, first_query, shift);
            for (unsigned b = 0; b < s.query_blocks(); ++b) {
                auto diagonal = k.vgpr<1>("diagonal");
                k.v_add_u32(diagonal, first_limit, query[b]);
                k.v_min_i32(l.rows[b].limit, last, diagonal);
            }
            k.s_min_i32(last, last, bottom);
        } else {
            k.s_mov_b32(l.wave_limit, last);
            for (QueryBlock& rows : l.rows) k.v_mov_b32(rows.limit, last);
        }
        auto four_half = k.vgpr<1>("four_half");
        k.v_lshrrev_b32(four_half, 2, half_16);
        for (QueryBlock& rows : l.rows) k.v_sub_u32(rows.limit, rows.limit, four_half);
        k.s_max_i32(last, last, -1);
        k.s_add_i32(last, last, int(s.key_tile));
        k.s_lshr_b32(l.tiles, last, s.key_tile == 64 ? 6 : 7);
        k.s_sub_i32(l.wave_limit, l.wave_limit, int(s.key_tile - 1));
        k.s_mov_b32(l.first_key, 0);
    }

    Accumulator accumulator(std::string_view name) {
        Accumulator a;
        a.in_agprs = l.in_agprs;
        if (a.in_agprs) a.a = k.agpr<16>(name);
        else a.v = k.vgpr<16>(name);
        for (unsigned i = 0; i < 16; ++i) {
            if (a.in_agprs) k.v_accvgpr_write_b32(a.a[i], 0);
            else k.v_mov_b32(a.v[i], 0);
        }
        return a;
    }

    void initialise() {
        auto part = k.section("zero", Pipe::vector);
        softmax->begin();
        for (QueryBlock& rows : l.rows) {
            for (auto& tile : rows.o) tile = accumulator("o");
            rows.p.resize(plan.weight_copies);
            for (auto& copy : rows.p)
                for (unsigned b = 0; b < s.key_tile / 64; ++b) {
                    copy.push_back(k.vgpr<8>("p"));
                    for (unsigned i = 0; i < 8; ++i) k.v_mov_b32(copy[b][i], 0);
                }
            rows.s.resize(plan.score_copies);
            for (auto& copy : rows.s)
                for (unsigned n = 0; n < s.key_blocks(); ++n) copy.push_back(k.vgpr<16>("s"));
            softmax->begin(rows);
        }
        k.v_mov_b32(l.minus_infinity, -std::numeric_limits<float>::infinity());
    }

    // --- after the loop --------------------------------------------------------------------------
    Vgpr<1> word_of(const Accumulator& tile, unsigned i) {
        if (!tile.in_agprs) return tile.v[i];
        auto word = k.vgpr<1>("word");
        k.v_accvgpr_read_b32(word, tile.a[i]);
        return word;
    }

    void normalise_and_store(unsigned block) {
        auto part = k.section("store", Pipe::memory);
        QueryBlock& rows = l.rows[block];
        auto factor = k.vgpr<1>("factor"), offset = k.vgpr<1>("o_offset");
        softmax->end(rows);
        k.v_rcp_f32(factor, rows.row_sum);
        k.v_cmp_neq_f32(vcc, 0.0f, rows.row_sum);  // true for NaN
        k.v_cndmask_b32(factor, 0.0f, factor, vcc);
        k.v_mul_f32(factor, v_descale, factor);

        if (block == 0) {
            o_descriptor = k.sgpr<4>("o_descriptor");
            o_row_bytes = k.sgpr<1>("o_row_bytes");
            make_descriptor(
                k, o_descriptor,
                head_base("o_base", &AttentionArgs::o, k.workgroup_id_x, &AttentionArgs::o_stride_b,
                          &AttentionArgs::o_stride_h, 1, &AttentionArgs::o_stride_row));
            k.s_lshl_b32(o_row_bytes, field(&AttentionArgs::o_stride_row)[0], 1);
            bound_rows(k, o_descriptor, query_rows, o_row_bytes, 2 * kHead);
        }
        k.v_mul_lo_u32(offset, query[block], o_row_bytes);
        k.v_add_u32(offset, offset, half_16);
        for (unsigned d = 0; d < 4; ++d)
            for (unsigned pair = 0; pair < 2; ++pair) {
                // Lane halves hold columns 0-3 and 4-7 of each 8: swap so that each has 8 in a row.
                auto line = k.vgpr<4>("o_line");
                for (unsigned i = 0; i < 4; ++i) {
                    auto low = k.vgpr<1>("low"), high = k.vgpr<1>("high");
                    k.v_mul_f32(low, factor, word_of(rows.o[d], 8 * pair + 2 * i));
                    k.v_mul_f32(high, factor, word_of(rows.o[d], 8 * pair + 2 * i + 1));
                    k.v_cvt_pk_bf16_f32(line[i], low, high);
                }
                k.v_permlane32_swap_b32(line[0], line[2]);
                k.v_permlane32_swap_b32(line[1], line[3]);
                k.buffer_store_dwordx4(line, offset, o_descriptor, 0).offset(64 * d + 32 * pair);
            }
    }

    void store_lse(unsigned block) {
        auto part = k.section("lse", Pipe::memory);
        const QueryBlock& rows = l.rows[block];
        auto value = k.vgpr<1>("lse_value"), offset = k.vgpr<1>("lse_offset"),
             out = k.vgpr<1>("upper_half_out");
        k.v_log_f32(value, rows.row_sum);
        k.v_add_f32(value, rows.reference, value);
        k.v_mul_f32(value, kLn2, value);
        if (block == 0) {
            lse_descriptor = k.sgpr<4>("lse_descriptor");
            auto base = head_base("lse_base", &AttentionArgs::lse, k.workgroup_id_x,
                                  &AttentionArgs::lse_stride_b, &AttentionArgs::lse_stride_h, 2);
            auto start = k.sgpr<1>("lse_start");
            k.s_lshl_b32(start, first_query, 2);
            k.s_add_u32(base[0], base[0], start);
            k.s_addc_u32(base[1], base[1], 0);
            make_descriptor(k, lse_descriptor, base);
            k.s_lshl_b32(start, query_rows, 2);
            k.s_cmp_lg_u64(field(&AttentionArgs::lse), 0);
            k.s_cselect_b32(lse_descriptor[2], start, 0);
        }
        k.v_lshlrev_b32(offset, 2, query[block]);
        k.v_lshlrev_b32(out, 27, half_16);  // the upper half has the same rows: out of range
        k.v_or_b32(offset, out, offset);
        k.buffer_store_dword(value, offset, lse_descriptor, 0);
    }

    const Recipe& r;
    const Schedule& s;
    const Plan plan;
    Kernel k;

    std::array<Sgpr<16>, 3> args{k.sgpr<16>("pointers"), k.sgpr<16>("strides"),
                                 k.sgpr<16>("more_strides")};
    Sgpr<4> sizes = k.sgpr<4>("sizes");
    Sgpr<1> sq, sk;
    Sgpr<1> wave_row = k.sgpr<1>("wave_row"), odd_wave = k.sgpr<1>("odd_wave"),
            first_query = k.sgpr<1>("first_query"), query_rows = k.sgpr<1>("query_rows"),
            kv_head = k.sgpr<1>("kv_head"), v_descale = k.sgpr<1>("v_descale"),
            q_flip = k.sgpr<1>("q_flip");
    Sgpr<1> q_row_bytes, o_row_bytes;
    Sgpr<4> q_descriptor, o_descriptor, lse_descriptor;
    Vgpr<1> thread = k.vgpr<1>("thread"), half_16 = k.vgpr<1>("half_16");
    std::vector<Vgpr<1>> query;  // row in the workgroup, by block of 32
    LoopState l;
    std::unique_ptr<Softmax> softmax;
};

}  // namespace

Program fp8_d128(const Recipe& recipe, const Schedule& schedule) {
    return Fp8D128(recipe, schedule).describe();
}

}  // namespace zyfa
