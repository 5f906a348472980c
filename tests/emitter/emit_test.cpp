// The emitter on a hand-made Program: golden text, descriptor and metadata read back by independent
// readers, and every kind of instruction that must be refused.
#include "emitter/emit.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "isa/file.hpp"
#include "sim/code_object.hpp"
#include "tests/emitter/small_program.hpp"

using namespace zyfa;
using namespace zyfa::test;
using Catch::Contains;

TEST_CASE("line information names the kernel source and changes no code", "[emitter]") {
    const Program p = small_program();
    const Emitted plain = emit(p), lines = emit(p, true);
    CHECK(plain.text.find(".loc") == std::string::npos);
    CHECK(lines.text.find("\n    .file 1 \"tests/emitter/small_program.hpp\"\n") !=
          std::string::npos);
    const size_t head = lines.text.find("DW_TAG_compile_unit");
    CHECK(head != std::string::npos);
    unsigned places = 0;
    for (size_t at = 0; (at = lines.text.find("\n    .loc 1 ", at)) != std::string::npos; ++at)
        ++places;
    CHECK(places > 3);
    const auto a = text_section(plain.code_object), b = text_section(lines.code_object);
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    CHECK(emit(p, true).code_object == lines.code_object);
}

TEST_CASE("the text of a small kernel is the golden one", "[emitter]") {
    const std::string path = ZYFA_SOURCE_DIR "/tests/golden/small.s", text = print(small_program());
    if (std::getenv("ZYFA_UPDATE_GOLDEN")) write_file(path, text);
    REQUIRE(text == read_text(path));
}

TEST_CASE("the same Program gives the same bytes", "[emitter]") {
    const Emitted a = emit(small_program()), b = emit(small_program());
    REQUIRE(a.text == b.text);
    REQUIRE(a.object == b.object);
    REQUIRE(a.code_object == b.code_object);
    const std::string bytes(a.code_object.begin(), a.code_object.end());
    REQUIRE(bytes.find("/tmp") == std::string::npos);
    REQUIRE(bytes.find(ZYFA_SOURCE_DIR) == std::string::npos);
    REQUIRE(bytes.find(".cpp") == std::string::npos);
}

TEST_CASE("the code object holds what the Program says", "[emitter]") {
    const Program p = small_program();
    const CodeObject o = load_code_object(emit(p).code_object, "small.co");
    for (const Finding& f : o.notes) FAIL(f.message);
    REQUIRE(o.kernels.size() == 1);
    const KernelInfo& k = o.kernels[0];
    REQUIRE(k.name == "small");
    REQUIRE(k.symbol == "small.kd");
    REQUIRE(k.entry % 256 == 0);
    REQUIRE((o.text_address + k.entry) % 256 == 0);
    REQUIRE(k.kernarg_bytes == 48);
    REQUIRE(k.lds_bytes == 16384);
    REQUIRE(k.scratch_bytes == 0);
    REQUIRE(k.max_flat_workgroup_size == 512);
    REQUIRE(k.required_workgroup == std::array<uint32_t, 3>{512, 1, 1});
    REQUIRE(k.agprs == 20);  // 18, rounded with the VGPRs to 88
    REQUIRE(k.arguments.size() == 4);
    for (size_t n = 0; n < 4; ++n) {
        REQUIRE(k.arguments[n].name == p.args[n].name);
        REQUIRE(k.arguments[n].offset == p.args[n].offset);
        REQUIRE(k.arguments[n].size == p.args[n].bytes);
        REQUIRE(k.arguments[n].kind == (p.args[n].is_pointer ? "global_buffer" : "by_value"));
    }
    // The descriptor, field by field (AMDGPUUsage, Kernel Descriptor).
    const KernelDescriptor& d = k.descriptor;
    REQUIRE(d.lds_bytes == 16384);
    REQUIRE(d.scratch_bytes == 0);
    REQUIRE(d.kernarg_bytes == 48);
    REQUIRE(k.accum_offset() == 68);
    REQUIRE(k.register_words() == 88);                 // 68 + 18, rounded to 8
    REQUIRE((d.rsrc3 >> 16 & 1) == 0);                 // tg_split
    REQUIRE((d.rsrc1 >> 12 & 0xff) == 0b11'00'00'00);  // f16/f64 keep, f32 flush, round to nearest
    REQUIRE(!k.dx10_clamp());
    REQUIRE(!k.ieee_mode());
    REQUIRE((d.rsrc2 & 1) == 0);  // scratch
    REQUIRE(k.user_sgprs() == 2);
    for (unsigned axis : {0u, 1u, 2u}) REQUIRE(k.workgroup_id(axis));
    REQUIRE(k.workitem_id_dims() == 1);
    REQUIRE(d.properties == 1u << 3);  // kernarg pointer alone
    REQUIRE(d.preload == 0);
    // 64 words of s_nop 0 at least behind s_endpgm
    size_t n = o.code.size(), pad = 0;
    while (n && o.code[n - 1].text == "s_nop 0") --n, ++pad;
    REQUIRE(pad >= 64);
    REQUIRE(o.code[n - 1].text == "s_endpgm");
}

TEST_CASE("f32 denormals follow the Program", "[emitter]") {
    Program p = small_program();
    p.flush_f32_denormals = false;
    p.used.agprs = 4;
    const CodeObject o = load_code_object(emit(p).code_object, "small.co");
    REQUIRE((o.kernels[0].float_mode() >> 4 & 3) == 3);
    REQUIRE(o.kernels[0].register_words() == 72);
}

TEST_CASE("llvm-readelf shows every metadata field", "[emitter]") {
    if (std::system("command -v llvm-readelf-22 >/dev/null 2>&1") != 0) {
        WARN("llvm-readelf-22 is not installed: metadata not compared");
        return;
    }
    char name[] = "/tmp/zyfa-emit-XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(file >= 0);
    const Bytes bytes = emit(small_program()).code_object;
    write_file(name, bytes);
    FILE* pipe = popen(fmt::format("llvm-readelf-22 --notes {}", name).c_str(), "r");
    REQUIRE(pipe);
    std::string notes;
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) notes.append(buffer, got);
    REQUIRE(pclose(pipe) == 0);
    std::remove(name);
    for (const char* field : {"NT_AMDGPU_METADATA",
                              "amdhsa.target:   amdgcn-amd-amdhsa--gfx950",
                              "amdhsa.version:",
                              ".name:           small",
                              ".symbol:         small.kd",
                              ".kernarg_segment_size: 48",
                              ".kernarg_segment_align: 16",
                              ".group_segment_fixed_size: 16384",
                              ".private_segment_fixed_size: 0",
                              ".wavefront_size: 64",
                              ".sgpr_count:     36",
                              ".vgpr_count:     86",
                              ".agpr_count:     18",
                              ".sgpr_spill_count: 0",
                              ".vgpr_spill_count: 0",
                              ".max_flat_workgroup_size: 512",
                              ".reqd_workgroup_size:",
                              ".uses_dynamic_stack: false",
                              ".name:           ptr_o",
                              ".address_space:  global",
                              ".value_kind:     global_buffer",
                              ".name:           scale",
                              ".offset:         32",
                              ".size:           4",
                              ".value_kind:     by_value"})
        CHECK_THAT(notes, Contains(field));
}

TEST_CASE("what LLVM would take wrongly is refused at the kernel's line", "[emitter]") {
    using Change = std::function<void(Inst&)>;
    struct Case {
        Op op;  // first instruction of that kind in the small program
        Change change;
        const char* words;
    };
    const auto offset = [](uint32_t n) { return [n](Inst& i) { i.mods.offset = n; }; };
    const auto operand = [](unsigned n, Operand o) {
        return [n, o](Inst& i) { i.operands[n] = o; };
    };
    const Op mfma = Op::v_mfma_f32_32x32x64_f8f6f4, scaled = Op::v_mfma_scale_f32_16x16x128_f8f6f4;
    Operand virtual_register = v(4);
    virtual_register.is_virtual = true;
    const std::vector<Case> cases = {
        {Op::buffer_load_dwordx4_lds, offset(4096), "offset 4096 is out of reach"},
        {Op::ds_read_b128, offset(65536), "offset 65536 is out of reach"},
        {Op::global_store_dword, offset(4096), "offset 4096 is out of reach"},
        {Op::global_store_dword, offset(uint32_t(-4097)), "offset -4097 is out of reach"},
        {Op::ds_read_b128, operand(0, v(21, 4)), "even register"},
        {Op::ds_read_b64_tr_b8, operand(0, v(65, 2)), "v66 is used, 66 are declared"},
        {Op::v_exp_f32, operand(0, a(18)), "a18 is used, 18 are declared"},
        {Op::v_exp_f32, operand(1, s(30)), "s30 is used, 30 are declared"},
        {Op::v_exp_f32, operand(1, virtual_register), "still virtual"},
        {Op::s_load_dwordx2, operand(0, s(9, 2)), "multiple of 2"},
        {Op::buffer_load_dwordx4_lds, operand(1, s(10, 4)), "multiple of 4"},
        {Op::s_nop, operand(0, imm(16)), "count 16 is out of reach"},
        {Op::s_waitcnt, [](Inst& i) { i.mods.vmcnt = 64; }, "vmcnt 64 is out of reach"},
        {Op::s_waitcnt, [](Inst& i) { i.mods.lgkmcnt = 16; }, "lgkmcnt 16 is out of reach"},
        {Op::s_waitcnt, [](Inst& i) { i.need = Need::lds_filled; }, "no number yet"},
        {mfma, [](Inst& i) { i.mods.cbsz = 5; }, "cbsz:5 blgp:0 name no format"},
        {mfma, [](Inst& i) { i.mods.blgp = 7; }, "blgp:7 name no format"},
        {mfma, [](Inst& i) { i.mods.cbsz = 4; }, "the formats need 4 and 8"},
        {mfma, [](Inst& i) { i.mods.abid = 1; }, "abid"},
        {mfma, operand(3, v(40, 16)), "C overlaps D"},
        {mfma, operand(3, a(0, 16)), "both be VGPRs or both AGPRs"},
        {mfma, operand(1, v(40, 8)), "D overlaps A"},
        {mfma, operand(2, v(46, 8)), "D overlaps B"},
        {scaled, operand(4, a(8)), "a scale must be a VGPR"},
        {scaled, operand(5, s(8)), "a scale must be a VGPR"},
        {scaled, operand(5, imm(0)), "a scale must be a VGPR"},
        {Op::v_pk_fma_f32, [](Inst& i) { i.mods.op_sel = 1; }, "op_sel on packed f32"},
        {Op::v_pk_fma_f32, operand(2, imm(0x40000000)), "unproven"},
        {Op::v_cvt_pk_fp8_f32, [](Inst& i) { i.mods.op_sel = 2; }, "entries of the destination"},
        {Op::s_branch, operand(0, Operand::label(3)), "block 3 does not exist"},
    };
    for (const Case& c : cases) {
        Program p = small_program();
        bool done = false;
        unsigned line = 0;
        for (Block& b : p.blocks)
            for (Inst& i : b.insts)
                if (i.op == c.op && !done) c.change(i), done = true, line = i.at.line();
        CAPTURE(c.words);
        REQUIRE(done);
        try {
            emit(p);
            FAIL("accepted");
        } catch (const Error& e) {
            CHECK_THAT(e.what(), Contains(c.words));
            CHECK_THAT(e.what(), Contains(fmt::format("small_program.hpp:{}:", line)));
        }
    }
}

TEST_CASE("a Program that cannot be launched is refused by its name", "[emitter]") {
    using Change = std::function<void(Program&)>;
    const std::vector<std::pair<Change, const char*>> cases = {
        {[](Program& p) { p.lds_bytes = 163841; }, "163841 bytes of LDS"},
        {[](Program& p) { p.lds_bytes = 16383; }, "v tile ends at byte 16384"},
        {[](Program& p) { p.used.vgprs = 257; }, "257 VGPRs"},
        {[](Program& p) { p.used.agprs = 257; }, "257 AGPRs"},
        {[](Program& p) { p.used.sgprs = 103; }, "103 SGPRs"},
        {[](Program& p) { p.used.agprs = 190; }, "258 VGPRs and AGPRs leave room for 1 waves"},
        {[](Program& p) { p.workgroup_size = 100; }, "workgroup of 100"},
        {[](Program& p) { p.workgroup_size = 2048; }, "workgroup of 2048"},
        {[](Program& p) { p.args[1].offset = 4; }, "not a multiple of 8"},
        {[](Program& p) { p.args[3].offset = 32; }, "scale and tiles overlap"},
        {[](Program& p) { p.args[3].offset = 48; }, "tiles ends at byte 52"},
        {[](Program& p) { p.args[3].name = "scale"; }, "used twice"},
        {[](Program& p) { p.args[0].bytes = 4; }, "pointer of 4 bytes"},
        {[](Program& p) { p.blocks[1].label = "entry"; }, "label \"entry\""},
        {[](Program& p) { p.blocks[2].insts.pop_back(); }, "does not end in s_endpgm"},
        {[](Program& p) { p.blocks[2].insts.clear(); }, "does not end in s_endpgm"},
        {[](Program& p) { p.name = "a b"; }, "no symbol"},
        {[](Program& p) { std::swap(p.blocks[0].insts[0], p.blocks[0].insts.back()); },
         "inside block entry"},
    };
    for (const auto& [change, words] : cases) {
        Program p = small_program();
        change(p);
        CAPTURE(words);
        try {
            emit(p);
            FAIL("accepted");
        } catch (const Error& e) { CHECK_THAT(e.what(), Contains(words)); }
    }
}

TEST_CASE("the proof notices bytes that are not the Program's", "[emitter]") {
    const Program good = small_program();
    const Bytes object = build_object(print(good), "small.s");
    REQUIRE_NOTHROW(prove(good, object));
    const auto differs = [&](auto change, const char* words) {
        Program p = good;
        change(p);
        CHECK_THROWS_WITH(prove(p, object), Contains(words));
    };
    differs([](Program& p) { p.blocks[1].insts[2].mods.offset = 4094; }, "offset:4094");
    differs([](Program& p) { p.blocks[1].insts.back().operands[0].value = 2; }, "s_cbranch_scc1");
    differs([](Program& p) { p.blocks[1].insts[1].operands[0].value = 3; }, "s_nop 3");
    differs([](Program& p) { p.blocks[1].insts.erase(p.blocks[1].insts.begin()); }, "came back");
    differs([](Program& p) { p.blocks[2].insts.pop_back(); }, "code goes on behind its end");
    differs([](Program& p) { p.blocks[1].insts[8].mods.op_sel = 0; }, "v_mfma_scale");
    // what LLVM does on its own: cut the offset, silently
    Program cut = good;
    cut.blocks[1].insts[2].mods.offset = 4096;
    REQUIRE_THROWS_WITH(prove(cut, build_object(list(cut).text, "small.s")),
                        Contains("offset:4096"));
}

TEST_CASE("an assembler error names the kernel's line", "[emitter]") {
    Program p = small_program();
    Inst& bad = p.blocks[0].insts[0];  // a third scalar operand that is no offset of s_load
    bad.operands[2] = imm(0x200000);
    REQUIRE_THROWS_WITH(emit(p), Contains(fmt::format("small_program.hpp:{}:", bad.at.line())));
}

TEST_CASE("no arguments, no AGPRs, no LDS", "[emitter]") {
    Program p;
    p.name = "empty";
    p.workgroup_size = 64;
    p.used = {1, 0, 0};
    p.blocks = {{"", {inst(Op::s_endpgm, {})}, false}};
    const CodeObject o = load_code_object(emit(p).code_object, "empty.co");
    REQUIRE(o.kernels[0].arguments.empty());
    REQUIRE(o.kernels[0].accum_offset() == 4);
    REQUIRE(o.kernels[0].register_words() == 8);
}
