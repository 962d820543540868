#include "results/welch.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "stats/summary.h"

namespace plumbline::results {
namespace {

constexpr double kConfidence = 0.95;  // of the intervals in Quantity

struct Sample {
  double n = 0;
  double variance_of_mean = 0;
};

std::optional<Sample> sampleOf(const Quantity& quantity) {
  if (quantity.uncertainty.statistics == Statistics::kBatches && quantity.uncertainty.batches > 1) {
    const double error = quantity.uncertainty.statistical.value;
    return Sample{static_cast<double>(quantity.uncertainty.batches), error * error};
  }
  if (quantity.repetitions < 2) return std::nullopt;
  const double n = quantity.repetitions;
  const Statistics statistics = quantity.uncertainty.statistics;
  if (statistics == Statistics::kIdentical || statistics == Statistics::kDeterministic) {
    return Sample{n, 0};
  }
  if (quantity.cv) {
    const double deviation = *quantity.cv * quantity.value;
    return Sample{n, deviation * deviation / n};
  }
  if (quantity.confidence_low && quantity.confidence_high) {
    const double half = (*quantity.confidence_high - *quantity.confidence_low) / 2;
    const double error = half / stats::studentT(kConfidence, quantity.repetitions - 1);
    return Sample{n, error * error};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Welch> welchTest(const Quantity& first, const Quantity& second) {
  const auto a = sampleOf(first);
  const auto b = sampleOf(second);
  if (!a || !b) return std::nullopt;
  const double difference = second.value - first.value;
  const double variance = a->variance_of_mean + b->variance_of_mean;
  if (variance == 0) return Welch{{}, {}, difference == 0 ? 1.0 : 0.0};
  // Relative to the whole, so that squares neither overflow nor underflow.
  const double share_a = a->variance_of_mean / variance;
  const double share_b = b->variance_of_mean / variance;
  Welch welch;
  welch.t = difference / std::sqrt(variance);
  welch.degrees_of_freedom = 1 / (share_a * share_a / (a->n - 1) + share_b * share_b / (b->n - 1));
  const boost::math::students_t distribution(*welch.degrees_of_freedom);
  welch.p = 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(*welch.t)));
  return welch;
}

}  // namespace plumbline::results
