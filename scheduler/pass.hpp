// The scheduler: a list of passes, each a pure function from Program to Program. `verify` runs
// last, always, on the machine code of the result.
#pragma once

#include <functional>
#include <string_view>

#include "isa/program.hpp"

namespace zyfa {

struct Machine;  // isa/machine.hpp

Program order(Program, const Machine&);
Program plant_probes(Program, const Machine&);
Program allocate(Program, const Machine&);
Program fill_hazards(Program, const Machine&);
Program place_waits(Program, const Machine&);
Program pad_hazards(Program, const Machine&);
Program align(Program, const Machine&);
Program verify(Program, const Machine&);

struct Pass {
    std::string_view name, does;
    Program (*run)(Program, const Machine&);
};
inline constexpr Pass kPipeline[] = {
    {"order", "weave the work of each phase in behind its matrix instructions", order},
    {"probes", "time the phases that the schedule has probes for", plant_probes},
    {"allocate", "give every value its registers, or say what is live where they run out",
     allocate},
    {"fill", "let work from further down take the slots that a hazard leaves empty", fill_hazards},
    {"waits", "wait for a counter just before its first reader", place_waits},
    {"hazards", "add the slots that the hardware does not insert itself", pad_hazards},
    {"align", "start loops, and runs of long instructions in them, where one fetch has them whole",
     align},
    {"verify", "prove waits, hazards and operands of the machine code; change nothing", verify},
};

using Watch = std::function<void(const Pass&, const Program&)>;
// Error with the kernel's source line: a program that cannot be scheduled, or that verify refutes.
Program schedule(Program, const Machine&, const Watch& watch = {});

}  // namespace zyfa
