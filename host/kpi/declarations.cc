#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "kpi/subjects.h"

namespace plumbline::kpi {

std::string Declaration::rangeText() const {
  if (unit == "%") return fmt::format("{} to {} (%, no sign)", min, max);
  return fmt::format("{:.0f} to {:.0f}{}", min, max, unit.empty() ? "" : " (" + unit + ")");
}

const std::vector<Declaration>& declarations() {
  static const Declarations all = [] {
    Declarations declared = timeFigures();
    for (Declarations (*subject)() : {&rateFigures, &congestionFigures, &servingFigures,
                                      &expertFigures, &soakFigures, &cardFigures}) {
      Declarations more = subject();
      std::move(more.begin(), more.end(), std::back_inserter(declared));
    }
    return declared;
  }();
  return all;
}

Basis basisOfUnit(std::string_view unit) {
  for (const std::string_view time : {"ps", "ns", "us", "ms", "s"}) {
    if (unit == time) return Basis::kTime;
  }
  const bool rate = unit.ends_with("/s") || unit.ends_with("/h");
  return rate ? Basis::kTimes : Basis::kCounts;
}

Basis basisOf(const Declaration& declaration) {
  return declaration.basis.value_or(basisOfUnit(declaration.unit));
}

const Declaration* find(std::string_view name) {
  static const auto by_name = [] {
    std::map<std::string, const Declaration*, std::less<>> names;
    for (const Declaration& one : declarations()) names.emplace(one.name, &one);
    return names;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

std::string currentName(std::string_view name) {
  return std::string(name == "max_queue_bytes" ? "queue_max_bytes" : name);
}

std::vector<std::string> statistics(std::string_view stem, std::string_view unit) {
  std::vector<std::string> names;
  for (const char* what : {"min", "mean", "p50", "p95", "p99", "p999", "max"}) {
    names.push_back(fmt::format("{}_{}_{}", stem, what, unit));
  }
  return names;
}

}  // namespace plumbline::kpi
