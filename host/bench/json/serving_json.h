// Serving systems in the keys of trials, and what came of them in stored results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "serving/program.h"
#include "serving/serving_result.h"

namespace plumbline::bench {

nlohmann::json servingToJson(const serving::ServingProgram& program);

nlohmann::json servingResultToJson(const serving::ServingResult& result);
// Throws Error(kTester) or nlohmann's exceptions for what servingResultToJson() did not write.
serving::ServingResult servingResultFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
