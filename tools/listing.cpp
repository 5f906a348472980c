#include "tools/listing.hpp"

#include <map>
#include <set>
#include <sstream>

#include "isa/text.hpp"

namespace zyfa {

namespace {

std::string place(uint32_t address) { return fmt::format("L{:04x}", address); }

const Operand* branch_target(const Decoded& d) {
    if (!d.known || !d.inst.info().is_branch()) return nullptr;
    for (const Operand& operand : d.inst.operands)
        if (operand.kind == Operand::Kind::label) return &operand;
    return nullptr;
}

const char* class_of(const Decoded& d) {
    if (!d.known) return "not_in_table";
    const OpInfo& op = d.inst.info();
    if (op.is_mfma()) return "matrix";
    switch (op.rate) {
        case Rate::trans: return "transcendental";
        case Rate::packed_f32: return "packed";
        case Rate::smem: return "scalar_memory";
        case Rate::branch: return "branch";
        case Rate::wait: return "wait";
        case Rate::nop: return "nop";
        case Rate::barrier: return "barrier";
        case Rate::lds_dma: return "load_to_lds";
        default: break;
    }
    if (op.is_vmem()) return op.is_store() ? "store" : "load";
    if (op.is_lds()) return "lds";
    return op.is_valu() ? "vector" : "scalar";
}

// Mnemonic, and for the matrix instructions with a format field its formats.
std::string matrix_name(const Inst& inst) {
    std::string name(inst.info().mnemonic());
    if (name.find("f8f6f4") == std::string::npos) return name;
    static constexpr const char* kFormats[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
    const auto format = [](unsigned i) { return i < 5 ? kFormats[i] : "reserved"; };
    return fmt::format("{} {} x {}", name, format(inst.mods.cbsz), format(inst.mods.blgp));
}

}  // namespace

std::string raw_words(const Decoded& d, std::span<const uint8_t> text) {
    std::string out;
    for (unsigned i = 0; i + 4 <= d.bytes; i += 4) {
        const uint8_t* byte = text.data() + d.address + i;
        out += fmt::format("{}{:02x}{:02x}{:02x}{:02x}", i ? " " : "", byte[3], byte[2], byte[1],
                           byte[0]);
    }
    return out;
}

std::vector<ListedLine> list_kernel(const Built& built, const std::vector<Decoded>& code) {
    Listing lines = list(built.program);
    std::istringstream text(lines.text);
    std::vector<ListedLine> out;
    size_t next = 0, number = 0;
    for (std::string line; std::getline(text, line); ++number) {
        const Inst* inst = number < lines.line_inst.size() ? lines.line_inst[number] : nullptr;
        out.push_back({line, inst && next < code.size() ? &code[next++] : nullptr, inst});
    }
    return out;
}

std::vector<ListedLine> list_code_object(const CodeObject& object) {
    std::map<uint32_t, std::string> kernels;
    std::set<uint32_t> targets;
    for (const KernelInfo& kernel : object.kernels) kernels[kernel.entry] = kernel.name;
    for (const Decoded& d : object.code)
        if (const Operand* target = branch_target(d)) targets.insert(target->value);
    std::vector<ListedLine> out;
    for (const Decoded& d : object.code) {
        if (auto kernel = kernels.find(d.address); kernel != kernels.end())
            out.push_back({kernel->second + ":"});
        if (targets.contains(d.address)) out.push_back({place(d.address) + ":"});
        out.push_back({"\t" + (branch_target(d) ? print(d.inst, place) : d.text), &d});
    }
    return out;
}

std::string listing(const std::vector<ListedLine>& lines, std::span<const uint8_t> text,
                    const ListingOptions& options) {
    std::string out;
    for (const ListedLine& line : lines) {
        if (line.decoded && (options.address || options.raw || !line.front.empty())) {
            const Decoded& d = *line.decoded;
            std::vector<std::string> parts;
            if (options.address) parts.push_back(fmt::format("{:04x}", d.address));
            if (options.raw) parts.push_back(fmt::format("{:<17}", raw_words(d, text)));
            if (!line.front.empty()) parts.push_back(line.front);
            out += fmt::format("/*{}*/", fmt::join(parts, " "));
        }
        out += line.text + "\n";
    }
    return out;
}

size_t padding_of(std::span<const Decoded> code) {
    size_t end = code.size();
    while (end > 0 &&
           (code[end - 1].text.starts_with("s_nop") || code[end - 1].text == "s_code_end"))
        --end;
    // The last instruction may also be the jump back of code out of line.
    const bool ends = end > 0 && (code[end - 1].text.starts_with("s_endpgm") ||
                                  code[end - 1].text.starts_with("s_branch"));
    return ends ? code.size() - end : 0;
}

Json opcode_mix(std::span<const Decoded> code) {
    std::map<std::string, std::pair<unsigned, unsigned>> matrix;  // count, cycles each
    std::map<std::string, unsigned> classes;
    uint64_t cycles = 0;
    const size_t padding = padding_of(code);
    code = code.first(code.size() - padding);
    for (const Decoded& d : code) {
        ++classes[class_of(d)];
        if (!d.known || !d.inst.info().is_mfma()) continue;
        auto& [count, each] = matrix[matrix_name(d.inst)];
        ++count;
        each = passes(d.inst) * 4;
        cycles += each;
    }
    Json rows = Json::array();
    for (const auto& [name, entry] : matrix)
        rows.push_back({{"op", name},
                        {"count", entry.first},
                        {"cycles_each", entry.second},
                        {"cycles", uint64_t(entry.first) * entry.second}});
    Json by_class = Json::object();
    for (const auto& [name, count] : classes) by_class[name] = count;
    return {{"instructions", code.size()},
            {"padding", padding},
            {"matrix", rows},
            {"matrix_cycles", cycles},
            {"classes", by_class}};
}

std::string opcode_mix_text(const Json& mix) {
    std::vector<std::vector<std::string>> rows = {{"matrix instruction", "count", "cycles each"}};
    for (const Json& row : mix["matrix"])
        rows.push_back({row["op"], fmt::format("{}", row["count"].get<unsigned>()),
                        fmt::format("{}", row["cycles_each"].get<unsigned>())});
    std::string out = table(rows) + "\n";
    rows = {{"class", "count"}};
    for (const auto& [name, count] : mix["classes"].items())
        rows.push_back({name, fmt::format("{}", count.get<unsigned>())});
    out += table(rows) + fmt::format("\n{} instructions, each place in the code counted once\n",
                                     mix["instructions"].get<unsigned>());
    if (const unsigned padding = mix["padding"].get<unsigned>())
        out += fmt::format(
            "{} more behind the last s_endpgm, not counted above: padding for "
            "instruction prefetch\n",
            padding);
    return out;
}

}  // namespace zyfa
