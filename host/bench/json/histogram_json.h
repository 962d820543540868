// Histograms in stored results: occupied cells and exact extremes and sum.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "stats/histogram.h"

namespace plumbline::bench {

nlohmann::json histogramToJson(const stats::Histogram& histogram);
// Throws Error(kTester) or nlohmann's exceptions for JSON that histogramToJson() did not write.
stats::Histogram histogramFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
