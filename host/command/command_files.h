// Files that a package contains for a program: manual pages and completions.
#pragma once

#include <string>

#include "command/help.h"

namespace plumbline::command {

// The option with which the build runs each program, hidden from its help: --command-files DIR.
inline constexpr const char* kCommandFilesOption = "--command-files";

// Writes man1/PROGRAM*.1, bash/PROGRAM, zsh/_PROGRAM and fish/PROGRAM.fish below `directory`.
// Throws Error(kTester) when one cannot be written.
void writeCommandFiles(const CommandHelp& program, const std::string& version,
                       const std::string& directory);

}  // namespace plumbline::command
