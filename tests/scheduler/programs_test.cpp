// Passes one by one, on small kernels.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "dsl/kernel.hpp"
#include "isa/machine.hpp"
#include "isa/text.hpp"
#include "scheduler/assembled.hpp"
#include "scheduler/dependences.hpp"
#include "scheduler/pass.hpp"

using namespace zyfa;

namespace {

std::string listing(const Program& p) {
    std::string s;
    for (const Block& b : p.blocks) {
        if (&b != &p.blocks.front()) s += b.label + ":\n";
        for (const Inst& i : b.insts) s += print(i) + "\n";
    }
    return s;
}
unsigned count(const std::string& text, std::string_view part) {
    unsigned n = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}
std::string refusal(const Kernel& kernel) {
    Kernel k = kernel;
    try {
        schedule(k.finish(), mi355x());
    } catch (const Error& e) { return e.what(); }
    return "";
}
Program scheduled(const Kernel& kernel) {
    Kernel k = kernel;
    return schedule(k.finish(), mi355x());
}

}  // namespace

TEST_CASE("a wait stands just before the first reader and counts what is younger", "[scheduler]") {
    Kernel k("waits");
    auto a = k.vgpr<1>("a"), b = k.vgpr<1>("b"), c = k.vgpr<1>("c"), address = k.vgpr<1>("address");
    k.v_lshlrev_b32(address, 2, k.workitem_id);
    k.ds_read_b32(a, address);
    k.ds_read_b32(b, address);
    k.v_mov_b32(c, address);
    k.v_add_u32(c, c, a);
    k.v_add_u32(c, c, b);
    k.ds_write_b32(address, c);
    k.s_endpgm();
    const std::string text = listing(scheduled(k));
    CAPTURE(text);
    CHECK(count(text, "s_waitcnt") == 2);
    CHECK(text.find("s_waitcnt lgkmcnt(1)\nv_add_u32") != text.npos);
    CHECK(text.find("s_waitcnt lgkmcnt(0)\nv_add_u32") != text.npos);
}

TEST_CASE("waits reach across a back edge", "[scheduler]") {
    Kernel k("loop");
    auto data = k.vgpr<1>("data"), sum = k.vgpr<1>("sum"), address = k.vgpr<1>("address");
    auto left = k.sgpr<1>("left");
    k.v_lshlrev_b32(address, 2, k.workitem_id);
    k.v_mov_b32(sum, 0);
    k.s_mov_b32(left, 8);
    k.ds_read_b32(data, address);
    k.loop_while_scc1("steps", [&] {
        k.v_add_u32(sum, sum, data);  // read by the iteration before
        k.ds_read_b32(data, address);
        k.ds_write_b32(address, sum);  // younger on the back edge, not on the way in
        k.s_sub_u32(left, left, 1);
        k.s_cmp_lg_u32(left, 0);
    });
    k.ds_write_b32(address, sum);
    k.s_endpgm();
    const std::string text = listing(scheduled(k));
    CAPTURE(text);
    CHECK(count(text, "s_waitcnt") == 1);
    CHECK(text.find("steps:\ns_waitcnt lgkmcnt(0)\nv_add_u32") != text.npos);
}

TEST_CASE("described waits become exact counts or go", "[scheduler]") {
    Kernel k("needs");
    const int first = k.lds_region("first", 4096), second = k.lds_region("second", 4096);
    auto offset = k.vgpr<1>("offset"), data = k.vgpr<1>("data");
    auto descriptor = k.sgpr<4>("descriptor");
    for (unsigned i = 0; i < 4; ++i) k.s_mov_b32(descriptor[i], 0);
    k.v_lshlrev_b32(offset, 2, k.workitem_id);
    k.wait_filled(first);  // nothing on its way: goes
    k.s_mov_b32(m0, 0);
    k.buffer_load_dword_lds(offset, descriptor, 0).region(first);
    k.buffer_load_dword_lds(offset, descriptor, 0).region(second);
    k.buffer_load_dword(data, offset, descriptor, 0);
    k.wait_filled(first);
    k.s_barrier();
    k.wait_filled(second);
    k.s_barrier();
    k.ds_read_b32(data, offset).region(first);
    k.wait_drained(second);  // not what was read: goes
    k.wait_drained(first);
    k.s_barrier();
    k.wait_all();
    k.s_endpgm();
    const std::string text = listing(scheduled(k));
    CAPTURE(text);
    CHECK(text.find("s_waitcnt vmcnt(2)\ns_barrier\ns_waitcnt vmcnt(1)\ns_barrier") != text.npos);
    // The load into `data` is overwritten by the LDS read.
    CHECK(text.find("s_waitcnt vmcnt(0)\nds_read_b32") != text.npos);
    CHECK(text.find("s_waitcnt lgkmcnt(0)\ns_barrier\ns_endpgm") != text.npos);
    CHECK(count(text, "s_waitcnt") == 4);
}

TEST_CASE("waits that stand together become one", "[scheduler]") {
    Kernel k("together");
    const int first = k.lds_region("first", 4096), second = k.lds_region("second", 4096);
    auto offset = k.vgpr<1>("offset");
    auto descriptor = k.sgpr<4>("descriptor");
    for (unsigned i = 0; i < 4; ++i) k.s_mov_b32(descriptor[i], 0);
    k.v_lshlrev_b32(offset, 2, k.workitem_id);
    k.s_mov_b32(m0, 0);
    k.buffer_load_dword_lds(offset, descriptor, 0).region(first);
    k.buffer_load_dword_lds(offset, descriptor, 0).region(second);
    k.wait_filled(first);
    k.wait_filled(second);
    k.s_barrier();
    k.s_endpgm();
    const Program p = scheduled(k);
    const std::string text = listing(p);
    CAPTURE(text);
    CHECK(count(text, "s_waitcnt") == 1);
    CHECK(text.find("s_waitcnt vmcnt(0)\ns_barrier") != text.npos);
    for (const Inst& i : p.blocks[0].insts)
        if (i.op == Op::s_waitcnt) CHECK(i.note == "first filled, second filled");
}

TEST_CASE("verify refuses what the passes before it let through", "[scheduler]") {
    Kernel k("overlap");
    auto a = k.vgpr<16>("a");
    auto b = k.vgpr<8>("b");
    for (unsigned i = 0; i < 16; ++i) k.v_mov_b32(a[i], 0);
    for (unsigned i = 0; i < 8; ++i) k.v_mov_b32(b[i], 0);
    k.v_mfma_f32_32x32x64_f8f6f4(a, a.part<8>(0), b, 0);
    k.s_endpgm();
    const std::string text = refusal(k);
    CAPTURE(text);
    CHECK(text.find("programs_test.cpp:") != text.npos);
    CHECK(text.find("MFMA-OPERANDS") != text.npos);
}

TEST_CASE("a pinned wait is kept and must be strong enough", "[scheduler]") {
    const auto kernel = [](unsigned lgkmcnt) {
        Kernel k("pinned");
        auto a = k.vgpr<1>("a"), b = k.vgpr<1>("b");
        k.ds_read_b32(a, k.workitem_id);
        k.ds_read_b32(b, k.workitem_id);
        k.s_waitcnt().counts(63, lgkmcnt);
        k.v_add_u32(a, a, a);
        k.v_add_u32(a, a, b);
        k.s_endpgm();
        return k;
    };
    CHECK(count(listing(scheduled(kernel(1))), "s_waitcnt") == 2);
    CHECK(count(listing(scheduled(kernel(0))), "s_waitcnt") == 1);
    const std::string text = refusal(kernel(2));
    CAPTURE(text);
    CHECK(text.find("pinned wait lgkmcnt(2) is too weak") != text.npos);
    CHECK(text.find("needs lgkmcnt(1)") != text.npos);
}

TEST_CASE("missing slots become one nop with a reason", "[scheduler]") {
    Kernel k("gap");
    auto a = k.vgpr<8>("a"), b = k.vgpr<8>("b");
    auto d = k.vgpr<16>("d");
    auto out = k.vgpr<1>("out");
    for (unsigned i = 0; i < 8; ++i) {
        k.v_mov_b32(a[i], 0);
        k.v_mov_b32(b[i], 0);
    }
    k.v_mfma_f32_32x32x64_f8f6f4(d, a, b, 0);
    k.v_mov_b32(out, 0);
    k.v_add_f32(out, out, d[3]);
    for (unsigned i = 0; i < 4; ++i) k.ds_write_b128(out, d.part<4>(i));
    k.s_endpgm();
    const Program p = scheduled(k);
    const std::string text = listing(p);
    CAPTURE(text);
    // Two slots from the last v_mov to the MFMA, 19 of 20 behind it.
    CHECK(text.find("s_nop 1\nv_mfma") != text.npos);
    CHECK(text.find("s_nop 15\ns_nop 2\nv_add_f32") != text.npos);
    CHECK(count(text, "s_nop") == 3);
    for (const Inst& i : p.blocks[0].insts)
        if (i.op == Op::s_nop) CHECK(i.note.find("slots behind") != std::string::npos);
}

TEST_CASE("values that do not live together share registers", "[scheduler]") {
    Kernel k("share");
    auto sum = k.vgpr<1>("sum");
    k.v_mov_b32(sum, 0);
    for (unsigned i = 0; i < 40; ++i) {
        auto part = k.vgpr<16>("part");
        for (unsigned w = 0; w < 16; ++w) k.v_mov_b32(part[w], int(w));
        for (unsigned w = 0; w < 16; ++w) k.v_add_u32(sum, sum, part[w]);
    }
    k.ds_write_b32(sum, sum);
    k.s_endpgm();
    CHECK(scheduled(k).used.vgprs <= 18);
}

TEST_CASE("a value that is read in the next iteration keeps its register", "[scheduler]") {
    Kernel k("carried");
    auto carried = k.vgpr<1>("carried"), sum = k.vgpr<1>("sum");
    auto left = k.sgpr<1>("left");
    k.s_mov_b32(left, 4);
    k.v_mov_b32(carried, 1);
    k.v_mov_b32(sum, 0);
    k.loop_while_scc1("steps", [&] {
        k.v_add_u32(sum, sum, carried);
        auto scratch = k.vgpr<4>("scratch");
        for (unsigned i = 0; i < 4; ++i) k.v_mov_b32(scratch[i], 7);
        for (unsigned i = 0; i < 4; ++i) k.v_add_u32(sum, sum, scratch[i]);
        k.s_sub_u32(left, left, 1);
        k.s_cmp_lg_u32(left, 0);
    });
    k.ds_write_b32(sum, sum);
    k.s_endpgm();
    const Program p = scheduled(k);
    CHECK(p.used.vgprs == 6);
    for (const Block& b : p.blocks)
        for (const Inst& i : b.insts)
            if (i.op == Op::v_mov_b32 && i.operands[1].value == 7)
                CHECK(i.operands[0].value != p.blocks[0].insts[1].operands[0].value);
}

TEST_CASE("writes under a partial mask keep the other lanes", "[scheduler]") {
    Kernel k("masked");
    auto value = k.vgpr<1>("value"), inner = k.vgpr<1>("inner"), other = k.vgpr<1>("other");
    k.v_mov_b32(value, 1);
    k.v_cmp_gt_u32(vcc, 8, k.workitem_id);
    k.s_mov_b64(exec, vcc);
    k.v_mov_b32(inner, 2);  // lives and dies under the mask
    k.v_mov_b32(value, inner);
    k.s_mov_b64(exec, -1);
    k.v_mov_b32(other, 3);
    k.v_add_u32(value, value, other);
    k.ds_write_b32(k.workitem_id, value);
    k.s_endpgm();
    const Program p = scheduled(k);
    const auto& insts = p.blocks[0].insts;
    const auto home = [&](uint32_t constant) {
        for (const Inst& i : insts)
            if (i.op == Op::v_mov_b32 && i.operands[1].kind == Operand::Kind::imm &&
                i.operands[1].value == constant)
                return i.operands[0].value;
        return ~0u;
    };
    CHECK(home(1) != home(2));  // `value` is live through the masked write of `inner`
    CHECK(home(2) == home(3));
}

TEST_CASE("half conversions do not make a register live before the first of them", "[scheduler]") {
    Kernel k("halves");
    auto x = k.vgpr<1>("x"), packed = k.vgpr<1>("packed");
    auto left = k.sgpr<1>("left");
    k.s_mov_b32(left, 4);
    k.loop_while_scc1("steps", [&] {
        for (unsigned i = 0; i < 2; ++i) {  // shares its register with `packed`, if that is dead
            k.v_mov_b32(x, int(i));
            k.ds_write_b32(x, x);
        }
        k.v_cvt_pk_fp8_f32(packed, 0, 0);
        k.v_cvt_pk_fp8_f32(packed, 0, 0).high();
        k.ds_write_b32(packed, packed);
        k.s_sub_u32(left, left, 1);
        k.s_cmp_lg_u32(left, 0);
    });
    k.s_endpgm();
    CHECK(scheduled(k).used.vgprs == 1);
}

TEST_CASE("the half that a conversion keeps is not given away in between", "[scheduler]") {
    Kernel k("between");
    auto packed = k.vgpr<1>("packed"), x = k.vgpr<1>("x");
    k.v_cvt_pk_fp8_f32(packed, 0, 0);
    k.v_mov_b32(x, 1);
    k.ds_write_b32(k.workitem_id, x);
    k.v_cvt_pk_fp8_f32(packed, 0, 0).high();
    k.ds_write_b32(k.workitem_id, packed);
    k.s_endpgm();
    CHECK(scheduled(k).used.vgprs == 3);
}

TEST_CASE("where registers run out, the error says what is live", "[scheduler]") {
    Kernel k("full");
    std::vector<Vgpr<32>> blocks;
    for (unsigned i = 0; i < 8; ++i) blocks.push_back(k.vgpr<32>(fmt::format("block_{}", i)));
    auto one_more = k.vgpr<1>("one_more");
    for (auto& b : blocks)
        for (unsigned w = 0; w < 32; ++w) k.v_mov_b32(b[w], 0);
    k.v_mov_b32(one_more, 0);
    for (auto& b : blocks)
        for (unsigned w = 0; w < 32; ++w) k.v_add_u32(one_more, one_more, b[w]);
    k.ds_write_b32(one_more, one_more);
    k.s_endpgm();
    const std::string text = refusal(k);
    CAPTURE(text);
    CHECK(text.find("257 VGPRs are live at") != text.npos);
    CHECK(text.find("256 exist") != text.npos);
    CHECK(text.find(" 32 block_3  ") != text.npos);
    CHECK(text.find("  1 one_more  ") != text.npos);
    CHECK(count(text, "programs_test.cpp:") >= 10);  // each with its line
}

TEST_CASE("reading what nothing wrote is refused with both lines", "[scheduler]") {
    Kernel k("undefined");
    auto a = k.vgpr<4>("a");
    k.v_mov_b32(a[0], 0);
    k.v_add_u32(a[0], a[0], a[2]);
    k.s_endpgm();
    const std::string text = refusal(k);
    CAPTURE(text);
    CHECK(text.find("v_add_u32 reads word 2 of 'a'") != text.npos);
    CHECK(text.find("never written") != text.npos);
}

TEST_CASE("the same description gives the same program", "[scheduler]") {
    const auto make = [] {
        Kernel k("same");
        auto a = k.vgpr<16>("a");
        auto b = k.agpr<4>("b");
        for (unsigned i = 0; i < 16; ++i) k.v_mov_b32(a[i], int(i));
        for (unsigned i = 0; i < 4; ++i) k.v_accvgpr_write_b32(b[i], a[i]);
        for (unsigned i = 0; i < 4; ++i) k.v_accvgpr_read_b32(a[i], b[i]);
        k.ds_write_b128(a[0], a.part<4>(0));
        k.s_endpgm();
        return listing(scheduled(k));
    };
    CHECK(make() == make());
}

TEST_CASE("dependences hold what must not be swapped", "[scheduler]") {
    struct Row {
        const char *first, *second;
        bool tied;
        Why why;
    };
    const auto row =
        GENERATE(Row{"v_mov_b32 v0, v1", "v_mov_b32 v2, v0", true, Why::result},
                 Row{"v_mov_b32 v0, v1", "v_mov_b32 v1, v2", true, Why::overwrite},
                 Row{"v_mov_b32 v0, v1", "v_mov_b32 v0, v2", true, Why::overwrite},
                 Row{"v_mov_b32 v0, v1", "v_mov_b32 v2, v1", false, Why::result},
                 Row{"s_cmp_eq_u32 s0, 0", "s_cselect_b32 s1, s2, s3", true, Why::result},
                 Row{"s_mov_b64 exec, s[4:5]", "v_mov_b32 v0, v1", true, Why::result},
                 Row{"v_mov_b32 v0, v1", "s_mov_b64 exec, -1", true, Why::overwrite},
                 Row{"s_mov_b32 m0, 5", "buffer_load_dword off, s[8:11], 0 lds", true, Why::result},
                 Row{"ds_write_b32 v0, v1", "ds_read_b32 v2, v3", true, Why::lds},
                 Row{"ds_read_b32 v0, v1", "ds_read_b32 v2, v3", false, Why::lds},
                 Row{"ds_read_b32 v0, v1", "buffer_load_dword off, s[8:11], 0 lds", true, Why::lds},
                 Row{"buffer_store_dword v0, off, s[8:11], 0",
                     "buffer_load_dword v1, off, s[8:11], 0", true, Why::memory},
                 Row{"buffer_load_dword v0, off, s[8:11], 0",
                     "buffer_load_dword v1, off, s[8:11], 0", false, Why::memory},
                 Row{"s_barrier", "ds_read_b32 v0, v1", true, Why::fence},
                 Row{"s_barrier", "v_mov_b32 v0, v1", false, Why::fence},
                 Row{"s_setprio 1", "v_mov_b32 v0, v1", true, Why::fence});
    CAPTURE(row.first, row.second);
    Block block;
    block.insts = {parse(row.first).value(), parse(row.second).value()};
    const auto edges = dependences(block);
    REQUIRE(edges.size() == (row.tied ? 1 : 0));
    const std::vector<unsigned> kept{0, 1}, swapped{1, 0};
    CHECK(broken(edges, kept) == nullptr);
    CHECK((broken(edges, swapped) != nullptr) == row.tied);
    if (row.tied) CHECK(edges[0].why == row.why);
}

namespace {

// One loop of a run of long instructions behind `shorts` short ones; a branch leads past it, so the
// block in front of it ends in a branch.
Program looped(unsigned shorts, unsigned longs, Alignment alignment, bool branch = true) {
    Kernel k("aligned");
    auto a = k.vgpr<1>("a"), b = k.vgpr<1>("b");
    auto left = k.sgpr<1>("left");
    k.v_mov_b32(a, 0);
    k.v_mov_b32(b, 1.0f);
    k.s_mov_b32(left, 8);
    Label done = k.label("done");
    k.s_cmp_eq_u32(left, 0);
    if (branch) k.s_cbranch_scc1(done);
    k.loop_while_scc1("steps", [&] {
        for (unsigned n = 0; n < shorts; ++n) k.v_add_f32(b, b, b);
        for (unsigned n = 0; n < longs; ++n) k.v_fma_f32(a, b, b, a);
        k.s_sub_u32(left, left, 1);
        k.s_cmp_lg_u32(left, 0);
    });
    k.place(done);
    k.ds_write_b32(a, b);
    k.s_endpgm();
    Program p = k.finish();
    p.alignment = alignment;
    return schedule(std::move(p), mi355x());
}
uint32_t loop_target(const std::vector<Decoded>& code) {
    for (const Decoded& d : code)
        if (d.inst.op == Op::s_cbranch_scc1 && d.inst.operands[0].value < d.address)
            return d.inst.operands[0].value;
    return ~0u;
}
unsigned splits(const std::vector<Decoded>& code) {  // in the loop
    unsigned n = 0, inside = 0;
    for (const Decoded& d : code) {
        inside |= d.address == loop_target(code);
        n += inside && d.bytes == 8 && d.address % 32 == 28;
        if (inside && d.inst.info().is_branch()) break;
    }
    return n;
}

}  // namespace

TEST_CASE("a loop starts at a multiple of its alignment, behind nops that run once",
          "[scheduler][align]") {
    const auto [bytes, branch] = GENERATE(
        table<uint32_t, bool>({{32, true}, {64, true}, {32, false}, {64, false}, {0, true}}));
    CAPTURE(bytes, branch);
    const Program p = looped(1, 2, {bytes, true}, branch);
    const auto code = assembled(p);
    const uint32_t head = loop_target(code);
    if (bytes == 0) {
        CHECK(count(listing(p), "s_nop") == 0);
        CHECK(head == 20);
        return;
    }
    CHECK(head == bytes);
    const size_t first = size_t(std::ranges::find(code, head, &Decoded::address) - code.begin());
    REQUIRE(first < code.size());
    CHECK(code[first].inst.op == Op::v_add_f32);
    for (uint32_t n = 1; n <= (bytes - (branch ? 20 : 16)) / 4; ++n) {
        CHECK(code[first - n].text == "s_nop 0");
    }
    for (const Decoded& d : code) {
        if (d.address < head || d.inst.op == Op::s_endpgm) continue;
        CHECK(d.inst.op != Op::s_nop);  // none in the loop
    }
    // What jumps past the loop still does.
    if (branch) {
        const uint32_t past =
            std::ranges::find(code, Op::s_cbranch_scc1, [](auto& d) { return d.inst.op; })
                ->inst.operands[0]
                .value;
        CHECK(std::ranges::find(code, past, &Decoded::address)->inst.op == Op::ds_write_b32);
    }
}

TEST_CASE("a run of long instructions is put where no fetch splits one", "[scheduler][align]") {
    CHECK(splits(assembled(looped(1, 12, {64, false}))) == 3);
    const Program p = looped(1, 12, {64, true});
    CHECK(splits(assembled(p)) == 0);
    CHECK(count(listing(p), "v_add_f32_e64") == 1);
    // Nothing moves, and nothing is added.
    const Program before = looped(1, 12, {64, false});
    REQUIRE(before.blocks.size() == p.blocks.size());
    for (size_t b = 0; b < p.blocks.size(); ++b) {
        REQUIRE(before.blocks[b].insts.size() == p.blocks[b].insts.size());
        for (size_t n = 0; n < p.blocks[b].insts.size(); ++n)
            CHECK(before.blocks[b].insts[n].same_as(p.blocks[b].insts[n]));
    }
    // A run that starts well, or is too short to meet the end of a fetch, is left alone.
    CHECK(count(listing(looped(2, 12, {64, true})), "_e64") == 0);
    CHECK(count(listing(looped(1, 2, {64, true})), "_e64") == 0);
}

TEST_CASE("a nop in front of a run is halved, with as many slots together", "[scheduler][align]") {
    const auto made = [](bool wide) {
        Kernel k("halved");
        auto a = k.vgpr<1>("a"), b = k.vgpr<1>("b"), c = k.vgpr<1>("c");
        auto left = k.sgpr<1>("left");
        k.v_mov_b32(a, 0);
        k.v_mov_b32(c, 0);
        k.v_mov_b32(b, 1.0f);
        k.s_mov_b32(left, 8);
        k.loop_while_scc1("steps", [&] {
            k.s_sub_u32(left, left, 1);
            k.s_cmp_lg_u32(left, 0);
            k.v_mov_b32(c, b);
            k.v_permlane32_swap_b32(b, c);  // two slots behind the write
            for (unsigned n = 0; n < 12; ++n) k.v_fma_f32(a, b, c, a);
        });
        k.ds_write_b32(a, b);
        k.s_endpgm();
        Program p = k.finish();
        p.alignment = {64, wide};
        return schedule(std::move(p), mi355x());
    };
    const std::string off = listing(made(false)), on = listing(made(true));
    CAPTURE(off, on);
    CHECK(off.find("s_nop 1\nv_permlane32_swap_b32") != off.npos);
    CHECK(splits(assembled(made(false))) == 3);
    CHECK(splits(assembled(made(true))) == 0);
    CHECK(on.find("s_nop 0\ns_nop 0\nv_permlane32_swap_b32") != on.npos);
}
