#include "suite/framework/numbers.h"

#include <fmt/format.h>

#include <array>

#include "suite/framework/profile.h"

namespace plumbline::suite {

std::string valueText(std::uint32_t value) { return std::to_string(value); }
std::string valueText(double value) { return fmt::format("{}", value); }

std::string valueText(Bytes value) {
  struct Unit {
    std::int64_t bytes;
    const char* name;
  };
  constexpr std::array<Unit, 3> kUnits{{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}};
  for (const Unit& unit : kUnits) {
    if (value.count() != 0 && value.count() % unit.bytes == 0) {
      return fmt::format("{} {}", value.count() / unit.bytes, unit.name);
    }
  }
  return fmt::format("{} B", value.count());
}

std::string valueText(Picoseconds value) { return durationText(value); }

std::string valueText(Fraction value) { return percentText(value); }

std::string valueText(const std::string& value) { return value; }

std::string listText(const std::vector<std::string>& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

std::uint32_t Numbers::repetitions(std::uint32_t standard, std::uint32_t quick) {
  return atLeast("Repetitions", standard, quick, config_.scenario.parameters.repetitions);
}

void Numbers::deviation(std::string what) { deviations_.push_back({std::move(what), ""}); }

void Numbers::configure(std::string name, std::string value) {
  configuration_.emplace_back(std::move(name), std::move(value));
}

void Numbers::note(const std::string& what, const std::vector<std::string>& values,
                   const std::vector<std::string>& missing) {
  configure(what, listText(values));
  if (!missing.empty()) deviations_.push_back(results::missingFromSweep(what, missing));
}

void Numbers::noteUnfit(const std::string& what, const std::vector<std::string>& values) {
  unfit_ = fmt::format("{} {}", what, fmt::join(values, ", "));
}

void Numbers::noteLess(const std::string& what, const std::string& value,
                       const std::string& standard) {
  configure(what, value);
  if (!standard.empty()) deviation(fmt::format("{}: {} instead of {}", what, value, standard));
}

}  // namespace plumbline::suite
