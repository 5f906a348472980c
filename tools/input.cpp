#include "tools/input.hpp"

#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace zyfa {

std::string find_data(const std::string& name) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length <= 0 || size_t(length) >= sizeof self) return {};
    std::string folder(self, size_t(length));
    folder.erase(folder.rfind('/'));
    const std::string installed = folder + "/../share/zyfa/", checkout = folder + "/../../";
    const bool in_checkout = access((checkout + "isa/ops.def").c_str(), F_OK) == 0;
    const std::string path = (in_checkout ? checkout : installed) + name;
    if (char real[PATH_MAX]; realpath(path.c_str(), real)) return real;
    return {};
}

}  // namespace zyfa
