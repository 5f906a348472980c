#include "calibrate/bench.hpp"

namespace zyfa {

namespace {

const KernelArg kArgs[] = {
    {"out", kProbeOut, 8, true, "u32 [workgroup, round, wave, 2]: s_memtime, s_memrealtime"},
    {"data", kProbeData, 8, true, "what the body reads"},
    {"rounds", kProbeRounds, 4, false, "count"},
};

}  // namespace

Bench::Bench(std::string name, const BenchOptions& options)
    : k(std::move(name), {options.waves, true}), options_(options) {
    k.arguments(kArgs, kProbeArgsBytes);
    out_ = k.sgpr<2>("out");
    data_ = k.sgpr<2>("data");
    rounds_ = k.sgpr<1>("rounds");
    wave_ = k.sgpr<1>("wave");
    opened_ = k.sgpr<2>("opened");
    opened_real_ = k.sgpr<2>("opened_real");
    closed_ = k.sgpr<2>("closed");
    closed_real_ = k.sgpr<2>("closed_real");
    lane_ = k.vgpr<1>("lane");
    place_ = k.vgpr<1>("place");

    auto part = k.section("arguments", Pipe::scalar);
    k.s_load_dwordx2(out_, k.kernarg, int(kProbeOut));
    k.s_load_dwordx2(data_, k.kernarg, int(kProbeData));
    k.s_load_dword(rounds_, k.kernarg, int(kProbeRounds));
    k.v_lshrrev_b32(place_, 6, k.workitem_id);
    k.v_readfirstlane_b32(wave_, place_);
    k.v_and_b32(lane_, 63, k.workitem_id);
    // place = ((workgroup * rounds) * waves + wave) * 8
    const auto first = k.sgpr<1>("first");
    k.s_mul_i32(first, k.workgroup_id_x, rounds_);
    k.s_mul_i32(first, first, int(options_.waves));
    k.s_add_u32(first, first, wave_);
    k.s_lshl_b32(first, first, 3);
    k.v_mov_b32(place_, first);
}

Sgpr<2> Bench::data() { return data_; }
Vgpr<1> Bench::lane() { return lane_; }
Sgpr<1> Bench::rounds_left() { return rounds_; }

void Bench::zero_lds(uint32_t bytes) {
    k.lds_region("lds", bytes);
    const auto zero = zeros<4>("zero");
    const auto at = k.vgpr<1>("at");
    k.v_lshlrev_b32(at, 4, lane_);
    for (unsigned first = 0; first < 4096; first += 1024) k.ds_write_b128(at, zero).offset(first);
}

void Bench::timed(const Emitted& body) {
    {
        auto part = k.section(kOpening, Pipe::scalar);
        k.s_memrealtime(opened_real_);
        k.s_memtime(opened_);
        k.s_waitcnt().counts(63, 0);
    }
    {
        auto part = k.section(kBody, Pipe::vector);
        if (body) body();
    }
    auto part = k.section("closing", Pipe::scalar);
    k.s_waitcnt().counts(0, 0);  // what the body has asked for is there
    k.s_memtime(closed_);
    k.s_memrealtime(closed_real_);
    k.s_waitcnt().counts(63, 0);
}

Program Bench::finish(const Emitted& lower, const Emitted& upper) {
    const Label round = k.label("round");
    if (options_.lanes != ~uint64_t(0)) {
        k.s_mov_b32(Sgpr<1>{kExec, false}, uint32_t(options_.lanes));
        k.s_mov_b32(Sgpr<1>{kExec + 1, false}, uint32_t(options_.lanes >> 32));
    }
    k.place(round, true);
    k.wait_all();
    if (options_.two_bodies) k.s_cmp_lt_u32(wave_, int(options_.waves / 2));
    k.s_barrier();
    if (options_.two_bodies) {
        const Label other = k.label("upper_waves"), met = k.label("met");
        k.s_cbranch_scc0(other);
        timed(lower);
        k.s_branch(met);
        k.place(other);
        timed(upper);
        k.place(met);
    } else {
        timed(lower);
    }
    auto part = k.section("store", Pipe::memory);
    const auto ticks = k.vgpr<2>("ticks");
    k.s_sub_u32(closed_[0], closed_[0], opened_[0]);
    k.s_sub_u32(closed_real_[0], closed_real_[0], opened_real_[0]);
    k.v_mov_b32(ticks[0], closed_[0]);
    k.v_mov_b32(ticks[1], closed_real_[0]);
    k.global_store_dwordx2(place_, ticks, out_);
    k.v_add_u32(place_, int(8 * options_.waves), place_);
    k.s_sub_u32(rounds_, rounds_, 1);
    k.s_cmp_lg_u32(rounds_, 0);
    k.s_cbranch_scc1(round);
    k.wait_all();
    k.s_endpgm();
    return k.finish();
}

}  // namespace zyfa
