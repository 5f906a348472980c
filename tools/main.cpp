#include "tools/command.hpp"

int main(int argc, char** argv) { return zyfa::run_command_line(argc, argv); }
