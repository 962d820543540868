// The figures that tests measure, each declared once: machine name, unit, meaning, and which
// direction is better. Used by limits of scenarios, comparisons, reports and documents. The test
// declares which figures it measures (suite/procedure.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::kpi {

// kNeither: a description of events, such as a number of damaged frames.
enum class Better { kMore, kLess, kNeither };

// Basis of a figure, from which its systematic uncertainty follows.
enum class Basis {
  kCounts,      // counts and shares of counts, which are exact
  kTime,        // a time between two timestamps of one clock
  kTimeAcross,  // a time between timestamps of the clocks of two ports
  kTimeOneWay,  // the same of a frame, where latencies between such clocks are measured at all
  kTimes,       // a rate or a ratio of times: with the relative uncertainty of its times
};

struct Declaration {
  std::string name;  // "busbw_gbps"; where there is a unit, it is the suffix
  std::string unit;  // as in results::Quantity: "Gb/s"; empty = plain number
  Better better = Better::kLess;
  double min = 0;  // range in which it lies, and limits on it
  double max = 0;
  std::string meaning;           // one line without a full stop
  std::optional<Basis> basis{};  // where the unit does not determine it

  // "0 to 100 (%, no sign)": range of a limit, for messages.
  [[nodiscard]] std::string rangeText() const;
};

// All of them, in the order of the documents.
const std::vector<Declaration>& declarations();

// From the unit: a time, a rate, or else a count.
Basis basisOfUnit(std::string_view unit);
Basis basisOf(const Declaration& declaration);

// The figure of this name, or null.
const Declaration* find(std::string_view name);

// Present name of a figure that older results have under another one; every other name is returned
// unchanged.
std::string currentName(std::string_view name);

// "latency_min_ns", "latency_mean_ns", … of the seven statistics of a distribution.
std::vector<std::string> statistics(std::string_view stem, std::string_view unit);

}  // namespace plumbline::kpi
