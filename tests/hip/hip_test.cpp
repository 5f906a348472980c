// Kernels compiled by clang-22 from HIP, at -O0 and at -O3, against plain C++ on the host.
#include <bit>
#include <cmath>

#include "tests/hip/device_lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

#define NEEDS_CLANG \
    if (!has_clang()) return

namespace {
std::string level() { return GENERATE(as<std::string>{}, "-O0", "-O3"); }
}  // namespace

TEST_CASE("HIP: a sum of vectors ends at its bound", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("basic.hip", level());
    Numbers random;
    const auto real = [&] { return random.real(-9, 9); };
    const auto a = random.many<float>(300, real), b = random.many<float>(300, real);
    std::vector<float> expected(320, -1.0f);
    Run run;
    const auto pa = run.buffer(a), pb = run.buffer(b), pc = run.buffer(expected);
    run(object, "vector_add", {3, 1, 1}, {128, 1, 1}, pa, pb, pc, int(300));
    for (size_t i = 0; i < 300; ++i) expected[i] = a[i] + b[i];
    CHECK(run.read<float>(pc, 320) == expected);
}

TEST_CASE("HIP: indices and sizes in three dimensions", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("basic.hip", level());
    const unsigned gx = 3, gy = 2, gz = 2, bx = 8, by = 4, bz = 2;
    std::vector<uint32_t> expected(gx * gy * gz * bx * by * bz);
    for (unsigned z = 0; z < gz * bz; ++z)
        for (unsigned y = 0; y < gy * by; ++y)
            for (unsigned x = 0; x < gx * bx; ++x)
                expected[(z * gy * by + y) * gx * bx + x] =
                    x % bx | (y % by) << 6 | (x / bx) << 12 | (y / by) << 18 | (z / bz) << 24;
    Run run;
    const auto out = run.buffer(std::vector<uint32_t>(expected.size()));
    run(object, "where_am_i", {gx, gy, gz}, {bx, by, bz}, out);
    CHECK(run.read<uint32_t>(out, expected.size()) == expected);

    Run packet;
    const auto words = packet.buffer(std::vector<uint32_t>(96));
    packet(object, "packet", {2, 1, 1}, {48, 1, 1}, words);
    CHECK(packet.read<uint32_t>(words, 96) ==
          std::vector<uint32_t>(96, 48 * 1000000 + 96 * 1000 + 10 + 1));
}

TEST_CASE("HIP: bytes and shorts in memory", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("basic.hip", level());
    Numbers random;
    const int n = 100;
    const auto any = [&] { return random.u32(); };
    const auto u8 = random.many<uint8_t>(n, any);
    const auto i8 = random.many<int8_t>(n, any);
    const auto u16 = random.many<uint16_t>(n, any);
    const auto i16 = random.many<int16_t>(n, any);
    Run run;
    const auto o8 = run.buffer(std::vector<uint8_t>(n)), o16 = run.buffer(std::vector<uint16_t>(n)),
               o32 = run.buffer(std::vector<int>(n));
    run(object, "bytes", {2, 1, 1}, {64, 1, 1}, run.buffer(u8), run.buffer(i8), run.buffer(u16),
        run.buffer(i16), o8, o16, o32, n);
    const auto r8 = run.read<uint8_t>(o8, n);
    const auto r16 = run.read<uint16_t>(o16, n);
    const auto r32 = run.read<int>(o32, n);
    for (int i = 0; i < n; ++i) {
        const int sum = u8[i] + i8[i] * 3 + u16[i] * 5 - i16[i];
        CAPTURE(i);
        REQUIRE(r8[i] == uint8_t(sum >> 2));
        REQUIRE(r16[i] == uint16_t(sum ^ 0x5a5a));
        REQUIRE(r32[i] == sum + (u8[i] > 100 ? int8_t(u8[i]) : i16[n - 1 - i]));
    }
    const auto in = random.many<float>(192, [&] { return random.real(-1, 1); });
    const auto two = random.many<double>(128, [&] { return random.real(-1, 1); });
    Run wide;
    const auto out = wide.buffer(std::vector<float>(256)),
               sum = wide.buffer(std::vector<double>(64));
    wide(object, "wide", {1, 1, 1}, {64, 1, 1}, wide.buffer(in), out, wide.buffer(two), sum);
    const auto w = wide.read<float>(out, 256);
    const auto s = wide.read<double>(sum, 64);
    for (unsigned i = 0; i < 64; ++i) {
        REQUIRE(w[4 * i] == in[3 * i + 2]);
        REQUIRE(w[4 * i + 2] == in[3 * i]);
        REQUIRE(w[4 * i + 3] == in[3 * i] + in[3 * i + 2]);
        REQUIRE(s[i] == two[2 * i] + two[2 * i + 1]);
    }
}

TEST_CASE("HIP: LDS reduction, transpose, bytes, pairs", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("lds.hip", level());
    Numbers random;
    const auto small = random.many<float>(512, [&] { return random.between(-50, 50); });
    Run reduce;
    const auto sums = reduce.buffer(std::vector<float>(2));
    reduce(object, "reduce", {2, 1, 1}, {256, 1, 1}, reduce.buffer(small), sums);
    for (unsigned g : {0, 1}) {
        float sum = 0;
        for (unsigned i = 0; i < 256; ++i) sum += small[256 * g + i];
        CHECK(reduce.read<float>(sums, 2)[g] == sum);
    }

    const auto matrix = random.many<uint32_t>(32 * 32, [&] { return random.u32(); });
    Run transpose;
    const auto turned = transpose.buffer(std::vector<uint32_t>(32 * 32));
    transpose(object, "transpose", {2, 2, 1}, {16, 16, 1}, transpose.buffer(matrix), turned, 32);
    const auto t = transpose.read<uint32_t>(turned, 32 * 32);
    for (unsigned y = 0; y < 32; ++y)
        for (unsigned x = 0; x < 32; ++x) REQUIRE(t[x * 32 + y] == matrix[y * 32 + x]);

    auto text = random.many<uint8_t>(333, [&] { return random.u32(); });
    Run reverse;
    reverse.dynamic_lds = 333;
    const auto back = reverse.buffer(std::vector<uint8_t>(333));
    reverse(object, "reverse_bytes", {1, 1, 1}, {128, 1, 1}, reverse.buffer(text), back, 333);
    std::reverse(text.begin(), text.end());
    CHECK(reverse.read<uint8_t>(back, 333) == text);

    const auto in = random.many<uint64_t>(64, [&] { return random.u64(); });
    Run halves;
    const auto out = halves.buffer(std::vector<uint64_t>(64));
    halves(object, "swap_halves", {1, 1, 1}, {64, 1, 1}, halves.buffer(in), out);
    const auto r = halves.read<uint64_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned k = 127 - i;
        const auto s = uint16_t(in[k / 2] >> (k & 1 ? 48 : 16));
        REQUIRE(r[i] == (in[63 - i] ^ ~in[i ^ 5] << 1 ^ s));
    }
}

TEST_CASE("HIP: LDS atomics", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("lds.hip", level());
    Numbers random;
    const auto in = random.many<uint32_t>(512, [&] { return random.u32() >> 8; });
    Run run;
    const auto counts = run.buffer(std::vector<uint32_t>(16)),
               top = run.buffer(std::vector<uint32_t>(1)),
               seen = run.buffer(std::vector<uint32_t>(4));
    run(object, "histogram", {2, 1, 1}, {256, 1, 1}, run.buffer(in), counts, top, seen);
    std::vector<uint32_t> bins(16), bits(2);
    for (unsigned i = 0; i < 512; ++i) {
        ++bins[in[i] & 15];
        bits[i / 256] |= 1u << (in[i] & 31);
    }
    CHECK(run.read<uint32_t>(counts, 16) == bins);
    CHECK(run.read<uint32_t>(top, 1)[0] == *std::max_element(in.begin(), in.end()));
    CHECK(run.read<uint32_t>(seen, 4) == std::vector<uint32_t>{bits[0], 128, bits[1], 128});
}

TEST_CASE("HIP: atomics on global and generic memory", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("atomics.hip", level());
    Run run;
    const auto sum = run.buffer(std::vector<int>{5}), fsum = run.buffer(std::vector<float>{0}),
               dsum = run.buffer(std::vector<double>{1}),
               least = run.buffer(std::vector<uint64_t>{~0ull}),
               order = run.buffer(std::vector<uint32_t>(300, ~0u)),
               ticket = run.buffer(std::vector<uint32_t>{0});
    run(object, "atomics", {3, 1, 1}, {128, 1, 1}, sum, fsum, dsum, least, order, ticket, 300);
    int total = 5;
    float ftotal = 0;
    for (int i = 0; i < 300; ++i) {
        total += i;
        ftotal += float(i & 7) * 0.25f;
    }
    CHECK(run.read<int>(sum, 1)[0] == total);
    CHECK(run.read<float>(fsum, 1)[0] == ftotal);
    CHECK(run.read<double>(dsum, 1)[0] == 1 + 0.5 * (300 * 299 / 2));
    CHECK(run.read<uint64_t>(least, 1)[0] == uint64_t(701) << 33);
    auto all = run.read<uint32_t>(order, 300);
    std::sort(all.begin(), all.end());
    for (unsigned i = 0; i < 300; ++i) REQUIRE(all[i] == i);

    Run saturate;
    const auto words = saturate.buffer(std::vector<uint32_t>{0, 100, 249, 10, 0});
    saturate(object, "saturate", {1, 1, 1}, {64, 1, 1}, words, 18);
    CHECK(saturate.read<uint32_t>(words, 5) == std::vector<uint32_t>{240, 250, 250, 250, 120});

    for (int which = 0; which < 3; ++which) {
        Run generic;
        const auto out = generic.buffer(std::vector<int>(64));
        generic(object, "generic", {1, 1, 1}, {64, 1, 1}, out, which);
        const auto r = generic.read<int>(out, 64);
        for (int t = 0; t < 64; ++t) {
            int shared = 100 * t, own[2] = {7, 8}, global = 3;
            int& p = (t + which) % 3 == 0 ? shared : (t + which) % 3 == 1 ? own[t & 1] : global;
            const int got = p += t;
            CAPTURE(t, which);
            REQUIRE(r[t] == got + shared + own[0] * 1000 + own[1] * 100000);
        }
    }
}

TEST_CASE("HIP: lanes that part ways, switches, calls, scratch, constants", "[hip]") {
    NEEDS_CLANG;
    const auto& object = compiled("flow.hip", level());
    Numbers random;
    const auto in = random.many<uint32_t>(128, [&] { return random.between(1, 5000); });
    Run collatz;
    const auto steps = collatz.buffer(std::vector<uint32_t>(128));
    collatz(object, "collatz", {2, 1, 1}, {64, 1, 1}, collatz.buffer(in), steps);
    const auto got = collatz.read<uint32_t>(steps, 128);
    for (unsigned i = 0; i < 128; ++i) {
        uint64_t v = in[i];
        uint32_t n = 0;
        while (v != 1 && n != 60) {
            ++n;
            if (v % 3 == 0 && n > 40) continue;
            v = v & 1 ? 3 * v + 1 : v / 2;
        }
        CAPTURE(i, in[i]);
        REQUIRE(got[i] == n);
    }

    const auto cases = random.many<int>(64, [&] { return random.between(0, 40); });
    Run dispatch;
    const auto chosen = dispatch.buffer(std::vector<int>(64, -7));
    dispatch(object, "dispatch", {1, 1, 1}, {64, 1, 1}, dispatch.buffer(cases), chosen);
    const auto d = dispatch.read<int>(chosen, 64);
    for (unsigned i = 0; i < 64; ++i) {
        int x = cases[i], y = 0;
        bool left = false;
        for (int n = 0; n < 3 && !left; ++n) switch ((x + n) % 13) {
                case 0: y += 11; break;
                case 1: y ^= x; break;
                case 2: y = y * 3 + 1; break;
                case 3: y -= n; [[fallthrough]];
                case 4: y = int(unsigned(y) << 2); break;
                case 5: y += x * x; break;
                case 6: y = ~y; break;
                case 7: left = true; break;
                case 8: y |= 0x100; break;
                case 9: y = y > 5 ? y - 5 : 5 - y; break;
                case 10: y += n * 7; break;
                default: y += 1000;
            }
        CAPTURE(i, x);
        REQUIRE(d[i] == (left ? -7 : y));
    }

    const auto third = [](int a, int b) { return a * 7 - b; };
    const auto second = [&](int a, int b) { return third(a + b, b) + third(b, a); };
    Run calls;
    const auto out = calls.buffer(std::vector<int>(64)),
               fout = calls.buffer(std::vector<float>(64));
    calls(object, "calls", {1, 1, 1}, {64, 1, 1}, calls.buffer(cases), out, fout);
    const auto c = calls.read<int>(out, 64);
    const auto f = calls.read<float>(fout, 64);
    for (int i = 0; i < 64; ++i) {
        const int x = cases[i];
        REQUIRE(c[i] == (x & 1 ? second(x, i) : third(x, 5) + second(i, 3)));
        float sum = 0;
        for (int n = 0; n < (i & 7); ++n) sum += 0.5f * float(n) + 0.25f;
        REQUIRE(f[i] == sum);
    }
    Run pointer;
    const auto pout = pointer.buffer(std::vector<int>(64));
    pointer(object, "by_pointer", {1, 1, 1}, {64, 1, 1}, pointer.buffer(cases), pout);
    const auto p = pointer.read<int>(pout, 64);
    for (int i = 0; i < 64; ++i) REQUIRE(p[i] == (cases[i] & 1 ? std::max(i, 20) : third(i, 20)));

    const auto lists = random.many<int>(64 * 8, [&] { return random.between(-99, 99); });
    Run sort;
    const auto sorted = sort.buffer(std::vector<int>(64 * 8));
    sort(object, "sort8", {1, 1, 1}, {64, 1, 1}, sort.buffer(lists), sorted, sort.buffer(cases));
    const auto s = sort.read<int>(sorted, 64 * 8);
    for (int i = 0; i < 64; ++i) {
        std::vector<int> a(lists.begin() + 8 * i, lists.begin() + 8 * i + 8);
        std::sort(a.begin(), a.end());
        for (int n = 0; n < 8; ++n) REQUIRE(s[8 * i + n] == a[(n + cases[i]) & 7]);
    }
    Run constants;
    const auto table = constants.buffer(std::vector<uint32_t>(64));
    constants(object, "constants", {1, 1, 1}, {64, 1, 1}, constants.buffer(in), table);
    static constexpr uint32_t kTable[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    for (unsigned i = 0; i < 64; ++i)
        REQUIRE(constants.read<uint32_t>(table, 64)[i] == kTable[in[i] & 15] + 40);
}

TEST_CASE("HIP: reads that nothing covers are still found in compiled code", "[hip]") {
    NEEDS_CLANG;
    CodeObject object = compiled("basic.hip", "-O3");
    unsigned dropped = 0;
    for (Decoded& d : object.code)
        if (d.known && d.inst.op == Op::s_waitcnt && d.inst.mods.vmcnt == 0) {
            d.inst.mods.vmcnt = 63;
            ++dropped;
        }
    REQUIRE(dropped > 0);
    Run run;
    const auto a = run.buffer(std::vector<float>(64));
    Launch launch;
    const KernelInfo& kernel = object.kernel("vector_add");
    launch.code = object.code;
    launch.setup = setup_of(object, kernel);
    launch.kernarg.resize(kernel.kernarg_bytes);
    fill_hidden_arguments(kernel, {1, 1, 1}, {64, 1, 1}, 0, launch.kernarg);
    for (unsigned n : {0, 8, 16}) std::memcpy(launch.kernarg.data() + n, &a, 8);
    const int n = 64;
    std::memcpy(launch.kernarg.data() + 24, &n, 4);
    const Result result = zyfa::run(launch, run.memory, {});
    CHECK(std::any_of(result.findings.begin(), result.findings.end(),
                      [](const Finding& f) { return f.rule == "WAIT-VMEM"; }));
}
