#include "tools/subject.hpp"

#include <algorithm>

#include "isa/file.hpp"

namespace zyfa {

namespace {

bool is_path(const std::string& what) {
    if (find_recipe(what.substr(0, what.find('@')))) return false;
    return what == "-" || what.find_first_of("/.") != std::string::npos;
}

bool is_assembly(const std::string& name, std::span<const uint8_t> content) {
    if (name.ends_with(".s") || name.ends_with(".S") || name.ends_with(".asm")) return true;
    const auto head = content.first(std::min<size_t>(content.size(), 4096));
    return name == "<stdin>" && std::all_of(head.begin(), head.end(), [](uint8_t byte) {
               return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t';
           });
}

// What the text says it is for, before LLVM says that the target it was asked for is another.
void check_target(std::string_view text, const std::string& name) {
    const size_t at = text.find(".amdgcn_target");
    if (at == std::string_view::npos) return;
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.find("gfx950") == std::string_view::npos)
        throw Error(fmt::format("{}: is for another target than gfx950: {}", name,
                                line.substr(0, line.find('\r'))),
                    Exit::unsupported);
}

}  // namespace

Subject open_subject(const std::string& what) {
    Subject subject;
    subject.name = what == "-" ? "<stdin>" : what;
    if (!is_path(what)) {
        subject.chosen = choose(what);
        subject.recipe = subject.chosen->recipe;
        if (const std::string& file = subject.chosen->file; !file.empty())
            subject.inputs.push_back(input_record(file, read_file(file)));
        subject.built = build(*subject.chosen);
        subject.code_object = subject.built->emitted.code_object;
        subject.object = load_code_object(subject.code_object, subject.name);
        return subject;
    }
    const auto content = read_file(what);
    subject.inputs.push_back(input_record(subject.name, content));
    if (is_assembly(subject.name, content)) {
        const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
        check_target(text, subject.name);
        subject.code_object = link(assemble(text, subject.name));
        subject.assembly = text;
    } else {
        subject.code_object = content;
    }
    subject.object = load_code_object(subject.code_object, subject.name);
    for (const KernelInfo& kernel : subject.object.kernels)
        if (!subject.recipe) subject.recipe = find_recipe(kernel.name);
    return subject;
}

}  // namespace zyfa
