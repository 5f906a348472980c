// How many s_barrier a wave still meets, and which paths come together again.
#pragma once

#include "check/flow.hpp"

namespace zyfa {

class BarrierCount {
public:
    explicit BarrierCount(const Flowgraph&);
    // From the start of the block to the end of the program, if all paths have as many.
    std::optional<unsigned> from(unsigned block) const;

private:
    struct Range {
        unsigned least, most;
    };
    std::vector<Range> counts_;
};

// Whether some path from one block and some path from the other lead to the same block.
bool may_meet(const Flowgraph&, unsigned one, unsigned two);

}  // namespace zyfa
