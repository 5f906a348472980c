// Whole kernels through the pipeline, and what is left when parts of the result are taken away.
#include <catch2/catch.hpp>

#include <optional>
#include <set>

#include "check/check.hpp"
#include "check/machine_code.hpp"
#include "isa/machine.hpp"
#include "isa/text.hpp"
#include "kernels/recipes.hpp"
#include "scheduler/assembled.hpp"
#include "scheduler/pass.hpp"
#include "scheduler/paths.hpp"

using namespace zyfa;

namespace {

std::string label(uint32_t block) { return fmt::format("block_{}", block); }

// The program's machine code with one instruction replaced, or left out.
std::vector<Decoded> mutant(const Program& p, unsigned block, unsigned at,
                            const std::optional<Inst>& instead) {
    std::string text;
    for (uint32_t b = 0; b < p.blocks.size(); ++b) {
        text += label(b) + ":\n";
        for (unsigned i = 0; i < p.blocks[b].insts.size(); ++i) {
            const bool here = b == block && i == at;
            if (here && !instead) continue;
            text += print(here ? *instead : p.blocks[b].insts[i], label) + "\n";
        }
    }
    return machine_code(text);
}

bool caught(const std::vector<Decoded>& code, std::string_view prefix) {
    CheckOptions options;
    options.tier = Tier::llvm_conservative;
    for (const Finding& f : check(code, options))
        if (f.severity == Severity::error && f.rule.starts_with(prefix)) return true;
    return false;
}

// Waits that say "filled", "read" or "everything" order LDS contents between waves: one wave's
// code does not show what they protect.
bool protects_lds(const Inst& wait) {
    return wait.note.find(" filled") != std::string::npos || wait.note.ends_with(" read") ||
           wait.note.find(" read,") != std::string::npos ||
           wait.note.find("everything") != std::string::npos;
}

}  // namespace

TEST_CASE("a wait or nop that is dropped or weakened by one is reported", "[scheduler][mutation]") {
    const Program p =
        schedule(describe(recipes().front(), default_schedule(recipes().front())), mi355x());
    unsigned waits = 0, hidden = 0, nops = 0;
    for (unsigned b = 0; b < p.blocks.size(); ++b)
        for (unsigned i = 0; i < p.blocks[b].insts.size(); ++i) {
            const Inst& inst = p.blocks[b].insts[i];
            CAPTURE(p.blocks[b].label, i, print(inst), inst.note);
            if (inst.op == Op::s_waitcnt) {
                if (protects_lds(inst)) {
                    ++hidden;
                    continue;
                }
                ++waits;
                CHECK(caught(mutant(p, b, i, std::nullopt), "WAIT-"));
                Inst weaker = inst;
                if (inst.mods.vmcnt < 63) {
                    ++weaker.mods.vmcnt;
                    CHECK(caught(mutant(p, b, i, weaker), "WAIT-"));
                }
                weaker = inst;
                if (inst.mods.lgkmcnt < 15) {
                    ++weaker.mods.lgkmcnt;
                    CHECK(caught(mutant(p, b, i, weaker), "WAIT-"));
                }
            }
            if (inst.op == Op::s_nop && !inst.note.starts_with("aligns")) {
                ++nops;
                CHECK(caught(mutant(p, b, i, std::nullopt), ""));
                if (inst.operands[0].value == 0) continue;
                Inst shorter = inst;
                --shorter.operands[0].value;
                CHECK(caught(mutant(p, b, i, shorter), ""));
            }
        }
    fmt::print(
        "{}: {} waits and {} nops dropped or weakened; {} waits protect LDS contents and are "
        "not judged here\n",
        p.name, waits, nops, hidden);
    CHECK(waits > 10);
    CHECK(nops > 10);
}

TEST_CASE("every recipe passes the pipeline and its proof", "[scheduler]") {
    for (const Recipe& recipe : recipes()) {
        CAPTURE(std::string(recipe.id));
        const Program p = schedule(describe(recipe, default_schedule(recipe)), mi355x());
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

TEST_CASE("a long encoding stands only where there is no short one", "[scheduler][align]") {
    for (const ShippedSchedule& shipped : shipped_schedules()) {
        Schedule schedule_of = shipped_schedule(shipped.name);
        schedule_of.alignment.wide = false;
        const Program p = schedule(describe(recipes().front(), schedule_of), mi355x());
        const std::vector<Decoded> code = assembled(p);
        std::set<Op> seen;
        for (const Decoded& d : code) {
            if (d.bytes != 8 || !d.inst.info().is_valu() || d.inst.info().is_mfma()) continue;
            if (!d.text.substr(0, d.text.find(' ')).ends_with("_e64")) continue;
            Inst shorter = d.inst;
            shorter.encoding = Encoding::e32;
            CAPTURE(d.text);
            CHECK_THROWS(machine_code(print(shorter) + "\n"));
            seen.insert(d.inst.op);
        }
        CHECK(seen.size() > 1);
    }
}
