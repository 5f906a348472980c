// expect: SS<1>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto s = k.sgpr<1>("s");
    auto a = k.vgpr<1>("a");
    k.s_add_u32(s, s, a);
}
