#include "kernels/fp8_loop.hpp"

#include "kernels/lds_layout.hpp"
#include "kernels/softmax.hpp"
#include "kernels/tiles.hpp"

namespace zyfa {
namespace {

constexpr unsigned kHead = 128, kBlock = 64;  // kBlock: keys of one matrix instruction of pv

// Hidden scores of a tile. Compares come four at a time: a mask is not needed right behind the
// instruction that makes it.
void hide(Kernel& k, const Schedule& s, const LoopState& l, QueryBlock& rows, TileScores scores) {
    std::array<Sgpr<2>, 4> visible;
    for (auto& pair : visible) pair = k.sgpr<2>("visible");
    auto limit = k.vgpr<1>("tile_limit"), upper = k.vgpr<1>("tile_limit_64");
    k.v_subrev_u32(limit, l.first_key, rows.limit);
    if (s.key_tile > 64) k.v_add_u32(upper, -64, limit);
    auto& tiles = scores.s;
    for (unsigned tile = 0; tile < tiles.size(); ++tile)
        for (unsigned four = 0; four < 16; four += 4) {
            // Inline constants end at 64.
            const Vgpr<1>& from = tile < 2 ? limit : upper;
            for (unsigned n = 0; n < 4; ++n)
                k.v_cmp_le_i32(visible[n], int(32 * (tile % 2) + c_cell(32, 0, four + n).row),
                               from);
            for (unsigned n = 0; n < 4; ++n)
                k.v_cndmask_b32(tiles[tile][four + n], l.minus_infinity, tiles[tile][four + n],
                                visible[n]);
        }
}

class Loop {
public:
    Loop(Kernel& kernel, const Schedule& schedule, const Plan& p, LoopState& state,
         Softmax& rows_of)
        : k(kernel), s(schedule), plan(p), l(state), softmax(rows_of) {
        for (unsigned n = 0; n < s.fragments; ++n) {
            if (l.in_agprs) fragments_a_.push_back(k.agpr<8>("fragment"));
            else fragments_v_.push_back(k.vgpr<8>("fragment"));
        }
        operands_.resize(plan.steps.size());
    }

    void emit() {
        Label done = k.label("tiles_done");
        start();
        // The first tile enters; what works on tiles before it is left out.
        for (int i = plan.first_iteration; i <= 0; ++i) {
            iteration_ = i;
            iterate({i, i == plan.first_iteration, true, false});
        }
        std::vector<Label> last;
        for (unsigned n = 0; n < plan.unroll && plan.has_last; ++n)
            last.push_back(k.label("last_tile"));
        const auto leave = [&](unsigned copy) {
            k.s_cbranch_scc0(plan.has_last ? last[copy] : done);
        };
        leave(0);
        Label head = k.label("key_tiles");
        k.place(head, true);
        for (unsigned n = 1; n <= plan.unroll; ++n) {
            const unsigned copy = n % plan.unroll;
            iterate({int(copy), false, false, false});
            if (copy) leave(copy);
        }
        k.s_cbranch_scc1(head);
        if (plan.has_last) {
            // Behind the last tile, once for each copy that it may have been in.
            for (unsigned n = 0; n < plan.unroll; ++n) {
                k.place(last[n]);
                iterate({int(n) + 1, false, false, true});
                if (n + 1 < plan.unroll) k.s_branch(done);
            }
        }
        k.place(done);
        meet();
    }

private:
    Kernel& k;
    const Schedule& s;
    const Plan& plan;
    LoopState& l;
    Softmax& softmax;
    std::vector<Vgpr<8>> fragments_v_;
    std::vector<Agpr<8>> fragments_a_;
    std::vector<TileOperand> operands_;  // by step
    int iteration_ = 0;

    struct Pass {
        int index;     // of the loop, or congruent to it modulo `unroll`
        bool first;    // nothing has been read from LDS for it
        bool opening;  // tiles before 0 are left out
        bool closing;  // tiles from `index` on are left out
    };

    bool is_done(const Pass& pass, int tile) const {
        if (pass.opening) return pass.index + tile >= 0;
        return !pass.closing || tile < 0;
    }
    // Whether the pass behind this one will do it.
    bool is_done_next(const Pass& pass, int tile) const {
        if (pass.closing) return false;
        return !pass.opening || pass.index + 1 + tile >= 0;
    }
    unsigned modulo(int n, unsigned m) const { return unsigned(n + int(plan.unroll * m)) % m; }

    // --- waves and LDS ---------------------------------------------------------------------------
    void start() {
        for (unsigned n = 0; n < plan.first_loads_k; ++n) fetch(true, int(n));
        for (unsigned n = 0; n < plan.first_loads_v; ++n) fetch(false, int(n));
        for (unsigned n = 0; n < plan.first_waits_k; ++n) k.wait_filled(slot(true, int(n)));
        for (unsigned n = 0; n < plan.first_waits_v; ++n) k.wait_filled(slot(false, int(n)));
        if (plan.first_barrier) k.s_barrier();
        stand_back(true);
    }
    // The upper half of the waves falls behind; the lower half makes up for it at the end.
    void stand_back(bool upper) {
        if (!s.stagger) return;
        auto part = k.section(upper ? "stagger" : "end of stagger", Pipe::scalar);
        Label together = k.label("together");
        k.s_cmp_lt_u32(l.wave, int(s.waves / 2));
        if (upper) k.s_cbranch_scc1(together);
        else k.s_cbranch_scc0(together);
        for (unsigned n = 0; n < s.stagger; ++n) k.s_barrier();
        k.place(together);
    }
    void meet() {
        bool priority = false;
        for (const Phase& p : s.phases) priority |= p.priority && *p.priority;
        if (priority) k.s_setprio(0);
        stand_back(false);
    }

    int slot(bool keys, int tile) const {
        const auto& region = keys ? l.keys.region : l.values.region;
        return region[modulo(tile, unsigned(region.size()))];
    }

    // Past the last tile num_records is 0: zeros land, and the number of loads in flight stays.
    void fetch(bool keys, int tile) {
        auto part = k.section(keys ? "fetch keys" : "fetch values", Pipe::memory);
        TileStream& from = keys ? l.keys : l.values;
        const int to = slot(keys, tile);
        auto rows = k.sgpr<1>("tile_rows");
        k.s_min_i32(rows, from.unfetched, int(s.key_tile));
        bound_rows(k, from.descriptor, rows, from.row_bytes, kHead);
        for (unsigned n = 0; n < from.offset.size(); ++n) {
            k.s_add_u32(m0, l.wave_lds, k.lds_first_byte(to) + n * s.waves * 1024);
            k.buffer_load_dwordx4_lds(from.offset[n], from.descriptor, 0).region(to);
        }
        k.s_add_u32(from.descriptor[0], from.descriptor[0], from.step_bytes);
        k.s_addc_u32(from.descriptor[1], from.descriptor[1], 0);
        k.s_sub_i32(from.unfetched, from.unfetched, int(s.key_tile));
    }

    // --- one pass --------------------------------------------------------------------------------
    void iterate(const Pass& pass) {
        if (pass.first)
            for (unsigned j = 0; j < plan.steps.size(); ++j)
                if (plan.steps[j].early && is_done(pass, plan.steps[j].tile)) read(j, pass.index);
        for (unsigned p = 0; p < s.phases.size(); ++p) phase(pass, p);
        if (pass.closing || (pass.opening && pass.index < 0)) return;
        auto part = k.section("next tile", Pipe::scalar);
        k.s_add_i32(l.first_key, l.first_key, int(s.key_tile));
        k.s_sub_u32(l.tiles, l.tiles, 1);
        k.s_cmp_lg_u32(l.tiles, 0);
    }

    void phase(const Pass& pass, unsigned p) {
        const Phase& phase = s.phases[p];
        auto scope = k.phase({phase.name, phase.fill, p + 1, phase.at});
        open(pass, p);
        unsigned j = 0;
        while (j < plan.steps.size() && plan.steps[j].phase < p) ++j;
        for (unsigned n = 0; n < phase.work.size(); ++n) {
            read_ahead(pass, p, n);
            if (is_matrix_work(phase.work[n].work))
                while (j < plan.steps.size() && plan.steps[j].phase == p && plan.steps[j].item == n)
                    step(pass, j++);
            else other_work(pass, phase.work[n]);
        }
        read_ahead(pass, p, unsigned(phase.work.size()));
        auto woven = k.behind();
        for (const Item& item : phase.behind) other_work(pass, item);
    }

    // Operands for the next phase that stand in front of item n of this one, or behind the last.
    void read_ahead(const Pass& pass, unsigned p, unsigned n) {
        const Phase& phase = s.phases[p];
        const unsigned items = unsigned(phase.work.size());
        std::vector<unsigned> all;
        for (unsigned j = 0; j < plan.steps.size(); ++j)
            if (plan.steps[j].front == int(p)) all.push_back(j);
        for (unsigned m = 0; m < all.size(); ++m) {
            const unsigned at = phase.reads == Reads::front  ? 0
                                : phase.reads == Reads::back ? items
                                                             : m * items / unsigned(all.size());
            if (at == n) read_if_needed(pass, all[m]);
        }
    }

    unsigned barriers_before(unsigned p) const {
        unsigned count = 0;
        for (unsigned n = 0; n < p; ++n) count += s.phases[n].barrier;
        return count;
    }

    void open(const Pass& pass, unsigned p) {
        const Phase& phase = s.phases[p];
        auto part = k.section(phase.name, Pipe::scalar);
        if (phase.wait) k.s_waitcnt().counts(phase.wait->vmcnt, phase.wait->lgkmcnt);
        for (const Plan::Wait& w : plan.waits) {
            if (pass.closing || w.phase != p || (pass.opening && pass.index + w.tile < 0)) continue;
            Emit filled = k.wait_filled(slot(w.keys, pass.index + w.tile));
            if (phase.wait) filled.counts(63, 15);  // the pinned one has to do
        }
        if (phase.barrier && (!pass.closing || plan.last_barriers > barriers_before(p)))
            k.s_barrier();
        if (phase.priority) k.s_setprio(int(*phase.priority));
    }

    // What is emitted from here on, the schedule asks for with this item.
    [[nodiscard]] PhaseScope because_of(const Item& item) {
        return k.entry({show(item, s), item.at});
    }
    const Item& item_of(const MatrixStep& m) const { return s.phases[m.phase].work[m.item]; }

    void other_work(const Pass& pass, const Item& item) {
        auto entry = because_of(item);
        if (item.work == Work::load_k || item.work == Work::load_v) {
            if (!pass.closing) fetch(item.work == Work::load_k, pass.index + item.tile);
            return;
        }
        if (!is_done(pass, item.tile)) return;
        if (item.work == Work::mask) return mask(pass, item.tile);
        if (item.work == Work::check) return check(pass, item.tile);
        for (QueryBlock& rows : l.rows) {
            const TileScores tile = scores_of(rows, pass, item.tile);
            switch (item.work) {
                case Work::max: softmax.max(rows, tile); break;
                case Work::exp: softmax.exp(rows, tile); break;
                case Work::sum: softmax.sum(rows, tile); break;
                case Work::pack: softmax.pack(rows, tile); break;
                case Work::rescale: softmax.rescale(rows, tile); break;
                default: break;
            }
        }
    }
    TileScores scores_of(QueryBlock& rows, const Pass& pass, int tile) const {
        const int index = pass.index + tile;
        return {rows.s[modulo(index, plan.score_copies)], rows.p[modulo(index, plan.weight_copies)],
                modulo(index, plan.exponent_copies), pass.opening && index == 0};
    }

    // --- matrix work -----------------------------------------------------------------------------
    void read_if_needed(const Pass& pass, unsigned j) {
        const MatrixStep& m = plan.steps[j];
        if (m.early ? is_done_next(pass, m.tile) : is_done(pass, m.tile))
            read(j, pass.index + m.early);
    }

    void read(unsigned j, int index) {
        auto entry = because_of(item_of(plan.steps[j]));
        const unsigned n = j % s.fragments;
        operands_[j] = l.in_agprs ? read_into(j, index, fragments_a_[n])
                                  : read_into(j, index, fragments_v_[n]);
    }
    template <File F>
    TileOperand read_into(unsigned j, int index, Regs<F, 8> to) {
        const MatrixStep& m = plan.steps[j];
        const bool keys = m.work != Work::pv;
        auto part = k.section(keys ? "read keys" : "read values", Pipe::lds);
        const int region = slot(keys, index + m.tile);
        if (keys)
            return read_rows(k, key_tile(region, s.key_tile), to,
                             {l.key_read[2 * m.sub], l.key_read[2 * m.sub + 1]},
                             {key_read_expr(m.sub, 0), key_read_expr(m.sub, 1)},
                             m.part * 32 * kHead, 64 * m.sub);
        return read_columns(k, value_tile(region, s.key_tile, k.lds_first_byte(l.values.region[0])),
                            to, l.value_read[m.part], value_read_expr(m.part),
                            m.sub * kBlock * kHead, 16 * kHead);
    }

    void step(const Pass& pass, unsigned j) {
        const MatrixStep& m = plan.steps[j];
        if (is_done(pass, m.tile)) {
            auto entry = because_of(item_of(m));
            if (m.work == Work::qk) scores(m, j, pass.index);
            else weigh(m, j, pass);
        }
        for (unsigned n = 0; n < plan.steps.size(); ++n)
            if (plan.steps[n].anchor == int(j)) read_if_needed(pass, n);
    }

    void scores(const MatrixStep& m, unsigned j, int index) {
        auto part = k.section("scores", Pipe::matrix);
        for (QueryBlock& rows : l.rows)
            multiply(k, rows.s[modulo(index + m.tile, plan.score_copies)][m.part], operands_[j],
                     rows.q[m.sub], m.sub ? C<16>(in_place) : C<16>(0));
    }

    void weigh(const MatrixStep& m, unsigned j, const Pass& pass) {
        auto part = k.section("weigh values", Pipe::matrix);
        for (QueryBlock& rows : l.rows) {
            const TileScores tile = scores_of(rows, pass, m.tile);
            TileOperand weights{tile.p[m.sub].operand(), packed_accumulator_order(), {}};
            for (int16_t& key : weights.k) key = int16_t(key + int(m.sub * kBlock));
            softmax.weigh(rows, tile, m.part, m.sub, operands_[j], weights);
        }
    }

    void mask(const Pass& pass, int tile_at) {
        auto part = k.section("mask", Pipe::vector);
        Label masked = k.label("masked"), done = k.label("mask_done");
        k.s_cmp_le_i32(l.first_key, l.wave_limit);
        k.s_cbranch_scc0(masked);
        k.place(done);
        std::vector<TileScores> tiles;
        for (QueryBlock& rows : l.rows) tiles.push_back(scores_of(rows, pass, tile_at));
        // Run when this object is gone.
        const auto rare = [&k = k, &s = s, &l = l, &softmax = softmax, masked, done,
                           tiles = std::move(tiles)] {
            auto part = k.section("mask", Pipe::vector);
            k.place(masked);
            for (size_t n = 0; n < tiles.size(); ++n) {
                hide(k, s, l, l.rows[n], tiles[n]);
                if (s.checks_scores()) softmax.check_own(l.rows[n], tiles[n]);
            }
            k.s_branch(done);
        };
        l.out_of_line.push_back(rare);
    }
    // Of a tile without a mask; the others are checked as they are masked.
    void check(const Pass& pass, int tile) {
        auto part = k.section("NaN among scores, a share", Pipe::vector);
        Label done = k.label("check_done");
        k.s_cmp_le_i32(l.first_key, l.wave_limit);
        k.s_cbranch_scc0(done);
        softmax.check_share(scores_of(l.rows[0], pass, tile), done);
        k.place(done);
    }
};

}  // namespace

void emit_loop(Kernel& k, const Schedule& s, const Plan& plan, LoopState& state, Softmax& softmax) {
    Loop(k, s, plan, state, softmax).emit();
}

}  // namespace zyfa
