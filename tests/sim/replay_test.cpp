#include "sim/replay.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "isa/error.hpp"
#include "isa/file.hpp"
#include "tests/sim/objects.hpp"

using namespace zyfa;
namespace fs = std::filesystem;

namespace {

LaunchFile launch_with(const std::string& buffers, const std::string& more = "") {
    const std::string text = R"({"code_object":"small.co","grid":[1,1,1],"workgroup":[64,1,1],
        "buffers":)" + buffers +
                             R"(,"kernarg":{"size":24,"fields":[
        {"offset":0,"type":"ptr","value":"a+2"},{"offset":16,"type":"f32","value":1.0}]})" +
                             more + "}";
    return parse_launch_file(text, "x.json", fs::temp_directory_path());
}

std::vector<uint8_t> bytes_of(const std::string& buffer) {
    const LaunchFile l = launch_with("{\"a\":" + buffer + "}");
    return initial_bytes(l, l.buffers[0]);
}

using Bytes8 = std::vector<uint8_t>;

}  // namespace

TEST_CASE("buffers are filled as the launch file says", "[sim][launch]") {
    REQUIRE(bytes_of(R"({"shape":[3],"dtype":"e4m3","init":"ones"})") == Bytes8{0x38, 0x38, 0x38});
    REQUIRE(bytes_of(R"({"shape":[2],"dtype":"bf16","init":"ones","scale":-2})") ==
            Bytes8{0x00, 0xc0, 0x00, 0xc0});
    REQUIRE(bytes_of(R"({"shape":[2],"dtype":"i32","values":[-1,258]})") ==
            Bytes8{0xff, 0xff, 0xff, 0xff, 2, 1, 0, 0});
    REQUIRE(bytes_of(R"({"shape":[4],"dtype":"u8","init":"arange","scale":100})") ==
            Bytes8{0, 100, 200, 255});
    REQUIRE(bytes_of(R"({"shape":[3],"dtype":"u8","init":"poison"})") == Bytes8{0xff, 0xff, 0xff});
    REQUIRE(bytes_of(R"({"shape":[3],"dtype":"e8m0","values":[1,2,0.5]})") ==
            Bytes8{127, 128, 126});
    // [2][2] with a row of 3: the gap is poison
    REQUIRE(bytes_of(R"({"shape":[2,2],"strides":[3,1],"dtype":"u8","init":"arange"})") ==
            Bytes8{0, 1, 0xff, 2, 3});
    // 1, 2, -3, 4 of e2m1 are 2, 4, d, 6, low half first; of e2m3 08, 10, 34, 18 in 24 bits
    REQUIRE(bytes_of(R"({"shape":[4],"dtype":"e2m1","values":[1,2,-3,4]})") == Bytes8{0x42, 0x6d});
    REQUIRE(bytes_of(R"({"shape":[4],"dtype":"e2m3","values":[1,2,-3,4]})") ==
            Bytes8{0x08, 0x44, 0x63});
}

TEST_CASE("random buffers repeat by seed and have the wanted spread", "[sim][launch]") {
    const std::string normal = R"({"shape":[4000],"dtype":"f32","init":"normal","seed":)";
    const auto a = bytes_of(normal + "1}"), b = bytes_of(normal + "1}"),
               c = bytes_of(normal + "2}");
    REQUIRE(a == b);
    REQUIRE(a != c);
    double sum = 0, square = 0;
    for (int i = 0; i < 4000; ++i) {
        const double x = read_element(DType::f32, a.data(), uint64_t(i));
        sum += x;
        square += x * x;
    }
    REQUIRE(std::abs(sum / 4000) < 5 / std::sqrt(4000.0));
    REQUIRE(std::abs(square / 4000 - 1) < 5 * std::sqrt(2.0 / 4000));
    const auto u = bytes_of(R"({"shape":[999],"dtype":"f32","init":{"uniform":[-1,3]},"seed":4})");
    for (uint64_t i = 0; i < 999; ++i) {
        const double x = read_element(DType::f32, u.data(), i);
        REQUIRE(x >= -1);
        REQUIRE(x <= 3);
    }
}

TEST_CASE("a launch gets addresses, argument bytes, file contents and dumps", "[sim][launch]") {
    const fs::path folder = fs::temp_directory_path();
    write_file(folder / "zyfa_in.bin", std::string_view("abcdef"));
    const LaunchFile l = launch_with(
        R"({"a":{"bytes":6,"init":{"file":"zyfa_in.bin"},"guard":64},"b":{"bytes":8,"init":"zeros"}})",
        R"(,"dump":{"a":"zyfa_out.bin"})");
    const Prepared p = prepare(l, load_code_object(test::small_object(), "small.co"));
    const auto a = buffer_bytes(p, "a");
    REQUIRE(std::string(a.begin(), a.end()) == "abcdef");
    uint64_t pointer = 0;
    REQUIRE(p.launch.kernarg.size() == 24);
    std::memcpy(&pointer, p.launch.kernarg.data(), 8);
    REQUIRE(pointer == p.memory.address_of("a") + 2);
    REQUIRE(p.launch.kernarg[8] == 0);
    REQUIRE(p.launch.kernarg[19] == 0x3f);
    REQUIRE(p.launch.setup.lds_bytes == 1024);
    dump(l, p);
    REQUIRE(read_text(folder / "zyfa_out.bin") == "abcdef");
    fs::remove(folder / "zyfa_in.bin");
    fs::remove(folder / "zyfa_out.bin");
}

TEST_CASE("a launch that does not fit its kernel is refused", "[sim][launch]") {
    const CodeObject object = load_code_object(test::small_object(), "small.co");
    LaunchFile l = launch_with(R"({"a":{"bytes":6,"init":"zeros"}})");
    l.workgroup = {512, 1, 1};
    REQUIRE_THROWS_WITH(prepare(l, object),
                        "x.json: $.workgroup: 512 threads, but small takes at most 256");
    l.workgroup = {64, 1, 1};
    l.buffers[0].init = Init::file;
    l.buffers[0].file = "zyfa_absent.bin";
    REQUIRE_THROWS_WITH(prepare(l, object), Catch::Contains("zyfa_absent.bin: no such file"));
}

TEST_CASE("packed buffers hold the elements of others in a kernel's order", "[sim][launch]") {
    const std::string e4 = R"("k":{"shape":[1,2,1,128],"dtype":"e2m1","init":"normal","seed":1})";
    const LaunchFile l =
        launch_with(R"({"a":{"bytes":4,"init":"zeros"},)" + e4 +
                    R"(,"p":{"bytes":8200,"init":{"packed":"aiter_k_fp4","from":["k"]}},
        "s":{"shape":[1,5,1,128],"dtype":"e8m0","init":{"uniform":[0.5,9]},"seed":3},
        "ps":{"bytes":1024,"init":{"packed":"aiter_v_scale","from":["s"]}},
        "pad":{"bytes":1000,"init":{"packed":"padded","from":["s"]}}})");
    const auto k = initial_bytes(l, *l.buffer("k")), p = initial_bytes(l, *l.buffer("p"));
    REQUIRE(p.size() == 8200);  // zeros after the tile of 8192
    for (unsigned row : {0u, 1u})
        for (unsigned i = 0; i < 64; ++i)  // bytes of two channels
            REQUIRE(p[i / 16 * 2048 + row * 16 + i % 16] == k[row * 64 + i]);
    const auto s = initial_bytes(l, *l.buffer("s")), ps = initial_bytes(l, *l.buffer("ps"));
    REQUIRE(ps[512 + 5 * 4 + 2] == s[4 * 128 + 2 * 32 + 5]);
    REQUIRE(ps[3 * 128 + 31 * 4 + 3] == s[3 * 128 + 127]);
    REQUIRE(ps[512 + 128] == 127);  // a block past the end
    const auto pad = initial_bytes(l, *l.buffer("pad"));
    REQUIRE(std::equal(s.begin(), s.end(), pad.begin()));
    REQUIRE(std::count(pad.begin() + 640, pad.end(), 0) == 360);
}

TEST_CASE("a packed buffer that does not fit its sources is refused", "[sim][launch]") {
    const auto refused = [](const std::string& packed) {
        const LaunchFile l = launch_with(R"({"a":{"bytes":4,"init":"zeros"},
            "k":{"shape":[1,2,1,128],"dtype":"e4m3","init":"zeros"},"p":)" +
                                         packed + "}");
        initial_bytes(l, *l.buffer("p"));
    };
    using Catch::Contains;
    REQUIRE_THROWS_WITH(refused(R"({"bytes":9,"init":{"packed":"x","from":["k"]}})"),
                        Contains("is no layout"));
    REQUIRE_THROWS_WITH(refused(R"({"bytes":9,"init":{"packed":"padded","from":["z"]}})"),
                        Contains("no buffer 'z'"));
    REQUIRE_THROWS_WITH(refused(R"({"bytes":9,"init":{"packed":"padded","from":["p"]}})"),
                        Contains("packed itself"));
    REQUIRE_THROWS_WITH(refused(R"({"bytes":9,"init":{"packed":"padded","from":["k"]}})"),
                        Contains("256 bytes, more than the 9"));
    REQUIRE_THROWS_WITH(refused(R"({"bytes":9000,"init":{"packed":"aiter_k_fp4","from":["k"]}})"),
                        Contains("of e2m1"));
}
