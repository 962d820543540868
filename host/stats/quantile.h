// Percentiles: the number of samples that they need, and their accuracy in a histogram.
#pragma once

#include <cstdint>
#include <string>

#include "stats/histogram.h"

namespace plumbline::stats {

// The samples that the percentile `q` (0 < q < 1) needs so that ten of them lie beyond it:
// 10 / (1 - q), rounded to a whole number.
std::uint64_t samplesForQuantile(double q);
bool restsOnFewSamples(double q, std::uint64_t samples);
// "P99", "P99.9"
std::string quantileName(double q);

// Width of the interval that contains the percentile: its bucket, cut to the extremes, which are
// exact; among saturated() values, from the card's last bucket on. 0 where the value is exact, and
// for an empty histogram. In the histogram's unit.
std::uint64_t quantileWidth(const Histogram& histogram, double q);

}  // namespace plumbline::stats
