#include "tests/control/openapi.h"

#include <yaml-cpp/yaml.h>

#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/json.h"
#include "tests/paths/paths.h"

namespace plumbline::control {
namespace {

using nlohmann::json;

// YAML's core schema as far as the description uses it.
json scalarOf(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (text == "null" || text == "~" || text.empty()) return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  const json number = json::parse(text, nullptr, false);
  return number.is_number() ? number : json(text);
}

json jsonOf(const YAML::Node& node) {
  if (node.IsMap()) {
    json object = json::object();
    for (const auto& entry : node) object[entry.first.Scalar()] = jsonOf(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    json array = json::array();
    for (const auto& item : node) array.push_back(jsonOf(item));
    return array;
  }
  return scalarOf(node);
}

const json& description() {
  static const json document = jsonOf(YAML::LoadFile(checkoutPath("docs/openapi.yaml")));
  return document;
}

std::string lastOf(const std::string& reference) {
  return reference.substr(reference.rfind('/') + 1);
}

}  // namespace

std::vector<std::string> openApiFaults(const std::string& schema, std::string_view text) {
  const bool list = schema.ends_with("[]");
  const std::string name = list ? schema.substr(0, schema.size() - 2) : schema;
  const json target = json::parse(text, nullptr, false);
  if (target.is_discarded()) return {"not JSON"};
  if (!description().at("components").at("schemas").contains(name)) return {"no schema " + name};
  const json reference{{"$ref", "#/components/schemas/" + name}};
  json root = list ? json{{"type", "array"}, {"items", reference}}
                   : json{{"allOf", json::array({reference})}};
  root["components"] = description().at("components");

  valijson::Schema parsed;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(root), parsed);
  valijson::ValidationResults results;
  valijson::Validator validator;
  std::vector<std::string> faults;
  if (validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(target), &results)) {
    return faults;
  }
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    std::string where;
    for (const std::string& step : error.context) where += step;
    faults.push_back(where + ": " + error.description);
  }
  return faults;
}

std::string openApiAnswer(const std::string& path, const std::string& method, int status) {
  const json& responses = description().at("paths").at(path).at(method).at("responses");
  const std::string code = std::to_string(status);
  json response = responses.at(responses.contains(code) ? code : "default");
  if (response.contains("$ref")) {
    response = description().at("components").at("responses").at(lastOf(response.at("$ref")));
  }
  const auto content = response.find("content");
  if (content == response.end() || !content->contains("application/json")) return {};
  const json& schema = content->at("application/json").at("schema");
  if (schema.contains("items")) return lastOf(schema.at("items").at("$ref")) + "[]";
  return lastOf(schema.at("$ref"));
}

std::vector<std::string> openApiOperations() {
  std::vector<std::string> operations;
  for (const auto& [path, item] : description().at("paths").items()) {
    for (const char* method : {"get", "post", "delete", "put"}) {
      if (item.contains(method)) operations.push_back(std::string(method) + " " + path);
    }
  }
  return operations;
}

}  // namespace plumbline::control
