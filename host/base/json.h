// nlohmann/json with whole numbers that are read as such. To be included instead of it everywhere,
// so that one type is read in one way in the whole program.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace plumbline {

// Whether `json` is a whole number that a T can hold, be it written with a decimal point or an
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
  const double least = std::is_signed_v<T> ? -above : 0.0;
  return value >= least && value < above && std::trunc(value) == value;
}

}  // namespace plumbline

// The library converts any number into any other as C++ does: what is too large for the type is cut
// off, or undefined if it has an exponent. Files come from outside, so here it throws the
// library's own out_of_range.
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
