// The numbers of a test on simulated hosts: the draft's, the profile's, the scenario's. Where they
// are below the draft's the report must list it; this class notes it when a test requests its
// number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"
#include "results/test_result.h"
#include "scenario/scenario.h"
#include "suite/procedure.h"

namespace plumbline::suite {

// Text of a value in labels, tables and deviations.
std::string valueText(std::uint32_t value);       // "32"
std::string valueText(double value);              // "12.5": all of its digits
std::string valueText(Bytes value);               // "64 MiB", "1500 B": the largest whole unit
std::string valueText(Picoseconds value);         // "10 ms"
std::string valueText(Fraction value);            // "25 %"
std::string valueText(const std::string& value);  // as it is
std::string listText(const std::vector<std::string>& values);  // "1, 2, 4"

template <typename Value>
std::vector<std::string> valueTexts(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const Value& value : values) texts.push_back(valueText(value));
  return texts;
}

class Numbers {
 public:
  explicit Numbers(const TestConfig& config) : config_(config) {}

  // Values that are swept. `standard` are the draft's, `quick` those of the quick profile, `own`
  // the scenario's. `possible(value)`: whether DUT and bench support it; unsupported values are
  // left out unless the scenario itself lists them.
  template <typename Value, typename Possible>
  std::vector<Value> sweep(const std::string& what, const std::vector<Value>& standard,
                           const std::vector<Value>& quick,
                           const std::optional<std::vector<Value>>& own, const Possible& possible) {
    std::vector<Value> values;
    if (own) {
      values = *own;
    } else {
      for (const Value& value : isStandard() ? standard : quick) {
        if (possible(value)) values.push_back(value);
      }
    }
    std::vector<std::string> missing;
    for (const Value& value : standard) {
      if (std::find(values.begin(), values.end(), value) == values.end()) {
        missing.push_back(valueText(value));
      }
    }
    if (values.empty()) noteUnfit(what, valueTexts(isStandard() ? standard : quick));
    note(what, valueTexts(values), missing);
    return values;
  }
  template <typename Value>
  std::vector<Value> sweep(const std::string& what, const std::vector<Value>& standard,
                           const std::vector<Value>& quick,
                           const std::optional<std::vector<Value>>& own) {
    return sweep(what, standard, quick, own, [](const Value&) { return true; });
  }

  // A number for which the draft requires at least `standard`.
  template <typename Value>
  Value atLeast(const std::string& what, const Value& standard, const Value& quick,
                const std::optional<Value>& own) {
    const Value value = own.value_or(isStandard() ? standard : quick);
    noteLess(what, valueText(value), value < standard ? valueText(standard) : std::string());
    return value;
  }

  // Repetitions of every point.
  std::uint32_t repetitions(std::uint32_t standard, std::uint32_t quick);

  // Adds any other deviation from the draft.
  void deviation(std::string what);
  // A line of the report's configuration.
  void configure(std::string name, std::string value);

  [[nodiscard]] bool isStandard() const {
    return config_.scenario.profile == scenario::Profile::kStandard;
  }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& configuration() const {
    return configuration_;
  }
  [[nodiscard]] const std::vector<results::Deviation>& deviations() const { return deviations_; }
  // The sweep of whose values DUT and bench support none: "Ranks 32, 64". Empty: there is none.
  [[nodiscard]] const std::string& unfit() const { return unfit_; }

 private:
  void note(const std::string& what, const std::vector<std::string>& values,
            const std::vector<std::string>& missing);
  void noteUnfit(const std::string& what, const std::vector<std::string>& values);
  void noteLess(const std::string& what, const std::string& value, const std::string& standard);

  const TestConfig& config_;
  std::vector<std::pair<std::string, std::string>> configuration_;
  std::vector<results::Deviation> deviations_;
  std::string unfit_;
};

}  // namespace plumbline::suite
