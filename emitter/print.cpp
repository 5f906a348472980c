#include <algorithm>

#include "emitter/emit.hpp"
#include "emitter/scopes.hpp"
#include "isa/text.hpp"

namespace zyfa {
namespace {

constexpr size_t kIndent = 4, kMnemonicColumns = 24, kCommentColumn = 84;
constexpr size_t kOwnLine = 4;  // instructions of one section in a row

std::string_view pipe_name(Pipe p) {
    constexpr std::string_view kNames[] = {"scalar", "vector", "matrix", "lds", "memory"};
    return kNames[unsigned(p)];
}

// Comments end with their line; a name from a kernel must not smuggle one in.
std::string one_line(std::string_view s) {
    std::string out(s);
    std::replace_if(out.begin(), out.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return out;
}

struct Writer {
    const Program& p;
    const Machine& m;
    bool debug_lines;
    Listing out;
    std::vector<std::string> files, phases;  // numbered from 1
    std::string here;                        // the last .loc
    Scopes scopes{};

    void line(std::string text, const Inst* inst = nullptr) {
        while (!text.empty() && text.back() == ' ') text.pop_back();
        out.text += text + '\n';
        out.line_inst.push_back(inst);
    }
    template <class... A>
    void add(fmt::format_string<A...> text, A&&... a) {
        line(fmt::format(text, std::forward<A>(a)...));
    }

    void header() {
        add("; {}: gfx950 kernel", p.name);
        add(";");
        add("; workgroup      {} work items, {} waves", p.workgroup_size,
            p.workgroup_size / m.chip_wave_lanes.count());
        const unsigned total = total_vgprs(p.used, m);
        add("; registers      {} VGPRs, {} AGPRs, {} SGPRs: room for {} waves per SIMD",
            p.used.vgprs, p.used.agprs, p.used.sgprs,
            m.occupancy_waves_per_simd(p.used.vgprs, p.used.agprs));
        if (p.used.agprs)
            add(";                a0 stands at v{}, {} in all", accum_offset(p.used, m), total);
        add("; LDS            {} of {} bytes", p.lds_bytes, m.lds_bytes.count());
        for (const LdsRegion& r : p.lds)
            add(";   {:>6} ..{:>6}   {}", r.first_byte, r.first_byte + r.bytes, one_line(r.name));
        add("; arguments      {} bytes at s[0:1]", p.kernarg_bytes);
        for (const KernelArg& a : p.args)
            line(fmt::format(";   {:#05x} {:>3}  {:<20} {:<8} {}", a.offset, a.bytes, a.name,
                             a.is_pointer ? "pointer" : "value", one_line(a.about)));
        add("; at entry       s[0:1] arguments, s2 s3 s4 workgroup id x y z, v0 work item id");
        sections();
        if (debug_lines) number_places();
        add("");
    }

    // As seen from the root of the sources, wherever they were compiled.
    static std::string source_name(const Inst& i) {
        std::string_view name = i.at.file_name();
        while (name.starts_with("../")) name.remove_prefix(3);
        return std::string(name);
    }
    static unsigned number(std::vector<std::string>& all, const std::string& name) {
        const auto at = std::find(all.begin(), all.end(), name);
        if (at == all.end()) all.push_back(name);
        return unsigned(std::find(all.begin(), all.end(), name) - all.begin()) + 1;
    }
    void number_places() {
        for (const Block& b : p.blocks)
            for (const Inst& i : b.insts) {
                number(files, source_name(i));
                if (const std::string& name = p.phases[i.phase].name; !name.empty())
                    number(phases, name);
            }
        for (size_t n = 0; n < phases.size(); ++n)
            add(";   column {:<7}{}", n + 1, one_line(phases[n]));
    }
    void source_place(const Inst& i) {
        const std::string& phase = p.phases[i.phase].name;
        std::string place = fmt::format("    .loc {} {} {}", number(files, source_name(i)),
                                        i.at.line(), phase.empty() ? 0 : number(phases, phase));
        if (place == here) return;
        here = place;
        line(std::move(place));
    }
    // Where a stretch of instructions begins that one phase and one entry of the schedule ask for.
    void schedule_place(const Inst& i) {
        if (!p.schedule.empty()) scopes.step(p, i, [&] { add("{}:", scopes.here()); });
    }
    // Unrolled loops repeat sections under one name: one row for all of them.
    void sections() {
        std::vector<std::pair<const Section*, size_t>> rows;
        size_t all = 0;
        std::vector<size_t> counts(p.sections.size());
        for (const Block& b : p.blocks)
            for (const Inst& i : b.insts) {
                ++all;
                if (i.section < counts.size()) ++counts[i.section];
            }
        for (size_t n = 0; n < counts.size(); ++n) {
            const Section& s = p.sections[n];
            if (s.name.empty() || counts[n] == 0) continue;
            const auto same = [&](const auto& row) {
                return row.first->name == s.name && row.first->pipe == s.pipe;
            };
            const auto row = std::find_if(rows.begin(), rows.end(), same);
            if (row == rows.end()) rows.emplace_back(&s, counts[n]);
            else row->second += counts[n];
        }
        add("; instructions   {}", all);
        for (const auto& [section, count] : rows)
            add(";   {:>6}         {:<20} {}", count, one_line(section->name),
                pipe_name(section->pipe));
    }

    // A section that goes on for a while gets a line of its own; where sections alternate, as in
    // interleaved code, each instruction that changes it says so behind its operands.
    std::string enter_section(const std::vector<Inst>& insts, size_t at, int& section) {
        const Inst& i = insts[at];
        if (int(i.section) == section || i.section >= p.sections.size()) return {};
        section = i.section;
        const Section& s = p.sections[i.section];
        if (s.name.empty()) return {};
        size_t run = 1;
        while (at + run < insts.size() && insts[at + run].section == i.section) ++run;
        if (run < kOwnLine) return fmt::format("[{}]", one_line(s.name));
        add("");
        add("    ; ---- {} ({})", one_line(s.name), pipe_name(s.pipe));
        return {};
    }

    void instruction(const Inst& i, std::string comment) {
        const std::string text =
            zyfa::print(i, [&](uint32_t block) { return label_name(p, block); });
        const size_t space = std::min(text.find(' '), text.size());
        std::string row = std::string(kIndent, ' ') + text.substr(0, space);
        if (space < text.size()) {
            row.resize(std::max(row.size(), kIndent + kMnemonicColumns), ' ');
            row += text.substr(space);
        }
        if (!i.note.empty())
            comment += fmt::format("{}{}", comment.empty() ? "" : " ", one_line(i.note));
        if (!comment.empty()) {
            row.resize(std::max(row.size() + 2, kCommentColumn), ' ');
            row += "; " + comment;
        }
        line(row, &i);
    }

    void code() {
        add("    .amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"");
        add("    .amdhsa_code_object_version 6");
        for (size_t n = 0; n < files.size(); ++n) add("    .file {} \"{}\"", n + 1, files[n]);
        if (debug_lines && !p.schedule.empty())
            add("    .file {} \"{}\"", files.size() + 1, p.schedule);
        add("    .text");
        add("    .p2align {}", std::bit_width(m.code_kernel_alignment.count()) - 1);
        add("    .globl {}", p.name);
        add("    .type {},@function", p.name);
        add("{}:", p.name);
        for (uint32_t b = 0; b < p.blocks.size(); ++b) {
            add("");
            add("{}:{}", label_name(p, b), p.blocks[b].is_loop_head ? "  ; loop" : "");
            int section = -1;
            const std::vector<Inst>& insts = p.blocks[b].insts;
            for (size_t n = 0; n < insts.size(); ++n) {
                std::string comment = enter_section(insts, n, section);
                if (debug_lines) source_place(insts[n]), schedule_place(insts[n]);
                instruction(insts[n], std::move(comment));
            }
        }
        add("");
        add("{}:", kEndLabel);
        add("    .size {}, {}-{}", p.name, kEndLabel, p.name);
        add("    .fill {}, 4, 0xbf800000  ; s_nop 0: what instruction prefetch may read",
            m.code_prefetch_words.count());
        add("");
    }
};

}  // namespace

std::string label_name(const Program& p, uint32_t block) {
    const std::string& label = p.blocks.at(block).label;
    return label.empty() ? fmt::format(".Lblock_{}", block) : ".L" + label;
}

Listing list(const Program& p, const Machine& m, bool debug_lines) {
    Writer w{p, m, debug_lines, {}, {}, {}, {}, {}};
    w.header();
    w.code();
    if (debug_lines)
        w.out.text +=
            w.scopes.print(p, w.files.empty() ? "" : w.files[0], unsigned(w.files.size()) + 1);
    w.out.text += print_metadata(p, m);
    return std::move(w.out);
}

std::string draft(const Program& p) {
    std::string out;
    for (uint32_t b = 0; b < p.blocks.size(); ++b) {
        out += fmt::format("{}:{}\n", label_name(p, b), p.blocks[b].is_loop_head ? "  ; loop" : "");
        for (const Inst& i : p.blocks[b].insts) {
            std::string place = one_line(p.phases[i.phase].name);
            if (i.behind) place += ", behind";
            if (const std::string& section = p.sections[i.section].name; !section.empty())
                place += fmt::format("{}{}", place.empty() ? "" : ": ", one_line(section));
            if (!i.note.empty())
                place += fmt::format("{}{}", place.empty() ? "" : "; ", one_line(i.note));
            const std::string text =
                zyfa::print(i, [&](uint32_t block) { return label_name(p, block); });
            out += fmt::format("    {:<{}}; {}\n", text, kCommentColumn - kIndent, place);
        }
    }
    return out;
}

std::string print(const Program& p) {
    refuse(p);
    return list(p).text;
}

}  // namespace zyfa
