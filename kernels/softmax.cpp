#include "kernels/softmax.hpp"

#include <cmath>

namespace zyfa {
namespace {

// Where row maxima start: not -inf, so that differences stay defined.
constexpr float kNoScore = -0x1p60f;

// Largest of scores and `floor`, over both halves of the wave, in two chains.
void find_maximum(Kernel& k, Vgpr<1> highest, const S<1>& floor, std::span<const Vgpr<16>> tiles) {
    auto other = k.vgpr<1>("other_half");
    const auto score = [&](size_t n) { return tiles[n / 16][unsigned(n % 16)]; };
    const std::array<Vgpr<1>, 2> chain{highest, other};
    for (unsigned c = 0; c < 2; ++c)
        k.v_max3_f32(chain[c], score(3 * c), score(3 * c + 1), score(3 * c + 2));
    for (size_t n = 6; n < 16 * tiles.size(); n += 2) {
        const Vgpr<1>& to = chain[n / 2 % 2];
        k.v_max3_f32(to, to, score(n), score(n + 1));
    }
    k.v_max3_f32(highest, highest, other, floor);
    k.v_mov_b32(other, highest);
    k.v_permlane32_swap_b32(highest, other);
    k.v_max_f32(highest, highest, other);
}

void shrink(Kernel& k, const Accumulator& tile, Vgpr<1> factor) {
    for (unsigned i = 0; i < 16; ++i) {
        if (!tile.in_agprs) {
            k.v_mul_f32(tile.v[i], factor, tile.v[i]);
            continue;
        }
        auto word = k.vgpr<1>("word");
        k.v_accvgpr_read_b32(word, tile.a[i]);
        k.v_mul_f32(word, factor, word);
        k.v_accvgpr_write_b32(tile.a[i], word);
    }
}

void pack_e4m3(Kernel& k, const TileScores& t) {
    for (unsigned b = 0; b < t.p.size(); ++b)
        for (unsigned i = 0; i < 8; ++i) {
            const Vgpr<16>& from = t.s[2 * b + i / 4];
            const unsigned n = 4 * (i % 4);
            k.v_cvt_pk_fp8_f32(t.p[b][i], from[n], from[n + 1]);
            k.v_cvt_pk_fp8_f32(t.p[b][i], from[n + 2], from[n + 3]).high();
        }
}

void add_up(Kernel& k, Vgpr<1> sum, std::span<const Vgpr<16>> tiles) {
    for (const Vgpr<16>& tile : tiles)
        for (unsigned i = 0; i < 16; ++i) k.v_add_f32(sum, sum, tile[i]);
}
void add_halves(Kernel& k, Vgpr<1> sum) {
    auto other = k.vgpr<1>("other_half");
    k.v_mov_b32(other, sum);
    k.v_permlane32_swap_b32(sum, other);
    k.v_add_f32(sum, sum, other);
}

// Row sums on the matrix pipe. Register 0 of a lane becomes the sum of its own query whatever the
// order of keys in P; with sparse ones registers 0 and 1 have a half of the keys each.
class MatrixSum {
public:
    MatrixSum(Kernel& kernel, RowSum which) : k(kernel), sparse_(which == RowSum::sparse) {}

    unsigned words() const { return sparse_ ? 2 : 1; }

    void begin(Vgpr<1> lane) {
        auto part = k.section("ones for row sums", Pipe::vector);
        if (sparse_) begin_sparse(lane);
        else begin_masked(lane);
    }
    // `fresh`: masked ones leave out what is in `sums`; sparse ones cannot.
    void add(Vgpr<4> sums, Vgpr<8> weights, bool fresh) {
        auto part = k.section("row sum on the matrix pipe", Pipe::matrix);
        if (sparse_) k.v_smfmac_f32_16x16x128_fp8_fp8(sums, sparse_ones_, weights, index_);
        else k.v_mfma_f32_16x16x128_f8f6f4(sums, ones_, weights, fresh ? C<4>(0) : in_place);
    }

private:
    Kernel& k;
    bool sparse_;
    Vgpr<8> ones_;
    Vgpr<4> sparse_ones_;
    Vgpr<1> index_;

    // Lanes 0, 8, 20 and 28 of each half: those of A's rows 0, 8 and 4, 12 whose part of k holds
    // the weights of queries 0 to 15 and 16 to 31. Others have zeros.
    void begin_masked(Vgpr<1> lane) {
        ones_ = k.vgpr<8>("ones");
        auto row = k.vgpr<1>("lane_of_half"), one = k.vgpr<1>("one");
        k.v_and_b32(row, 31, lane);
        k.v_mov_b32(one, 0);
        for (const int with_ones : {0, 8, 20, 28}) {
            auto ones = k.vgpr<1>("ones_here");
            k.v_cmp_eq_u32(vcc, with_ones, row);
            k.v_mov_b32(ones, 0x38383838u);  // four times 1.0 in e4m3
            k.v_cndmask_b32(one, one, ones, vcc);
        }
        for (unsigned i = 0; i < 8; ++i) k.v_mov_b32(ones_[i], one);
    }
    // Rows 0 and 1 of each four have ones, for keys 0, 1 and 2, 3 of each four; registers 0, 1 meet
    // the weights of queries 0 to 15, registers 2, 3 those of 16 to 31 (k = 32 * (lane / 16) +
    // 2 * byte and up), so each four of rows has one of the two pairs.
    void begin_sparse(Vgpr<1> lane) {
        sparse_ones_ = k.vgpr<4>("sparse_ones");
        index_ = k.vgpr<1>("sparse_index");
        auto bit = k.vgpr<1>("lane_bit"), one = k.vgpr<1>("one"), low = k.vgpr<1>("low_queries");
        k.v_and_b32(bit, 1, lane);
        k.v_cmp_eq_u32(vcc, 0, bit);
        auto first = k.vgpr<1>("first_two");
        k.v_mov_b32(first, 0x44444444u);
        k.v_mov_b32(index_, 0xeeeeeeeeu);
        k.v_cndmask_b32(index_, index_, first, vcc);
        k.v_and_b32(bit, 2, lane);
        k.v_cmp_eq_u32(vcc, 0, bit);
        k.v_mov_b32(one, 0x38383838u);
        k.v_cndmask_b32(one, 0, one, vcc);
        k.v_and_b32(bit, 4, lane);
        k.v_cmp_eq_u32(vcc, 0, bit);
        k.v_cndmask_b32(low, 0, one, vcc);
        for (unsigned i = 0; i < 2; ++i) {
            k.v_mov_b32(sparse_ones_[i], low);
            k.v_sub_u32(sparse_ones_[2 + i], one, low);
        }
    }
};

// What both ways share.
class Common : public Softmax {
public:
    Common(Kernel& kernel, const Schedule& schedule, const Plan& p, LoopState& state)
        : k(kernel), s(schedule), plan(p), l(state), ones(kernel, schedule.row_sum) {}

protected:
    Kernel& k;
    const Schedule& s;
    const Plan& plan;
    LoopState& l;
    MatrixSum ones;

    void begin_sums(QueryBlock& rows) {
        rows.row_sum = k.vgpr<1>("row_sum");
        rows.reference = k.vgpr<1>("reference");
        k.v_mov_b32(rows.row_sum, 0);
        k.v_mov_b32(rows.reference, 0);
        if (!s.sums_weights_rounded()) return;
        rows.sums.resize(s.scale_block ? s.key_tile / s.scale_block : 1);
        for (Vgpr<4>& sums : rows.sums) {
            sums = k.vgpr<4>("row_sums");
            for (unsigned i = 0; i < 4; ++i) k.v_mov_b32(sums[i], 0);
        }
    }
};

class RunningReference : public Common {
public:
    using Common::Common;

    void begin() override {
        if (s.sums_weights_rounded()) ones.begin(l.lane);
    }
    void begin(QueryBlock& rows) override {
        begin_sums(rows);
        rows.row_max = k.vgpr<1>("row_max");
        rows.alpha = k.vgpr<1>("alpha");
        k.v_mov_b32(rows.row_max, kNoScore);
    }
    void max(QueryBlock& rows, TileScores t) override {
        auto part = k.section("maximum", Pipe::vector);
        auto higher = k.vgpr<1>("higher");
        find_maximum(k, higher, rows.row_max, t.s);
        if (s.lazy) {
            auto rise = k.vgpr<1>("rise");
            k.v_sub_f32(rise, higher, rows.row_max);
            k.v_mul_f32(rise, l.scale, rise);
            k.v_cmp_lt_f32(vcc, float(*s.lazy), rise);
            k.v_cndmask_b32(higher, rows.row_max, higher, vcc);
        }
        k.v_sub_f32(rows.alpha, rows.row_max, higher);
        k.v_mul_f32(rows.alpha, l.scale, rows.alpha);
        k.v_exp_f32(rows.alpha, rows.alpha);
        k.v_mov_b32(rows.row_max, higher);
        k.v_mul_f32(rows.reference, l.scale, higher);
        k.v_add_f32(rows.reference, -top(), rows.reference);
    }
    void exp(QueryBlock& rows, TileScores t) override {
        auto part = k.section("exponentials", Pipe::vector);
        for (auto& tile : t.s)
            for (unsigned i = 0; i < 16; ++i)
                k.v_fma_f32(tile[i], tile[i], l.scale, neg(rows.reference));
        for (auto& tile : t.s)
            for (unsigned i = 0; i < 16; ++i) k.v_exp_f32(tile[i], tile[i]);
    }
    void sum(QueryBlock& rows, TileScores t) override {
        auto part = k.section("row sum", Pipe::vector);
        k.v_mul_f32(rows.row_sum, rows.alpha, rows.row_sum);
        add_up(k, rows.row_sum, t.s);
    }
    void pack(QueryBlock&, TileScores t) override {
        auto part = k.section("pack weights", Pipe::vector);
        pack_e4m3(k, t);
    }
    void rescale(QueryBlock& rows, TileScores) override {
        auto part = k.section("rescale", Pipe::vector);
        const auto shrink_all = [this, &rows] {
            for (const Accumulator& tile : rows.o) shrink(k, tile, rows.alpha);
            for (unsigned i = 0; s.sums_weights_rounded() && i < ones.words(); ++i)
                k.v_mul_f32(rows.sums[0][i], rows.alpha, rows.sums[0][i]);
        };
        if (!s.lazy) return shrink_all();
        Label moved = k.label("reference_moved"), done = k.label("rescale_done");
        k.v_cmp_neq_f32(vcc, 1.0f, rows.alpha);
        k.s_cbranch_vccnz(moved);
        k.place(done);
        l.out_of_line.push_back([=, this] {
            auto rare = k.section("rescale", Pipe::vector);
            k.place(moved);
            shrink_all();
            k.s_branch(done);
        });
    }
    void weigh(QueryBlock& rows, TileScores t, unsigned columns, unsigned keys,
               const TileOperand& values, const TileOperand& weights) override {
        if (s.sums_weights_rounded() && columns == 0) ones.add(rows.sums[0], t.p[keys], false);
        multiply(k, rows.o[columns].d(), values, weights);
    }
    void end(QueryBlock& rows) override {
        if (!s.sums_weights_rounded()) return add_halves(k, rows.row_sum);
        k.v_mov_b32(rows.row_sum, rows.sums[0][0]);
        if (ones.words() == 2) k.v_add_f32(rows.row_sum, rows.row_sum, rows.sums[0][1]);
    }

private:
    // Weights are 2^8 at most, which e4m3 holds exactly; its smallest step then lies 2^-17 below
    // the largest weight. A lazy reference leaves room for the maximum to rise.
    float top() const { return 8.0f - float(s.lazy.value_or(0)); }
};

class BlockExponents : public Common {
public:
    using Common::Common;

    void begin() override {
        auto part = k.section("constants", Pipe::scalar);
        if (s.sums_weights_rounded()) ones.begin(l.lane);
        no_score_ = k.sgpr<1>("no_score");
        k.s_mov_b32(no_score_, kNoScore);
        unit_ = k.vgpr<1>("unit_scale");
        k.v_mov_b32(unit_, 127);
        limit_ = k.sgpr<1>("highest_exponent");
        k.s_mov_b32(limit_, kHighest);
        if (!lean()) return;
        minus_8_ = k.sgpr<1>("minus_8");
        k.s_mov_b32(minus_8_, -8.0f);
        scale_8_ = k.sgpr<1>("scale_8");
        // c has a normal exponent (kScaleMin and up), or is NaN and poisons every row.
        k.s_add_u32(scale_8_, l.scale, 3u << 23);
        for (auto& sum : seen_) {
            sum = k.vgpr<1>("seen");
            k.v_mov_b32(sum, 0);
        }
        flags_ = k.lds_region("nan_flags", kFlagBytes);
    }
    void begin(QueryBlock& rows) override {
        begin_sums(rows);
        rows.base = k.vgpr<1>("base");
        if (lean()) spare_blind_rows(rows);
        for (unsigned b = 0; b < blocks(); ++b) rows.exponent.push_back(k.vgpr<1>("exponent"));
        rows.scale.resize(plan.exponent_copies);
        for (auto& copy : rows.scale)
            for (unsigned b = 0; b < blocks(); ++b) copy.push_back(k.vgpr<1>("e8m0"));
    }

    void loaded(QueryBlock& rows, Vgpr<16> q) override {
        if (!lean()) return;
        auto part = k.section("NaN in queries", Pipe::vector);
        auto code = k.vgpr<1>("codes"), found = k.vgpr<1>("found"), nan = k.vgpr<1>("nan");
        rows.poison = k.vgpr<1>("poison");
        k.v_mov_b32(found, 0);
        for (unsigned n = 0; n < 16; ++n) {
            // 0x7f and 0xff are NaN: all others stay below 0x80.
            k.v_and_b32(code, 0x7f7f7f7fu, q[n]);
            k.v_add_u32(code, 0x01010101u, code);
            k.v_or_b32(found, code, found);
        }
        k.v_and_b32(found, 0x80808080u, found);
        k.v_mov_b32(nan, kNan);
        k.v_mul_f32(rows.poison, 0, l.scale);  // it may be NaN, too
        k.v_cmp_ne_u32(vcc, 0, found);
        k.v_cndmask_b32(rows.poison, rows.poison, nan, vcc);
        for (unsigned n = 0; n < 16; ++n) k.v_cndmask_b32(q[n], q[n], 0, vcc);
    }
    // NaN in q is known and taken off at the start, so NaN in a score is one of a key, in all lanes
    // of a half. Where all queries of the workgroup see all keys it is enough that one wave looks
    // at each. Sums of scores are finite, or -infinity with hidden ones, unless one is NaN.
    void check_own(QueryBlock& rows, TileScores t) override {
        auto part = k.section("NaN among scores", Pipe::vector);
        add_up(k, rows.poison, t.s);
    }
    void check_share(TileScores t, Label done) override { check_shares(t, 0, s.waves, done); }
    void meet() override {
        if (!lean()) return;
        auto part = k.section("NaN of other waves", Pipe::vector);
        k.v_add_f32(seen_[0], seen_[0], seen_[1]);
        auto address = k.vgpr<1>("flag_address"), found = k.vgpr<1>("found");
        auto any = k.sgpr<1>("any_nan");
        k.v_cmp_u_f32(vcc, seen_[0], seen_[0]);
        k.s_cmp_lg_u64(vcc, 0);
        k.s_cselect_b32(any, 1, 0);
        k.v_mov_b32(found, any);
        k.v_mov_b32(address, int(k.lds_first_byte(flags_)));
        auto wave = k.sgpr<1>("wave_flag");
        k.s_lshl_b32(wave, l.wave, 2);
        k.v_add_u32(address, wave, address);
        k.ds_write_b32(address, found).region(flags_);
        k.wait_all();
        k.s_barrier();
        k.v_mov_b32(address, int(k.lds_first_byte(flags_)));
        std::vector<Vgpr<4>> all;
        for (unsigned n = 0; n < s.waves / 4; ++n) {
            all.push_back(k.vgpr<4>("flags"));
            k.ds_read_b128(all[n], address).offset(16 * n).region(flags_);
        }
        k.v_mov_b32(found, 0);
        for (Vgpr<4>& four : all)
            for (unsigned i = 0; i < 4; ++i) k.v_or_b32(found, found, four[i]);
        auto nan = k.vgpr<1>("nan");
        k.v_mov_b32(nan, kNan);
        for (QueryBlock& rows : l.rows) {
            add_halves(k, rows.poison);
            k.v_cmp_ne_u32(vcc, 0, found);
            k.v_cndmask_b32(rows.poison, rows.poison, nan, vcc);
            k.v_cmp_u_f32(vcc, rows.poison, rows.poison);
            k.v_cndmask_b32(rows.row_sum, rows.row_sum, nan, vcc);
        }
    }

    // What the exponent is the ceiling of.
    void max(QueryBlock& rows, TileScores t) override {
        auto part = k.section("maximum", Pipe::vector);
        const unsigned each = s.scale_block / 32;
        for (unsigned b = 0; b < blocks(); ++b) {
            find_maximum(k, rows.exponent[b], no_score_, std::span(t.s).subspan(b * each, each));
            if (t.first && b == 0) {
                k.v_mul_f32(rows.reference, l.scale, rows.exponent[b]);
                k.v_add_f32(rows.reference, kTop, rows.reference);
                set_base(rows);
            }
            k.v_fma_f32(rows.exponent[b], rows.exponent[b], l.scale, neg(rows.reference));
        }
    }
    // Where an exponent would leave its range (x - M up to 466 nats has been seen in trained
    // models), the reference moves by an integer; its fraction stays, so weights stay comparable.
    void rescale(QueryBlock& rows, TileScores t) override {
        if (t.first) return;
        auto part = k.section("move the reference", Pipe::vector);
        Label out = k.label("out_of_range"), done = k.label("in_range");
        Vgpr<1> highest = rows.exponent[0];
        if (blocks() == 2) {
            highest = k.vgpr<1>("highest");
            k.v_max_f32(highest, rows.exponent[0], rows.exponent[1]);
        }
        k.v_cmp_lt_f32(vcc, limit_, highest);
        k.s_cbranch_vccnz(out);
        k.place(done);
        l.out_of_line.push_back([=, this, &rows] {
            auto rare = k.section("move the reference", Pipe::vector);
            k.place(out);
            auto rise = k.vgpr<1>("rise"), factor = k.vgpr<1>("factor");
            k.v_ceil_f32(rise, highest);
            k.v_add_f32(rise, kTop, rise);
            k.v_cndmask_b32(rise, 0, rise, vcc);
            k.v_sub_f32(factor, 0, rise);
            k.v_exp_f32(factor, factor);
            k.v_add_f32(rows.reference, rows.reference, rise);
            for (auto& exponent : rows.exponent) k.v_sub_f32(exponent, exponent, rise);
            set_base(rows);
            k.v_mul_f32(rows.row_sum, rows.row_sum, factor);
            for (const Accumulator& tile : rows.o) shrink(k, tile, factor);
            k.s_branch(done);
        });
    }
    void exp(QueryBlock& rows, TileScores t) override {
        auto part = k.section("exponentials", Pipe::vector);
        std::vector<Vgpr<1>> bias;
        for (unsigned b = 0; b < blocks(); ++b) {
            Vgpr<1>& exponent = rows.exponent[b];
            auto biased = k.vgpr<1>("biased_exponent");
            bias.push_back(k.vgpr<1>("bias"));
            k.v_ceil_f32(exponent, exponent);
            if (lean()) k.v_fma_f32(bias[b], exponent, minus_8_, rows.base);
            else k.v_add_f32(bias[b], exponent, rows.base);
            k.v_add_f32(biased, 127.0f, exponent);
            k.v_cvt_pk_u8_f32(rows.scale[t.copy][b], biased, 0, 0);  // 0 to 255, whatever comes
        }
        each_score(t, [&](Vgpr<1> score, unsigned b) {
            if (lean()) k.v_fma_f32(score, score, scale_8_, bias[b]);
            else k.v_fma_f32(score, score, l.scale, neg(bias[b]));
        });
        if (!lean()) each_score(t, [&](Vgpr<1> score, unsigned) { k.v_exp_f32(score, score); });
    }
    void pack(QueryBlock&, TileScores t) override {
        auto part = k.section("pack weights", Pipe::vector);
        if (!lean()) return pack_e4m3(k, t);
        for (unsigned b = 0; b < t.p.size(); ++b)
            for (unsigned byte = 0; byte < 4; ++byte)
                for (unsigned i = 0; i < 8; ++i) {
                    const Vgpr<1> from = t.s[2 * b + i / 4][4 * (i % 4) + byte];
                    if (byte == 0) k.v_cvt_pk_u8_f32(t.p[b][i], from, 0, 0);
                    else k.v_cvt_pk_u8_f32(t.p[b][i], from, int(byte), t.p[b][i]);
                }
    }
    void sum(QueryBlock& rows, TileScores t) override {
        auto part = k.section("row sum", Pipe::vector);
        const unsigned each = s.scale_block / 32;
        for (unsigned b = 0; b < blocks(); ++b) {
            auto factor = k.vgpr<1>("block_factor");
            k.v_lshlrev_b32(factor, 23, rows.scale[t.copy][b]);
            if (s.sums_weights_rounded()) {
                for (unsigned i = 0; i < ones.words(); ++i) {
                    const Vgpr<1> word = rows.sums[b][i];
                    k.v_fma_f32(rows.row_sum, word, factor, rows.row_sum);
                    if (ones.words() == 2) k.v_mov_b32(word, 0);
                }
                continue;
            }
            auto total = k.vgpr<1>("block_sum");
            k.v_mov_b32(total, 0);
            add_up(k, total, std::span(t.s).subspan(b * each, each));
            k.v_fma_f32(rows.row_sum, total, factor, rows.row_sum);
        }
    }
    void weigh(QueryBlock& rows, TileScores t, unsigned columns, unsigned keys,
               const TileOperand& values, const TileOperand& weights) override {
        const unsigned b = 64 * keys / s.scale_block;
        if (s.sums_weights_rounded() && columns == 0)
            ones.add(rows.sums[b], t.p[keys], 64 * keys % s.scale_block == 0);
        multiply_scaled(k, rows.o[columns].d(), values, weights, unit_, rows.scale[t.copy][b]);
    }
    void end(QueryBlock& rows) override {
        if (!s.sums_weights_rounded()) add_halves(k, rows.row_sum);
        k.v_add_f32(rows.reference, -kTop, rows.reference);
    }

private:
    static constexpr float kTop = 8, kHighest = 92;
    static constexpr unsigned kFlagBytes = 64;
    // The e4m3 code of 1.0 is 56. Lean weights are too large by 1.04036 in the mean (linear between
    // powers of two), which -0.457 takes off; -7/16 is exact, and the maximum of the first block,
    // a power of two, keeps its code. Source: emulated, numerics of docs/kernels.md.
    static constexpr float kLeanBias = 56 - 0.4375f;
    static constexpr uint32_t kNan = 0x7fc00000;
    Sgpr<1> no_score_, limit_, minus_8_, scale_8_;
    Vgpr<1> unit_;
    std::array<Vgpr<1>, 2> seen_;
    int flags_ = -1;

    bool lean() const { return s.softmax == Exponential::lean; }
    unsigned blocks() const { return s.key_tile / s.scale_block; }

    // Those of waves [first, last), the code of each behind branches.
    void check_shares(const TileScores& t, unsigned first, unsigned last, Label looked) {
        if (last - first > 1) {
            const unsigned middle = (first + last) / 2;
            Label lower = k.label("lower_waves");
            k.s_cmp_lt_u32(l.wave, int(middle));
            k.s_cbranch_scc1(lower);
            check_shares(t, middle, last, looked);
            k.place(lower);
            check_shares(t, first, middle, looked);
            return;
        }
        const unsigned each = 16 * unsigned(t.s.size()) / s.waves;
        for (unsigned n = first * each; n < last * each; ++n)
            k.v_add_f32(seen_[n % 2], seen_[n % 2], t.s[n / 16][n % 16]);
        if (first != 0) k.s_branch(looked);
    }
    // A row that sees no key is 0 whatever its query is. Limits of the upper half are less by 4.
    void spare_blind_rows(QueryBlock& rows) {
        auto last = k.vgpr<1>("last_visible"), upper = k.vgpr<1>("upper");
        k.v_lshrrev_b32(upper, 5, l.lane);
        k.v_lshlrev_b32(upper, 2, upper);
        k.v_add_u32(last, upper, rows.limit);
        k.v_cmp_gt_i32(vcc, 0, last);
        k.v_cndmask_b32(rows.poison, rows.poison, 0, vcc);
    }

    // lean: code = 8 * (x - M - k) + bias = 8c * score + base - 8k. exact: x - (M + k).
    // reference has M + 8.
    void set_base(QueryBlock& rows) {
        if (!lean()) {
            k.v_add_f32(rows.base, -kTop, rows.reference);
            return;
        }
        k.v_mul_f32(rows.base, minus_8_, rows.reference);
        k.v_add_f32(rows.base, kLeanBias + 8 * kTop, rows.base);
    }
    template <class Use>
    void each_score(TileScores& t, Use use) const {
        for (unsigned n = 0; n < t.s.size(); ++n)
            for (unsigned i = 0; i < 16; ++i) use(t.s[n][i], 32 * n / s.scale_block);
    }
};

}  // namespace

std::unique_ptr<Softmax> make_softmax(Kernel& k, const Schedule& s, const Plan& plan,
                                      LoopState& state) {
    if (s.scale_block) return std::make_unique<BlockExponents>(k, s, plan, state);
    return std::make_unique<RunningReference>(k, s, plan, state);
}

}  // namespace zyfa
