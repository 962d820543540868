// A value that a figure reads from one trial, with what bounds it there.
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
  // A number that is exact but for the bench's clock.
  Reading(double number) : value(number) {}  // NOLINT(google-explicit-constructor)

  // In another unit: value, width and batches times `factor`.
  [[nodiscard]] Reading times(double factor) const;

  double value = 0;
  // Width of the interval in which the true value lies, in the figure's unit, and what makes it so:
  // "histogram bucket", "search step". 0: none.
  double width = 0;
  std::string width_of{};
  std::optional<results::Percentile> percentile{};
  // The interval of a mean over batches within the trial. It is what is known of the scatter after
  // one repetition; with more, their own scatter is, and this one is not used.
  std::optional<stats::BatchMean> batches{};
};

// A number that a count, a search or a display resolves to this width.
Reading within(double value, double width, std::string what);
// A percentile of a histogram, 0 being the minimum and 1 the maximum, which are exact; in multiples
// of `unit` of the histogram's own. Not a number for an empty one.
Reading quantileOf(const stats::Histogram& histogram, double quantile, double unit);
// A percentile of `samples` values that are all known.
Reading quantileOf(double value, double quantile, std::uint64_t samples);

// Mean over repetitions with CV and statistical interval. `readings` must not be empty.
// Repetitions that all gave the same value are said to be identical and have no interval;
// `deterministic`: their trials were the same in everything (sameObservations()).
results::Quantity quantityOf(std::span<const Reading> readings, std::string unit,
                             ObservationPoint observed = ObservationPoint::kTester,
                             bool deterministic = false);

// A number that is no mean: of one repetition, or of the simulating program.
results::Quantity modelled(double value, std::string unit);

// Adds to a figure over `trials` how far predicted times may be off, if one of them was
// fast-forwarded: the error of the calibration or its spread, the larger one, as a bound.
void addPrediction(std::span<const bench::TrialResult> trials, results::Quantity& quantity);

// Whether all trials, two at least, saw the same in everything but what they cost to simulate and
// the time series, which the first one alone may have.
bool sameObservations(std::span<const bench::TrialResult> trials);

}  // namespace plumbline::suite
