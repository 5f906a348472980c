// The two bodies of the matrix instructions; they read shape and element types from the mnemonic.
#pragma once

#include "sim/wave.hpp"

namespace zyfa::sim {

void dense_product(Wave&, const Step&);
void sparse_product(Wave&, const Step&);

}  // namespace zyfa::sim
