#include "tests/results/json_schema.h"

#include <algorithm>
#include <regex>
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

// "type" may be a list of types.
bool isOfOneType(const Json& value, const Json& types) {
  if (types.is_string()) return isOfType(value, types);
  return std::any_of(types.begin(), types.end(),
                     [&](const Json& type) { return isOfType(value, type.get<std::string>()); });
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
                                              "maximum",
                                              "exclusiveMinimum",
                                              "exclusiveMaximum",
                                              "minLength",
                                              "maxLength",
                                              "maxProperties",
                                              "pattern",
                                              "examples",
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
    if (schema.contains("type") && !isOfOneType(value, schema["type"])) {
      const Json& type = schema["type"];
      fault(at, "not of type " + (type.is_string() ? type.get<std::string>() : type.dump()));
      return;
    }
    if (schema.contains("const") && value != schema["const"]) fault(at, "not the constant");
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      fault(at, "not one of the allowed values");
    }
    checkBounds(schema, value, at);
    if (schema.contains("anyOf")) checkAnyOf(schema["anyOf"], value, at);
    if (value.is_object()) checkObject(schema, value, at);
    if (value.is_array()) checkArray(schema, value, at);
  }

  std::vector<std::string> faults;

 private:
  void fault(const std::string& at, const std::string& what) { faults.push_back(at + ": " + what); }

  void checkBounds(const Json& schema, const Json& value, const std::string& at) {
    if (value.is_number()) {
      const auto given = [&](const char* keyword) { return schema.contains(keyword); };
      if (given("minimum") && value < schema["minimum"]) fault(at, "too small");
      if (given("maximum") && value > schema["maximum"]) fault(at, "too large");
      if (given("exclusiveMinimum") && value <= schema["exclusiveMinimum"]) fault(at, "too small");
      if (given("exclusiveMaximum") && value >= schema["exclusiveMaximum"]) fault(at, "too large");
    }
    if (value.is_string()) {
      const auto text = value.get<std::string>();
      if (text.size() < schema.value("minLength", std::size_t{0})) fault(at, "too short");
      if (text.size() > schema.value("maxLength", text.size())) fault(at, "too long");
      if (schema.contains("pattern") &&
          !std::regex_search(text, std::regex(schema["pattern"].get<std::string>()))) {
        fault(at, "not of the pattern");
      }
    }
    if (value.is_object() && value.size() > schema.value("maxProperties", value.size())) {
      fault(at, "too many");
    }
  }

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
