#include "base/shell_words.h"

#include <algorithm>

namespace plumbline {
namespace {

// Never special at any position in a word. '~' and '=' are excluded: zsh expands both at the
// beginning of a word.
bool needsNoQuotes(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,+@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shellWord(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), needsNoQuotes))
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shellPath(std::string_view path) {
  return shellWord(path.starts_with('-') ? "./" + std::string(path) : std::string(path));
}

}  // namespace plumbline
