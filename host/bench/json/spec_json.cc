#include "bench/json/spec_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"

namespace plumbline::bench {
namespace {

using spec::Field;
using spec::Kind;
using spec::Value;
using Json = nlohmann::json;

Json wholeToJson(const Field& field, Int128 value) {
  if (field.is_flag) return value != 0;
  if (field.kind == Kind::kWord) {
    if (const spec::Word* word = spec::wordOf(field, value)) {
      return word->stored.empty() ? word->name : word->stored;
    }
    throw Error(ErrorKind::kTester, fmt::format("value {} of \"{}\" has no name",
                                                static_cast<std::int64_t>(value), field.member));
  }
  if (value < 0) return static_cast<std::int64_t>(value);
  return static_cast<std::uint64_t>(value);
}

Json valueToJson(const Field& field, const Value& value) {
  if (const auto* whole = std::get_if<Int128>(&value.of)) return wholeToJson(field, *whole);
  if (const auto* decimal = std::get_if<double>(&value.of)) return *decimal;
  if (const auto* text = std::get_if<std::string>(&value.of)) return *text;
  Json array = Json::array();
  for (const Value& one : value.list()) array.push_back(valueToJson(field, one));
  return array;
}

void addField(const Field& field, const void* specification, Json& json) {
  if (field.kind == Kind::kGroup) {
    json.update(specToJson(field.fields(), field.peek ? field.peek(specification) : specification));
    return;
  }
  if (field.stored.empty()) return;
  if (field.kind == Kind::kBlock) {
    const void* part = field.peek(specification);
    if (part != nullptr) json[field.stored] = specToJson(field.fields(), part);
    return;
  }
  if (field.kind == Kind::kItems) {
    const std::size_t size = field.count(specification);
    if (size == 0 && !field.is_stored) return;
    Json array = Json::array();
    for (std::size_t i = 0; i < size; ++i) {
      array.push_back(specToJson(field.fields(), field.item(specification, i)));
    }
    json[field.stored] = std::move(array);
    return;
  }
  if (const auto value = field.get(specification)) json[field.stored] = valueToJson(field, *value);
}

}  // namespace

Json specToJson(const spec::Fields& fields, const void* specification) {
  Json json = Json::object();
  for (const Field& field : fields) {
    if (field.applies && !field.applies(specification)) continue;
    if (field.is_stored && !field.is_stored(specification)) continue;
    addField(field, specification, json);
  }
  return json;
}

}  // namespace plumbline::bench
