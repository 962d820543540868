// The figures that tests measure, each declared once: machine name, unit, meaning, and which
// direction is better. Limits of scenarios, comparisons, reports and documents read this.
// Which test measures a figure is said by the test (suite/procedure.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::kpi {

// kNeither: a description of what happened, such as a number of damaged frames.
enum class Better { kMore, kLess, kNeither };

struct Declaration {
  std::string name;  // "busbw_gbps"; where there is a unit, it is the suffix
  std::string unit;  // as in results::Quantity: "Gb/s"; empty = plain number
  Better better = Better::kLess;
  double least = 0;  // what a limit on it may be
  double most = 0;
  std::string meaning;  // one line without a full stop

  // "0 to 100 (%, no sign)": of a limit, for messages.
  [[nodiscard]] std::string rangeText() const;
};

// All of them, in the order of the documents.
const std::vector<Declaration>& declarations();

// The figure of this name, or null.
const Declaration* find(std::string_view name);

// Today's name of a figure that older results have under another one; every other name is returned
// as it is.
std::string currentName(std::string_view name);

// "latency_min_ns", "latency_mean_ns", … of the seven statistics of a distribution.
std::vector<std::string> statistics(std::string_view stem, std::string_view unit);

}  // namespace plumbline::kpi
