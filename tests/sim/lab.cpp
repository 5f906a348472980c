#include "tests/sim/lab.hpp"

#include <cstring>

namespace zyfa::test {

std::vector<Decoded> assemble_and_decode(const std::string& lines) {
    Bytes object = assemble(".text\n" + lines + "\n");
    auto at = [&]<class T>(uint64_t offset, T value) {
        std::memcpy(&value, object.data() + offset, sizeof value);
        return value;
    };
    uint64_t sections = at(0x28, uint64_t{});
    unsigned count = at(0x3c, uint16_t{});
    for (unsigned n = 0; n < count; ++n) {
        uint64_t header = sections + 64 * n;
        bool executable = at(header + 8, uint64_t{}) & 4;
        uint64_t bytes = at(header + 0x20, uint64_t{});
        if (executable && bytes)
            return decode({object.data() + at(header + 0x18, uint64_t{}), bytes});
    }
    throw Error("the lines give no code");
}

Lab::Lab() {
    setup.name = "lab";
    setup.agprs = 256;
    setup.workgroup_id = {false, false, false};
    setup.denorm32 = 3;
    setup.ieee = false;
    options.threads = 1;
}

const Finding* Lab::finding(const std::string& rule) const {
    for (const Finding& f : result.findings)
        if (f.rule == rule) return &f;
    return nullptr;
}

void Lab::run(const std::string& lines) {
    std::string text =
        "s_load_dwordx4 s[96:99], s[0:1], 0x0\n"
        "v_lshrrev_b32 v255, 6, v0\n"
        "v_readfirstlane_b32 s95, v255\n"
        "v_and_b32 v255, 63, v0\n"
        "v_lshlrev_b32 v255, 2, v255\n"
        "s_waitcnt lgkmcnt(0)\n";
    std::vector<uint8_t> input;
    for (const auto& [v, values] : vgprs) {
        text += fmt::format(
            "global_load_dword v254, v255, s[96:97]\n"
            "s_waitcnt vmcnt(0)\n"
            "v_add_u32 v255, 0x100, v255\n");
        text += v < 256 ? fmt::format("v_mov_b32 v{}, v254\n", v)
                        : fmt::format("v_accvgpr_write_b32 a{}, v254\n", v - 256);
        auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
        input.insert(input.end(), bytes, bytes + 256);
    }
    for (const auto& [s, value] : sgprs) text += fmt::format("s_mov_b32 s{}, {:#x}\n", s, value);
    text += fmt::format("s_mov_b32 exec_lo, {:#x}\ns_mov_b32 exec_hi, {:#x}\n", uint32_t(exec),
                        uint32_t(exec >> 32));
    text += lines;
    size_t words = watch.size() + watch_scalar.size();
    text += fmt::format(
        "\ns_mov_b64 exec, -1\n"
        "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
        "v_mbcnt_lo_u32_b32 v255, -1, 0\n"
        "v_mbcnt_hi_u32_b32 v255, -1, v255\n"
        "v_lshlrev_b32 v255, 2, v255\n"
        "s_mul_i32 s94, s95, {:#x}\n"
        "v_add_u32 v255, s94, v255\n",
        words * 256);
    auto store = [&](const std::string& move) {
        text += move + "\nglobal_store_dword v255, v254, s[98:99]\nv_add_u32 v255, 0x100, v255\n";
    };
    for (unsigned v : watch)
        store(v < 256 ? fmt::format("v_mov_b32 v254, v{}", v)
                      : fmt::format("v_accvgpr_read_b32 v254, a{}", v - 256));
    for (unsigned s : watch_scalar) store(fmt::format("v_mov_b32 v254, s{}", s));
    text += "s_endpgm\n";

    uint64_t in = memory.allocate("lab inputs", input.size() + 4);
    uint64_t to = memory.allocate("lab outputs", waves * words * 256 + 4);
    memory.write(in, input);
    code = assemble_and_decode(text);
    Launch launch;
    launch.code = code;
    launch.setup = setup;
    launch.setup.kernarg_bytes = 16;
    launch.workgroup = {waves * 64, 1, 1};
    launch.kernarg.resize(16);
    std::memcpy(launch.kernarg.data(), &in, 8);
    std::memcpy(launch.kernarg.data() + 8, &to, 8);
    result = zyfa::run(launch, memory, options);

    uint64_t next = to;
    for (unsigned wave = 0; wave < waves; ++wave) {
        auto read = [&] {
            Values values;
            memory.read(next, {reinterpret_cast<uint8_t*>(values.data()), 256});
            next += 256;
            return values;
        };
        for (unsigned v : watch) out[{wave, v}] = read();
        for (unsigned s : watch_scalar) {
            uint32_t value = read()[0];
            if (wave == 0) scalars[s] = value;
        }
    }
    memory.release(in);
    memory.release(to);
}

}  // namespace zyfa::test
