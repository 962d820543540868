// JSON of serving systems: in the keys of trials, and of their results.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "serving/program.h"
#include "serving/serving_result.h"

namespace plumbline::bench {

nlohmann::json servingToJson(const serving::ServingProgram& program);

nlohmann::json servingResultToJson(const serving::ServingResult& result);
// Throws Error(kTester) or nlohmann's exceptions for JSON that servingResultToJson() did not write.
serving::ServingResult servingResultFromJson(const nlohmann::json& json);

}  // namespace plumbline::bench
