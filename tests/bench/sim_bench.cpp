// Speed of the functional simulator on one core: vector instructions and FP8 matrix instructions a
// second, against what other functional emulators reach on this class of machine (tinygrad's:
// 0.5 to 0.9 million and 66 thousand). Not a test: the figures depend on the machine.
#include <fmt/format.h>

#include <ctime>

#include "tests/sim/lab.hpp"

using namespace zyfa;

static double rate(const std::string& body, unsigned repeats, unsigned waves) {
    test::Lab lab;
    lab.waves = waves;
    lab.setup.denorm32 = 0;
    for (unsigned v = 1; v <= 16; ++v) lab.set(v, 1.0f + float(v) / 64);
    for (unsigned v = 32; v < 96; ++v) lab.set(v, 0x38383838u);
    lab.sgprs[10] = repeats;
    std::string block;
    unsigned lines = 0;
    for (unsigned n = 0; n < 16; ++n) {
        block += body;
        for (char c : body) lines += c == '\n';
    }
    std::clock_t begin = std::clock();  // of this process: others on the machine do not count
    lab.run("loop:\n" + block +
            "s_sub_u32 s10, s10, 1\ns_cmp_lg_u32 s10, 0\ns_cbranch_scc1 loop\n");
    return double(lines) * repeats * waves * CLOCKS_PER_SEC / double(std::clock() - begin);
}

int main() {
    auto show = [](const char* what, double value, double bar) {
        fmt::print("{:<44}{:>12.0f} /s   {:.2f} of {:.0f}\n", what, value, value / bar, bar);
    };
    std::string softmax =
        "v_fma_f32 v17, v1, v2, v3\n"
        "v_max_f32 v18, v4, v5\n"
        "v_add_f32 v19, v6, v7\n"
        "v_mul_f32 v20, v8, v9\n"
        "v_add_u32 v21, v10, v11\n"
        "v_cvt_pk_bf16_f32 v22, v12, v13\n"
        "v_pk_fma_f32 v[24:25], v[2:3], v[4:5], v[6:7]\n"
        "v_mov_b32 v23, v14\n";
    show("vector instructions, mixed, 8 waves", rate(softmax, 2000, 8), 5e6);
    show("v_fma_f32, 1 wave", rate("v_fma_f32 v17, v1, v2, v3\n", 40000, 1), 5e6);
    show("v_exp_f32, 1 wave", rate("v_exp_f32 v17, v1\n", 20000, 1), 5e6);
    show("v_cvt_pk_fp8_f32, 1 wave", rate("v_cvt_pk_fp8_f32 v17, v1, v2\n", 20000, 1), 5e6);
    show("v_mfma_f32_32x32x64_f8f6f4 fp8, 8 waves",
         rate("v_mfma_f32_32x32x64_f8f6f4 v[96:111], v[32:39], v[40:47], v[96:111]\n", 100, 8),
         120e3);
    show(
        "v_mfma_scale_f32_32x32x64_f8f6f4 fp8",
        rate(
            "v_mfma_scale_f32_32x32x64_f8f6f4 v[96:111], v[32:39], v[40:47], v[96:111], v16, v17\n",
            100, 8),
        120e3);
    show("v_mfma_f32_32x32x16_bf16",
         rate("v_mfma_f32_32x32x16_bf16 v[96:111], v[32:35], v[40:43], v[96:111]\n", 100, 8),
         120e3);
}
