// Findings as SARIF 2.1.0 (OASIS), for the code scanning of version control hosts. A place is a
// line of an assembly file, or an address of a code object. Fingerprints are made of rule,
// instruction and how many equal ones come before, so that they outlive a change of addresses.
#pragma once

#include <string>
#include <vector>

#include "isa/finding.hpp"
#include "tools/output.hpp"

namespace zyfa {

struct SarifInput {
    std::string name;  // of the file or the kernel id
    bool is_file = true;
    std::vector<Finding> findings;
};
Json sarif(const std::vector<SarifInput>&);

}  // namespace zyfa
