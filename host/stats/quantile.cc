#include "stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace plumbline::stats {

std::uint64_t samplesForQuantile(double q) {
  constexpr double kBeyond = 10;
  return static_cast<std::uint64_t>(std::llround(kBeyond / (1 - q)));
}

bool restsOnFewSamples(double q, std::uint64_t samples) { return samples < samplesForQuantile(q); }

std::string quantileName(double q) {
  char text[32];
  std::snprintf(text, sizeof text, "P%g", 100 * q);
  return text;
}

std::uint64_t quantileWidth(const Histogram& histogram, double q) {
  if (histogram.count() == 0) return 0;
  constexpr std::uint32_t kCardLastBucket = kCardHistogramBuckets - 1;
  const std::uint64_t value = histogram.quantile(q);
  const std::uint64_t saturates_from = bucketLowerBound(kCardLastBucket);
  if (histogram.saturated() > 0 && value == histogram.maximum()) {
    return value - std::max(saturates_from, histogram.minimum());
  }
  const std::uint32_t bucket = histogramBucket(value);
  const std::uint64_t low = std::max(bucketLowerBound(bucket), histogram.minimum());
  const std::uint64_t high = std::min(bucketUpperBound(bucket) - 1, histogram.maximum());
  return high - low;
}

}  // namespace plumbline::stats
