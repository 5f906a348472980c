// Any bytes as a code object: they load, or are refused with an Error.
#include "isa/error.hpp"
#include "sim/code_object.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/sim/objects.hpp"

using namespace zyfa;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try {
        const CodeObject object = load_code_object(std::span(data, size), "fuzz");
        for (const KernelInfo& kernel : object.kernels) {
            try {
                setup_of(object, kernel);
            } catch (const Error&) {}
        }
    } catch (const Error&) {}
    return 0;
}

std::vector<std::vector<uint8_t>> test::fuzz_seeds() { return {small_object()}; }
