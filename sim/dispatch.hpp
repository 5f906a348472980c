// From decoded machine code to Steps, and the table that gives each row of ops.def its body. A row
// without a body does not link.
#pragma once

#include "isa/ops.hpp"
#include "sim/wave.hpp"

namespace zyfa::sim {

template <Op>
void execute(Wave&, const Step&);

using Execute = void (*)(Wave&, const Step&);
extern const Execute kExecute[kOpCount];

// SDWA: the row's body on selected bytes or words (sim/exec_sdwa.cpp).
void execute_sdwa(Wave&, const Step&);
// Under a MODE that rounds otherwise or shifts register numbers.
void execute_unusual(Wave&, const Step&);

Code prepare(const Launch&);

// Why the result of this row is not covered by hardware evidence, or nullptr.
const char* unproven(const Step&);

}  // namespace zyfa::sim
