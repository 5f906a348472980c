// How far a predicted figure moves when the numbers of the machine file that are in doubt move
// through their ranges, one at a time.
#pragma once

#include <functional>

#include "isa/machine.hpp"
#include "tools/output.hpp"

namespace zyfa {

struct Swept {
    std::string path;                // "rates/trans"
    double low = 0, high = 0;        // of the number
    double at_low = 0, at_high = 0;  // the figure
};
struct Sweep {
    double nominal = 0;
    std::vector<Swept> numbers;  // those that move the figure, the farthest first
    unsigned tried = 0;          // numbers with a range that the cycle model reads
    double least() const;
    double most() const;  // over all single moves
};

// `figure` runs once for the machine as it is and twice for each number that a range is given for.
Sweep sweep(const Machine&, const std::function<double(const Machine&)>& figure);

Json to_json(const Sweep&);
// Lines "rates/trans 4..16: 812 .. 1320"; `unit` and `digits` of the figure.
std::string to_text(const Sweep&, std::string_view unit, unsigned digits);

}  // namespace zyfa
