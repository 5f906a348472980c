#include "isa/machines.hpp"

namespace zyfa {

static constexpr char kMi350xJson[] =
#include "isa/machines/mi350x.inc"
    ;

std::vector<std::string_view> shipped_machines() { return {"mi355x", "mi350x"}; }

const Machine* shipped_machine(std::string_view name) {
    if (name == "mi355x") return &mi355x();
    static const Machine mi350x =
        load_machine({kMi350xJson, sizeof kMi350xJson - 1}, "isa/machines/mi350x.json");
    return name == "mi350x" ? &mi350x : nullptr;
}

}  // namespace zyfa
