// Percentiles that rest on too few samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/result_builder.h"

namespace plumbline::suite {

// The samples that the percentile `q` (0 < q < 1) needs so that ten of them lie beyond it:
// 10 / (1 - q), rounded to a whole number.
std::uint64_t samplesForQuantile(double q);
bool restsOnFewSamples(double q, std::uint64_t samples);
// "P99", "P99.9"
std::string quantileName(double q);
// The heading of a column: "P99", or "P99 (of 3)" where it rests on too few samples.
std::string quantileColumn(double q, std::uint64_t samples);

// Notes as an anomaly which of `quantiles` rest on too few samples. `what`: of what they are,
// "iterations of a trial".
void noteFewSamples(const std::vector<double>& quantiles, std::uint64_t samples,
                    const std::string& what, const std::string& where, ResultBuilder& builder);

}  // namespace plumbline::suite
