// Instruction vectors from outside this project: tests/vectors/*.txt, see the README there. A line
// "@ lines" gives the assembly, inputs stand in v2, v3, ..., results are in v8, v9.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>

#include "isa/file.hpp"
#include "tests/sim/lab.hpp"

using namespace zyfa;
using namespace zyfa::test;
namespace fs = std::filesystem;

namespace {

struct Vector {
    std::vector<uint32_t> in;
    std::vector<std::string> want;  // eight hex digits, or nan16, nan32, nan64 (two words)
    unsigned line;
};
struct Group {
    std::string code;
    std::vector<Vector> vectors;
};

std::vector<Group> groups_of(const fs::path& path) {
    std::vector<Group> groups;
    std::istringstream file(read_text(path));
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.empty() || line[0] == '#') continue;
        if (line[0] == '@') {
            groups.push_back({line.substr(2), {}});
            continue;
        }
        std::istringstream words(line);
        Vector v{{}, {}, number};
        std::string word;
        while (words >> word && word != "->")
            v.in.push_back(uint32_t(std::stoul(word, nullptr, 16)));
        while (words >> word) v.want.push_back(word);
        REQUIRE_FALSE(groups.empty());
        groups.back().vectors.push_back(v);
    }
    return groups;
}

bool is(const std::string& want, uint32_t low, uint32_t high) {
    if (want == "nan16") return (low & 0x7fff) > 0x7c00;
    if (want == "nan32") return (low & 0x7fffffff) > 0x7f800000;
    if (want == "nan64") return (high & 0x7fffffff) > 0x7ff00000;
    return uint32_t(std::stoul(want, nullptr, 16)) == low;
}

// One instruction a line; wait states cost nothing here.
std::string code_of(const Group& g) {
    std::string code;
    for (size_t at = 0, end; at < g.code.size(); at = end + 3) {
        end = std::min(g.code.find(" / ", at), g.code.size());
        code += g.code.substr(at, end - at);
        code += "\ns_nop 7\n";
    }
    return code;
}

// 64 vectors at a time, one in each lane. Returns how many differ.
unsigned differing(const Group& g, const std::string& file) {
    unsigned bad = 0;
    for (size_t first = 0; first < g.vectors.size(); first += 64) {
        const size_t count = std::min<size_t>(64, g.vectors.size() - first);
        Lab lab;
        lab.watch = {8, 9};
        lab.set(8, 0u), lab.set(9, 0u);
        for (size_t n = 0; n < g.vectors[first].in.size(); ++n) lab.set(unsigned(2 + n), 0u);
        for (size_t l = 0; l < count; ++l)
            for (size_t n = 0; n < g.vectors[first + l].in.size(); ++n)
                lab.vgprs[unsigned(2 + n)][l] = g.vectors[first + l].in[n];
        lab.run(code_of(g));
        for (size_t l = 0; l < count; ++l) {
            const Vector& v = g.vectors[first + l];
            const uint32_t got[2] = {lab.lane(8, unsigned(l)), lab.lane(9, unsigned(l))};
            for (size_t n = 0; n < v.want.size(); ++n)
                if (!is(v.want[n], got[n], got[1])) {
                    if (++bad <= 3)
                        UNSCOPED_INFO(fmt::format("{}:{}: {}: {:08x} {:08x}, not {}", file, v.line,
                                                  g.code, got[0], got[1], fmt::join(v.want, " ")));
                    break;
                }
        }
    }
    return bad;
}

}  // namespace

TEST_CASE("instructions give what others say they give", "[sim][vectors]") {
    size_t cases = 0;
    std::map<std::string, std::set<uint32_t>> inputs;  // first input by mnemonic
    std::set<uint32_t> scales;
    for (const char* name : {"llvm_apfloat.txt", "llvm_folds.txt"}) {
        const fs::path path = fs::path(ZYFA_SOURCE_DIR) / "tests/vectors" / name;
        for (const Group& g : groups_of(path)) {
            cases += g.vectors.size();
            const std::string mnemonic = g.code.substr(0, g.code.find(' '));
            for (const Vector& v : g.vectors) {
                inputs[mnemonic].insert(v.in[0]);
                if (mnemonic.starts_with("v_cvt_scalef32_pk_f32_fp8")) scales.insert(v.in[1]);
            }
            CHECK(differing(g, name) == 0);
        }
    }
    fmt::print("{} instruction vectors of {} instructions\n", cases, inputs.size());
    CHECK(cases >= 2000);
    CHECK(inputs["v_cvt_f32_fp8"].size() == 256);
    CHECK(inputs["v_cvt_f32_bf8"].size() == 256);
    CHECK(scales.size() == 255);  // E8M0; 255 is NaN
}
