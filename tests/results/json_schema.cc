#include "tests/results/json_schema.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace plumbline::results {
namespace {

using Json = nlohmann::json;

bool isOfType(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  throw std::invalid_argument("the schema has an unknown type " + type);
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& at) {
    static const std::set<std::string> kKnown{"$schema",
                                              "$defs",
                                              "$ref",
                                              "title",
                                              "description",
                                              "type",
                                              "required",
                                              "enum",
                                              "const",
                                              "properties",
                                              "minimum",
                                              "items",
                                              "anyOf",
                                              "prefixItems",
                                              "minItems",
                                              "maxItems",
                                              "additionalProperties"};
    for (const auto& [keyword, unused] : schema.items()) {
      if (!kKnown.contains(keyword)) {
        throw std::invalid_argument("the schema has an unknown keyword " + keyword);
      }
    }
    if (schema.contains("$ref")) check(resolved(schema["$ref"]), value, at);
    if (schema.contains("type") && !isOfType(value, schema["type"])) {
      fault(at, "not of type " + schema["type"].get<std::string>());
      return;
    }
    if (schema.contains("const") && value != schema["const"]) fault(at, "not the constant");
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      fault(at, "not one of the allowed values");
    }
    if (schema.contains("minimum") && value < schema["minimum"]) fault(at, "too small");
    if (schema.contains("anyOf")) checkAnyOf(schema["anyOf"], value, at);
    if (value.is_object()) checkObject(schema, value, at);
    if (value.is_array()) checkArray(schema, value, at);
  }

  std::vector<std::string> faults;

 private:
  void fault(const std::string& at, const std::string& what) { faults.push_back(at + ": " + what); }

  const Json& resolved(const std::string& reference) const {
    return root_.at(Json::json_pointer(reference.substr(1)));
  }

  void checkAnyOf(const Json& choices, const Json& value, const std::string& at) {
    const bool any = std::any_of(choices.begin(), choices.end(), [&](const Json& choice) {
      Validator one(root_);
      one.check(choice, value, at);
      return one.faults.empty();
    });
    if (!any) fault(at, "none of the alternatives");
  }

  void checkObject(const Json& schema, const Json& value, const std::string& at) {
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name)) fault(at, "lacks " + name.get<std::string>());
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      if (properties.contains(name)) {
        check(properties[name], member, std::string(at).append("/").append(name));
      } else if (!schema.value("additionalProperties", true)) {
        fault(at, "may not have " + name);
      }
    }
  }

  void checkArray(const Json& schema, const Json& value, const std::string& at) {
    if (value.size() < schema.value("minItems", std::size_t{0})) fault(at, "too short");
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) fault(at, "too long");
    const Json first = schema.value("prefixItems", Json::array());
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string place = at + "/" + std::to_string(i);
      if (i < first.size()) {
        check(first[i], value[i], place);
      } else if (schema.contains("items")) {
        check(schema["items"], value[i], place);
      }
    }
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schemaFaults(const Json& schema, const Json& document) {
  Validator validator(schema);
  validator.check(schema, document, "");
  return validator.faults;
}

}  // namespace plumbline::results
