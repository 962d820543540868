// Two runs side by side: the same tests on two fabrics, or before and after a change of firmware.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/store.h"
#include "results/welch.h"

namespace plumbline::results {

// A difference counts as significant when its probability by chance is below this.
inline constexpr double kSignificanceLevel = 0.05;

enum class Significance {
  kNotTestable,    // fewer than two repetitions on one side
  kWithinScatter,  // within the scatter of the repetitions
  kSignificant,    // beyond it, at kSignificanceLevel
};

std::string_view significanceName(Significance significance);  // "not testable", …

// One figure of one point that both runs have.
struct ComparedKpi {
  std::string test;  // "T9.1"
  std::string name;  // of the Kpi
  std::string point;
  Quantity first;
  Quantity second;
  std::optional<double> change_percent;  // of the first; absent where that is zero
  std::optional<Welch> welch;            // absent = not testable

  // Neither side scatters, and the systematic parts of both, expanded, cover the difference.
  [[nodiscard]] bool withinResolution() const;
  [[nodiscard]] Significance significance() const;
};

// A figure that only one of the runs has.
struct UnpairedKpi {
  std::string test;
  std::string name;
  std::string point;
  Quantity quantity;
};

// A line of a test's configuration that differs, an anomaly of only one of the runs, or a differing
// line of the runs' identity (`test` empty).
struct DifferingCondition {
  std::string test;
  std::string name;
  std::string first;  // empty where a run does not have the line
  std::string second;
};

// A key of the scenario with different values in the two runs' files.
struct DifferingKey {
  std::string key;                   // "dut.switch.ecn.kmin"
  std::optional<std::string> first;  // as the file has it; nothing = not stated
  std::optional<std::string> second;

  bool operator==(const DifferingKey&) const = default;
};

struct Comparison {
  RunInfo first;
  RunInfo second;
  std::vector<DifferingKey> scenario;  // of differingKeys()
  std::vector<DifferingCondition> conditions;
  // In the order of the first run; the last list in that of the second.
  std::vector<ComparedKpi> kpis;
  std::vector<UnpairedKpi> only_first;
  std::vector<UnpairedKpi> only_second;

  // Number of `kpis` with this significance.
  [[nodiscard]] std::size_t count(Significance significance) const;
};

// Compares `first` of the test `test` with the same figure of another run.
ComparedKpi comparedKpi(const std::string& test, const Kpi& first, const Quantity& second);

// Figures are the same when test, name, point and unit are. Leaves Comparison::scenario empty,
// because this library cannot interpret a scenario's text.
Comparison compareRuns(const StoredRun& first, const StoredRun& second);

// Differences of two lists of keys and values: in the order of the first, then keys of the second
// only. Without the identity that compareRuns() compares (name, bench, profile, seed).
std::vector<DifferingKey> differingKeys(
    const std::vector<std::pair<std::string, std::string>>& first,
    const std::vector<std::pair<std::string, std::string>>& second);

// "+3.2 %", "same", or "from zero".
std::string changeText(const ComparedKpi& kpi);
// "significant, worse (p = 0.0031)" and so on: better or worse by the declaration of the figure;
// without p where it is undefined.
std::string significanceText(const ComparedKpi& kpi);

// The comparison as one JSON document, indented, with a newline at its end.
std::string comparisonJson(const Comparison& comparison);

}  // namespace plumbline::results
