// expect: SS<4>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto data = k.vgpr<4>("data");
    auto at = k.vgpr<1>("at");
    auto descriptor = k.vgpr<4>("descriptor");
    k.buffer_load_dwordx4(data, at, descriptor, 0);
}
