// The same shape as its neighbours, but right: shows that they fail for their own reason.
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) {
    auto sum = k.vgpr<1>("sum");
    k.v_add_f32(sum, 1.0f, sum);
}
