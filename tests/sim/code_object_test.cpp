#include "sim/code_object.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "isa/error.hpp"
#include "isa/file.hpp"
#include "isa/random.hpp"
#include "tests/aiter.hpp"
#include "tests/sim/objects.hpp"

using namespace zyfa;
using test::small_object;
namespace fs = std::filesystem;

namespace {

struct Refused {
    std::string text;
    Exit exit = Exit::ok;
};
Refused refused(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& e) { return {e.what(), e.exit}; }
    return {"accepted"};
}
Refused refused(const Bytes& file) {
    return refused([&] { parse_code_object(file, "x.co"); });
}

Bytes with_flags(uint32_t flags) {
    Bytes b = small_object();
    std::memcpy(&b[48], &flags, 4);
    return b;
}

Bytes of_text(const std::string& s) { return Bytes(s.begin(), s.end()); }

Bytes with_word(size_t offset, uint16_t value) {
    Bytes b = small_object();
    std::memcpy(&b[offset], &value, 2);
    return b;
}

// The same bytes with one string replaced by another of the same length.
Bytes replaced(const std::string& from, const std::string& to) {
    Bytes b = small_object();
    const auto at = std::search(b.begin(), b.end(), from.begin(), from.end());
    REQUIRE(at != b.end());
    std::copy(to.begin(), to.end(), at);
    return b;
}

}  // namespace

TEST_CASE("a code object gives its kernel as the assembler was told", "[sim][code_object]") {
    const CodeObject object = load_code_object(small_object(), "small.co");
    REQUIRE(object.target == "gfx950");
    REQUIRE(object.kernels.size() == 1);
    REQUIRE(object.notes.empty());
    const KernelInfo& k = object.kernel("");
    REQUIRE(&k == &object.kernel("small"));
    REQUIRE(&k == &object.kernel("small.kd"));
    REQUIRE(k.kernarg_bytes == 24);
    REQUIRE(k.lds_bytes == 1024);
    REQUIRE(k.vgprs == 16);
    REQUIRE(k.agprs == 8);
    REQUIRE(k.max_flat_workgroup_size == 256);
    REQUIRE(k.entry % 256 == 0);
    REQUIRE(k.arguments.size() == 2);
    REQUIRE(k.arguments[1].name == "scale");
    REQUIRE(k.arguments[1].offset == 16);
    REQUIRE(k.arguments[1].kind == "by_value");
    REQUIRE(object.code.size() >= 4);
    REQUIRE(object.code[0].text.find("s_load_dwordx2") != std::string::npos);

    const KernelSetup s = setup_of(object, k);
    REQUIRE(s.kernarg_ptr);
    REQUIRE(s.workgroup_id == std::array<bool, 3>{true, true, false});
    REQUIRE(s.workitem_dims == 2);
    REQUIRE(s.round32 == 0);
    REQUIRE(s.denorm32 == 3);
    REQUIRE(s.denorm16 == 3);
    REQUIRE(s.dx10_clamp);
    REQUIRE_FALSE(s.ieee);
}

TEST_CASE("an unknown kernel name is answered with the names there are", "[sim][code_object]") {
    const CodeObject object = parse_code_object(small_object(), "small.co");
    const Refused r = refused([&] { object.kernel("smal"); });
    REQUIRE(r.text == "small.co: no kernel 'smal'; it has: small");
}

TEST_CASE("what is no gfx950 code object is refused in one line with the right exit code",
          "[sim][code_object]") {
    const Bytes whole = small_object();
    const Bytes half(whole.begin(), whole.begin() + long(whole.size() / 2));
    const Bytes header(whole.begin(), whole.begin() + 40);
    struct Case {
        const char* name;
        Bytes file;
        Exit exit;
        const char* says;
    };
    const std::vector<Case> cases{
        {"empty", {}, Exit::usage, "is empty"},
        {"text", of_text("hello world"), Exit::usage, "not an ELF file"},
        {"half", half, Exit::usage, "cut off"},
        {"header", header, Exit::usage, "cut off inside the ELF header"},
        {"archive", of_text("!<arch>\nx"), Exit::unsupported, "archive"},
        {"bundle", of_text("__CLANG_OFFLOAD_BUNDLE__...."), Exit::unsupported, "bundle"},
        {"compressed bundle", of_text("CCOB1234"), Exit::unsupported, "compressed"},
        {"gfx942", with_flags(0x54c), Exit::unsupported, "gfx942"},
        {"generic", with_flags(0x55f), Exit::unsupported, "gfx9-4-generic"},
        {"xnack on", with_flags(0x74f), Exit::unsupported, "xnack+"},
        {"sramecc off", with_flags(0x94f), Exit::unsupported, "sramecc-"},
        {"x86-64", with_word(18, 62), Exit::unsupported, "x86-64"},
        {"other machine", with_word(18, 8), Exit::unsupported, "machine 8"},
        {"relocatable", assemble(test::kSmallKernel), Exit::unsupported, "not linked"},
        {"no LDS size", replaced(".group_segment_fixed_size", ".grxup_segment_fixed_size"),
         Exit::usage, "metadata has no amdhsa.kernels[0].group_segment_fixed_size"},
        {"no kernels", replaced("amdhsa.kernels", "amdhsa.kernelz"), Exit::usage,
         "metadata has no amdhsa.kernels"},
        {"no note", replaced("AMDGPU", "AMDGPX"), Exit::usage, "NT_AMDGPU_METADATA"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.name);
        const Refused r = refused(c.file);
        CAPTURE(r.text);
        CHECK(r.text.find(c.says) != std::string::npos);
        CHECK(r.exit == c.exit);
        CHECK(r.text.rfind("x.co: ", 0) == 0);
        CHECK(r.text.find('\n') == std::string::npos);
    }
    CHECK(parse_code_object(with_flags(0xe4f), "x.co").target == "gfx950:sramecc+:xnack-");
}

TEST_CASE("descriptor and metadata that disagree give a note, not an error", "[sim][code_object]") {
    std::string text = test::kSmallKernel;
    const std::string size = ".amdhsa_kernarg_size 24";
    text.replace(text.find(size), size.size(), ".amdhsa_kernarg_size 0");
    const CodeObject object = parse_code_object(link(assemble(text)), "small.co");
    REQUIRE(object.kernels[0].kernarg_bytes == 24);
    REQUIRE(object.notes.size() == 1);
    REQUIRE(object.notes[0].severity == Severity::note);
    REQUIRE(object.notes[0].message.find("descriptor 0, metadata 24") != std::string::npos);
}

TEST_CASE("files that cannot be read are refused with their name", "[isa][file]") {
    const fs::path folder = fs::temp_directory_path() / fmt::format("zyfa_file_{}", getpid());
    fs::create_directories(folder);
    const auto says = [](const fs::path& p, const std::string& what, uint64_t most) {
        const Refused r = refused([&] { read_file(p, most); });
        CAPTURE(r.text);
        CHECK(r.text.find(p.string() + ": ") == 0);
        CHECK(r.text.find(what) != std::string::npos);
        CHECK(r.exit == Exit::usage);
    };
    says(folder, "is a directory", kMaxFileBytes);
    says(folder / "absent", "no such file", kMaxFileBytes);
    write_file(folder / "empty", std::string_view());
    says(folder / "empty", "is empty", kMaxFileBytes);
    write_file(folder / "big", std::string(2 << 20, 'x'));
    says(folder / "big", "over the limit of 1048576 bytes (1.0 MB)", 1 << 20);
    REQUIRE(read_text(folder / "big") == std::string(2 << 20, 'x'));
    REQUIRE(refused([&] { write_file(folder / "no" / "x", "y"); }).text.find("cannot write") !=
            std::string::npos);
    size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++files;
    REQUIRE(files == 2);  // no temporary left
    fs::remove_all(folder);
}

// Whatever the bytes are, the answer is a code object or an Error: no crash, no other exception.
TEST_CASE("damaged code objects never crash the loader", "[sim][code_object][fuzz]") {
    Random random(2026);
    std::vector<Bytes> sources{small_object()};
    if (const fs::path folder = test::aiter_folder(); !folder.empty())
        sources.push_back(read_file(folder / "fmha_v3_fwd/fwd_hd128_fp8.co"));
    unsigned accepted = 0, rejected = 0;
    auto attempt = [&](const Bytes& bytes) {
        try {
            const CodeObject object = parse_code_object(bytes, "fuzz");
            for (const KernelInfo& k : object.kernels) REQUIRE(k.entry < object.text.size());
            ++accepted;
        } catch (const Error&) { ++rejected; }
    };
    for (const Bytes& source : sources) {
        for (size_t length = 0; length < source.size(); length += 1 + length / 16)
            attempt(Bytes(source.begin(), source.begin() + long(length)));
        for (int round = 0; round < 4000; ++round) {
            Bytes bytes = source;
            const bool header = round % 2;  // half of them where the structure is
            for (uint64_t n = 1 + random.below(4); n-- > 0;) {
                const size_t at = random.below(header ? 0x400 : bytes.size());
                bytes[at] = random.below(3) ? uint8_t(random.bits())
                                            : uint8_t(bytes[at] ^ (1u << random.below(8)));
            }
            if (round % 3 == 0) {  // an extreme value in a section header
                uint64_t headers = 0;
                std::memcpy(&headers, &source[40], 8);
                const size_t at = headers + random.below((source.size() - headers) / 8) * 8;
                const uint64_t value =
                    random.below(2) ? ~random.below(4096) : random.below(1 << 17);
                std::memcpy(&bytes[std::min(at, bytes.size() - 8)], &value, 8);
            }
            attempt(bytes);
        }
    }
    INFO(accepted << " accepted, " << rejected << " rejected");
    REQUIRE(rejected > 500);
    REQUIRE(accepted > 500);
}

TEST_CASE("deeply nested metadata is refused before the parser recurses", "[sim][code_object]") {
    // The note's bytes replaced by nested one-element arrays (MessagePack 0x91).
    Bytes bytes = small_object();
    const std::string owner("AMDGPU\0\0", 8);
    const auto at = std::search(bytes.begin(), bytes.end(), owner.begin(), owner.end());
    REQUIRE(at != bytes.end());
    uint32_t size;
    std::memcpy(&size, &*at - 8, 4);
    std::fill_n(at + 8, size, 0x91);
    REQUIRE(refused(bytes).text.find("not a MessagePack map") != std::string::npos);
}
