#include "sim/timing/chip.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace zyfa {

Dispatched dispatch(const Machine& m, std::span<const float> cycles, unsigned per_compute_unit) {
    const unsigned dies = m.chip_xcds.count();
    Dispatched out;
    out.places = m.chip_compute_units.count() * per_compute_unit;
    out.xcd_cycles.assign(dies, 0);
    double work = 0, first_idle = -1;
    for (unsigned die = 0; die < dies; ++die) {
        // Places of the die by the time at which they are free.
        std::priority_queue<double, std::vector<double>, std::greater<>> free;
        for (unsigned n = 0; n < out.places / dies; ++n) free.push(0);
        for (size_t n = die; n < cycles.size(); n += dies) {
            const double start = free.top();
            free.pop();
            free.push(start + double(cycles[n]));
            work += double(cycles[n]);
            out.xcd_cycles[die] = std::max(out.xcd_cycles[die], start + double(cycles[n]));
        }
        first_idle = first_idle < 0 ? free.top() : std::min(first_idle, free.top());
    }
    out.cycles = *std::max_element(out.xcd_cycles.begin(), out.xcd_cycles.end());
    out.first_idle = std::max(first_idle, 0.0);
    if (out.cycles > 0) out.busy_pct = 100 * work / (out.cycles * out.places);
    return out;
}

Traffic traffic(const Machine& m, double l2_bytes, double hbm_bytes, double ghz) {
    Traffic t{l2_bytes, hbm_bytes, 0, 0};
    t.l2_cycles = l2_bytes / (m.chip_l2_bytes_per_clock.value * m.chip_xcds.value);
    t.hbm_cycles = hbm_bytes / (m.chip_hbm_bytes_per_second.value / (ghz * 1e9));
    return t;
}

}  // namespace zyfa
