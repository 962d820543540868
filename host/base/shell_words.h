// Commands as text that can be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

// `word` as one word of a POSIX shell: as it is where no shell takes any of it for more than
// itself, else in single quotes. bash and zsh read it likewise.
std::string shellWord(std::string_view word);

// A file or directory as one word: as shellWord(), and "./-x" for a name that a program would take
// for an option.
std::string shellPath(std::string_view path);

}  // namespace plumbline
