// Trust: how sure a number or a rule is. Every hazard, rate and semantic carries one of these and
// a source string, so that guesses can be listed and swept.
#pragma once

#include <cstdint>
#include <string_view>

namespace zyfa {

enum class Trust : uint8_t {
    certain,      // seen in a hardware-proven binary, or pinned by LLVM's tests or tools
    measured,     // measured on silicon and published
    vendor_text,  // vendor document
    inferred,
    emulated,  // from an emulation or event model of our own
    guess,
};

constexpr std::string_view trust_name(Trust t) {
    constexpr std::string_view kNames[] = {"certain",  "measured", "vendor_text",
                                           "inferred", "emulated", "guess"};
    return kNames[unsigned(t)];
}

}  // namespace zyfa
