#include "tools/source_lines.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "isa/error.hpp"

namespace zyfa {

namespace {

constexpr std::string_view kBlank = " \t\r\f\v";

std::string_view trim(std::string_view s) {
    const size_t first = s.find_first_not_of(kBlank);
    if (first == s.npos) return {};
    return s.substr(first, s.find_last_not_of(kBlank) - first + 1);
}

// Takes comments away; `open`: inside of /* from line to line.
std::string without_comments(std::string_view line, bool& open) {
    std::string out;
    for (size_t i = 0; i < line.size(); ++i) {
        const std::string_view rest = line.substr(i);
        if (open) {
            if (!rest.starts_with("*/")) continue;
            open = false;
            ++i;
        } else if (rest.starts_with("/*")) {
            open = true;
            ++i;
        } else if (rest[0] == ';' || rest.starts_with("//")) {
            break;
        } else {
            out += rest[0];
        }
    }
    return out;
}

// The mnemonic of a line, or nothing: label, directive, assignment.
std::string_view mnemonic(std::string_view line) {
    line = trim(line);
    for (size_t colon; (colon = line.find(':')) != line.npos;) {
        const std::string_view label = line.substr(0, colon);
        if (label.find_first_of(" \t[(") != label.npos) break;
        line = trim(line.substr(colon + 1));
    }
    if (line.empty() || line[0] == '.' || line[0] == '#') return {};
    const size_t end = std::min(line.size(), line.find_first_of(kBlank));
    if (trim(line.substr(end)).starts_with("=") || line.substr(0, end).find('=') != line.npos)
        return {};
    return line.substr(0, end);
}

// Without _e32 and the like, which the disassembler adds.
std::string_view bare(std::string_view name) {
    for (std::string_view end : {"_e32", "_e64", "_dpp", "_sdwa"})
        if (name.ends_with(end)) name.remove_suffix(end.size());
    return name;
}

bool same_instruction(std::string_view written, std::string_view decoded) {
    written = bare(written);
    decoded = bare(decoded.substr(0, decoded.find(' ')));
    if (written == decoded) return true;
    // Spellings that LLVM takes besides its own: v_mfma_f32_32x32x8bf16_1k.
    return written.starts_with("v_mfma_") && decoded.starts_with("v_mfma_");
}

}  // namespace

std::vector<SourceLine> source_lines(std::string_view assembly, std::span<const Decoded> code) {
    std::vector<SourceLine> out(code.size());
    size_t next = 0;
    uint32_t number = 0;
    bool open = false, metadata = false;
    while (!assembly.empty()) {
        const size_t end = std::min(assembly.size(), assembly.find('\n'));
        std::string_view line = assembly.substr(0, end);
        assembly.remove_prefix(std::min(assembly.size(), end + 1));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::string plain = without_comments(line, open);
        for (std::string_view maker : {".macro", ".rep", ".irp", ".if", ".include", ".altmacro"})
            if (trim(plain).starts_with(maker)) return {};
        metadata = (metadata || trim(plain) == ".amdgpu_metadata") &&
                   trim(plain) != ".end_amdgpu_metadata";
        if (metadata) continue;
        const std::string_view name = mnemonic(plain);
        if (name.empty()) continue;
        // Alignment puts s_nop in between.
        while (next < code.size() && !same_instruction(name, code[next].text) &&
               code[next].text == "s_nop 0")
            ++next;
        if (next == code.size() || !same_instruction(name, code[next].text)) return {};
        out[next++] = {number, std::string(line)};
    }
    return out;
}

void show_source(std::vector<Finding>& findings, std::span<const Decoded> code,
                 const std::vector<SourceLine>& lines) {
    if (lines.empty()) return;
    const auto at = [&](uint32_t address) -> const SourceLine* {
        const auto found =
            std::lower_bound(code.begin(), code.end(), address,
                             [](const Decoded& d, uint32_t a) { return d.address < a; });
        if (found == code.end() || found->address != address) return nullptr;
        const SourceLine& line = lines[size_t(found - code.begin())];
        return line.number ? &line : nullptr;
    };
    for (Finding& f : findings) {
        const SourceLine* here = at(f.address);
        if (!here || f.rule == "METADATA") continue;  // that is about no instruction
        f.line = here->number;
        f.text = here->text;
        uint32_t other = 0;
        if (!f.other.starts_with("0x")) continue;
        std::from_chars(f.other.data() + 2, f.other.data() + f.other.size(), other, 16);
        if (const SourceLine* there = at(other)) {
            f.other_line = there->number;
            f.other = fmt::format("{}: {}", there->number, there->text);
        }
    }
}

}  // namespace zyfa
