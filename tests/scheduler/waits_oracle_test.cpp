// LLVM 22's si-insert-waitcnts as a referee for place_waits and isa/counters: random straight-line
// programs of loads and uses, many in one llc run. Twice:
// - our waits go into LLVM's pass: it has to leave them as they are, so ours are never weaker;
// - along LLVM's own waits: in front of each instruction both ask for the same counts.
// Where LLVM waits for more, and why we do not:
// - an LDS read into a register that an older LDS read still fills: LDS accesses of a wave return
//   in order (CDNA4 ISA, S_WAITCNT), as LLVM grants to two vector memory loads;
// - a 64th vector memory access (16th LDS access) behind a load: the counter cannot hold both, so
//   the load is back; LLVM asks for the highest count that waits at all.
// Where ours wait for more:
// - the described wait "LDS filled" is for what other waves read, too: it counts this wave's LDS
//   writes, which LLVM leaves to the barrier's user.
// LLVM knows of direct-to-LDS loads through the memory operand of the LDS read behind them. Given
// the LDS operand of global_load_lds it counts that in lgkmcnt, too, and then waits for less in
// front of the readers of older LDS reads. We take it to count in vmcnt alone, the stricter of the
// two for those reads; the operand is left out here.
//
// Seen to fail: flat accesses taken as ordered among the others (as they were until this test),
// scalar loads taken as ordered, stores not counted, direct-to-LDS loads forgotten, a count one too
// high, one too low, scalar loads overwritten in order.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "isa/counters.hpp"
#include "isa/machine.hpp"
#include "isa/text.hpp"
#include "scheduler/pass.hpp"
#include "tests/llc.hpp"

using namespace zyfa;
using test::Pattern;

namespace {

constexpr Pattern kPatterns[] = {
    // clang-format off
    {"buffer_load_dword @D1, off, s[8:11], 0", "@D1 = BUFFER_LOAD_DWORD_OFFSET $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"buffer_load_dwordx4 @D4, off, s[8:11], 0", "@D4 = BUFFER_LOAD_DWORDX4_OFFSET $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"buffer_load_dwordx2 @D2, @A1, s[8:11], 0 offen", "@D2 = BUFFER_LOAD_DWORDX2_OFFEN @A1, $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"global_load_dword @D1, @A2, off", "@D1 = GLOBAL_LOAD_DWORD @A2, 0, 0, implicit $exec"},
    {"global_load_dwordx4 @D4, @A1, s[20:21]", "@D4 = GLOBAL_LOAD_DWORDX4_SADDR $sgpr20_sgpr21, @A1, 0, 0, implicit $exec"},
    {"buffer_store_dword @A1, off, s[8:11], 0", "BUFFER_STORE_DWORD_OFFSET @A1, $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec"},
    {"global_store_dwordx4 @A2, @B4, off", "GLOBAL_STORE_DWORDX4 @A2, @B4, 0, 0, implicit $exec"},
    {"buffer_load_dword off, s[8:11], 0 lds", "BUFFER_LOAD_DWORD_LDS_OFFSET $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0, implicit $exec, implicit $m0 :: (load (s32), addrspace 1), (store (s32), addrspace 3)"},
    {"global_load_lds_dwordx4 @A2, off", "GLOBAL_LOAD_LDS_DWORDX4 @A2, 0, 0, implicit $exec, implicit $m0 :: (load (s128), addrspace 1)"},
    {"flat_load_dword @D1, @A2", "@D1 = FLAT_LOAD_DWORD @A2, 0, 0, implicit $exec, implicit $flat_scr"},
    {"flat_store_dword @A2, @B1", "FLAT_STORE_DWORD @A2, @B1, 0, 0, implicit $exec, implicit $flat_scr"},
    {"ds_read_b32 @D1, @A1", "@D1 = DS_READ_B32_gfx9 @A1, 0, 0, implicit $exec :: (load (s32), addrspace 3)"},
    {"ds_read_b128 @D4, @A1", "@D4 = DS_READ_B128_gfx9 @A1, 0, 0, implicit $exec :: (load (s128), addrspace 3)"},
    {"ds_read_b64_tr_b8 @D2, @A1", "@D2 = DS_READ_B64_TR_B8 @A1, 0, 0, implicit $exec :: (load (s64), addrspace 3)"},
    {"ds_read2_b32 @D2, @A1 offset1:1", "@D2 = DS_READ2_B32_gfx9 @A1, 0, 1, 0, implicit $exec :: (load (s64), addrspace 3)"},
    {"ds_write_b32 @A1, @B1", "DS_WRITE_B32_gfx9 @A1, @B1, 0, 0, implicit $exec"},
    {"ds_write_b128 @A1, @B4", "DS_WRITE_B128_gfx9 @A1, @B4, 0, 0, implicit $exec"},
    {"s_load_dword s20, s[0:1], 0x0", "$sgpr20 = S_LOAD_DWORD_IMM $sgpr0_sgpr1, 0, 0"},
    {"s_load_dwordx4 s[20:23], s[0:1], 0x10", "$sgpr20_sgpr21_sgpr22_sgpr23 = S_LOAD_DWORDX4_IMM $sgpr0_sgpr1, 16, 0"},
    {"s_buffer_load_dword s21, s[8:11], 0x0", "$sgpr21 = S_BUFFER_LOAD_DWORD_IMM $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0"},
    {"s_load_dwordx4 s[8:11], s[0:1], 0x20", "$sgpr8_sgpr9_sgpr10_sgpr11 = S_LOAD_DWORDX4_IMM $sgpr0_sgpr1, 32, 0"},
    {"v_mov_b32_e32 @D1, @A1", "@D1 = V_MOV_B32_e32 @A1, implicit $exec"},
    {"v_mov_b32_e32 @D1, s20", "@D1 = V_MOV_B32_e32 $sgpr20, implicit $exec"},
    {"v_add_f32_e32 @D1, @A1, @B1", "@D1 = V_ADD_F32_e32 @A1, @B1, implicit $mode, implicit $exec"},
    {"v_readfirstlane_b32 s21, @A1", "$sgpr21 = V_READFIRSTLANE_B32 @A1, implicit $exec"},
    {"s_mov_b32 s20, s21", "$sgpr20 = S_MOV_B32 $sgpr21"},
    {"s_barrier", "S_BARRIER"},
    {"v_mfma_f32_16x16x16_f16 @D4, @A2, @B2, @D4", "@D4 = V_MFMA_F32_16X16X16F16_vgprcd_e64 @A2, @B2, @D4, 0, 0, 0, implicit $mode, implicit $exec"},
    {"v_mfma_f32_32x32x16_bf16 @D16, @A4, @B4, @C16", "@D16 = V_MFMA_F32_32X32X16_BF16_vgprcd_e64 @A4, @B4, @C16, 0, 0, 0, implicit $mode, implicit $exec"},
    // clang-format on
};

struct Made {
    std::vector<Inst> insts;
    std::vector<std::string> mir;
};

Made random_program(std::mt19937& random) {
    const auto pick = [&](unsigned n) { return unsigned(random() % n); };
    Made made;
    const auto put = [&](const Pattern& p, int first = -1) {
        test::Registers registers;
        for (char name : std::string_view("ABCD"))
            registers[name] = first < 0 ? 2 * pick(12) : unsigned(first);
        const auto parsed = parse(test::fill(p.text, registers, false));
        REQUIRE(parsed);
        made.insts.push_back(*parsed);
        made.mir.push_back(test::fill(p.mir, registers, true));
    };
    const auto named = [](std::string_view start) {
        return *std::find_if(std::begin(kPatterns), std::end(kPatterns), [&](const Pattern& p) {
            return std::string_view(p.text).starts_with(start);
        });
    };
    if (pick(40) == 0) {  // counters that are full, or nearly so
        const bool lds = pick(2);
        put(named(lds ? "ds_read_b32" : "buffer_load_dword @"), 0);
        for (unsigned n = (lds ? 13 : 61) + pick(5); n; --n)
            put(named(lds ? "ds_write_b32" : "buffer_store"), 40);
        put(named("v_mov_b32"), 0);
        return made;
    }
    const bool no_flat = pick(2);  // flat accesses make every wait a full one
    for (unsigned left = 4 + pick(16); left;) {
        const Pattern& p = kPatterns[pick(std::size(kPatterns))];
        if (no_flat && std::string_view(p.text).starts_with("flat")) continue;
        put(p);
        --left;
    }
    return made;
}

unsigned encoded(Wait w) {
    return (w.vmcnt & 15u) | 7u << 4 | w.lgkmcnt << 8 | (w.vmcnt >> 4) << 14;
}
Wait decoded(const std::string& line) {
    const unsigned code = unsigned(std::stoul(line.substr(10)));
    return {uint8_t((code & 15) | ((code >> 14 & 3) << 4)), uint8_t(code >> 8 & 15)};
}
// The waits at `line`, taken together; `line` goes past them.
Wait waits_at(const std::vector<std::string>& lines, size_t& line) {
    Wait wait;
    for (; line < lines.size() && lines[line].starts_with("S_WAITCNT "); ++line)
        wait = wait.both(decoded(lines[line]));
    REQUIRE(line < lines.size());
    return wait;
}

bool reads_lds(const Inst& i) { return effects(i).kind == Kind::lds && effects(i).load; }
Wait lds_filled(const Counters& state) { return state.needed(Need::lds_filled, -1); }

// What both ask for in front of an instruction: its registers, and LDS that it reads.
Wait needed(const Counters& state, const Inst& inst) {
    const Wait wait = state.needed(inst).wait;
    return reads_lds(inst) ? wait.both(lds_filled(state)) : wait;
}

struct Score {
    unsigned waits = 0, lds_order = 0, full = 0, lds_writes = 0, wrong = 0;
};

bool overwrites_lds_read(const Counters& state, const Effects& e) {
    return e.kind == Kind::lds && e.load &&
           std::any_of(state.lgkm().begin(), state.lgkm().end(), [&](const Counters::Pending& p) {
               return p.counter == Counter::lgkm && p.words && e.writes.touches(p.first, p.words);
           });
}

// LLVM waits for more than ours; says whether that is a listed class.
bool explained_more(const Counters& state, const Inst& inst, Wait ours, Wait theirs, Score& score) {
    bool vm = ours.vmcnt <= theirs.vmcnt, lgkm = ours.lgkmcnt <= theirs.lgkmcnt;
    if (!lgkm && overwrites_lds_read(state, effects(inst))) lgkm = ++score.lds_order;
    if (!vm && theirs.vmcnt == kVmcntMax - 1) vm = ++score.full;
    if (!lgkm && theirs.lgkmcnt == kLgkmcntMax - 1) lgkm = ++score.full;
    return vm && lgkm;
}

void along_llvm(const Made& made, const std::vector<std::string>& llvm, Score& score) {
    Counters state;
    std::string text;
    size_t line = 1;  // LLVM's functions wait for everything at first
    for (uint32_t n = 0; n < made.insts.size(); ++n) {
        const Inst& inst = made.insts[n];
        const Wait theirs = waits_at(llvm, line);
        ++line;
        const Wait ours = needed(state, inst);
        score.waits += theirs.any();
        bool fine = explained_more(state, inst, ours, theirs, score);
        if (fine && !theirs.covers(ours)) {
            const bool writes = reads_lds(inst) && theirs.covers(state.needed(inst).wait);
            fine = writes && ours.vmcnt >= theirs.vmcnt;
            score.lds_writes += fine;
        }
        text += fmt::format("{}{}\n", theirs.any() ? llvm[line - 2] + "\n" : "", print(inst));
        INFO(text << "ours vmcnt " << int(ours.vmcnt) << " lgkmcnt " << int(ours.lgkmcnt)
                  << ", LLVM's " << int(theirs.vmcnt) << " " << int(theirs.lgkmcnt));
        CHECK(fine);
        score.wrong += !fine;
        state.wait(theirs);
        state.commit(inst, n + 1);
    }
}

// The program with our waits; those for LDS are described, as a kernel has to.
Program with_waits(const Made& made) {
    Program program;
    program.name = "random";
    program.blocks.emplace_back();
    for (const Inst& inst : made.insts) {
        if (reads_lds(inst)) {
            Inst wait;
            wait.op = Op::s_waitcnt;
            wait.need = Need::lds_filled;
            program.blocks[0].insts.push_back(wait);
        }
        program.blocks[0].insts.push_back(inst);
    }
    Inst end;
    end.op = Op::s_endpgm;
    program.blocks[0].insts.push_back(end);
    return place_waits(std::move(program), mi355x());
}

std::vector<std::string> mir_of(const Program& program, const Made& made) {
    std::vector<std::string> out;
    size_t n = 0;
    for (const Inst& inst : program.blocks[0].insts) {
        if (inst.op == Op::s_waitcnt)
            out.push_back(fmt::format("S_WAITCNT {}", encoded(wait_of(inst))));
        else if (inst.op != Op::s_endpgm) out.push_back(made.mir[n++]);
    }
    return out;
}

void behind_llvm(const Made& made, const Program& ours, const std::vector<std::string>& llvm,
                 Score& score) {
    Counters state;
    std::string text;
    size_t line = 1, n = 0;
    Wait placed;
    for (const Inst& inst : ours.blocks[0].insts) {
        if (inst.op == Op::s_waitcnt) {
            placed = placed.both(wait_of(inst));
            continue;
        }
        if (inst.op == Op::s_endpgm) break;
        const Wait theirs = waits_at(llvm, line);
        ++line;
        text += fmt::format(
            "{}{}\n",
            placed.any() ? fmt::format("vmcnt {} lgkmcnt {}\n", placed.vmcnt, placed.lgkmcnt) : "",
            print(inst));
        INFO(text << "LLVM's " << int(theirs.vmcnt) << " " << int(theirs.lgkmcnt));
        const bool fine = explained_more(state, inst, placed, theirs, score);
        CHECK(fine);
        score.wrong += !fine;
        score.waits += placed.any();
        state.wait(placed.both(theirs));
        state.commit(made.insts[n], uint32_t(n + 1));
        ++n;
        placed = {};
    }
}

}  // namespace

TEST_CASE("our waits are what LLVM inserts", "[scheduler][waits]") {
    if (!test::have_llc()) return;
    const unsigned count = test::oracle_programs();
    std::mt19937 random(11);
    Score along, behind;
    for (unsigned done = 0; done < count;) {
        std::vector<Made> made;
        std::vector<Program> placed;
        std::vector<std::vector<std::string>> bare, ours;
        for (; made.size() < 2000 && done < count; ++done) {
            made.push_back(random_program(random));
            placed.push_back(with_waits(made.back()));
            bare.push_back(made.back().mir);
            ours.push_back(mir_of(placed.back(), made.back()));
        }
        const auto from_bare = test::run_llc("si-insert-waitcnts", bare);
        const auto from_ours = test::run_llc("si-insert-waitcnts", ours);
        for (size_t n = 0; n < made.size(); ++n) {
            along_llvm(made[n], from_bare[n], along);
            behind_llvm(made[n], placed[n], from_ours[n], behind);
        }
    }
    fmt::print(
        "{} programs, {} waits of LLVM's, {} of ours; more in LLVM: {} LDS reads in order, {} full "
        "counters; more in ours: {} LDS writes\n",
        count, along.waits, behind.waits, along.lds_order + behind.lds_order,
        along.full + behind.full, along.lds_writes);
    CHECK(along.wrong + behind.wrong == 0);
    CHECK(along.waits > count);
    CHECK(along.lds_order > 0);
    CHECK(along.full > 0);
    CHECK(along.lds_writes > 0);
}
