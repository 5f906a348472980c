#include "tools/repro.hpp"

#include <algorithm>

#include "isa/file.hpp"
#include "tools/output.hpp"

namespace zyfa {

std::string save_repro(const std::string& folder, LaunchFile launch, const Prepared& prepared,
                       std::span<const uint8_t> code_object) {
    make_directory(folder);
    std::sort(launch.buffers.begin(), launch.buffers.end(),
              [](const LaunchBuffer& a, const LaunchBuffer& b) { return a.name < b.name; });
    for (LaunchBuffer& b : launch.buffers) {
        if (b.init == Init::poison || b.released) continue;  // no input
        if (b.bytes == 0) {
            b.init = Init::zeros;
            continue;
        }
        b.init = Init::file;
        b.file = b.name + ".bin";
        b.values.clear();
        write_file(folder + "/" + b.file, buffer_bytes(prepared, b.name));
    }
    launch.code_object = "kernel.co";
    write_file(folder + "/kernel.co", code_object);
    launch.dump.clear();
    const std::string path = folder + "/launch.json";
    write_file(path, print_launch_file(launch));
    return path;
}

}  // namespace zyfa
