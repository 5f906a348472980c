#include "scheduler/pass.hpp"

namespace zyfa {

Program schedule(Program program, const Machine& machine, const Watch& watch) {
    for (const Pass& pass : kPipeline) {
        program = pass.run(std::move(program), machine);
        if (watch) watch(pass, program);
    }
    return program;
}

}  // namespace zyfa
