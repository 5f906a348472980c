// expect: D<1>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto a = k.vgpr<1>("a");
    k.v_mov_b32(1, a);
}
