// Samples as JSON, for results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/trial/samples.h"

namespace plumbline::bench {

nlohmann::json samplesToJson(const Samples& samples);
// Throws nlohmann's exceptions for anything else.
Samples samplesFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
