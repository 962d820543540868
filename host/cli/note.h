// What the command says beside its results.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "base/printable.h"

namespace plumbline::cli {

// Writes text with orders to a terminal in it, all of them the program's own. That this fails, on a
// full disk for instance, ends no measurement.
inline void noteToTerminal(std::FILE* out, const std::string& text) {
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), out);
}

// Prints to `out`, stderr in general. What others wrote of it gives a terminal no orders.
template <typename... T>
void note(std::FILE* out, fmt::format_string<T...> format, T&&... values) {
  noteToTerminal(out, printable(fmt::format(format, std::forward<T>(values)...), true));
}

}  // namespace plumbline::cli
