// docs/openapi.yaml as a validator of documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::control {

// Faults of `json` against the schema of this name, a line each.
std::vector<std::string> openApiFaults(const std::string& schema, std::string_view json);

// Name of the schema that the operation `method` (lower case) at `path` of the description has for
// `status`; empty if it has none. "PortState[]" for a list.
std::string openApiAnswer(const std::string& path, const std::string& method, int status);

// Every "METHOD path" that is described.
std::vector<std::string> openApiOperations();

}  // namespace plumbline::control
