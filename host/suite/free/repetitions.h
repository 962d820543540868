// The trials of a workload's repetitions, and figures over them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/trial/trial.h"
#include "results/test_result.h"
#include "suite/framework/reading.h"

namespace plumbline::suite {

// By repetition, at least one; each has TrialResult::fabric.
class Repetitions {
 public:
  explicit Repetitions(std::vector<bench::TrialResult> trials)
      : trials_(std::move(trials)), deterministic_(sameObservations(trials_)) {}

  [[nodiscard]] auto begin() const { return trials_.begin(); }
  [[nodiscard]] auto end() const { return trials_.end(); }
  [[nodiscard]] const bench::TrialResult& front() const { return trials_.front(); }
  [[nodiscard]] std::size_t size() const { return trials_.size(); }
  [[nodiscard]] const std::vector<bench::TrialResult>& all() const { return trials_; }
  // True for two or more repetitions with different seeds and identical observations.
  [[nodiscard]] bool deterministic() const { return deterministic_; }

 private:
  std::vector<bench::TrialResult> trials_;
  bool deterministic_ = false;
};

// A figure of one trial; nothing, or kNotMeasured, where the trial did not observe it.
using FabricFigure = std::function<std::optional<Reading>(const bench::TrialResult&)>;

// Values of every repetition; empty if one of them did not observe it.
std::vector<Reading> valuesOf(const Repetitions& trials, const FabricFigure& figure);

// Mean over the repetitions with CV and confidence interval; modelled. Nothing if a repetition did
// not observe it.
std::optional<results::Quantity> meanOf(const Repetitions& trials, const std::string& unit,
                                        const FabricFigure& figure);
// The same for a table: "-" for a missing figure.
results::Cell cellOf(const Repetitions& trials, const std::string& unit,
                     const FabricFigure& figure);

}  // namespace plumbline::suite
