// U1, U6, U11, U18: the matrix pipe, the issue port that a matrix instruction holds, and who waits
// for its end.
#include <algorithm>
#include <cmath>

#include "calibrate/probe.hpp"

namespace zyfa {

namespace {

// Emits one matrix instruction; the two accumulators take turns.
using Issue = std::function<void(unsigned n)>;
using Setup = std::function<Issue(Bench&)>;

template <unsigned kD, unsigned kA, unsigned kB, class Emit>
Setup matrix(Emit emit) {
    return [emit](Bench& b) -> Issue {
        const auto d = b.zeros<2 * kD>("d");
        const auto x = b.zeros<kA>("a");
        const auto y = b.zeros<kB>("b");
        return [&b, emit, d, x, y](unsigned n) { emit(b.k, d.template part<kD>(n % 2), x, y); };
    };
}
// With one more source: scales, or the index of a sparse instruction.
template <unsigned kD, unsigned kA, unsigned kB, class Emit>
Setup with_word(Emit emit, uint32_t value) {
    return [emit, value](Bench& b) -> Issue {
        const auto d = b.zeros<2 * kD>("d");
        const auto x = b.zeros<kA>("a");
        const auto y = b.zeros<kB>("b");
        const auto word = b.k.vgpr<1>("word");
        b.k.v_mov_b32(word, value);
        return [&b, emit, d, x, y, word](unsigned n) {
            emit(b.k, d.template part<kD>(n % 2), x, y, word);
        };
    };
}

struct Row {
    const char* id;         // mnemonic, and formats
    const char* passes;     // field, or null
    unsigned source_bytes;  // the widest of A and B
    unsigned vectors;       // v_add_f32 that more than fill the pipe's time behind it
    Setup setup;
};

#define PLAIN(op) [](Kernel& k, auto d, auto a, auto b) { k.op(d, a, b); }
#define FORMATS(op, f) [](Kernel& k, auto d, auto a, auto b) { k.op(d, a, b).formats(f, f); }
constexpr uint32_t kFirstTwo = 0x44444444;  // sparse A: elements 0 and 1 of each four
constexpr uint32_t kScaleOne = 0x7f7f7f7f;  // e8m0

#define SPARSE(op) [](Kernel& k, auto d, auto a, auto b, auto i) { k.op(d, a, b, i); }

const std::vector<Row>& table() {
    // clang-format off
    static const std::vector<Row> rows = {
        {"v_mfma_f32_32x32x64_f8f6f4_fp8",  "matrix/passes_32x32x64_8bit",    32, 20, matrix<16, 8, 8>(PLAIN(v_mfma_f32_32x32x64_f8f6f4))},
        {"v_mfma_f32_32x32x64_f8f6f4_fp6",  nullptr,                          24, 12, matrix<16, 6, 6>(FORMATS(v_mfma_f32_32x32x64_f8f6f4, 2))},
        {"v_mfma_f32_32x32x64_f8f6f4_fp4",  "matrix/passes_32x32x64_narrow",  16, 12, matrix<16, 4, 4>(FORMATS(v_mfma_f32_32x32x64_f8f6f4, 4))},
        {"v_mfma_f32_16x16x128_f8f6f4_fp8", "matrix/passes_16x16x128_8bit",   32, 12, matrix<4, 8, 8>(PLAIN(v_mfma_f32_16x16x128_f8f6f4))},
        {"v_mfma_f32_16x16x128_f8f6f4_fp4", "matrix/passes_16x16x128_narrow", 16,  8, matrix<4, 4, 4>(FORMATS(v_mfma_f32_16x16x128_f8f6f4, 4))},
        {"v_mfma_f32_32x32x16_bf16",        "matrix/passes_32x32_16bit",      16, 12, matrix<16, 4, 4>(PLAIN(v_mfma_f32_32x32x16_bf16))},
        {"v_mfma_f32_16x16x32_bf16",        "matrix/passes_16x16_16bit",      16,  8, matrix<4, 4, 4>(PLAIN(v_mfma_f32_16x16x32_bf16))},
        {"v_mfma_f32_16x16x16_bf16",        nullptr,                           8,  8, matrix<4, 2, 2>(PLAIN(v_mfma_f32_16x16x16_bf16))},
        {"v_mfma_i32_32x32x32_i8",          "matrix/passes_32x32_i8",         16, 12, matrix<16, 4, 4>(PLAIN(v_mfma_i32_32x32x32_i8))},
        {"v_mfma_i32_16x16x64_i8",          "matrix/passes_16x16_i8",         16,  8, matrix<4, 4, 4>(PLAIN(v_mfma_i32_16x16x64_i8))},
        {"v_mfma_f32_32x32x16_fp8_fp8",     "matrix/passes_32x32_8bit",        8, 12, matrix<16, 2, 2>(PLAIN(v_mfma_f32_32x32x16_fp8_fp8))},
        {"v_mfma_f32_16x16x32_fp8_fp8",     "matrix/passes_16x16_8bit",        8,  8, matrix<4, 2, 2>(PLAIN(v_mfma_f32_16x16x32_fp8_fp8))},
        {"v_smfmac_f32_32x32x64_fp8_fp8",   nullptr,                          32, 12, with_word<16, 4, 8>(SPARSE(v_smfmac_f32_32x32x64_fp8_fp8), kFirstTwo)},
        {"v_mfma_f32_32x32x2_f32",          "matrix/passes_32x32_f32",         4, 20, matrix<16, 1, 1>(PLAIN(v_mfma_f32_32x32x2_f32))},
        {"v_mfma_f32_16x16x4_f32",          "matrix/passes_16x16_f32",         4, 12, matrix<4, 1, 1>(PLAIN(v_mfma_f32_16x16x4_f32))},
    };
    // clang-format on
    return rows;
}

Setup scaled() {
    return with_word<16, 8, 8>([](Kernel& k, auto d, auto a, auto b,
                                  auto s) { k.v_mfma_scale_f32_32x32x64_f8f6f4(d, a, b, d, s, s); },
                               kScaleOne);
}

Probe::Body alone(Setup setup) {
    return [setup](Bench& b) -> Probe::Units { return setup(b); };
}
// One matrix instruction, then plain vector instructions that need nothing of it.
Probe::Body with_vectors(Setup setup, unsigned vectors) {
    return [setup, vectors](Bench& b) -> Probe::Units {
        const Issue issue = setup(b);
        const auto to = b.zeros<16>("to");
        const auto from = b.zeros<1>("from");
        return [&b, issue, vectors, to, from](unsigned n) {
            issue(n);
            for (unsigned i = 0; i < vectors; ++i) b.k.v_add_f32(to[i % 16], from, from);
        };
    };
}
Probe::Body vectors_alone(unsigned vectors) {
    return [vectors](Bench& b) -> Probe::Units {
        const auto to = b.zeros<16>("to");
        const auto from = b.zeros<1>("from");
        return [&b, vectors, to, from](unsigned) {
            for (unsigned i = 0; i < vectors; ++i) b.k.v_add_f32(to[i % 16], from, from);
        };
    };
}
// One packed instruction behind each matrix instruction.
template <class Emit>
Probe::Body with_packed(Emit emit) {
    return [emit](Bench& b) -> Probe::Units {
        const Issue issue = table()[0].setup(b);
        const auto to = b.zeros<4>("to");
        const auto from = b.zeros<2>("from");
        return [&b, emit, issue, to, from](unsigned n) {
            issue(n);
            emit(b.k, to.template part<2>(n % 2), from);
        };
    };
}

void add(Calibration& c, unsigned unknown, std::string id, std::string about, unsigned repeat,
         Probe::Body lower, Probe::Body upper = {}, unsigned waves = 1) {
    Probe p;
    p.id = std::move(id), p.unknown = unknown, p.about = std::move(about), p.repeat = repeat;
    p.lower = std::move(lower), p.upper = std::move(upper), p.waves = waves;
    c.probes.push_back(std::move(p));
}

std::string stream_of(const Row& r) { return fmt::format("{}_stream", r.id); }
std::string hold_of(const Row& r) { return fmt::format("{}_hold", r.id); }

const Row& row(std::string_view id) {
    for (const Row& r : table())
        if (r.id == id) return r;
    throw Error(fmt::format("no matrix row '{}'", id), Exit::internal);
}
double hold_cycles(const Measured& m, const Row& r) {
    return m.unit(hold_of(r)) - r.vectors * m.unit("v_add_f32_stream");
}

// The widths that explain the holds that were measured: every opcode must come out to the slot.
Fitted hold_width(const Measured& m) {
    const double slot = m.prior.issue_slot_cycles.value;
    const unsigned base =
        unsigned(std::lround(hold_cycles(m, row("v_mfma_f32_32x32x2_f32")) / slot));
    double low = 0, high = 0, nearest = 0, least = 1e9;
    for (unsigned width = 1; width <= 1024; ++width) {
        double worst = 0;
        for (const Row& r : table())
            worst = std::max(worst,
                             std::abs(hold_cycles(m, r) - slot * (base + r.source_bytes / width)));
        if (worst < least) least = worst, nearest = width;
        if (worst > 1) continue;
        if (!low) low = width;
        high = width;
    }
    if (!low) return {nearest};
    const double prior = m.prior.matrix_hold_bytes_per_slot.value;
    return {std::clamp(prior, low, high), low, high};
}

void fields(Calibration& c) {
    for (const Row& r : table()) {
        if (!r.passes) continue;
        const std::string probe = stream_of(r);
        c.fields.push_back({r.passes,
                            1,
                            {probe},
                            "cycles of one unit / matrix/pass_cycles",
                            [probe](const Measured& m) -> Fitted {
                                return m.unit(probe) / m.prior.matrix_pass_cycles.value;
                            },
                            ""});
    }
    c.fields.push_back({"matrix/hold_base_slots",
                        1,
                        {"v_mfma_f32_32x32x2_f32_hold"},
                        "hold of an instruction with sources of 4 bytes, in slots",
                        [](const Measured& m) -> Fitted {
                            return hold_cycles(m, row("v_mfma_f32_32x32x2_f32")) /
                                   m.prior.issue_slot_cycles.value;
                        },
                        ""});
    std::vector<std::string> holds;
    for (const Row& r : table()) holds.push_back(hold_of(r));
    c.fields.push_back({"matrix/hold_bytes_per_slot", 1, holds,
                        "all widths with which hold_base_slots + bytes / width is every hold; "
                        "sources are 4 to 32 bytes wide, so that more than one width does",
                        hold_width, ""});
    const std::pair<const char*, const char*> rates[] = {
        {"rates/mfma_f8f6f4", "v_mfma_f32_32x32x64_f8f6f4_fp8"},
        {"rates/mfma_16bit", "v_mfma_f32_32x32x16_bf16"},
        {"rates/mfma_8bit", "v_smfmac_f32_32x32x64_fp8_fp8"},
        {"rates/mfma_i8", "v_mfma_i32_32x32x32_i8"},
        {"rates/mfma_f32", "v_mfma_f32_32x32x2_f32"}};
    for (const auto& [path, id] : rates)
        c.fields.push_back(
            {path,
             1,
             {hold_of(row(id))},
             "a unit less its v_add_f32: cycles for which the port is held",
             [id = id](const Measured& m) -> Fitted { return hold_cycles(m, row(id)); },
             ""});
    c.fields.push_back({"matrix/packed_f32_wait_slots",
                        6,
                        {"v_mfma_then_v_pk_fma_f32", "v_pk_fma_f32_stream",
                         "v_mfma_f32_32x32x64_f8f6f4_fp8_stream"},
                        "a unit less v_pk_fma_f32 and the passes, in slots",
                        [](const Measured& m) -> Fitted {
                            return (m.unit("v_mfma_then_v_pk_fma_f32") -
                                    m.unit("v_pk_fma_f32_stream") -
                                    m.unit("v_mfma_f32_32x32x64_f8f6f4_fp8_stream")) /
                                   m.prior.issue_slot_cycles.value;
                        },
                        ""});
    c.fields.push_back(
        {"matrix/result_slots",
         11,
         {"v_mfma_result_read", "v_add_f32_stream", "v_mfma_f32_32x32x64_f8f6f4_fp8_stream"},
         "a unit less v_add_f32 and the passes, in slots; holds where the hardware "
         "waits by itself",
         [](const Measured& m) -> Fitted {
             return (m.unit("v_mfma_result_read") - m.unit("v_add_f32_stream") -
                     m.unit("v_mfma_f32_32x32x64_f8f6f4_fp8_stream")) /
                    m.prior.issue_slot_cycles.value;
         },
         ""});
    c.fields.push_back({"matrix/idle_scaled_slots",
                        18,
                        {"v_mfma_scale_after_gap", "v_mfma_f32_32x32x64_f8f6f4_fp8_hold"},
                        "a scaled unit less an unscaled one, the pipe idle before each, in slots",
                        [](const Measured& m) -> Fitted {
                            return (m.unit("v_mfma_scale_after_gap") -
                                    m.unit("v_mfma_f32_32x32x64_f8f6f4_fp8_hold")) /
                                   m.prior.issue_slot_cycles.value;
                        },
                        ""});
}

}  // namespace

void add_matrix(Calibration& c) {
    for (const Row& r : table()) {
        add(c, 1, stream_of(r), fmt::format("{}, two accumulators", r.id), 128, alone(r.setup));
        c.probes.back().base = 32;
        add(c, 1, hold_of(r), fmt::format("{} and {} v_add_f32 of the same wave", r.id, r.vectors),
            64, with_vectors(r.setup, r.vectors));
    }
    const Row &fp8 = table()[0], &bf16 = row("v_mfma_f32_32x32x16_bf16");
    for (unsigned n : {0u, 4u, 8u, 12u, 13u, 14u, 16u})
        add(c, 1, fmt::format("v_mfma_fp8_and_{}_v_add_f32", n),
            fmt::format("{} and {} v_add_f32: from where on a unit gets longer", fp8.id, n), 64,
            with_vectors(fp8.setup, n));
    for (const Row* r : {&fp8, &bf16})
        add(c, 1, fmt::format("{}_hold_other_wave", r->id),
            fmt::format("lower waves: {}; upper waves of the same SIMDs: {} v_add_f32", r->id,
                        r->vectors),
            64, alone(r->setup), vectors_alone(r->vectors), 8);
    add(c, 6, "v_mfma_then_v_pk_fma_f32", fmt::format("{} and v_pk_fma_f32", fp8.id), 64,
        with_packed([](Kernel& k, auto d, auto a) { k.v_pk_fma_f32(d, a, a, a); }));
    add(c, 6, "v_mfma_then_v_pk_mul_f32", fmt::format("{} and v_pk_mul_f32", fp8.id), 64,
        with_packed([](Kernel& k, auto d, auto a) { k.v_pk_mul_f32(d, a, a); }));
    add(c, 6, "v_mfma_then_v_pk_fma_f16", fmt::format("{} and v_pk_fma_f16", fp8.id), 64,
        with_packed([](Kernel& k, auto d, auto a) { k.v_pk_fma_f16(d[0], a[0], a[1], a[0]); }));
    add(
        c, 6, "v_mfma_beside_v_pk_fma_f32",
        fmt::format("lower waves: {}; upper waves: v_pk_fma_f32", fp8.id), 64, alone(fp8.setup),
        [](Bench& b) -> Probe::Units {
            const auto to = b.zeros<32>("to");
            const auto from = b.zeros<2>("from");
            return [&b, to, from](unsigned n) {
                b.k.v_pk_fma_f32(to.part<2>(n % 16), from, from, from);
            };
        },
        8);
    add(c, 18, "v_mfma_scale_stream", "v_mfma_scale_f32_32x32x64_f8f6f4, two accumulators", 128,
        alone(scaled()));
    c.probes.back().base = 32;
    add(c, 18, "v_mfma_scale_after_gap",
        fmt::format("v_mfma_scale_f32_32x32x64_f8f6f4 and {} v_add_f32", fp8.vectors), 64,
        with_vectors(scaled(), fp8.vectors));
    add(c, 11, "v_mfma_result_read",
        fmt::format("{} and a v_add_f32 that reads its result right behind it", fp8.id), 64,
        [](Bench& b) -> Probe::Units {
            const auto d = b.zeros<16>("d");
            const auto x = b.zeros<8>("a"), y = b.zeros<8>("b");
            const auto sum = b.zeros<4>("sum");
            return [&b, d, x, y, sum](unsigned n) {
                b.k.v_mfma_f32_32x32x64_f8f6f4(d, x, y);
                b.k.v_add_f32(sum[n % 4], d[0], d[0]);
            };
        });
    c.probes.back().open_hazards = true;
    fields(c);
    c.unknowns.push_back({1, "issue port held by a matrix instruction; its passes", ""});
    c.unknowns.push_back({6, "packed f32 beside matrix instructions", ""});
    c.unknowns.push_back(
        {11,
         "does the hardware wait for a matrix result by itself",
         "yes or no: v_mfma_result_read leaves the wait states out. Where a unit takes the passes "
         "and more, the hardware waits, and the cycles are matrix/result_slots; where it takes "
         "the passes only, software has to",
         {"v_mfma_result_read", "v_add_f32_stream", "v_mfma_f32_32x32x64_f8f6f4_fp8_stream"},
         [](const Measured& m) -> std::string {
             const double more = m.unit("v_mfma_result_read") - m.unit("v_add_f32_stream") -
                                 m.unit("v_mfma_f32_32x32x64_f8f6f4_fp8_stream");
             return more > 2 * m.prior.issue_slot_cycles.value
                        ? fmt::format("it waits: {:.0f} cycles beyond the passes", more)
                        : "it does not wait; the value read is not looked at";
         }});
    c.unknowns.push_back({18, "scaled matrix instruction into an idle pipe", ""});
}

}  // namespace zyfa
