// Time series as JSON, for results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/trial/time_series.h"

namespace plumbline::bench {

nlohmann::json timeSeriesToJson(const TimeSeries& series);
// Throws nlohmann's exceptions for anything else.
TimeSeries timeSeriesFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
