#include "tools/subject.hpp"

#include <algorithm>

#include "isa/file.hpp"

namespace zyfa {

namespace {

bool is_path(const std::string& what) {
    return what == "-" || what.find_first_of("/.") != std::string::npos;
}

bool is_assembly(const std::string& name, std::span<const uint8_t> content) {
    if (name.ends_with(".s") || name.ends_with(".S") || name.ends_with(".asm")) return true;
    const auto head = content.first(std::min<size_t>(content.size(), 4096));
    return name == "<stdin>" && std::all_of(head.begin(), head.end(), [](uint8_t byte) {
               return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t';
           });
}

}  // namespace

Subject open_subject(const std::string& what) {
    Subject subject;
    subject.name = what == "-" ? "<stdin>" : what;
    if (!is_path(what)) {
        subject.recipe = &recipe_or_error(what);
        subject.built = build(*subject.recipe);
        subject.code_object = subject.built->emitted.code_object;
        subject.object = load_code_object(subject.code_object, subject.name);
        return subject;
    }
    const auto content = read_file(what);
    subject.inputs.push_back(input_record(subject.name, content));
    if (is_assembly(subject.name, content)) {
        const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
        subject.code_object = link(assemble(text, subject.name));
    } else {
        subject.code_object = content;
    }
    subject.object = load_code_object(subject.code_object, subject.name);
    for (const KernelInfo& kernel : subject.object.kernels)
        if (!subject.recipe) subject.recipe = find_recipe(kernel.name);
    return subject;
}

}  // namespace zyfa
