// What the semantics of each row rest on. hardware_binary: the row runs in a shipped gfx950 code
// object whose result was compared here with an f64 reference. That covers what the binary does,
// not every input: rounding inside transcendental and matrix instructions is said to be open by
// unproven() whatever stands here.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/ops.hpp"

namespace zyfa::sim {

enum class Proof : uint8_t { hardware_binary, vendor_text, inferred, guess };

struct Evidence {
    Proof proof = Proof::guess;
    const char* source = nullptr;
};
const Evidence& evidence(Op);
// Rows that no rule covers and rules that no row needs: none, or the table of rules is wrong.
std::vector<std::string_view> evidence_gaps();

constexpr std::string_view proof_name(Proof p) {
    constexpr std::string_view kNames[] = {"hardware_binary", "vendor_text", "inferred", "guess"};
    return kNames[unsigned(p)];
}

}  // namespace zyfa::sim
