// JSON of plain structs, from one list of their members: an overload of fields() for each struct
// names its members to a visitor, which writes or reads them. Numbers are checked for type and
// range, so that reading untrusted text is safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "stats/histogram.h"

namespace plumbline::control {

using Json = nlohmann::ordered_json;

// `T` is `U`, const or not: fields() serves both directions.
template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// A request may omit members (they keep their defaults) but has no unknown ones; an answer has all
// members, and unknown ones, from a newer server, are ignored.
enum class JsonRole { kRequest, kAnswer };

// --- Writing ---

inline Json jsonOf(bool value) { return value; }
inline Json jsonOf(const std::string& value) { return value; }
template <typename T>
requires std::is_arithmetic_v<T> Json jsonOf(T value) { return value; }
inline Json jsonOf(const stats::Histogram::Cell& cell) {
  return Json::array({cell.bucket, cell.count});
}
template <typename T>
Json jsonOf(const std::vector<T>& values);
template <typename T>
Json jsonOf(const std::optional<T>& value);
template <typename T>
requires std::is_class_v<T> Json jsonOf(const T& value) {
  Json object = Json::object();
  const auto visit = [&object](const char* name, const auto& member) {
    object[name] = jsonOf(member);
  };
  fields(visit, value);
  return object;
}
template <typename T>
Json jsonOf(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(jsonOf(value));
  return array;
}
template <typename T>
Json jsonOf(const std::optional<T>& value) {
  return value ? jsonOf(*value) : Json();
}

// One line; bytes that are not UTF-8 become replacement characters.
inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// --- Reading: errors go into `fault`, which is empty without any ---

class JsonReader {
 public:
  explicit JsonReader(JsonRole role) : role_(role) {}

  [[nodiscard]] const std::string& fault() const { return fault_; }

  void read(const Json& json, const std::string& at, bool& value) {
    if (!json.is_boolean()) return fail(at, "is not true or false");
    value = json.get<bool>();
  }
  void read(const Json& json, const std::string& at, std::string& value) {
    if (!json.is_string()) return fail(at, "is not a text");
    value = json.get<std::string>();
  }
  void read(const Json& json, const std::string& at, double& value) {
    if (!json.is_number()) return fail(at, "is not a number");
    value = json.get<double>();
  }
  template <std::integral T>
  void read(const Json& json, const std::string& at, T& value) {
    if (!json.is_number_integer()) return fail(at, "is not a whole number");
    if (!holds<T>(json)) return fail(at, "is out of range");
    value = json.get<T>();
  }
  void read(const Json& json, const std::string& at, stats::Histogram::Cell& cell) {
    if (!json.is_array() || json.size() != 2) return fail(at, "is not a pair");
    read(json[0], at, cell.bucket);
    read(json[1], at, cell.count);
    if (cell.bucket >= stats::kHistogramBuckets) fail(at, "is no bucket");
  }
  template <typename T>
  void read(const Json& json, const std::string& at, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) read(json, at, value.emplace());
  }
  template <typename T>
  void read(const Json& json, const std::string& at, std::vector<T>& values) {
    if (!json.is_array()) return fail(at, "is not a list");
    values.clear();
    for (const Json& item : json) {
      if (!fault_.empty()) return;
      read(item, at, values.emplace_back());
    }
  }
  template <typename T>
  requires std::is_class_v<T>
  void read(const Json& json, const std::string& at, T& value) {
    if (!json.is_object()) return fail(at, "is not an object");
    std::size_t known = 0;
    const auto visit = [&](const char* name, auto& member) {
      const auto found = json.find(name);
      const std::string place = at.empty() ? name : at + "." + name;
      if (found != json.end()) {
        ++known;
        read(*found, place, member);
      } else if (role_ == JsonRole::kAnswer) {
        fail(place, "is missing");
      }
    };
    fields(visit, value);
    if (role_ == JsonRole::kRequest && known != json.size()) failOnUnknown(json, at, value);
  }

 private:
  void fail(const std::string& at, const char* what) {
    if (fault_.empty()) fault_ = (at.empty() ? "the document" : "\"" + at + "\"") + " " + what;
  }
  template <typename T>
  void failOnUnknown(const Json& json, const std::string& at, T& value) {
    for (const auto& item : json.items()) {
      bool known = false;
      const auto visit = [&](const char* name, const auto&) {
        known = known || item.key() == name;
      };
      fields(visit, value);
      if (!known) return fail(at.empty() ? item.key() : at + "." + item.key(), "is not known here");
    }
  }

  JsonRole role_;
  std::string fault_;
};

// The error in `text` as a T; empty when `value` has been set. Never throws.
template <typename T>
std::string readJson(std::string_view text, JsonRole role, T& value) {
  Json json;
  try {
    json = parseJson<Json>(text);
  } catch (const Json::parse_error& error) {
    if (error.byte == 0) return "the document is nested too deeply";  // parseJson()
    return "the document is not JSON: byte " + std::to_string(error.byte);
  } catch (const Json::exception&) {  // a number beyond all types
    return "the document is not JSON";
  }
  JsonReader reader(role);
  // On the heap, where g++ 12 does not suspect optional members of being uninitialised.
  const auto fresh = std::make_unique<T>();
  reader.read(json, {}, *fresh);
  if (reader.fault().empty()) value = std::move(*fresh);
  return reader.fault();
}

}  // namespace plumbline::control
