// A validator for the part of JSON Schema that the schemas of docs/ use; an unknown keyword is an
// error, so that nothing in the schema goes unchecked.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace plumbline::results {

// Faults of `document`, a line each: "/tests/0/valid: not a boolean".
std::vector<std::string> schemaFaults(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace plumbline::results
