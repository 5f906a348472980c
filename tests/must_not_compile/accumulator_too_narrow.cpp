// expect: D<16>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto acc = k.vgpr<4>("acc");
    auto a = k.vgpr<8>("a");
    k.v_mfma_f32_32x32x64_f8f6f4(acc, a, a);
}
