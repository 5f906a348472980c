// Kernel: the builder that a kernel description talks to. One method per row of isa/ops.def, named
// as the mnemonic; named virtual registers; sections; labels and loops; kernel arguments; LDS
// regions. finish() gives the Program that the scheduler takes.
//
// A wrong register width or file does not compile. Everything else that can be known here (ranges,
// constant-bus and literal rules of gfx9, unplaced labels) throws Error with the kernel's line.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program.hpp"

namespace zyfa {

class Kernel;
struct KernelOptions {
    unsigned waves = 8;
    bool flush_f32_denormals = true;
};

// Handle on the instruction just emitted, for its modifiers. Each returns itself.
class Emit {
public:
    Emit& offset(unsigned bytes, Where at = Where::current());  // ds: 16 bit, buffer: 12 bit
    Emit& high();  // v_cvt_pk_*: write the high half, op_sel:[0,0,1]
    Emit& op_sel(unsigned bits);
    Emit& op_sel_hi(unsigned bits);
    Emit& clamp();
    Emit& sc0();
    Emit& nt();
    Emit& sc1();
    Emit& formats(unsigned a, unsigned b, Where at = Where::current());  // cbsz, blgp: 0..4
    Emit& region(int lds_region);  // the LDS region that this access or DMA touches
    Emit& counts(unsigned vmcnt, unsigned lgkmcnt, Where at = Where::current());  // pinned wait
    const Inst& inst() const;

private:
    friend class Kernel;
    Emit(Kernel& k, size_t block, size_t index) : kernel(&k), block(block), index(index) {}
    Inst& edit();
    Kernel* kernel;
    size_t block, index;
};

// Ends its section when it goes out of scope.
class SectionScope {
public:
    SectionScope(Kernel& k, uint16_t before) : kernel(k), before(before) {}
    ~SectionScope();
    SectionScope(const SectionScope&) = delete;

private:
    Kernel& kernel;
    uint16_t before;
};

// Ends its phase, what stands behind one, or its entry, when it goes out of scope.
class PhaseScope {
public:
    PhaseScope(Kernel& k, uint16_t phase, bool behind, uint16_t entry)
        : kernel(k), phase(phase), entry(entry), behind(behind) {}
    ~PhaseScope();
    PhaseScope(const PhaseScope&) = delete;

private:
    Kernel& kernel;
    uint16_t phase, entry;  // those before
    bool behind;
};

class Kernel {
public:
    explicit Kernel(std::string name, KernelOptions options = {});

    // --- registers -------------------------------------------------------------------------------
    template <unsigned N>
    Vgpr<N> vgpr(std::string_view name, Where at = Where::current()) {
        return {new_value(name, File::v, N, N > 1 ? 2 : 1, -1, at)};
    }
    template <unsigned N>
    Agpr<N> agpr(std::string_view name, Where at = Where::current()) {
        return {new_value(name, File::a, N, N > 1 ? 2 : 1, -1, at)};
    }
    // Scalar tuples of 4 and more words start at a multiple of 4, pairs at an even register.
    template <unsigned N>
    Sgpr<N> sgpr(std::string_view name, Where at = Where::current()) {
        return {new_value(name, File::s, N, N >= 3 ? 4 : N, -1, at)};
    }
    // What the hardware hands over at entry: s[0:1], then workgroup ids x, y, z, and v0.
    Sgpr<2> kernarg;
    Sgpr<1> workgroup_id_x, workgroup_id_y, workgroup_id_z;
    Vgpr<1> workitem_id;

    // --- structure -------------------------------------------------------------------------------
    [[nodiscard]] SectionScope section(std::string_view name, Pipe pipe);
    // Instructions in a phase stay in it; those `behind` are woven into the others by the
    // scheduler.
    [[nodiscard]] PhaseScope phase(PhaseInfo);
    [[nodiscard]] PhaseScope phase(std::string_view name, Fill fill = Fill::even) {
        return phase(PhaseInfo{std::string(name), fill});
    }
    // What follows is there because the schedule says so: for debuggers.
    [[nodiscard]] PhaseScope entry(const ScheduleEntry&);
    [[nodiscard]] PhaseScope behind();
    Label label(std::string_view name, Where at = Where::current());  // a place to be named later
    void place(Label label, bool loop_head = false, Where at = Where::current());  // here it is
    // Runs body once, then again while s_cbranch_scc1 is taken: body must leave the condition in
    // scc.
    template <class Body>
    void loop_while_scc1(std::string_view name, Body body, Where at = Where::current()) {
        Label head = label(name, at);
        place(head, true, at);
        body();
        s_cbranch_scc1(Target(head, at));
    }

    // --- memory ----------------------------------------------------------------------------------
    void arguments(std::span<const KernelArg> args, uint32_t bytes);
    int lds_region(std::string_view name, uint32_t bytes, uint32_t align = 1024,
                   Where at = Where::current());
    uint32_t lds_first_byte(int region) const { return program.lds.at(size_t(region)).first_byte; }
    // Waits whose counts the scheduler finds. Pinned to no counts at all they only say what a wait
    // that is pinned in front has to do.
    Emit wait_filled(int region, Where at = Where::current());  // this wave's loads into it landed
    Emit wait_drained(int region,
                      Where at = Where::current());  // this wave's reads from it are back
    void wait_all(Where at = Where::current());

    // --- instructions ----------------------------------------------------------------------------
#define OP(name, operands, names, ...) \
    Emit name operands { return emit(Op::name, pack names); }
#include "isa/ops.def"

    Program finish(Where at = Where::current());

private:
    friend class Emit;
    friend class SectionScope;
    friend class PhaseScope;
    struct Packed {
        std::array<Operand, kMaxOperands> operands{};
        unsigned count = 0;
        Where at{};
    };
    static Packed pack(const Here& here) { return {{}, 0, here.at}; }
    template <class First, class... Rest>
        requires std::is_base_of_v<Arg, First>
    static Packed pack(const First& first, const Rest&... rest) {
        return {{first.operand, rest.operand...}, 1 + sizeof...(rest), first.at};
    }
    Emit emit(Op op, Packed args);
    uint32_t new_value(std::string_view name, File file, unsigned words, unsigned align, int pinned,
                       Where at);
    Emit need(Need need, int region, Where at);

    Program program;
    std::array<uint32_t, 3> next_word{};  // per file
    std::vector<std::string> label_names;
    std::vector<Where> label_lines;
    std::vector<int> label_blocks;  // block index once placed, else -1
    uint16_t current_section = 0, current_phase = 0, current_entry = 0;
    bool is_behind = false;
};

}  // namespace zyfa
