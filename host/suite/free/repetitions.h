// The trials of a workload's repetitions, and figures over them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial.h"
#include "results/test_result.h"

namespace plumbline::suite {

// By repetition, at least one; each has TrialResult::fabric.
using Repetitions = std::vector<bench::TrialResult>;

// A figure of one trial; nothing, or kNotMeasured, where the trial did not observe it.
using FabricFigure = std::function<std::optional<double>(const bench::TrialResult&)>;

// Of every repetition; empty when one of them did not observe it.
std::vector<double> valuesOf(const Repetitions& trials, const FabricFigure& figure);

// Mean over the repetitions with CV and confidence interval; modelled. Nothing when one of them did
// not observe it.
std::optional<results::Quantity> meanOf(const Repetitions& trials, const std::string& unit,
                                        const FabricFigure& figure);
// The same for a table: "-" where there is no figure.
results::Cell cellOf(const Repetitions& trials, const std::string& unit,
                     const FabricFigure& figure);

// A number that is no mean: of the first repetition, or of the simulating program.
results::Quantity modelled(double value, std::string unit);

}  // namespace plumbline::suite
