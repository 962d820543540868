#include "suite/framework/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "stats/quantile.h"
#include "stats/summary.h"

namespace plumbline::suite {
namespace {

// From the repetition with the largest uncertainty.
void addWidth(std::span<const Reading> readings, results::Quantity& quantity) {
  const auto widest =
      std::max_element(readings.begin(), readings.end(),
                       [](const Reading& a, const Reading& b) { return a.width < b.width; });
  if (widest->width <= 0) return;
  const std::string unit = quantity.unit.empty() ? "" : " " + quantity.unit;
  quantity.uncertainty.systematic = std::vector<results::SystematicPart>{
      {fmt::format("{} {:.3g}{}", widest->width_of, widest->width, unit),
       stats::ofWidth(widest->width)}};
}

void addPercentile(std::span<const Reading> readings, results::Quantity& quantity) {
  for (const Reading& one : readings) {
    if (!one.percentile) continue;
    if (!quantity.percentile || one.percentile->samples < quantity.percentile->samples) {
      quantity.percentile = one.percentile;
    }
  }
}

void addBatches(const stats::BatchMean& mean, results::Quantity& quantity) {
  quantity.uncertainty.statistics = results::Statistics::kBatches;
  quantity.uncertainty.statistical = stats::typeA(mean);
  quantity.uncertainty.batches = static_cast<std::uint32_t>(mean.batches);
  quantity.confidence_low = quantity.value - mean.half_width;
  quantity.confidence_high = quantity.value + mean.half_width;
}

// Cheap differences first: nearly all repetitions have one.
bool differsAtOnce(const bench::TrialResult& first, const bench::TrialResult& second) {
  if (first.card_time != second.card_time ||
      first.fabric.has_value() != second.fabric.has_value()) {
    return true;
  }
  if (!first.fabric) return false;
  return first.fabric->sim_end != second.fabric->sim_end ||
         first.fabric->packet_hops != second.fabric->packet_hops ||
         first.fabric->total.bytes != second.fabric->total.bytes;
}

std::string withoutCost(bench::TrialResult trial) {
  trial.wall_seconds = 0;
  if (trial.fabric) {
    trial.fabric->peak_rss_bytes = 0;
    trial.fabric->series.reset();
  }
  return trial.toJson();
}

}  // namespace

Reading Reading::times(double factor) const {
  Reading other = *this;
  other.value *= factor;
  other.width *= factor;
  if (other.batches) {
    other.batches->mean *= factor;
    other.batches->half_width *= factor;
  }
  return other;
}

Reading within(double value, double width, std::string what) {
  Reading reading(value);
  reading.width = width;
  reading.width_of = std::move(what);
  return reading;
}

Reading quantileOf(const stats::Histogram& histogram, double quantile, double unit) {
  if (histogram.count() == 0) return {std::numeric_limits<double>::quiet_NaN()};
  if (quantile <= 0) return {static_cast<double>(histogram.minimum()) / unit};
  if (quantile >= 1) return {static_cast<double>(histogram.maximum()) / unit};
  Reading reading = within(static_cast<double>(histogram.quantile(quantile)) / unit,
                           static_cast<double>(stats::quantileWidth(histogram, quantile)) / unit,
                           "histogram bucket");
  reading.percentile = results::Percentile{quantile, histogram.count()};
  return reading;
}

Reading quantileOf(double value, double quantile, std::uint64_t samples) {
  Reading reading(value);
  reading.percentile = results::Percentile{quantile, samples};
  return reading;
}

results::Quantity quantityOf(std::span<const Reading> readings, std::string unit,
                             ObservationPoint observed, bool deterministic) {
  std::vector<double> values;
  values.reserve(readings.size());
  for (const Reading& reading : readings) values.push_back(reading.value);
  const stats::Summary summary = stats::summarize(values);
  results::Quantity quantity;
  quantity.value = summary.mean;
  quantity.unit = std::move(unit);
  quantity.observed = observed;
  quantity.repetitions = static_cast<std::uint32_t>(summary.count);
  quantity.cv = summary.cv;
  addWidth(readings, quantity);
  addPercentile(readings, quantity);
  results::Uncertainty& known = quantity.uncertainty;
  if (values.size() == 1) {
    if (readings.front().batches) addBatches(*readings.front().batches, quantity);
  } else if (summary.minimum == summary.maximum) {
    known.statistics =
        deterministic ? results::Statistics::kDeterministic : results::Statistics::kIdentical;
  } else {
    known.statistics = results::Statistics::kRepetitions;
    known.statistical = stats::typeA(summary.standard_deviation, summary.count);
    quantity.confidence_low = summary.ci95->low;
    quantity.confidence_high = summary.ci95->high;
  }
  return quantity;
}

results::Quantity modelled(double value, std::string unit) {
  results::Quantity quantity;
  quantity.value = value;
  quantity.unit = std::move(unit);
  quantity.observed = ObservationPoint::kModelled;
  return quantity;
}

results::Quantity modelledPercentile(double value, std::string unit, double quantile,
                                     std::uint64_t samples) {
  results::Quantity quantity = modelled(value, std::move(unit));
  quantity.percentile = results::Percentile{quantile, samples};
  return quantity;
}

void addPrediction(std::span<const bench::TrialResult> trials, results::Quantity& quantity) {
  double max = 0;
  bool predicted = false;
  for (const bench::TrialResult& trial : trials) {
    if (!trial.fabric || !trial.fabric->fast_forward) continue;
    predicted = true;
    const bench::FastForwardOutcome& outcome = *trial.fabric->fast_forward;
    max = std::max({max, outcome.calibrated_error, outcome.calibration_spread});
  }
  if (!predicted) return;
  max = std::max(max, kLeastPredictionError);
  auto& parts = quantity.uncertainty.systematic;
  if (!parts) parts.emplace();
  parts->push_back({fmt::format("fast-forward, within {:.2g} %", 100 * max),
                    stats::ofBound(max * std::abs(quantity.value))});
}

bool sameObservations(std::span<const bench::TrialResult> trials) {
  if (trials.size() < 2) return false;
  const bench::TrialResult& first = trials.front();
  const auto others = trials.subspan(1);
  if (std::any_of(others.begin(), others.end(),
                  [&](const auto& trial) { return differsAtOnce(first, trial); })) {
    return false;
  }
  const std::string text = withoutCost(first);
  return std::all_of(others.begin(), others.end(),
                     [&](const auto& trial) { return withoutCost(trial) == text; });
}

}  // namespace plumbline::suite
