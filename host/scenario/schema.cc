#include "scenario/schema.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/json.h"
#include "scenario/key_text.h"
#include "scenario/keys.h"

namespace plumbline::scenario {
namespace {

using spec::Field;
using spec::Fields;
using spec::Kind;
using Json = nlohmann::json;

constexpr const char* kNumber = "^[0-9]+(\\.[0-9]+)?";

Json quantity(const std::string& units) {
  return {{"type", "string"}, {"pattern", kNumber + units + "$"}};
}

// A word as an editor may see it: 4 of "ip: 4" is a number to it.
void addWord(const std::string& word, Json& words) {
  words.push_back(word);
  const bool number =
      std::all_of(word.begin(), word.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
  if (number) words.push_back(std::stoi(word));
}

Json wordSchema(const Field& field) {
  Json words = Json::array();
  for (const spec::Word& word : field.words) {
    if (!word.name.empty()) addWord(word.name, words);
  }
  return {{"enum", words}};
}

Json countSchema(const Field& field) {
  Json json{{"type", "integer"}};
  const Int128 min = field.range.min->whole();
  const Int128 max = field.range.max->whole();
  json["minimum"] = field.range.or_zero ? 0 : static_cast<std::int64_t>(min);
  // Beyond, editors cannot compare.
  if (max <= std::numeric_limits<std::uint32_t>::max()) {
    json["maximum"] = static_cast<std::int64_t>(max);
  }
  return json;
}

Json decimalSchema(const Field& field) {
  Json json{{"type", "number"}};
  if (const auto& min = field.range.min; min && field.kind == Kind::kDecimal) {
    json[field.range.above ? "exclusiveMinimum" : "minimum"] = min->decimal();
  }
  if (const auto& max = field.range.max; max && field.kind == Kind::kDecimal) {
    json[field.range.below ? "exclusiveMaximum" : "maximum"] = max->decimal();
  }
  return json;
}

Json prioritySchema() { return {{"type", "integer"}, {"minimum", 0}, {"maximum", 7}}; }

Json listOf(const Json& item, std::size_t max) {
  Json list{{"type", "array"}, {"minItems", 1}, {"items", item}};
  if (max != 0) list["maxItems"] = max;
  return list;
}

Json weightsSchema(const Field& field) {
  Json properties = Json::object();
  for (int priority = 0; priority < 8; ++priority) {
    properties[std::to_string(priority)] = countSchema(field);
  }
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

Json textSchema(const Field& field) {
  if (!field.words.empty()) return wordSchema(field);
  return {{"type", Json::array({"string", "number", "boolean"})}};
}

Json objectSchema(const Fields& fields);

// One value of the field.
Json valueSchema(const Field& field) {
  switch (field.kind) {
    case Kind::kFlag:
      return {{"type", "boolean"}};
    case Kind::kCount:
      return countSchema(field);
    case Kind::kSize:
      return quantity(" ?(B|KB|KiB|MB|MiB|GB|GiB)");
    case Kind::kTime:
      return quantity(" ?(ps|ns|us|µs|ms|s)");
    case Kind::kRate:
      return quantity(" ?[MGT](b/s|bps)?");
    case Kind::kShare:
      return quantity(" ?%");
    case Kind::kFactor:
    case Kind::kDecimal:
      return decimalSchema(field);
    case Kind::kWord:
      return wordSchema(field);
    case Kind::kPriorities:
      return {{"anyOf", {prioritySchema(), listOf(prioritySchema(), 8)}}};
    case Kind::kWeights:
      return weightsSchema(field);
    case Kind::kText:
      return textSchema(field);
    case Kind::kBlock:
    case Kind::kGroup:
    case Kind::kItems:
      return objectSchema(field.fields());
    case Kind::kSpecial:
      break;
  }
  return field.fields ? objectSchema(field.fields()) : Json::object();
}

Json either(Json one, Json other) { return {{"anyOf", {std::move(one), std::move(other)}}}; }

// A map with a key "kind" that says which other keys there are.
Json variantsSchema(const Field& field) {
  Json forms = Json::array();
  for (const spec::Variant& variant : field.variants) {
    Json words = Json::array();
    for (const std::string& word : variant.words) words.push_back(word);
    Json form = objectSchema(variant.fields());
    form["properties"]["kind"] = {{"enum", words}, {"description", "Which other keys there are"}};
    form["required"].push_back("kind");
    forms.push_back(std::move(form));
  }
  return {{"anyOf", forms}};
}

Json fieldSchema(const Field& field, const void* fresh) {
  Json json;
  if (!field.special_schema.empty()) {
    json = Json::parse(field.special_schema);
  } else {
    json = field.variants.empty() ? valueSchema(field) : variantsSchema(field);
    const bool may_list = field.is_list || field.kind == Kind::kItems;
    if (may_list) json = either(json, listOf(json, field.max_items));
    if (field.or_flag) json = either({{"type", "boolean"}}, json);
    if (!field.words.empty() && field.kind != Kind::kWord && field.kind != Kind::kText) {
      json = either(json, wordSchema(field));
    }
    for (const Field& inner : field.alone.empty() ? Fields() : field.fields()) {
      if (inner.key != field.alone) continue;
      json = either(inner.words.empty() ? valueSchema(inner) : wordSchema(inner), json);
    }
  }
  json["description"] = descriptionOf(field, fresh);
  return json;
}

void addProperties(const Fields& fields, const void* fresh, Json& json) {
  for (const Field& field : fields) {
    if (field.kind == Kind::kGroup && field.key.empty()) {
      addProperties(field.fields(), field.fresh ? field.fresh() : fresh, json);
    }
    if (field.key.empty()) continue;
    json["properties"][field.key] = fieldSchema(field, fresh);
    if (field.required) json["required"].push_back(field.key);
  }
}

Json objectSchema(const Fields& fields) {
  Json json{{"type", "object"},
            {"properties", Json::object()},
            {"required", Json::array()},
            {"additionalProperties", false}};
  addProperties(fields, nullptr, json);
  return json;
}

}  // namespace

Json scenarioSchema(const Vocabulary& vocabulary) {
  Json json = objectSchema(scenarioKeys());
  json["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  json["title"] = "Plumbline scenario";
  // The list of benches depends on the build.
  json["properties"]["test"]["enum"] = vocabulary.tests;
  return json;
}

}  // namespace plumbline::scenario
