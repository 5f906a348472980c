// expect: A<8>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto acc = k.vgpr<16>("acc");
    auto a = k.vgpr<8>("a");
    auto half = k.vgpr<2>("half");
    k.v_mfma_f32_32x32x64_f8f6f4(acc, a, half);
}
