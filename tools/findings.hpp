// Findings of check and sim for people and for scripts.
#pragma once

#include "isa/finding.hpp"
#include "tools/output.hpp"

namespace zyfa {

const char* name_of(Severity);
bool has_errors(const std::vector<Finding>&);
Json to_json(const Finding&);
Json to_json(const std::vector<Finding>&);
// A command line that shows the machine's state at the finding, from the one that made it.
std::string reproduce_line(const Finding&, const std::string& run);

// "x.co:0x0040: error: [RULE] message", the instruction, and the other end of the matter; of an
// assembly file "x.s:12: ..." and the line as it stands there.
std::string to_text(const Finding&, const std::string& name, const Common&);

}  // namespace zyfa
