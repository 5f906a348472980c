#include "sim/matrix.hpp"

#include <cmath>
#include <vector>

#include "sim/vector.hpp"

namespace zyfa::sim {
namespace {

constexpr size_t kMost = Product::kMost;
typedef double Four __attribute__((vector_size(32), aligned(8)));

inline uint64_t u64(double x) { return std::bit_cast<uint64_t>(x); }
inline double f64(uint64_t x) { return std::bit_cast<double>(x); }
inline uint32_t quiet(float x) { return x == x ? u32(x) : 0x7fc00000; }

// t + e, t = fl(t + e), rounded to odd, so that rounding it again to f32 is rounding once.
inline double to_odd(double t, double e) {
    uint64_t bits = u64(t);
    uint64_t step = 1 - 2 * ((bits ^ u64(e)) >> 63);  // away from zero, or towards
    step &= (bits & 1) - 1;
    return f64(bits + (std::fabs(e) > 0.0 ? step : 0));  // e is NaN beside an infinity
}

ZYFA_CLONES void widen(double* __restrict d, const float* a, const float* scale, size_t mn,
                       size_t k) {
    if (!scale) {
        for (size_t n = 0; n < mn * k; ++n) d[n] = double(a[n]);
        return;
    }
    for (size_t kk = 0; kk < k; ++kk)
        for (size_t i = 0; i < mn; ++i)
            d[kk * mn + i] = double(a[kk * mn + i]) * double(scale[kk / 32 * 32 + i]);
}

// Sums of products where double loses nothing, so that fusing multiply and add changes nothing.
__attribute__((optimize("fp-contract=fast"))) ZYFA_CLONES void sum_narrow(double* __restrict d,
                                                                          const double* a,
                                                                          const double* b,
                                                                          size_t mn, size_t k) {
    for (size_t j = 0; j < mn; j += 8)
        for (size_t i = 0; i < mn; i += 4) {
            Four s[4][2] = {};
            for (size_t kk = 0; kk < k; ++kk) {
                const double* row = b + kk * mn + j;
                const double* column = a + kk * mn + i;
                Four b0, b1;
                __builtin_memcpy(&b0, row, sizeof b0);
                __builtin_memcpy(&b1, row + 4, sizeof b1);
                for (size_t r = 0; r < 4; ++r) {
                    Four x = {column[r], column[r], column[r], column[r]};
                    s[r][0] += x * b0;
                    s[r][1] += x * b1;
                }
            }
            for (size_t r = 0; r < 4; ++r) __builtin_memcpy(d + (i + r) * mn + j, s[r], 64);
        }
}

// The same with a note of what was lost.
ZYFA_CLONES void sum_watched(double* __restrict d, double* __restrict lost, const double* a,
                             const double* b, size_t mn, size_t k) {
    for (size_t i = 0; i < mn; i += 2)
        for (size_t j = 0; j < mn; j += 4) {
            Four s[2] = {}, l[2] = {};
            for (size_t kk = 0; kk < k; ++kk) {
                Four y;
                __builtin_memcpy(&y, b + kk * mn + j, sizeof y);
                for (size_t r = 0; r < 2; ++r) {
                    double v = a[kk * mn + i + r];
                    Four x = {v, v, v, v};
                    Four p = x * y, t = s[r] + p, z = t - s[r];
                    Four e = (s[r] - (t - z)) + (p - z);
                    l[r] += e < 0.0 ? -e : e;
                    s[r] = t;
                }
            }
            for (size_t r = 0; r < 2; ++r) {
                __builtin_memcpy(d + (i + r) * mn + j, &s[r], 32);
                __builtin_memcpy(lost + (i + r) * mn + j, &l[r], 32);
            }
        }
}

ZYFA_CLONES void add_c(float* __restrict d, const double* s, const float* c, size_t count) {
    for (size_t n = 0; n < count; ++n) {
        double x = s[n], y = double(c[n]), t = x + y, z = t - x;
        double e = (x - (t - z)) + (y - z);
        float r = float(to_odd(t, e));
        d[n] = f32(quiet(r));
    }
}

// Shewchuk's expansion: exact for any finite numbers.
float sum_expansion(const double* a, const double* b, size_t mn, size_t k, size_t i, size_t j,
                    double c) {
    std::vector<double> parts;
    auto grow = [&](double x) {
        size_t kept = 0;
        for (double y : parts) {
            double t = x + y, z = t - x, e = (x - (t - z)) + (y - z);
            if (e != 0.0) parts[kept++] = e;
            x = t;
        }
        parts.resize(kept);
        parts.push_back(x);
    };
    grow(c);
    for (size_t kk = 0; kk < k; ++kk) grow(a[kk * mn + i] * b[kk * mn + j]);
    double high = 0, low = 0;
    for (size_t n = parts.size(); n-- > 0 && low == 0.0;) {
        double t = high + parts[n];
        low = parts[n] - (t - high);
        high = t;
    }
    return float(to_odd(high, low));
}

void exact(Product& p) {
    alignas(64) double a[kMost], b[kMost], s[1024], lost[1024];
    const float* no_scale = nullptr;
    widen(a, p.a, p.scaled ? p.scale_a[0] : no_scale, p.mn, p.k);
    widen(b, p.b, p.scaled ? p.scale_b[0] : no_scale, p.mn, p.k);
    size_t cells = p.mn * p.mn;
    if (p.narrow) {
        sum_narrow(s, a, b, p.mn, p.k);
        return add_c(p.d, s, p.c, cells);
    }
    sum_watched(s, lost, a, b, p.mn, p.k);
    add_c(p.d, s, p.c, cells);
    for (size_t n = 0; n < cells; ++n)
        if (lost[n] != 0.0 && std::isfinite(s[n]) && std::isfinite(p.c[n]))
            p.d[n] = sum_expansion(a, b, p.mn, p.k, n / p.mn, n % p.mn, p.c[n]);
}

// --- cdna3: MMA-Sim's model of MI300X; see Accumulate ---
inline double power_of(double x, double least) {  // 2^exponent(x), not below `least`
    double power = f64(u64(x) & 0x7ff0000000000000);
    return power < least ? least : power;
}
inline double inverse_power(double x) { return f64((uint64_t(2046) << 52) - u64(x)); }

ZYFA_CLONES void powers(double* __restrict d, const double* a, const double* least, size_t mn,
                        size_t k) {
    for (size_t kk = 0; kk < k; ++kk)
        for (size_t i = 0; i < mn; ++i)
            d[kk * mn + i] = power_of(a[kk * mn + i], least[kk / 32 * 32 + i]);
}

struct Aligned {
    double sum[32], power[32];
};
// Products first, first + step .. of one row of A with all columns, aligned to the largest and cut
// to 24 fractional bits.
ZYFA_CLONES void align_sum(Aligned& out, double* plain, const double* a, const double* b,
                           const double* power_a, const double* power_b, size_t mn, size_t first,
                           size_t end, size_t step) {
    for (size_t j = 0; j < mn; ++j) out.power[j] = out.sum[j] = 0;
    for (size_t k = first; k < end; k += step)
        for (size_t j = 0; j < mn; ++j) {
            double power = power_a[k * mn] * power_b[k * mn + j];
            out.power[j] = power > out.power[j] ? power : out.power[j];
        }
    for (size_t k = first; k < end; k += step)
        for (size_t j = 0; j < mn; ++j) {
            double p = a[k * mn] * b[k * mn + j];
            p = p >= 0x1p128 ? HUGE_VAL : p <= -0x1p128 ? -HUGE_VAL : p;
            plain[j] += p;
            out.sum[j] += std::trunc(p * 0x1p24 * inverse_power(out.power[j]));
        }
    for (size_t j = 0; j < mn; ++j) out.sum[j] *= 0x1p-24 * out.power[j];
}
ZYFA_CLONES void join(Aligned& even, const Aligned& odd, size_t mn) {
    for (size_t j = 0; j < mn; ++j) {
        double power = even.power[j] > odd.power[j] ? even.power[j] : odd.power[j];
        double scale = 0x1p24 * inverse_power(power);
        even.sum[j] =
            (std::trunc(even.sum[j] * scale) + std::trunc(odd.sum[j] * scale)) * 0x1p-24 * power;
        even.power[j] = power;
    }
}
ZYFA_CLONES void add_group(float* __restrict c, const Aligned& s, size_t mn) {
    for (size_t j = 0; j < mn; ++j) {
        double x = double(c[j]), own = power_of(x, 0x1p-126);
        double power = own > s.power[j] ? own : s.power[j];
        double inverse = inverse_power(power);
        double sum = std::floor(s.sum[j] * 0x1p31 * inverse) * 0x1p-31;
        double add = own * 0x1p25 < power ? 0.0 : std::floor(x * 0x1p24 * inverse) * 0x1p-24;
        c[j] = float((sum + add) * power);
    }
}

void cdna3(Product& p) {
    alignas(64) double a[kMost], b[kMost], power_a[kMost], power_b[kMost];
    double least_a[4 * 32], least_b[4 * 32];
    const float* no_scale = nullptr;
    widen(a, p.a, p.scaled ? p.scale_a[0] : no_scale, p.mn, p.k);
    widen(b, p.b, p.scaled ? p.scale_b[0] : no_scale, p.mn, p.k);
    for (size_t n = 0; n < 4 * 32; ++n) {
        least_a[n] = std::ldexp(p.scaled ? p.scale_a[n / 32][n % 32] : 1.0f, p.min_exponent_a);
        least_b[n] = std::ldexp(p.scaled ? p.scale_b[n / 32][n % 32] : 1.0f, p.min_exponent_b);
    }
    powers(power_a, a, least_a, p.mn, p.k);
    powers(power_b, b, least_b, p.mn, p.k);
    for (size_t i = 0; i < p.mn; ++i) {
        float* row = p.d + i * p.mn;
        double plain[32];
        for (size_t j = 0; j < p.mn; ++j) plain[j] = row[j] = p.c[i * p.mn + j];
        for (size_t k = 0; k < p.k; k += p.group) {
            Aligned first, second;
            size_t end = k + p.group, step = p.split_even_odd ? 2 : 1;
            align_sum(first, plain, a + i, b, power_a + i, power_b, p.mn, k, end, step);
            if (p.split_even_odd) {
                align_sum(second, plain, a + i, b, power_a + i, power_b, p.mn, k + 1, end, step);
                join(first, second, p.mn);
            }
            add_group(row, first, p.mn);
        }
        for (size_t j = 0; j < p.mn; ++j)
            row[j] = f32(quiet(std::isfinite(plain[j]) ? row[j] : float(plain[j])));
    }
}

// --- fma: k order; a scaled block is summed first, then added with its scale ---
ZYFA_CLONES void chain(float* __restrict d, const float* a, const float* b, size_t mn, size_t first,
                       size_t end) {
    for (size_t i = 0; i < mn; ++i)
        for (size_t k = first; k < end; ++k) {
            float x = a[k * mn + i];
            for (size_t j = 0; j < mn; ++j)
                d[i * mn + j] = std::fma(x, b[k * mn + j], d[i * mn + j]);
        }
}

void fma(Product& p) {
    size_t cells = p.mn * p.mn;
    std::copy_n(p.c, cells, p.d);
    if (!p.scaled) chain(p.d, p.a, p.b, p.mn, 0, p.k);
    for (size_t k = 0; p.scaled && k < p.k; k += 32) {
        alignas(64) float block[1024] = {};
        chain(block, p.a, p.b, p.mn, k, k + 32);
        for (size_t n = 0; n < cells; ++n) {
            double scale = double(p.scale_a[k / 32][n / p.mn]) * p.scale_b[k / 32][n % p.mn];
            double x = block[n] * scale, y = p.d[n], t = x + y, z = t - x;
            p.d[n] = float(to_odd(t, (x - (t - z)) + (y - z)));
        }
    }
    for (size_t n = 0; n < cells; ++n) p.d[n] = f32(quiet(p.d[n]));
}

}  // namespace

void multiply(Product& p, Accumulate how) {
    switch (how) {
        case Accumulate::exact: return exact(p);
        case Accumulate::cdna3: return cdna3(p);
        case Accumulate::fma: return fma(p);
    }
}

ZYFA_CLONES void multiply_i8(const int8_t* a, const int8_t* b, const int32_t* c, int32_t* d,
                             size_t mn, size_t k) {
    for (size_t i = 0; i < mn; ++i) {
        uint32_t s[32];
        for (size_t j = 0; j < mn; ++j) s[j] = uint32_t(c[i * mn + j]);
        for (size_t kk = 0; kk < k; ++kk)
            for (size_t j = 0; j < mn; ++j) s[j] += uint32_t(int(a[kk * mn + i]) * b[kk * mn + j]);
        for (size_t j = 0; j < mn; ++j) d[i * mn + j] = int32_t(s[j]);
    }
}

}  // namespace zyfa::sim
