// expect: Target
#include "dsl/kernel.hpp"
void describe(zyfa::Kernel& k) { k.s_branch(12); }
