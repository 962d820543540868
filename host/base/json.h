// nlohmann/json with checked whole numbers and a limit of nesting. Include this header instead of
// the library's everywhere, and call parseJson() instead of its parse(), so that the whole program
// reads external data in the same way.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plumbline {

// Whether `json` is a whole number in the range of T, possibly written with a decimal point or an
// exponent.
template <std::integral T, typename Json>
bool holds(const Json& json) {
  if (json.is_number_unsigned()) {
    return std::in_range<T>(json.template get_ref<const std::uint64_t&>());
  }
  if (json.is_number_integer()) {
    return std::in_range<T>(json.template get_ref<const std::int64_t&>());
  }
  if (!json.is_number_float()) return false;
  const double value = json.template get_ref<const double&>();
  // Both limits are powers of two, or zero, and thus exact.
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double min = std::is_signed_v<T> ? -above : 0.0;
  return value >= min && value < above && std::trunc(value) == value;
}

// Deepest nesting of arrays and objects that is read. The library parses any depth, but writes and
// copies by recursion: 100,000 levels overflow the stack. This program's own files are far flatter.
inline constexpr std::size_t kMaxJsonDepth = 64;

// Nesting depth of a JSON text; for invalid text the depth up to the fault, or more.
inline std::size_t jsonDepth(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// Throws the library's exceptions, and parse_error for too deep nesting.
template <typename Json = nlohmann::json>
Json parseJson(std::string_view text) {
  if (jsonDepth(text) > kMaxJsonDepth) {
    throw Json::parse_error::create(
        101, std::size_t{0}, "nested more than " + std::to_string(kMaxJsonDepth) + " levels deep",
        nullptr);
  }
  return Json::parse(text);
}

// The same without exceptions: a discarded value for invalid text.
template <typename Json = nlohmann::json>
Json parseJsonOrDiscard(std::string_view text) {
  if (jsonDepth(text) > kMaxJsonDepth) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace plumbline

// The library converts any number into any other as C++ does: values too large for the type are
// truncated, or undefined if written with an exponent. Files come from outside, so here it throws
// the library's own out_of_range.
template <typename T>
requires(std::integral<T> && !std::same_as<T, bool>) struct nlohmann::adl_serializer<T, void> {
  template <typename Json>
  static void from_json(const Json& json, T& value) {
    if (!json.is_number()) {
      throw Json::type_error::create(
          302, std::string("type must be number, but is ") + json.type_name(), &json);
    }
    if (!plumbline::holds<T>(json)) {
      throw Json::out_of_range::create(
          406, "no whole number in the range that is read here: " + json.dump(), &json);
    }
    if (json.is_number_unsigned()) {
      value = static_cast<T>(json.template get_ref<const std::uint64_t&>());
    } else if (json.is_number_integer()) {
      value = static_cast<T>(json.template get_ref<const std::int64_t&>());
    } else {
      value = static_cast<T>(json.template get_ref<const double&>());
    }
  }
  template <typename Json>
  static void to_json(Json& json, T value) {
    ::nlohmann::to_json(json, value);
  }
};
