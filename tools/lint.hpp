// Everything that can be said of a code object without running it.
#pragma once

#include "check/grant.hpp"
#include "sim/code_object.hpp"

namespace zyfa {

// What the descriptor and the metadata grant.
Grant grant_of(const KernelInfo&);

// In order of address; what loading it has noted comes last.
std::vector<Finding> lint_findings(const CodeObject&, Tier, bool pedantic);

}  // namespace zyfa
