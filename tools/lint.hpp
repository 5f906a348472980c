// Everything that can be said of a code object without running it.
#pragma once

#include "check/check.hpp"
#include "sim/code_object.hpp"

namespace zyfa {

// In order of address; what loading it has noted comes last.
std::vector<Finding> lint_findings(const CodeObject&, Tier, bool pedantic);

}  // namespace zyfa
