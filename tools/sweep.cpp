#include "tools/sweep.hpp"

#include <algorithm>
#include <cmath>

namespace zyfa {
namespace {

// Sections of the machine file that the cycle model reads.
bool is_timing(std::string_view path) {
    for (std::string_view section : {"lds/", "issue/", "matrix/", "memory/", "rates/"})
        if (path.starts_with(section)) return true;
    return path == "chip/l2_bytes_per_clock";
}

double reach(const Swept& s, double nominal) {
    return std::max(std::abs(s.at_low - nominal), std::abs(s.at_high - nominal));
}

}  // namespace

double Sweep::least() const {
    double value = nominal;
    for (const Swept& s : numbers) value = std::min({value, s.at_low, s.at_high});
    return value;
}
double Sweep::most() const {
    double value = nominal;
    for (const Swept& s : numbers) value = std::max({value, s.at_low, s.at_high});
    return value;
}

Sweep sweep(const Machine& machine, const std::function<double(const Machine&)>& figure) {
    Sweep out;
    out.nominal = figure(machine);
    Machine moved = machine;
    const std::vector<MachineRow> list = rows(moved);
    for (const MachineRow& row : list) {
        if (!is_timing(row.path) || row.number->low >= row.number->high) continue;
        ++out.tried;
        auto* number = const_cast<Number*>(row.number);  // of `moved`, which is ours
        const double value = number->value;
        Swept s{row.path, number->low, number->high, out.nominal, out.nominal};
        for (const bool high : {false, true}) {
            number->value = high ? s.high : s.low;
            if (number->value != value) (high ? s.at_high : s.at_low) = figure(moved);
        }
        number->value = value;
        if (reach(s, out.nominal) > 1e-9 * std::abs(out.nominal)) out.numbers.push_back(s);
    }
    std::stable_sort(out.numbers.begin(), out.numbers.end(), [&](const Swept& a, const Swept& b) {
        return reach(a, out.nominal) > reach(b, out.nominal);
    });
    return out;
}

Json to_json(const Sweep& s) {
    Json list = Json::array();
    for (const Swept& n : s.numbers)
        list.push_back({{"number", n.path},
                        {"low", n.low},
                        {"high", n.high},
                        {"at_low", n.at_low},
                        {"at_high", n.at_high}});
    return {{"nominal", s.nominal},
            {"least", s.least()},
            {"most", s.most()},
            {"tried", s.tried},
            {"numbers", list}};
}

std::string to_text(const Sweep& s, std::string_view unit, unsigned digits) {
    std::string out =
        fmt::format("{:.{}f} {} ({:.{}f} to {:.{}f} when single numbers in doubt move)\n",
                    s.nominal, digits, unit, s.least(), digits, s.most(), digits);
    std::vector<std::vector<std::string>> lines;
    for (const Swept& n : s.numbers)
        lines.push_back({"  " + n.path, fmt::format("{:g} .. {:g}", n.low, n.high),
                         fmt::format("{:.{}f} .. {:.{}f}", n.at_low, digits, n.at_high, digits)});
    out += table(lines);
    if (s.tried > s.numbers.size())
        out +=
            fmt::format("  {} other numbers in doubt do not move it\n", s.tried - s.numbers.size());
    return out;
}

}  // namespace zyfa
