// Uncertainty and percentile of a quantity in JSON (docs/result.schema.json).
#pragma once

#include "base/json.h"
#include "results/test_result.h"

namespace plumbline::results {

// Adds "uncertainty" and "percentile", each only if known. Derived values are written too:
// combined, effective degrees of freedom, coverage factor, expanded.
void addUncertainty(const Quantity& quantity, nlohmann::ordered_json& json);
// Only the parts are read; older results have none.
void readUncertainty(const nlohmann::ordered_json& json, Quantity& quantity);

}  // namespace plumbline::results
