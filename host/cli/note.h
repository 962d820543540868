// What the command says beside its results.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace plumbline::cli {

// Prints to `out`, stderr in general. That this fails, on a full disk for instance, ends no
// measurement.
template <typename... T>
void note(std::FILE* out, fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), out);
}

}  // namespace plumbline::cli
