// What a fuzz target gives: the libFuzzer entry, and the inputs that mutation starts from. With
// clang and -DZYFA_FUZZ=ON it is a libFuzzer program; without, driver.cpp mutates the seeds in an
// order that is the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace zyfa::test {

std::vector<std::vector<uint8_t>> fuzz_seeds();

}  // namespace zyfa::test
