// The launches that prove the simulator against AITER's gfx950 attention objects: three small
// shapes for each, tails included. Launch arguments as AITER's host code passes them (ROCm/aiter
// commit e4048607a535: csrc/cpp_itfs/mha_fwd.cu, csrc/py_itfs_cu/asm_mha_v4_fwd.cu, asm_mla.cu).
// The first case of each object is also a file in tests/launches/, made by ZYFA_WRITE_LAUNCHES=1.
#pragma once

#include <string>
#include <vector>

struct AiterCase {
    std::string name, folder, object;  // folder and file of the object, as in hsa/gfx950/
    bool is_file = false;              // also in tests/launches/
    std::string text;                  // of the launch file
};
std::vector<AiterCase> aiter_cases();
// f8f6 and f6f4 with a number of keys that is no multiple of 128.
std::vector<AiterCase> aiter_ragged_cases();
// One workgroup of each object but those for groups, with 16384 keys and without a check: for the
// cycle model. They are files in tests/launches/long/, too.
std::vector<AiterCase> aiter_long_cases();
