// Finding the files that come with the project.
#pragma once

#include <string>

namespace zyfa {

// A file or folder that comes with the project (as "data"), found from where the binary lies: a
// checkout (build/bin/..), or an installation (share/zyfa). Empty when there is none.
std::string find_data(const std::string& name);

}  // namespace zyfa
