// What a user names to show, lint or simulate: a kernel id, a code object, or an assembly file.
#pragma once

#include "sim/code_object.hpp"
#include "tools/output.hpp"
#include "tools/pipeline.hpp"

namespace zyfa {

struct Subject {
    std::string name;
    const Recipe* recipe = nullptr;  // of a kernel id, or of a file that holds one of our kernels
    std::optional<Chosen> chosen;    // of a kernel id
    std::optional<Built> built;      // of a kernel id
    CodeObject object;
    Bytes code_object;            // the bytes of `object`
    std::string assembly;         // of an assembly file
    Json inputs = Json::array();  // the file that was read
};

// A word with a slash or a dot, or "-", is a file; anything else, and all that starts with "ID@",
// is a kernel id. A file is taken for assembly by its ending .s or because it is text that stdin
// brings.
Subject open_subject(const std::string& what);

}  // namespace zyfa
