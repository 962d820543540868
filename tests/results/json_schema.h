// A validator for as much of JSON Schema as the schemas of docs/ use; a keyword that it does
// not know is an error, so that nothing in the schema goes unchecked.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace plumbline::results {

// What is wrong with `document`, a line each: "/tests/0/valid: not a boolean".
std::vector<std::string> schemaFaults(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace plumbline::results
