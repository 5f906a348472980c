#include "sim/launch_file.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "isa/error.hpp"

using namespace zyfa;
using nlohmann::json;

namespace {

const char* kLaunch = R"({
  "code_object": "x.co", "kernel": "", "grid": [2,1,1], "workgroup": [512,1,1], "dynamic_lds": 0,
  "buffers": {
    "q": {"shape":[1,256,1,128], "dtype":"e4m3", "init":"normal", "seed":1, "scale":1.0},
    "o": {"shape":[1,256,1,128], "dtype":"bf16", "init":"poison", "guard":8192},
    "n": {"shape":[3], "dtype":"i32", "values":[0,-1,7]},
    "raw": {"bytes": 48, "init": "zeros"},
    "wide": {"shape":[4,8], "strides":[16,1], "dtype":"e2m3", "init":{"uniform":[-1,2]}}
  },
  "kernarg": { "size": 656, "fields":[
    {"offset":0,"type":"ptr","value":"o"}, {"offset":16,"type":"ptr","value":"q+256"},
    {"offset":32,"type":"ptr","value":null},
    {"offset":80,"type":"f32","value":0.5}, {"offset":96,"type":"i32","value":-2},
    {"offset":100,"type":"bf16","value":"-inf"} ] },
  "check": { "kind":"attention", "q":"q","k":"q","v":"q","o":"o","lse":null, "causal":true,
             "scale":0.0883883476, "descale":[1,2.5,"n"], "tolerance": 0.03 },
  "dump": { "o":"o.bin" }
})";

LaunchFile parse(const json& j) { return parse_launch_file(j.dump(), "x.json", "folder"); }

std::string refused(const std::string& text) {
    try {
        parse_launch_file(text, "x.json");
    } catch (const Error& e) {
        CHECK(e.exit == Exit::usage);
        return e.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("a launch file is read as written", "[sim][launch]") {
    const LaunchFile l = parse(json::parse(kLaunch));
    REQUIRE(l.grid == std::array<uint32_t, 3>{2, 1, 1});
    REQUIRE(l.buffers.size() == 5);
    const LaunchBuffer& q = *l.buffer("q");
    REQUIRE(q.bytes == 256 * 128);
    REQUIRE(q.strides == std::vector<uint64_t>{32768, 128, 128, 1});
    REQUIRE(q.init == Init::normal);
    REQUIRE(l.buffer("o")->bytes == 2 * 256 * 128);
    REQUIRE(l.buffer("o")->guard == 8192);
    REQUIRE(l.buffer("q")->guard == 4096);
    REQUIRE(l.buffer("n")->values == std::vector<double>{0, -1, 7});
    REQUIRE(l.buffer("raw")->bytes == 48);
    REQUIRE(l.buffer("wide")->bytes == (3 * 16 + 8) * 6 / 8);
    REQUIRE(l.kernarg.size() == 6);
    REQUIRE(l.kernarg[1].buffer == "q");
    REQUIRE(l.kernarg[1].add == 256);
    REQUIRE(l.kernarg[2].buffer.empty());
    REQUIRE(l.kernarg[3].bits == 0x3f000000);
    REQUIRE(l.kernarg[4].bits == 0xfffffffe);
    REQUIRE(l.kernarg[5].bits == 0xff80);
    REQUIRE(l.check->causal);
    REQUIRE(l.check->lse.empty());
    REQUIRE(std::get<double>(l.check->descale[1]) == 2.5);
    REQUIRE(std::get<std::string>(l.check->descale[2]) == "n");
    REQUIRE(*l.check->tolerance.frobenius_rel_err == 0.03);
    REQUIRE(l.dump.at("o") == "o.bin");
    REQUIRE(l.code_object_path() == "folder/x.co");
}

// Each row changes one place of the good file; the answer must name that place.
TEST_CASE("what a launch file may not say is refused with its path", "[sim][launch]") {
    struct Case {
        const char *pointer, *value, *path, *says;
    };
    const Case cases[] = {
        {"/grid", "[1,1]", "$.grid", "must have 3 entries"},
        {"/grid/0", "0", "$.grid[0]", "1..4294967295, not 0"},
        {"/grid/0", "1.5", "$.grid[0]", "whole number"},
        {"/grid/0", "8388608", "$.grid[0]", "2^32 - 1"},
        {"/workgroup/0", "\"512\"", "$.workgroup[0]", "whole number"},
        {"/workgroup/1", "4", "$.workgroup", "2048 threads"},
        {"/dynamic_lds", "163841", "$.dynamic_lds", "0..163840"},
        {"/extra", "1", "$", "unknown key 'extra'; allowed: code_object, kernel"},
        {"/code_object", "\"\"", "$.code_object", "must name a file"},
        {"/code_object", "\"${HOME}/x\"", "$.code_object", "ZYFA_AITER_DIR"},
        {"/buffers", "[]", "$.buffers", "must be an object"},
        {"/buffers/q/dtype", "\"fp8\"", "$.buffers.q.dtype", "allowed: f32 f16 bf16 e4m3"},
        {"/buffers/q/dtyp", "\"e4m3\"", "$.buffers.q", "unknown key 'dtyp'"},
        {"/buffers/q/shape/1", "-1", "$.buffers.q.shape[1]", "whole number"},
        {"/buffers/q/shape/1", "17179869184", "$.buffers.q.shape", "too many elements"},
        {"/buffers/q/strides", "[1,1]", "$.buffers.q.strides", "must have 4 entries"},
        {"/buffers/q/init", "\"gauss\"", "$.buffers.q.init", "allowed: zeros"},
        {"/buffers/q/init", "{\"uniform\":[2,1]}", "$.buffers.q.init.uniform[1]", "2..1e+300"},
        {"/buffers/q/values", "[1]", "$.buffers.q", "either 'values' or 'init'"},
        {"/buffers/n/values", "[1,2]", "$.buffers.n.values", "2 values for 3 elements"},
        {"/buffers/n/values/0", "2147483648", "$.buffers.n.values[0]", "2147483647"},
        {"/buffers/n/seed", "1", "$.buffers.n.seed", "no effect"},
        {"/buffers/raw/shape", "[1]", "$.buffers.raw", "one of them"},
        {"/buffers/o/guard", "-1", "$.buffers.o.guard", "whole number"},
        {"/kernarg/size", "101", "$.kernarg.fields[5].offset", "end past kernarg.size 101"},
        {"/kernarg/fields/1/offset", "4", "$.kernarg.fields[1]", "overlaps fields[0] at byte 4"},
        {"/kernarg/fields/0/value", "\"p\"", "$.kernarg.fields[0].value", "no buffer 'p'"},
        {"/kernarg/fields/1/value", "\"q+x\"", "$.kernarg.fields[1].value", "number of bytes"},
        {"/kernarg/fields/3/type", "\"e2m1\"", "$.kernarg.fields[3].type", "whole bytes"},
        {"/kernarg/fields/3/value", "1e39", "$.kernarg.fields[3].value", "must be a number in"},
        {"/check/kind", "\"gemm\"", "$.check.kind", "\"none\" or \"attention\""},
        {"/check/causal", "1", "$.check.causal", "true or false"},
        {"/check/cu_q", "\"n\"", "$.check", "both 'cu_q' and 'cu_k'"},
        {"/check/model", "\"v3\"", "$.check.model", "aiter_v3_fp8"},
        {"/check/tolerance", "{\"rms\":1}", "$.check.tolerance", "unknown key 'rms'"},
        {"/dump/p", "\"x\"", "$.dump", "no buffer 'p'"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.pointer, c.value);
        json j = json::parse(kLaunch);
        j[json::json_pointer(c.pointer)] = json::parse(c.value);
        const std::string text = refused(j.dump());
        CAPTURE(text);
        CHECK(text.rfind(std::string("x.json: ") + c.path + ": ", 0) == 0);
        CHECK(text.find(c.says) != std::string::npos);
    }
    for (const char* key : {"code_object", "grid", "workgroup", "buffers", "kernarg"}) {
        json j = json::parse(kLaunch);
        j.erase(key);
        CHECK(refused(j.dump()) == fmt::format("x.json: $: needs the key '{}'", key));
    }
}

TEST_CASE("text that is no JSON, and repeated keys, are refused with their place",
          "[sim][launch]") {
    REQUIRE(refused("{\n\"grid\": [1,\n}").rfind("x.json:3: not valid JSON", 0) == 0);
    REQUIRE(refused("") != "accepted");
    REQUIRE(refused("{\"grid\": 1, \"grid\": 2}") == "x.json: key 'grid' is repeated");
    const std::string whole = kLaunch;
    for (size_t n = 0; n + 1 < whole.size(); ++n)
        REQUIRE(refused(whole.substr(0, n)) != "accepted");
}

TEST_CASE("the AITER folder is taken from the environment or its absence named", "[sim][launch]") {
    json j = json::parse(kLaunch);
    j["code_object"] = "${ZYFA_AITER_DIR}/a.co";
    const LaunchFile l = parse(j);
    const char* kept = std::getenv("ZYFA_AITER_DIR");
    const std::string before = kept ? kept : "";
    setenv("ZYFA_AITER_DIR", "/some/where", 1);
    REQUIRE(l.code_object_path() == "/some/where/a.co");
    for (bool set : {true, false}) {
        set ? setenv("ZYFA_AITER_DIR", "", 1) : unsetenv("ZYFA_AITER_DIR");
        REQUIRE_THROWS_WITH(l.code_object_path(), Catch::Contains("x.json: $.code_object") &&
                                                      Catch::Contains("ZYFA_AITER_DIR"));
    }
    if (kept) setenv("ZYFA_AITER_DIR", before.c_str(), 1);
}
