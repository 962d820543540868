// docs/openapi.yaml as a judge of documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::control {

// What is wrong with `json` as the schema of this name, a line each.
std::vector<std::string> openApiFaults(const std::string& schema, std::string_view json);

// Of the operation `method` (lower case) at `path` of the description, the name of the schema that
// it answers `status` with; empty when it has none. "PortState[]" for a list.
std::string openApiAnswer(const std::string& path, const std::string& method, int status);

// Every "METHOD path" that is described.
std::vector<std::string> openApiOperations();

}  // namespace plumbline::control
