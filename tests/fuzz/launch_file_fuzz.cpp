// Any bytes as a launch file: refused with an Error, or what is read prints to the same again.
#include <cstdlib>

#include "isa/error.hpp"
#include "sim/launch_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace zyfa;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string text;
    try {
        const LaunchFile launch =
            parse_launch_file({reinterpret_cast<const char*>(data), size}, "fuzz");
        text = print_launch_file(launch);
    } catch (const Error&) { return 0; }
    if (print_launch_file(parse_launch_file(text, "again")) != text) std::abort();
    return 0;
}

std::vector<std::vector<uint8_t>> test::fuzz_seeds() {
    constexpr std::string_view kText =
        R"({"code_object":"x.co","kernel":"k","grid":[2,1,3],"workgroup":[64,2,1],"dynamic_lds":16,
"buffers":{"q":{"shape":[1,2,1,128],"dtype":"e4m3","init":"normal","seed":1,"scale":0.5},
"k":{"shape":[1,2,1,128],"strides":[512,256,128,1],"dtype":"e4m3","init":{"uniform":[-1,2]}},
"s":{"shape":[3],"dtype":"f32","values":[0.1,-2,3e5],"guard":0},
"o":{"bytes":512,"dtype":"bf16","init":"poison","guard":64},"f":{"bytes":8,"init":{"file":"f.bin"}},
"g":{"bytes":64,"init":{"packed":"padded","from":["s"]},"released":true}},
"kernarg":{"size":40,"fields":[{"offset":0,"type":"ptr","value":"q+2"},
{"offset":8,"type":"ptr","value":null},{"offset":16,"type":"f32","value":"nan"},
{"offset":20,"type":"bf16","value":1.5},{"offset":24,"type":"i64","value":-2}]},
"check":{"kind":"attention","q":"q","k":"k","v":"k","o":"o","lse":null,"causal":true,"scale":0.1,
"descale":[1,"s",1],"scales":{"q":{"buffer":"s","block":32,"axis":"d"}},"tolerance":{"cosine":0.5}},
"dump":{"o":"o.bin"}})";
    return {{kText.begin(), kText.end()}};
}
