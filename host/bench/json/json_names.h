// Names of enumerations in stored JSON.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace plumbline::bench {

template <typename Enum, std::size_t N>
using Names = std::array<std::pair<Enum, const char*>, N>;

template <typename Enum, std::size_t N>
const char* nameOf(const Names<Enum, N>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  throw Error(ErrorKind::kTester,
              fmt::format("value {} of an enumeration has no name", static_cast<int>(value)));
}

template <typename Enum, std::size_t N>
Enum valueOf(const Names<Enum, N>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (text == name) return value;
  }
  throw Error(ErrorKind::kTester, fmt::format("unknown name '{}'", text));
}

}  // namespace plumbline::bench
