#include "tests/sim/timed.hpp"

#include <cstring>

namespace zyfa::test {

std::string repeat(unsigned times, const std::string& lines) {
    std::string all;
    while (times--) all += lines;
    return all;
}

Timed& Timed::run(const std::string& lines) {
    code = assemble_and_decode(
        "s_load_dwordx2 s[2:3], s[0:1], 0x0\n"
        "v_readfirstlane_b32 s4, v0\n"
        "s_lshr_b32 s4, s4, 6\n"
        "v_and_b32 v0, 63, v0\n"
        "s_waitcnt lgkmcnt(0)\n"
        "s_barrier\n" +
        lines + "\ns_endpgm\n");
    for (const Decoded& d : code) text[d.address] = d.text;
    Memory memory;
    const uint64_t buffer = memory.allocate("buffer", 1 << 16);
    Launch launch;
    launch.code = code;
    launch.setup.name = "timed";
    launch.setup.agprs = 256;
    launch.setup.workgroup_id = {false, false, false};
    launch.setup.lds_bytes = 1 << 16;
    launch.setup.kernarg_bytes = 8;
    launch.workgroup = {waves * 64, 1, 1};
    launch.kernarg.resize(8);
    std::memcpy(launch.kernarg.data(), &buffer, 8);
    options.machine = &machine;
    options.sink = this;
    Options sim;
    sim.timing = &options;
    sim.uninitialised = false;
    issues.clear(), transfers.clear(), releases.clear(), ends.clear();
    result = zyfa::run(launch, memory, sim);
    return *this;
}

std::vector<sim::Issue> Timed::of(const std::string& mnemonic, int wave) const {
    std::vector<sim::Issue> out;
    for (const sim::Issue& i : issues)
        if (text.at(i.address).starts_with(mnemonic) && (wave < 0 || i.wave == wave))
            out.push_back(i);
    return out;
}

std::vector<uint64_t> Timed::distances(const std::string& mnemonic, int wave) const {
    const auto all = of(mnemonic, wave);
    std::vector<uint64_t> out;
    for (size_t n = 1; n < all.size(); ++n) out.push_back(all[n].issued - all[n - 1].issued);
    return out;
}

}  // namespace zyfa::test
