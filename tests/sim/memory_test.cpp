#include <catch2/catch.hpp>
#include <cstring>

#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;

namespace {

// A buffer of 32-bit words 1000, 1001, .. and a raw descriptor of it in s[20:23].
uint64_t words_buffer(Lab& lab, unsigned words, uint32_t records, const char* name = "data") {
    uint64_t at = lab.memory.allocate(name, words * 4);
    for (unsigned n = 0; n < words; ++n) {
        uint32_t value = 1000 + n;
        std::memcpy(lab.memory.find(at + 4 * n, 4), &value, 4);
    }
    lab.sgprs[20] = uint32_t(at);
    lab.sgprs[21] = uint32_t(at >> 32);
    lab.sgprs[22] = records;
    lab.sgprs[23] = 0x00020000;
    return at;
}
void lane_times(Lab& lab, unsigned v, unsigned factor) {
    for (unsigned l = 0; l < 64; ++l) lab.vgprs[v][l] = l * factor;
}

}  // namespace

TEST_CASE("raw buffer loads: each dword by itself against num_records minus soffset",
          "[sim][memory]") {
    Lab lab;
    words_buffer(lab, 256, 64);
    lab.sgprs[24] = 16;
    lane_times(lab, 1, 4);
    lab.watch = {4, 5, 6, 7, 8, 9};
    lab.run(
        "buffer_load_dwordx4 v[4:7], v1, s[20:23], 0 offen\n"
        "buffer_load_dword v8, v1, s[20:23], s24 offen\n"
        "buffer_load_dword v9, v1, s[20:23], 0 offen offset:8\n"
        "s_waitcnt vmcnt(0)");
    CHECK(lab.lane(4, 2) == 1002);
    CHECK(lab.lane(7, 2) == 1005);
    CHECK(lab.lane(6, 13) == 1015);
    CHECK(lab.lane(7, 13) == 0);  // word 16 = byte 64
    CHECK(lab.lane(4, 16) == 0);
    CHECK(lab.lane(8, 0) == 1004);
    CHECK(lab.lane(8, 11) == 1015);
    CHECK(lab.lane(8, 12) == 0);  // 48 + 16 is not below 64
    CHECK(lab.lane(9, 13) == 1015);
    CHECK(lab.lane(9, 14) == 0);
    CHECK(lab.result.findings.empty());
}

TEST_CASE("an empty descriptor reads zeros and drops stores", "[sim][memory]") {
    Lab lab;
    uint64_t at = words_buffer(lab, 64, 0);
    lane_times(lab, 1, 4);
    lab.set(2, 7u);
    lab.watch = {4};
    lab.run(
        "buffer_store_dword v2, v1, s[20:23], 0 offen\n"
        "buffer_load_dword v4, v1, s[20:23], 0 offen\ns_waitcnt vmcnt(0)");
    CHECK(lab.lane(4, 3) == 0);
    uint32_t first;
    std::memcpy(&first, lab.memory.find(at, 4), 4);
    CHECK(first == 1000);
    CHECK(lab.result.findings.empty());
}

TEST_CASE("stores: bytes, shorts, vectors, inactive lanes", "[sim][memory]") {
    Lab lab;
    uint64_t at = lab.memory.allocate("out", 4096);
    lab.pointer(20, at);
    lab.sgprs[22] = 4096;
    lab.sgprs[23] = 0x00020000;
    lane_times(lab, 1, 16);
    for (unsigned n = 0; n < 4; ++n) lab.set(4 + n, 0x01020304u * (n + 1));
    lab.exec = 0b1011;
    lab.run(
        "buffer_store_dwordx3 v[4:6], v1, s[20:23], 0 offen\n"
        "buffer_store_byte v7, v1, s[20:23], 0 offen offset:12\n"
        "buffer_store_short v7, v1, s[20:23], 0 offen offset:14\n");
    auto word = [&](unsigned n) {
        uint32_t x;
        std::memcpy(&x, lab.memory.find(at + 4 * n, 4), 4);
        return x;
    };
    CHECK(word(0) == 0x01020304);
    CHECK(word(6) == 0x01020304u * 3);
    CHECK(word(3) == 0x0c100010);
    CHECK(word(8) == 0);  // lane 2 is off
    CHECK(word(12) == 0x01020304);
}

TEST_CASE("global loads: scalar base with 32-bit offset, 64-bit address, negative offset",
          "[sim][memory]") {
    Lab lab;
    uint64_t at = words_buffer(lab, 256, 0);
    lane_times(lab, 1, 4);
    for (unsigned l = 0; l < 64; ++l) {
        lab.vgprs[2][l] = uint32_t(at + 64 + 8 * l);
        lab.vgprs[3][l] = uint32_t((at + 64 + 8 * l) >> 32);
    }
    lab.watch = {4, 6, 7};
    lab.run(
        "global_load_dword v4, v1, s[20:21] offset:16\n"
        "global_load_dwordx2 v[6:7], v[2:3], off offset:-64\ns_waitcnt vmcnt(0)");
    CHECK(lab.lane(4, 9) == 1013);
    CHECK(lab.lane(6, 9) == 1018);
    CHECK(lab.lane(7, 9) == 1019);
}

TEST_CASE("direct-to-LDS: M0, offset counted twice, zeros out of range, lanes off leave holes",
          "[sim][memory]") {
    Lab lab;
    words_buffer(lab, 512, 256);  // 64 words
    lab.setup.lds_bytes = 4096;
    lane_times(lab, 1, 4);
    lane_times(lab, 2, 4);
    lab.set(3, 77u);
    lab.watch = {4};
    lab.run(
        "s_mov_b64 exec, -1\n"
        "ds_write_b32 v2, v3\n"
        "ds_write_b32 v2, v3 offset:256\ns_waitcnt lgkmcnt(0)\n"
        "s_mov_b64 exec, 0xf0f0\n"
        "s_mov_b32 m0, 64\n"
        "buffer_load_dword v1, s[20:23], 0 offen offset:32 lds\n"
        "s_mov_b32 s30, 224\n"
        "buffer_load_dword v1, s[20:23], s30 offen offset:16 lds\n"
        "s_waitcnt vmcnt(0)\n"
        "s_mov_b64 exec, -1\n"
        "ds_read_b32 v4, v2 offset:64\n"
        "s_waitcnt lgkmcnt(0)");
    // Second load, lanes 4..7 and 12..15, LDS 64 + 16 + 4 * lane, memory 224 + 16 + 4 * lane: out.
    CHECK(lab.lane(4, 8) == 0);
    CHECK(lab.lane(4, 4 + 4) == 0);
    // First load: LDS word 16 + 8 + lane from memory word 8 + lane; seen at v4 lane 8 + lane.
    CHECK(lab.lane(4, 8 + 4) == 1000 + 8 + 4);
    CHECK(lab.lane(4, 8 + 7) == 1000 + 8 + 7);
    CHECK(lab.lane(4, 20) == 1000 + 8 + 12);
    CHECK(lab.lane(4, 0) == 77);
    CHECK(lab.lane(4, 40) == 77);
    CHECK(lab.result.findings.empty());
}

TEST_CASE("LDS: vectors, offsets, bpermute", "[sim][memory]") {
    Lab lab;
    lab.setup.lds_bytes = 8192;
    lane_times(lab, 1, 16);
    lane_times(lab, 2, 1);
    lane_times(lab, 3, 10);
    for (unsigned l = 0; l < 64; ++l) lab.vgprs[14][l] = 4 * ((l + 5) % 64);
    lab.set(4, 4u);
    lab.set(5, 5u);
    lab.watch = {8, 9, 10, 11, 12, 13, 15};
    lab.run(
        "ds_write_b128 v1, v[2:5] offset:32\n"
        "ds_read_b128 v[8:11], v1 offset:32\n"
        "ds_read_b64 v[12:13], v1 offset:40\n"
        "ds_bpermute_b32 v15, v14, v2\n"
        "s_waitcnt lgkmcnt(0)");
    CHECK(lab.lane(8, 7) == 7);
    CHECK(lab.lane(9, 7) == 70);
    CHECK(lab.lane(11, 7) == 5);
    CHECK(lab.lane(12, 7) == 4);
    CHECK(lab.lane(13, 7) == 5);
    CHECK(lab.lane(15, 7) == 12);
    CHECK(lab.lane(15, 63) == 4);
}

TEST_CASE("transposed reads turn rows of 16 into columns", "[sim][memory]") {
    Lab lab;
    lab.setup.lds_bytes = 1024;
    // LDS bytes and halves are their own index (mod 256; mod 2^16).
    for (unsigned l = 0; l < 64; ++l) {
        uint32_t b = 4 * l;
        lab.vgprs[1][l] = b;
        lab.vgprs[2][l] =
            (b & 255) | ((b + 1) & 255) << 8 | ((b + 2) & 255) << 16 | ((b + 3) & 255) << 24;
        lab.vgprs[3][l] = 2 * l | (2 * l + 1) << 16;
        lab.vgprs[4][l] = l % 16 * 8;  // every 16 lanes read the first 128 bytes
    }
    lab.watch = {6, 7, 8, 9};
    lab.run(
        "ds_write_b32 v1, v2\nds_write_b32 v1, v3 offset:512\n"
        "ds_read_b64_tr_b8 v[6:7], v4\nds_read_b64_tr_b16 v[8:9], v4 offset:512\n"
        "s_waitcnt lgkmcnt(0)");
    for (unsigned l : {0u, 5u, 11u, 16u + 3, 63u}) {
        unsigned t = l % 16;
        CAPTURE(l);
        // b8: 8 rows of 16 bytes; lane t gets column t. b16: 4 rows of 16 halves.
        for (unsigned j = 0; j < 8; ++j)
            CHECK((lab.lane(6 + j / 4, l) >> 8 * (j % 4) & 255) == 16 * j + t);
        for (unsigned j = 0; j < 4; ++j)
            CHECK((lab.lane(8 + j / 2, l) >> 16 * (j % 2) & 0xffff) == 16 * j + t);
    }
}

TEST_CASE("what is out of reach is refused with kernel, wave, address and text", "[sim][run]") {
    auto [line, why] = GENERATE(table<const char*, const char*>({
        {"v_mfma_f64_16x16x4_f64 v[4:11], v[12:13], v[16:17], v[4:11]", "not simulated"},
        {"s_mov_b32 s21, 0x80100000\nbuffer_load_dword v4, off, s[20:23], 0", "stride"},
        {"v_add_u32_e64 v4, v1, v1 clamp", "clamp"},
        {"s_mov_b64 exec, 1\nv_permlane32_swap_b32 v1, v2", "lanes off"},
    }));
    CAPTURE(line);
    Lab lab;
    lab.sgprs = {{20, 0}, {21, 0}, {22, 0}, {23, 0}};
    try {
        lab.run(line);
        FAIL("no refusal");
    } catch (const Error& e) {
        CHECK(e.exit == Exit::unsupported);
        CHECK_THAT(e.what(), Catch::Contains(why) &&
                                 Catch::Contains("kernel lab, workgroup (0,0,0), wave 0"));
    }
}

TEST_CASE("an instruction out of reach that no wave meets does no harm", "[sim][run]") {
    Lab lab;
    lab.run("s_branch over\nv_mfma_f64_16x16x4_f64 v[4:11], v[12:13], v[16:17], v[4:11]\nover:\n");
    CHECK(lab.result.findings.empty());
}

TEST_CASE("Memory keeps allocations apart and guards intact", "[sim][memory]") {
    Memory m;
    uint64_t a = m.allocate("a", 100, 256, 64), b = m.allocate("b", 16);
    CHECK(a % 256 == 0);
    CHECK(a >> 32 != 0);
    CHECK(m.find(a, 100));
    CHECK(!m.find(a + 1, 100));
    CHECK(!m.find(a - 1, 1));
    CHECK(!m.find(b + 16, 1));
    CHECK(!m.find(a, ~uint64_t(0)));
    CHECK(m.address_of("b") == b);
    CHECK(m.broken_guards().empty());
    m.find(a, 100)[100] = 0;
    CHECK(m.broken_guards() == std::vector<std::string>{"a"});
    CHECK_THROWS_AS(m.address_of("c"), Error);
    CHECK_THAT(m.describe(a + 120), Catch::Contains("20 bytes past the end of a"));
}
