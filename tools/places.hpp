// Places in machine code by name: an address, a label of the listing, a kernel, or (kernels of ours
// by id) a section of the description.
#pragma once

#include "tools/subject.hpp"

namespace zyfa {

// Addresses of the instructions that a place names: one, or for a section the first instruction of
// each of its stretches. Error lists what there is.
std::vector<uint32_t> addresses_of(const std::string& place, const CodeObject&, const Built*);

}  // namespace zyfa
