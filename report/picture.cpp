#include "report/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/error.hpp"

namespace zyfa {
namespace {

constexpr double kWidth = 1160, kLeft = 104, kRight = 66, kPlot = kWidth - kLeft - kRight;
constexpr std::array<const char*, kKinds> kLight = {"#3457c4", "#2a9468", "#d97b12", "#b83c8c",
                                                    "#0891a5", "#7a52c7", "#7b8794", "#aab3bd"};
constexpr std::array<const char*, kKinds> kDark = {"#7391f5", "#4cc38f", "#f0a04b", "#e277bd",
                                                   "#3fc3d6", "#a98bf0", "#8b98a7", "#566271"};

std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text)
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else out += c;
    return out;
}

// Rectangles of one colour are one path.
struct Layer {
    std::array<std::string, kKinds> solid, light;
    std::string waits;
};

class Picture {
public:
    Picture(unsigned simd, uint64_t cycles) : simd_(simd), scale_(kPlot / double(cycles)) {}

    void run(const Recording& r) {
        const RecordedBusy share = busy(r, simd_);
        text(0, y_ + 12, "b", r.name);
        text(0, y_ + 29, "s", r.about);
        y_ += 40;
        std::vector<unsigned> waves;
        for (const sim::Issue& i : r.issues)
            if (i.simd == simd_ && std::find(waves.begin(), waves.end(), i.wave) == waves.end())
                waves.push_back(i.wave);
        std::sort(waves.begin(), waves.end());
        const double matrix = y_, port = y_ + 26;
        row("matrix pipe", matrix, 22, fmt::format("{:.1f} %", share.matrix), r);
        row("vector port", port, 22, fmt::format("{:.1f} %", share.port), r);
        y_ += 52;
        Layer layer;
        for (size_t n = 0; n < waves.size(); ++n)
            row(fmt::format("wave {}", waves[n]), y_ + 26 * double(n), 22, "", r);
        for (size_t number = 0; number < r.issues.size(); ++number) {
            const sim::Issue& i = r.issues[number];
            if (i.simd != simd_) continue;
            const size_t n = size_t(std::find(waves.begin(), waves.end(), i.wave) - waves.begin());
            const double y = y_ + 26 * double(n);
            const unsigned kind = unsigned(r.place(i.address).kind);
            auto& shade = n ? layer.light : layer.solid;
            box(shade[kind], r, i.pipe_begin, i.pipe_end, matrix, 22);
            box(shade[kind], r, i.issued, i.issued + i.port_cycles, port, 22);
            box(layer.solid[kind], r, i.issued, r.until[number], y, 22);
            if (i.issued > i.able + 4) box(layer.waits, r, i.able, i.issued, y + 8, 6);
        }
        body_ += fmt::format("<path class=\"w\" d=\"{}\"/>\n", layer.waits);
        for (unsigned k = 0; k < kKinds; ++k) {
            if (!layer.light[k].empty())
                body_ += fmt::format("<path class=\"k{} l\" d=\"{}\"/>\n", k, layer.light[k]);
            if (!layer.solid[k].empty())
                body_ += fmt::format("<path class=\"k{}\" d=\"{}\"/>\n", k, layer.solid[k]);
        }
        y_ += 26 * double(waves.size()) + 16;
    }

    void axis(uint64_t cycles) {
        const uint64_t step = cycles > 6000 ? 1000 : cycles > 2500 ? 500 : cycles > 800 ? 200 : 50;
        for (uint64_t t = 0; t <= cycles; t += step)
            text(kLeft + double(t) * scale_, y_, "s", fmt::format("{}{}", t, t ? "" : " cycles"));
        y_ += 22;
        double x = kLeft;
        for (unsigned k = 0; k < kKinds; ++k) {
            body_ += fmt::format("<path class=\"k{}\" d=\"M{:.0f} {:.0f}h11v11h-11z\"/>\n", k, x,
                                 y_ - 9);
            const std::string name(kind_name(Kind(k)));
            text(x + 16, y_ + 1, "s", name);
            x += 34 + 6.6 * double(name.size());
        }
        text(x, y_ + 1, "s", "thin: waiting");
        y_ += 18;
    }

    std::string svg() const {
        std::string style =
            "text{font:12px system-ui,sans-serif;fill:#1c2430}.b{font-size:14px;font-weight:600}"
            ".s{fill:#5b6776}.l{opacity:.55}.r{fill:#f0f2f5}.w{fill:#c9cfd6}";
        for (unsigned k = 0; k < kKinds; ++k) style += fmt::format(".k{}{{fill:{}}}", k, kLight[k]);
        style +=
            "@media(prefers-color-scheme:dark){text{fill:#e3e8ee}.s{fill:#98a4b3}"
            ".r{fill:#1a2029}.w{fill:#3a4450}";
        for (unsigned k = 0; k < kKinds; ++k) style += fmt::format(".k{}{{fill:{}}}", k, kDark[k]);
        return fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
            "role=\"img\" aria-label=\"Predicted timeline\">\n<style>{2}}}</style>\n{3}</svg>\n",
            kWidth, y_, style, body_);
    }

private:
    unsigned simd_;
    double scale_, y_ = 4;
    std::string body_;

    void text(double x, double y, const char* kind, std::string_view what) {
        body_ += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" class=\"{}\">{}</text>\n", x, y, kind,
                             escaped(what));
    }
    void row(const std::string& label, double y, double height, const std::string& value,
             const Recording& r) {
        text(0, y + height / 2 + 4, "t", label);
        if (!value.empty()) text(kLeft + kPlot + 8, y + height / 2 + 4, "t", value);
        body_ += fmt::format("<path class=\"r\" d=\"M{:.0f} {:.0f}h{:.1f}v{:.0f}h-{:.1f}z\"/>\n",
                             kLeft, y, double(r.end - r.begin) * scale_, height,
                             double(r.end - r.begin) * scale_);
    }
    void box(std::string& path, const Recording& r, uint64_t begin, uint64_t end, double y,
             double height) {
        begin = std::max(begin, r.begin);
        end = std::min(end, r.end);
        if (begin >= end) return;
        const double x = kLeft + double(begin - r.begin) * scale_;
        const double width = double(end - begin) * scale_;
        path += fmt::format("M{:.1f} {:.0f}h{:.1f}v{:.0f}h-{:.1f}z", x, y + (height > 10 ? 1 : 0),
                            width, height - (height > 10 ? 2 : 0), width);
    }
};

}  // namespace

std::string timeline_picture(std::span<const Recording> recordings, unsigned simd) {
    if (recordings.empty()) throw Error("a picture needs a run", Exit::usage);
    uint64_t cycles = 1;
    for (const Recording& r : recordings) cycles = std::max(cycles, r.end - r.begin);
    Picture picture(simd, cycles);
    for (const Recording& r : recordings) picture.run(r);
    picture.axis(cycles);
    return picture.svg();
}

}  // namespace zyfa
