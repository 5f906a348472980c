#include "emitter/scopes.hpp"

#include <map>
#include <set>

#include "emitter/emit.hpp"

namespace zyfa {
namespace {

// DWARF 4, sections 2.2, 3.3.8 and 7.5; attribute, form.
constexpr const char* kAbbreviations =
    "    .section .debug_abbrev,\"\",@progbits\n"
    "    .byte 1, 17, 1         ; DW_TAG_compile_unit with children\n"
    "    .byte 37, 8, 3, 8      ; producer, name: string\n"
    "    .byte 16, 23, 27, 8    ; stmt_list: offset; comp_dir: string\n"
    "    .byte 17, 1, 18, 6     ; low_pc: address; high_pc: 4 bytes\n"
    "    .byte 0, 0\n"
    "    .byte 2, 46, 0         ; DW_TAG_subprogram, of a phase or an entry\n"
    "    .byte 3, 8, 32, 11     ; name: string; inline: 1 byte\n"
    "    .byte 0, 0\n"
    "    .byte 3, 46, 1         ; DW_TAG_subprogram, of the kernel\n"
    "    .byte 3, 8             ; name: string\n"
    "    .byte 17, 1, 18, 6     ; low_pc: address; high_pc: 4 bytes\n"
    "    .byte 0, 0\n"
    "    .byte 4, 29, 1         ; DW_TAG_inlined_subroutine, of a phase\n"
    "    .byte 49, 19, 85, 23   ; abstract_origin: reference; ranges: offset\n"
    "    .byte 88, 15, 89, 15   ; call_file, call_line: number\n"
    "    .byte 87, 15           ; call_column: number\n"
    "    .byte 0, 0\n"
    "    .byte 5, 29, 0         ; DW_TAG_inlined_subroutine, of an entry\n"
    "    .byte 49, 19, 85, 23\n"
    "    .byte 88, 15, 89, 15\n"
    "    .byte 87, 15\n"
    "    .byte 0, 0, 0\n";

std::string quoted(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (c == '"' || c == '\\') out += {'\\', c};
        else if (static_cast<unsigned char>(c) < ' ') out += ' ';
        else out += c;
    return out;
}

}  // namespace

// Offsets from the first instruction, where the compile unit begins.
std::string Scopes::ranges(const Program& p, const std::string& name,
                           const std::function<bool(const Key&)>& belongs) const {
    std::string out = name + ":\n";
    for (size_t n = 0; n < stretches_.size(); ++n) {
        if (!belongs(stretches_[n].key)) continue;
        const std::string first = label(n);
        while (n + 1 < stretches_.size() && belongs(stretches_[n + 1].key)) ++n;
        const std::string end = n + 1 < stretches_.size() ? label(n + 1) : kEndLabel;
        out += fmt::format("    .quad {}-{}, {}-{}\n", first, p.name, end, p.name);
    }
    return out + "    .quad 0, 0\n";
}

std::string Scopes::print(const Program& p, const std::string& source,
                          unsigned schedule_file) const {
    std::map<unsigned, const PhaseInfo*> phases;  // by number in the schedule
    std::map<unsigned, std::set<unsigned>> entries;
    for (const Stretch& s : stretches_) {
        if (!s.key.phase) continue;
        phases[s.key.phase] = &p.phases[s.info];
        if (s.key.entry) entries[s.key.phase].insert(s.key.entry);
    }
    std::string out = kAbbreviations, lists;
    const auto add = [&]<class... A>(fmt::format_string<A...> text, A&&... a) {
        fmt::format_to(std::back_inserter(out), text, std::forward<A>(a)...);
        out += '\n';
    };
    add("    .section .debug_info,\"\",@progbits");
    add("    .long .Lunit_end-.Lunit");
    add(".Lunit:");
    add("    .short 4");
    add("    .long .debug_abbrev");
    add("    .byte 8");
    add("    .byte 1");
    add("    .asciz \"zyfa\"");
    add("    .asciz \"{}\"", quoted(source));
    add("    .long .Lline_table");
    add("    .asciz \".\"");
    add("    .quad {}", p.name);
    add("    .long {}-{}", kEndLabel, p.name);
    const auto function = [&](const std::string& label, std::string_view name) {
        add("{}:", label);
        add("    .byte 2");
        add("    .asciz \"{}\"", quoted(name));
        add("    .byte 1               ; inlined");
    };
    for (const auto& [number, phase] : phases)
        function(fmt::format(".Lphase_{}", number), phase->name);
    std::set<unsigned> named;
    for (const auto& [number, list] : entries) named.insert(list.begin(), list.end());
    for (const unsigned e : named) function(fmt::format(".Lentry_{}", e), p.entries[e].name);
    add("    .byte 3");
    add("    .asciz \"{}\"", quoted(p.name));
    add("    .quad {}", p.name);
    add("    .long {}-{}", kEndLabel, p.name);
    const auto inlined = [&](unsigned kind, const std::string& origin, const TextPlace& at,
                             const std::string& list,
                             const std::function<bool(const Key&)>& belongs) {
        add("    .byte {}", kind);
        add("    .long {}-.Lunit+4", origin);
        add("    .long {}", list);
        for (const unsigned n : {schedule_file, at.line, at.column}) add("    .uleb128 {}", n);
        lists += ranges(p, list, belongs);
    };
    for (const auto& [number, phase] : phases) {
        inlined(4, fmt::format(".Lphase_{}", number), phase->at, fmt::format(".Lranges_{}", number),
                [&](const Key& key) { return key.phase == number; });
        for (const unsigned e : entries[number])
            inlined(5, fmt::format(".Lentry_{}", e), p.entries[e].at,
                    fmt::format(".Lranges_{}_{}", number, e),
                    [&](const Key& key) { return key == Key{number, e}; });
        add("    .byte 0");
    }
    add("    .byte 0, 0");
    add(".Lunit_end:");
    if (!lists.empty()) {
        add("    .section .debug_ranges,\"\",@progbits");
        out += lists;
    }
    add("    .section .debug_line,\"\",@progbits");
    add(".Lline_table:");
    add("");
    return out;
}

}  // namespace zyfa
