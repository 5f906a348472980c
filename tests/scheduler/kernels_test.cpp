// Whole kernels through the pipeline, and what is left when parts of the result are taken away.
#include <catch2/catch.hpp>

#include "check/check.hpp"
#include "check/machine_code.hpp"
#include "isa/machine.hpp"
#include "isa/text.hpp"
#include "kernels/recipes.hpp"
#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

using namespace zyfa;

TEST_CASE("every recipe passes the pipeline and its proof", "[scheduler]") {
    for (const Recipe& recipe : recipes()) {
        CAPTURE(std::string(recipe.id));
        const Program p = schedule(describe(recipe), mi355x());
        unsigned insts = 0, waits = 0, nops = 0;
        for (const Block& b : p.blocks)
            for (const Inst& i : b.insts) {
                ++insts;
                waits += i.op == Op::s_waitcnt;
                nops += i.op == Op::s_nop;
            }
        fmt::print("{}: {} instructions, {} waits, {} nops, {} vgprs, {} agprs, {} sgprs\n",
                   recipe.id, insts, waits, nops, p.used.vgprs, p.used.agprs, p.used.sgprs);
        CHECK(p.used.vgprs <= 256);
    }
}
