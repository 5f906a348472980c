// expect: V<1>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto acc = k.vgpr<16>("acc");
    auto a = k.vgpr<8>("a");
    auto scale = k.sgpr<1>("scale");
    auto one = k.vgpr<1>("one");
    k.v_mfma_scale_f32_32x32x64_f8f6f4(acc, a, a, acc, scale, one);
}
