// expect: D<4>
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto data = k.sgpr<4>("data");
    auto at = k.vgpr<1>("at");
    k.ds_read_b128(data, at);
}
