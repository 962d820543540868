// Completion of a program's command line, as scripts for bash, zsh and fish. Verbs, options and the
// words that options take are in the script: completion does not run the program.
#pragma once

#include <string>

#include "command/help.h"

namespace plumbline::command {

std::string bashCompletion(const CommandHelp& program);
std::string zshCompletion(const CommandHelp& program);
std::string fishCompletion(const CommandHelp& program);

}  // namespace plumbline::command
