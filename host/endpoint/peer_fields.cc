#include "endpoint/peer_fields.h"

namespace plumbline::endpoint {
namespace {

using nlohmann::json;

}  // namespace

std::optional<json> parseLine(std::string_view line, std::string& why) {
  json parsed = parseJsonOrDiscard(line);
  if (!parsed.is_discarded()) return parsed;
  why = "not JSON, or nested too deeply";
  return std::nullopt;
}

std::string lineOf(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

PeerFields::PeerFields(const json& object, std::string& why) : object_(object), why_(why) {
  if (!object_.is_object()) fail("not an object");
}

bool PeerFields::has(const char* key) const { return object_.is_object() && object_.contains(key); }

void PeerFields::fail(const std::string& what) {
  if (good_) why_ = what;
  good_ = false;
}

const json& PeerFields::member(const char* key) {
  static const json kNothing;
  if (good_ && object_.contains(key)) return object_[key];
  fail(std::string(key) + " is missing");
  return kNothing;
}

std::uint64_t PeerFields::number(const char* key, std::uint64_t min, std::uint64_t max) {
  return numberOf(member(key), key, min, max);
}

std::uint64_t PeerFields::numberOf(const json& value, const char* name, std::uint64_t min,
                                   std::uint64_t max) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number >= min && number <= max) return number;
  }
  fail(std::string(name) + " is out of range");
  return min;
}

std::string PeerFields::text(const char* key) {
  const json& value = member(key);
  if (value.is_string() && value.get_ref<const std::string&>().size() <= kLongestPeerText) {
    return value.get<std::string>();
  }
  fail(std::string(key) + " is no text");
  return {};
}

}  // namespace plumbline::endpoint
