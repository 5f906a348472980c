// DWARF scopes: which phase of the schedule, and which entry of that, asks for an instruction. A
// line table has one position for each instruction, the kernel's source. The schedule's is that of
// a call: the phase is a function inlined into the kernel, called from its place in the schedule
// file, and the entry is one inlined into the phase. So a debugger's backtrace reads
//     pv(i-1)           kernels/fp8_loop.cpp:262
//     matrix            fp8_d128_causal@two_phases.json:17
//     fp8_d128_causal   fp8_d128_causal@two_phases.json:14
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isa/program.hpp"

namespace zyfa {

class Scopes {
public:
    // In layout order. `mark` is called where a label must stand in front of the instruction.
    template <class Mark>
    void step(const Program& p, const Inst& i, Mark mark) {
        const Key key{p.phases[i.phase].number, i.entry};
        if (!stretches_.empty() && stretches_.back().key == key) return;
        stretches_.push_back({key, i.phase});
        mark();
    }
    std::string here() const { return label(stretches_.size() - 1); }

    // A compile unit, without which no debugger looks at the line table, and the scopes in it.
    // `schedule_file`: number of the schedule among the .file directives.
    std::string print(const Program&, const std::string& source, unsigned schedule_file) const;

private:
    struct Key {
        unsigned phase;  // number in the schedule, 0: none
        unsigned entry;
        bool operator==(const Key&) const = default;
    };
    struct Stretch {
        Key key;
        unsigned info;  // index into Program::phases
    };
    std::vector<Stretch> stretches_;

    static std::string label(size_t n) { return ".Lscope_" + std::to_string(n); }
    std::string ranges(const Program&, const std::string& name,
                       const std::function<bool(const Key&)>&) const;
};

}  // namespace zyfa
