// expect: D<1>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto pair = k.vgpr<2>("pair");
    auto a = k.vgpr<1>("a");
    k.v_add_f32(pair, a, a);
}
