// One attention call on the simulator with a kernel of ours: a launch file made in memory from the
// shape, its inputs drawn, run, judged against double precision on the very bytes the kernel got.
#pragma once

#include "kernels/recipes.hpp"
#include "reference/quantise.hpp"
#include "sim/replay.hpp"
#include "tools/attention_check.hpp"
#include "tools/output.hpp"
#include "tools/shape.hpp"

namespace zyfa {

// Quantised inputs of one call, and what the report says of them.
struct Draw {
    AttentionShape shape;
    AttentionData original;  // what was drawn, before quantisation
    QuantisedData data;
    std::string about;
    Json files = Json::array();  // that were read
};

// `dist` as typed after --dist. gaussian; llm: one draw for each family that has the kernel's head
// dimension; llm:FAMILY; file: the recorded inputs that come with the project; file:DIR or
// file:DIR/SET: <SET>_q.bin, _k.bin, _v.bin there. An empty `shape` is allowed with a file: all of
// it.
std::vector<Draw> draw(const std::string& dist, uint64_t seed, const Recipe&,
                       const std::string& shape);

struct AttentionRun {
    LaunchFile launch;  // all of the call but the bytes of q, k and v
    Prepared prepared;
    AttentionInputs inputs;
};

// Error (Exit::unsupported): the kernel is made for another head dimension, mask or type.
AttentionRun prepare_attention(const Recipe&, CodeObject, const Draw&, bool rounded_sum = false);

// Far more than a wave of this call can take: it passes over the code once for each key tile.
uint64_t most_wave_instructions(const AttentionShape&, size_t code_instructions);

// Bounds that follow from the arithmetic of the kernel.
Tolerance attention_tolerance(bool rounded_sum);

}  // namespace zyfa
