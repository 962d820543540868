// Whole numbers on command lines, parsed by base/whole_number.h.
#pragma once

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace plumbline::command {

// Makes `option` accept a whole number from `least` to `most`. CLI11 itself reads 010 as eight,
// 0x10 as sixteen, and -1 as the largest unsigned number.
void restrictToWholeNumbers(CLI::Option& option, std::uint64_t min, std::uint64_t max);

// app.add_option() for a whole number from `least` to `most`; without `most`, up to the maximum of
// `target`.
template <std::integral T>
CLI::Option* addWholeNumber(CLI::App& app, const std::string& name, T& target,
                            const std::string& help, std::uint64_t min = 0,
                            std::uint64_t max = std::numeric_limits<T>::max()) {
  CLI::Option* option = app.add_option(name, target, help);
  restrictToWholeNumbers(*option, min, max);
  return option;
}
template <std::integral T>
CLI::Option* addWholeNumber(CLI::App& app, const std::string& name, std::optional<T>& target,
                            const std::string& help, std::uint64_t min = 0,
                            std::uint64_t max = std::numeric_limits<T>::max()) {
  CLI::Option* option = app.add_option(name, target, help);
  restrictToWholeNumbers(*option, min, max);
  return option;
}

}  // namespace plumbline::command
