// A figure's value from one trial, with its bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/observation_point.h"
#include "bench/trial/trial.h"
#include "results/test_result.h"
#include "stats/histogram.h"
#include "stats/uncertainty.h"

namespace plumbline::suite {

struct Reading {
  // A number that is exact except for the bench's clock.
  Reading(double number) : value(number) {}  // NOLINT(google-explicit-constructor)

  // In another unit: value, width and batches times `factor`.
  [[nodiscard]] Reading times(double factor) const;

  double value = 0;
  // Width of the interval that contains the true value, in the figure's unit, and its cause:
  // "histogram bucket", "search step". 0: none.
  double width = 0;
  std::string width_of{};
  std::optional<results::Percentile> percentile{};
  // The interval of a mean over batches within the trial. It describes the scatter of a single
  // repetition; with several, their own scatter is used instead.
  std::optional<stats::BatchMean> batches{};
};

// A number whose resolution (by a count, a search or a display) is this width.
Reading within(double value, double width, std::string what);
// A percentile of a histogram, 0 being the minimum and 1 the maximum, which are exact; in multiples
// of `unit` of the histogram's own. Not a number for an empty one.
Reading quantileOf(const stats::Histogram& histogram, double quantile, double unit);
// A percentile of `samples` exact values.
Reading quantileOf(double value, double quantile, std::uint64_t samples);

// Mean over repetitions with CV and statistical interval. `readings` must not be empty. Repetitions
// with equal values are labelled identical and have no interval; `deterministic`: all observations
// of their trials were identical (sameObservations()).
results::Quantity quantityOf(std::span<const Reading> readings, std::string unit,
                             ObservationPoint observed = ObservationPoint::kTester,
                             bool deterministic = false);

// A number that is not a mean: of one repetition, or of the simulating program.
results::Quantity modelled(double value, std::string unit);
// The same of a percentile of so many samples.
results::Quantity modelledPercentile(double value, std::string unit, double quantile,
                                     std::uint64_t samples);

// Predicted times were up to 1 % off where calibrations agreed exactly
// (docs/model/fast-forward.md).
inline constexpr double kLeastPredictionError = 0.01;

// Adds the possible error of predicted times to a figure over `trials`, if one of them was
// fast-forwarded: the error of the calibration, its spread, or kLeastPredictionError, the largest
// one, as a bound.
void addPrediction(std::span<const bench::TrialResult> trials, results::Quantity& quantity);

// Whether all trials, at least two, made identical observations, apart from the cost of simulation
// and the time series, which only the first one may have.
bool sameObservations(std::span<const bench::TrialResult> trials);

}  // namespace plumbline::suite
