#include "tools/places.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "tools/listing.hpp"
#include "tools/suggest.hpp"

namespace zyfa {

namespace {

using Places = std::map<std::string, std::vector<uint32_t>>;

void add_labels(Places& places, const std::vector<ListedLine>& lines) {
    std::vector<std::string> open;
    for (const ListedLine& line : lines) {
        if (line.decoded) {
            for (const std::string& name : open) places[name].push_back(line.decoded->address);
            open.clear();
        } else if (line.text.ends_with(":") &&
                   line.text.find_first_of(" \t;") == std::string::npos) {
            open.push_back(line.text.substr(0, line.text.size() - 1));
        }
    }
}

void add_sections(Places& places, const Program& program, const std::vector<Decoded>& code) {
    size_t next = 0;
    uint16_t before = 0;
    for (const Block& block : program.blocks)
        for (const Inst& inst : block.insts) {
            if (next >= code.size()) return;
            const uint32_t address = code[next++].address;
            if (inst.section != before)
                places[program.sections[inst.section].name].push_back(address);
            before = inst.section;
        }
}

}  // namespace

std::vector<uint32_t> addresses_of(const std::string& place, const CodeObject& object,
                                   const Built* built) {
    if (place.starts_with("0x")) {
        uint32_t address = 0;
        const char* end = place.data() + place.size();
        auto [stop, error] = std::from_chars(place.data() + 2, end, address, 16);
        const bool starts = std::any_of(object.code.begin(), object.code.end(),
                                        [&](const Decoded& d) { return d.address == address; });
        if (error != std::errc() || stop != end || !starts)
            throw Error(fmt::format("--break {}: no instruction starts there", place));
        return {address};
    }
    Places places;
    add_labels(places, built ? list_kernel(*built, object.code) : list_code_object(object));
    if (built) add_sections(places, built->program, object.code);
    for (const KernelInfo& kernel : object.kernels) places[kernel.name] = {kernel.entry};
    if (const auto found = places.find(place); found != places.end()) return found->second;
    std::vector<std::string> names;
    std::string all;
    for (const auto& [name, unused] : places) {
        names.push_back(name);
        if (names.size() <= 20 && !name.empty()) all += (all.empty() ? "" : ", ") + name;
    }
    throw Error(fmt::format("--break {}: no such label or section{}; there are {}{}", place,
                            did_you_mean(place, names), all, names.size() > 20 ? ", ..." : ""));
}

}  // namespace zyfa
