// Commands as text for pasting into a shell.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

// `word` as one word of a POSIX shell: unchanged if no shell interprets any part of it, else in
// single quotes. bash and zsh read it in the same way.
std::string shellWord(std::string_view word);

// A file or directory as one word: as shellWord(), and "./-x" for a name that looks like an option.
std::string shellPath(std::string_view path);

}  // namespace plumbline
