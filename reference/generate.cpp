#include "reference/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/error.hpp"
#include "isa/formats.hpp"
#include "isa/random.hpp"

namespace zyfa {
namespace {

constexpr unsigned kLatents = 24, kOutliers = 5;
constexpr double kQueryOfKey = 0.75, kQueryOwn = 0.66;  // how far queries look for their own kind
constexpr double kDrift = 0.97, kDriftNoise = 0.243;    // topic: unit variance, memory of ~33 keys
constexpr double kTopic = 0.8, kToken = 0.6;            // what a token has of topic and of its own

struct Traits {
    unsigned rotated;  // the last channels, in pairs (i, i + rotated / 2)
    double rope_base;
    bool normalised;         // queries and keys to one length (QK norm)
    double outlier_offset;   // times 10..30
    double score_deviation;  // of scaled scores over the keys, nats
    double sink_above;       // sink score less the usual log-sum-exp, nats
};
Traits traits(Family f) {
    switch (f) {
        case Family::qwen: return {128, 1e6, true, 0, 2.2, -0.3};
        case Family::mla: return {64, 1e4, false, 0.5, 2.0, 0.7};
        default: return {128, 1e4, false, 1, 2.0, 0.7};
    }
}

using Matrix = std::vector<double>;  // rows one after another

struct Projection {  // latent to channels
    Matrix loading;  // [channel][latent]
    std::vector<double> gain, offset;
    double noise;
};

class HeadGroup {  // one key head of one batch entry, with the query heads that share it
public:
    HeadGroup(Family family, const InputShape& shape, uint64_t seed)
        : t(traits(family)), shape(shape), random(seed) {
        choose_outliers();
        make_latents();
        key_projection = projection(nullptr, true);
        keys = project(key_projection, positions() - shape.sk, shape.sk);
        make_values();
    }

    void add_query_head() {
        queries.push_back(
            project(projection(&key_projection, false), positions() - shape.sq, shape.sq));
        calibrate(queries.back());
    }

    // Key 0 becomes the mean direction of all queries, so that each of them looks there.
    void make_sink() {
        if (shape.sq == 0 || shape.sk < 2) return;
        std::vector<double> mean(shape.d, 0);
        for (const Matrix& q : queries)
            for (uint64_t i = 0; i < shape.sq; ++i)
                for (uint64_t c = 0; c < shape.d; ++c)
                    mean[c] += q[i * shape.d + c] / double(shape.sq * queries.size());
        double length2 = 0, usual = 0;
        for (double x : mean) length2 += x * x;
        for (const Matrix& q : queries) usual += usual_log_sum(q) / double(queries.size());
        const double wanted = (usual + t.sink_above) / (length2 * scale());
        for (uint64_t c = 0; c < shape.d; ++c) keys[c] = mean[c] * wanted;
        for (uint64_t c = 0; c < shape.dv; ++c) values[c] = 0.03 * random.normal();
    }

    Matrix keys, values;
    std::vector<Matrix> queries;

private:
    Traits t;
    InputShape shape;
    Random random;
    std::vector<unsigned> outliers;
    Matrix latents;  // [position][latent]
    Projection key_projection;

    double scale() const { return 1 / std::sqrt(double(shape.d)); }
    uint64_t positions() const { return std::max(shape.sq, shape.sk); }

    void choose_outliers() {
        const unsigned half = t.rotated / 2, first = unsigned(shape.d) - t.rotated;
        for (unsigned n = 0; n < kOutliers; ++n) {
            const auto back = unsigned(random.uniform() * half * 0.35);  // slow rotation
            outliers.push_back(first + half - 1 - back + (n % 2 ? half : 0));
        }
    }

    void make_latents() {
        std::vector<double> topic(kLatents, 0);
        latents.resize(positions() * kLatents);
        for (uint64_t p = 0; p < positions(); ++p)
            for (unsigned l = 0; l < kLatents; ++l) {
                topic[l] = kDrift * topic[l] + kDriftNoise * random.normal();
                latents[p * kLatents + l] = kTopic * topic[l] + kToken * random.normal();
            }
    }

    Projection projection(const Projection* of_keys, bool is_key) {
        Projection p{Matrix(shape.d * kLatents), {}, {}, 0.5};
        for (size_t i = 0; i < p.loading.size(); ++i)
            p.loading[i] = of_keys ? kQueryOfKey * of_keys->loading[i] + kQueryOwn * random.normal()
                                   : random.normal();
        for (uint64_t c = 0; c < shape.d; ++c) {
            p.gain.push_back(std::exp(0.35 * random.normal()));
            p.offset.push_back(0.4 * random.normal());
        }
        for (unsigned c : outliers) {
            if (t.normalised) {
                p.gain[c] *= is_key ? 6 : 3;
                if (is_key) p.offset[c] = 2 * random.normal();
            } else if (is_key) {
                const double sign = random.uniform() < 0.5 ? -1 : 1;
                p.offset[c] = sign * (10 + 20 * random.uniform()) * t.outlier_offset;
            } else {
                p.offset[c] = 1.2 * random.normal();
            }
        }
        return p;
    }

    double seen(const Matrix& loading, uint64_t channel, uint64_t position) const {
        double sum = 0;
        for (unsigned l = 0; l < kLatents; ++l)
            sum += loading[channel * kLatents + l] * latents[position * kLatents + l];
        return sum / std::sqrt(double(kLatents));
    }

    Matrix project(const Projection& p, uint64_t first, uint64_t rows) {
        Matrix out(rows * shape.d);
        for (uint64_t i = 0; i < rows; ++i) {
            double* row = &out[i * shape.d];
            double length2 = 0;
            for (uint64_t c = 0; c < shape.d; ++c) {
                const double x = seen(p.loading, c, first + i) + p.noise * random.normal();
                row[c] = x * p.gain[c] + p.offset[c];
                length2 += row[c] * row[c];
            }
            if (t.normalised)
                for (uint64_t c = 0; c < shape.d; ++c)
                    row[c] *= 1.6 * std::sqrt(double(shape.d) / length2);
            rotate(row + shape.d - t.rotated, first + i);
        }
        return out;
    }

    void rotate(double* x, uint64_t position) const {
        const unsigned half = t.rotated / 2;
        for (unsigned i = 0; i < half; ++i) {
            const double angle = double(position) * std::pow(t.rope_base, -double(i) / half);
            const double a = x[i], b = x[i + half];
            x[i] = a * std::cos(angle) - b * std::sin(angle);
            x[i + half] = a * std::sin(angle) + b * std::cos(angle);
        }
    }

    void make_values() {
        Matrix loading(shape.dv * kLatents);
        for (double& x : loading) x = random.normal();
        std::vector<double> gain, offset;
        for (uint64_t c = 0; c < shape.dv; ++c) {
            offset.push_back(0.3 * random.normal());
            gain.push_back(std::exp(0.5 * random.normal()));
        }
        values.resize(shape.sk * shape.dv);
        const uint64_t first = positions() - shape.sk;
        for (uint64_t j = 0; j < shape.sk; ++j)
            for (uint64_t c = 0; c < shape.dv; ++c)
                values[j * shape.dv + c] =
                    (seen(loading, c, first + j) + 0.7 * random.normal()) * gain[c] + offset[c];
    }

    double score(const Matrix& q, uint64_t i, uint64_t j) const {
        double sum = 0;
        for (uint64_t c = 0; c < shape.d; ++c) sum += q[i * shape.d + c] * keys[j * shape.d + c];
        return sum * scale();
    }
    uint64_t visible(uint64_t i) const {  // causal, bottom right; at least one
        return i + shape.sk > shape.sq ? std::min(i + shape.sk - shape.sq + 1, shape.sk) : 1;
    }

    // Visits about 64 query rows and every n-th key that each of them sees.
    template <class Row>
    void sample(uint64_t first_row, uint64_t every_key, Row row) const {
        const uint64_t step = std::max<uint64_t>(1, shape.sq / 64);
        for (uint64_t i = first_row; i < shape.sq; i += step) row(i, visible(i), every_key);
    }

    void calibrate(Matrix& q) const {
        double variance = 0;
        unsigned rows = 0;
        sample(0, 7, [&](uint64_t i, uint64_t keys_seen, uint64_t every) {
            double sum = 0, sum2 = 0, n = 0;
            for (uint64_t j = 0; j < keys_seen; j += every, ++n) {
                const double s = score(q, i, j);
                sum += s;
                sum2 += s * s;
            }
            variance += sum2 / n - (sum / n) * (sum / n);
            ++rows;
        });
        if (rows == 0 || !(variance > 0)) return;
        const double factor = t.score_deviation / std::sqrt(variance / rows);
        for (double& x : q) x *= factor;
    }

    double usual_log_sum(const Matrix& q) const {  // of the later half of the rows, without key 0
        double sum = 0;
        unsigned rows = 0;
        sample(shape.sq / 2, 3, [&](uint64_t i, uint64_t keys_seen, uint64_t every) {
            std::vector<double> scores;
            for (uint64_t j = 1; j < keys_seen; j += every) scores.push_back(score(q, i, j));
            if (scores.empty()) return;
            const double most = *std::max_element(scores.begin(), scores.end());
            double total = 0;
            for (double s : scores) total += std::exp(s - most);
            sum += most + std::log(double(every) * total);
            ++rows;
        });
        return rows ? sum / rows : 0;
    }
};

void check(Family f, const InputShape& s) {
    const uint64_t wanted = f == Family::mla ? 192 : 128;
    if (f != Family::gaussian && s.d != wanted)
        throw Error(fmt::format("this input family has d {}, not {}", wanted, s.d),
                    Exit::unsupported);
    if (s.hk == 0 || s.hq % s.hk)
        throw Error(fmt::format("{} query heads do not divide among {} key heads", s.hq, s.hk),
                    Exit::unsupported);
}

float as_bf16(double x) { return bf16_to_float(float_to_bf16(float(x))); }

// One head's [row][channel] into the [b, s, h, d] of all.
void place(const Matrix& head, std::vector<float>& all, uint64_t b, uint64_t rows, uint64_t heads,
           uint64_t h, uint64_t channels) {
    for (uint64_t i = 0; i < rows; ++i)
        for (uint64_t c = 0; c < channels; ++c)
            all[((b * rows + i) * heads + h) * channels + c] = as_bf16(head[i * channels + c]);
}

}  // namespace

std::optional<Family> find_family(std::string_view name) {
    if (name == "gaussian") return Family::gaussian;
    if (name == "mistral") return Family::mistral;
    if (name == "qwen") return Family::qwen;
    if (name == "mla") return Family::mla;
    return {};
}

AttentionData generate(Family family, const InputShape& s, uint64_t seed) {
    check(family, s);
    AttentionData data{s, {}, {}, {}, 1 / std::sqrt(double(s.d))};
    data.q.resize(s.b * s.sq * s.hq * s.d);
    data.k.resize(s.b * s.sk * s.hk * s.d);
    data.v.resize(s.b * s.sk * s.hk * s.dv);
    if (family == Family::gaussian) {
        Random random(seed);
        for (auto* tensor : {&data.q, &data.k, &data.v})
            for (float& x : *tensor) x = as_bf16(random.normal());
        return data;
    }
    const uint64_t group = s.hq / s.hk;
    for (uint64_t b = 0; b < s.b; ++b)
        for (uint64_t h = 0; h < s.hk; ++h) {
            HeadGroup head(family, s, seed + ((b * s.hk + h) << 32));
            for (uint64_t g = 0; g < group; ++g) head.add_query_head();
            head.make_sink();
            for (uint64_t g = 0; g < group; ++g)
                place(head.queries[g], data.q, b, s.sq, s.hq, h * group + g, s.d);
            place(head.keys, data.k, b, s.sk, s.hk, h, s.d);
            place(head.values, data.v, b, s.sk, s.hk, h, s.dv);
        }
    return data;
}

}  // namespace zyfa
