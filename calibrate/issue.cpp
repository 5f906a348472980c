// U2..U5, U7, U10: streams of one instruction, chains of dependent ones, scalar instructions.
#include <cmath>

#include "calibrate/probe.hpp"

namespace zyfa {

namespace {

constexpr unsigned kSpread = 16;  // destinations of a stream: no unit waits for another

// One instruction into each of 16 destinations in turn.
template <class Emit>
Probe::Body stream(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        const auto to = b.zeros<kSpread>("to");
        const auto from = b.zeros<2>("from");
        return [&b, emit, to, from](unsigned n) { emit(b.k, to[n % kSpread], from[0], from[1]); };
    };
}
// The same with pairs of registers.
template <class Emit>
Probe::Body stream_pairs(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        const auto to = b.zeros<2 * kSpread>("to");
        const auto from = b.zeros<2>("from");
        return
            [&b, emit, to, from](unsigned n) { emit(b.k, to.template part<2>(n % kSpread), from); };
    };
}
// Each reads what the one before wrote.
template <class Emit>
Probe::Body chain(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        const auto to = b.zeros<1>("to"), from = b.zeros<1>("from");
        return [&b, emit, to, from](unsigned) { emit(b.k, to, from); };
    };
}

#define STREAM(op, ...)                                                    \
    stream([]([[maybe_unused]] Kernel& k, auto d, [[maybe_unused]] auto a, \
              [[maybe_unused]] auto b) { k.op(d, __VA_ARGS__); })

void add(Calibration& c, unsigned unknown, const char* id, const char* about, Probe::Body body,
         unsigned waves = 1) {
    Probe p;
    p.id = id, p.unknown = unknown, p.about = about, p.lower = std::move(body), p.waves = waves;
    c.probes.push_back(std::move(p));
}

void vector_streams(Calibration& c) {
    add(c, 2, "v_add_f32_stream", "v_add_f32 e32, independent", STREAM(v_add_f32, a, b));
    add(c, 2, "v_fma_f32_stream", "v_fma_f32, independent, at 8-byte addresses",
        STREAM(v_fma_f32, a, b, a));
    add(c, 2, "v_max3_f32_stream", "v_max3_f32, independent", STREAM(v_max3_f32, a, b, a));
    add(c, 3, "v_exp_f32_stream", "v_exp_f32, independent", STREAM(v_exp_f32, a));
    add(c, 3, "v_log_f32_stream", "v_log_f32, independent", STREAM(v_log_f32, a));
    add(c, 3, "v_rcp_f32_stream", "v_rcp_f32, independent", STREAM(v_rcp_f32, a));
    add(c, 3, "v_rsq_f32_stream", "v_rsq_f32, independent", STREAM(v_rsq_f32, a));
    add(c, 3, "v_sqrt_f32_stream", "v_sqrt_f32, independent", STREAM(v_sqrt_f32, a));
    add(c, 3, "v_sin_f32_stream", "v_sin_f32, independent", STREAM(v_sin_f32, a));
    add(c, 3, "v_exp_f16_stream", "v_exp_f16, independent", STREAM(v_exp_f16, a));
    add(c, 3, "v_rcp_f16_stream", "v_rcp_f16, independent", STREAM(v_rcp_f16, a));
    add(c, 3, "v_mul_lo_u32_stream", "v_mul_lo_u32, independent", STREAM(v_mul_lo_u32, a, b));
    add(c, 4, "v_cvt_pk_fp8_f32_stream", "v_cvt_pk_fp8_f32, independent",
        STREAM(v_cvt_pk_fp8_f32, a, b));
    add(c, 4, "v_cvt_pk_bf8_f32_stream", "v_cvt_pk_bf8_f32, independent",
        STREAM(v_cvt_pk_bf8_f32, a, b));
    add(c, 4, "v_cvt_pk_bf16_f32_stream", "v_cvt_pk_bf16_f32, independent",
        STREAM(v_cvt_pk_bf16_f32, a, b));
    add(c, 4, "v_cvt_pk_u8_f32_stream", "v_cvt_pk_u8_f32, independent",
        STREAM(v_cvt_pk_u8_f32, a, 0, b));
    add(c, 4, "v_cvt_sr_fp8_f32_stream", "v_cvt_sr_fp8_f32, independent",
        STREAM(v_cvt_sr_fp8_f32, a, b));
    add(c, 4, "v_cvt_scalef32_pk_fp8_f32_stream", "v_cvt_scalef32_pk_fp8_f32, independent",
        STREAM(v_cvt_scalef32_pk_fp8_f32, a, b, a));
    add(c, 4, "v_cvt_scalef32_pk_bf8_f32_stream", "v_cvt_scalef32_pk_bf8_f32, independent",
        STREAM(v_cvt_scalef32_pk_bf8_f32, a, b, a));
    add(c, 4, "v_cvt_scalef32_pk_fp4_f32_stream", "v_cvt_scalef32_pk_fp4_f32, independent",
        STREAM(v_cvt_scalef32_pk_fp4_f32, a, b, a));
    add(c, 5, "v_perm_b32_stream", "v_perm_b32, independent", STREAM(v_perm_b32, a, b, a));
    add(c, 5, "v_permlane32_swap_b32_stream", "v_permlane32_swap_b32, independent pairs",
        [](Bench& b) -> Probe::Units {
            const auto x = b.zeros<2 * kSpread>("x");
            return [&b, x](unsigned n) {
                b.k.v_permlane32_swap_b32(x[2 * (n % kSpread)], x[2 * (n % kSpread) + 1]);
            };
        });
    add(c, 5, "v_permlane16_swap_b32_stream", "v_permlane16_swap_b32, independent pairs",
        [](Bench& b) -> Probe::Units {
            const auto x = b.zeros<2 * kSpread>("x");
            return [&b, x](unsigned n) {
                b.k.v_permlane16_swap_b32(x[2 * (n % kSpread)], x[2 * (n % kSpread) + 1]);
            };
        });
    add(c, 5, "v_readfirstlane_b32_stream", "v_readfirstlane_b32, independent",
        [](Bench& b) -> Probe::Units {
            const auto to = b.k.sgpr<8>("to");
            const auto from = b.zeros<1>("from");
            return [&b, to, from](unsigned n) { b.k.v_readfirstlane_b32(to[n % 8], from); };
        });
    add(c, 6, "v_pk_fma_f32_stream", "v_pk_fma_f32, independent",
        stream_pairs([](Kernel& k, auto d, auto a) { k.v_pk_fma_f32(d, a, a, a); }));
    add(c, 6, "v_pk_mul_f32_stream", "v_pk_mul_f32, independent",
        stream_pairs([](Kernel& k, auto d, auto a) { k.v_pk_mul_f32(d, a, a); }));
    add(c, 6, "v_pk_add_f32_stream", "v_pk_add_f32, independent",
        stream_pairs([](Kernel& k, auto d, auto a) { k.v_pk_add_f32(d, a, a); }));
    add(c, 6, "v_pk_mov_b32_stream", "v_pk_mov_b32, independent",
        stream_pairs([](Kernel& k, auto d, auto a) { k.v_pk_mov_b32(d, a, a); }));
    add(c, 6, "v_pk_fma_f16_stream", "v_pk_fma_f16, independent", STREAM(v_pk_fma_f16, a, b, a));
}

void vector_chains(Calibration& c) {
    add(c, 2, "v_add_f32_chain", "v_add_f32 e32, each reads the one before",
        chain([](Kernel& k, auto d, auto a) { k.v_add_f32(d, a, d); }));
    add(c, 2, "v_fma_f32_chain", "v_fma_f32, each reads the one before",
        chain([](Kernel& k, auto d, auto a) { k.v_fma_f32(d, a, a, d); }));
    add(c, 2, "v_max3_f32_chain", "v_max3_f32, each reads the one before",
        chain([](Kernel& k, auto d, auto a) { k.v_max3_f32(d, a, a, d); }));
    add(c, 2, "v_add_f32_four_chains", "v_add_f32 e32, four chains in turn",
        [](Bench& b) -> Probe::Units {
            const auto to = b.zeros<4>("to");
            const auto from = b.zeros<1>("from");
            return [&b, to, from](unsigned n) { b.k.v_add_f32(to[n % 4], from, to[n % 4]); };
        });
    add(c, 3, "v_exp_f32_chain", "v_exp_f32, each reads the one before",
        chain([](Kernel& k, auto d, auto) { k.v_exp_f32(d, d); }));
    add(c, 3, "v_exp_f32_beside_fma", "v_exp_f32 and four independent v_fma_f32",
        [](Bench& b) -> Probe::Units {
            const auto to = b.zeros<20>("to");
            const auto from = b.zeros<1>("from");
            return [&b, to, from](unsigned n) {
                b.k.v_exp_f32(to[16 + n % 4], from);
                for (unsigned i = 0; i < 4; ++i)
                    b.k.v_fma_f32(to[(4 * n + i) % 16], from, from, from);
            };
        });
    Probe p;
    p.id = "v_add_f32_chain_beside_stream", p.unknown = 2, p.waves = 8;
    p.about = "lower waves: a chain of v_add_f32; upper waves of the same SIMDs: a stream";
    p.lower = chain([](Kernel& k, auto d, auto a) { k.v_add_f32(d, a, d); });
    p.upper = STREAM(v_add_f32, a, b);
    c.probes.push_back(std::move(p));
}

void straddle(Calibration& c) {
    for (unsigned waves : {1u, 8u})
        for (unsigned at : {0u, 4u}) {
            Probe p;
            p.id = fmt::format("v_fma_f32_at_{}_waves_{}", at, waves), p.unknown = 7;
            p.about = fmt::format("v_fma_f32 (8 bytes) at addresses {} mod 8", at);
            p.waves = waves, p.misaligned = at;
            p.lower = STREAM(v_fma_f32, a, b, a);
            c.probes.push_back(std::move(p));
        }
}

void scalar(Calibration& c) {
    const auto plain = [](auto emit) -> Probe::Body {
        return [emit](Bench& b) -> Probe::Units { return [&b, emit](unsigned) { emit(b.k); }; };
    };
    add(c, 10, "s_nop_0_stream", "s_nop 0", plain([](Kernel& k) { k.s_nop(0); }));
    add(c, 10, "s_nop_7_stream", "s_nop 7", plain([](Kernel& k) { k.s_nop(7); }));
    add(c, 10, "s_add_u32_stream", "s_add_u32, independent", [](Bench& b) -> Probe::Units {
        const auto to = b.k.sgpr<8>("to");
        return [&b, to](unsigned n) { b.k.s_add_u32(to[n % 8], 1, 2); };
    });
    add(c, 10, "s_waitcnt_stream", "s_waitcnt with nothing outstanding",
        plain([](Kernel& k) { k.s_waitcnt().counts(0, 0); }));
    add(c, 10, "s_cbranch_not_taken", "s_cbranch_execz with exec not 0",
        [](Bench& b) -> Probe::Units {
            return [&b](unsigned) {
                const Label next = b.k.label("next");
                b.k.s_cbranch_execz(next);
                b.k.place(next);
            };
        });
    add(c, 10, "s_branch_taken", "s_branch over one s_nop", [](Bench& b) -> Probe::Units {
        return [&b](unsigned) {
            const Label next = b.k.label("next");
            b.k.s_branch(next);
            b.k.s_nop(0);
            b.k.place(next);
        };
    });
    add(c, 10, "s_sleep_1_stream", "s_sleep 1", plain([](Kernel& k) { k.s_sleep(1); }));
    add(c, 10, "s_sleep_2_stream", "s_sleep 2", plain([](Kernel& k) { k.s_sleep(2); }));
}

void field(Calibration& c, unsigned unknown, const char* path, const char* probe, const char* how) {
    c.fields.push_back({path,
                        unknown,
                        {probe},
                        how,
                        [probe](const Measured& m) -> Fitted { return m.unit(probe); },
                        ""});
}
// (`more` - `less`) / by
void difference(Calibration& c, unsigned unknown, const char* path, const char* more,
                const char* less, unsigned by, const char* how) {
    c.fields.push_back(
        {path,
         unknown,
         {more, less},
         how,
         [=](const Measured& m) -> Fitted { return (m.unit(more) - m.unit(less)) / by; },
         ""});
}

// Which of the unknown's streams do not take the cycles of their class.
void streams_of_class(Calibration& c, unsigned unknown, const char* what) {
    UnknownNote note{unknown, what,
                     "the machine file has no rate of their own: they are in the class valu. One "
                     "that takes other cycles needs another class in isa/ops.def"};
    for (const Probe& p : c.probes)
        if (p.unknown == unknown) note.probes.push_back(p.id);
    note.reading = [probes = note.probes](const Measured& m) -> std::string {
        const double valu = m.prior.rate(Rate::valu).value;
        std::string others;
        for (const std::string& id : probes)
            if (std::abs(m.unit(id) - valu) > 0.5)
                others += fmt::format("{}{} {:.1f}", others.empty() ? "" : ", ", id, m.unit(id));
        return others.empty() ? fmt::format("{:g} cycles each, as their class", valu)
                              : fmt::format("not the {:g} cycles of their class: {}", valu, others);
    };
    c.unknowns.push_back(std::move(note));
}

}  // namespace

void add_issue(Calibration& c) {
    vector_streams(c);
    vector_chains(c);
    straddle(c);
    scalar(c);
    const char* each = "cycles of one unit";
    field(c, 2, "rates/valu", "v_add_f32_stream", each);
    field(c, 3, "rates/trans", "v_exp_f32_stream", each);
    field(c, 3, "rates/quarter", "v_mul_lo_u32_stream", each);
    field(c, 6, "rates/packed_f32", "v_pk_fma_f32_stream", each);
    field(c, 10, "rates/nop", "s_nop_0_stream", each);
    field(c, 10, "rates/salu", "s_add_u32_stream", each);
    field(c, 10, "rates/wait", "s_waitcnt_stream", each);
    field(c, 10, "rates/branch", "s_cbranch_not_taken", each);
    field(c, 10, "issue/taken_branch", "s_branch_taken", each);
    field(c, 2, "issue/dependent_valu", "v_add_f32_chain",
          "cycles of one unit: issue to issue of v_add_f32");
    difference(c, 10, "issue/slot_cycles", "s_nop_7_stream", "s_nop_0_stream", 7,
               "(s_nop 7 - s_nop 0) / 7");
    difference(c, 10, "issue/sleep_cycles", "s_sleep_2_stream", "s_sleep_1_stream", 1,
               "s_sleep 2 - s_sleep 1");
    difference(c, 7, "issue/straddle_cycles", "v_fma_f32_at_4_waves_1", "v_fma_f32_at_0_waves_1", 1,
               "a unit at addresses 4 mod 8 less one at 0 mod 8");
    c.unknowns.push_back({2, "VALU result to VALU use", ""});
    c.unknowns.push_back({3, "transcendentals", ""});
    streams_of_class(c, 4, "conversions");
    streams_of_class(c, 5, "permlane swaps, v_perm_b32, v_readfirstlane_b32");
    c.unknowns.push_back({7, "8-byte instructions across a fetch boundary", ""});
    c.unknowns.push_back({10, "s_nop, SALU, branches, s_waitcnt, s_sleep", ""});
}

}  // namespace zyfa
