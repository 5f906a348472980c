// expect: D<1>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto s = k.sgpr<1>("s");
    auto a = k.vgpr<1>("a");
    k.v_add_f32(s, a, a);
}
