// Messages of the command besides its results.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/printable.h"

namespace plumbline::cli {

// Writes text that contains the program's own terminal control sequences. Write errors, such as a
// full disk, are ignored, so that a measurement continues.
inline void noteToTerminal(std::FILE* out, const std::string& text) {
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), out);
}

// Prints to `out`, usually stderr. Control characters in text of others are neutralised.
template <typename... T>
void note(std::FILE* out, fmt::format_string<T...> format, T&&... values) {
  noteToTerminal(out, printable(fmt::format(format, std::forward<T>(values)...), true));
}

}  // namespace plumbline::cli
