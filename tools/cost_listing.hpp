// Costs as text, beside the lines of a listing, and as JSON.
#pragma once

#include "tools/code_costs.hpp"
#include "tools/listing.hpp"

namespace zyfa {

// Puts the cost of each instruction into ListedLine::front, and in front of all lines, as comments,
// what the figures are and the subtotals of sections and phases. `steady`: of the steady window
// alone, else of the whole run.
void add_costs(std::vector<ListedLine>&, const CodeObject&, const CodeCosts&, bool steady);

Json to_json(const CodeCosts&);
// Of one place: {"run":{..}, "steady":{..}}, null where it was not executed.
Json cost_of(const CodeCosts&, size_t place);

}  // namespace zyfa
