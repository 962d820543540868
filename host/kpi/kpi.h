// The figures that tests measure, each declared once: machine name, unit, meaning, and which
// direction is better. Limits of scenarios, comparisons, reports and documents read this.
// Which test measures a figure is said by the test (suite/procedure.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::kpi {

// kNeither: a description of what happened, such as a number of damaged frames.
enum class Better { kMore, kLess, kNeither };

// What a figure is computed from: where its systematic uncertainty comes from.
enum class Basis {
  kCounts,      // numbers of things and shares of them, which are exact
  kTime,        // a time between two timestamps of one clock
  kTimeAcross,  // a time between timestamps of the clocks of two ports
  kTimes,       // a rate or a ratio of times: relatively as uncertain as the times in it
};

struct Declaration {
  std::string name;  // "busbw_gbps"; where there is a unit, it is the suffix
  std::string unit;  // as in results::Quantity: "Gb/s"; empty = plain number
  Better better = Better::kLess;
  double least = 0;  // what a limit on it may be
  double most = 0;
  std::string meaning;           // one line without a full stop
  std::optional<Basis> basis{};  // where the unit does not say it

  // "0 to 100 (%, no sign)": of a limit, for messages.
  [[nodiscard]] std::string rangeText() const;
};

// All of them, in the order of the documents.
const std::vector<Declaration>& declarations();

// By the unit: a time, a rate, or else a count.
Basis basisOfUnit(std::string_view unit);
Basis basisOf(const Declaration& declaration);

// The figure of this name, or null.
const Declaration* find(std::string_view name);

// Today's name of a figure that older results have under another one; every other name is returned
// as it is.
std::string currentName(std::string_view name);

// "latency_min_ns", "latency_mean_ns", … of the seven statistics of a distribution.
std::vector<std::string> statistics(std::string_view stem, std::string_view unit);

}  // namespace plumbline::kpi
