#include "bench_ofi/ofi_message.h"

#include <utility>

#include "endpoint/hex.h"
#include "endpoint/peer_fields.h"

namespace plumbline::bench_ofi {
namespace {

using endpoint::PeerFields;
using nlohmann::json;

constexpr std::size_t kMaxNames = 256;
constexpr std::uint64_t kMax64 = ~std::uint64_t{0};

json toJson(const std::vector<OfiName>& names) {
  json list = json::array();
  for (const OfiName& name : names) list.push_back(endpoint::hexOf(name));
  return list;
}

std::vector<OfiName> readEndpointNames(PeerFields& fields) {
  std::vector<OfiName> names;
  const json& list = fields.member("names");
  if (!list.is_array() || list.size() > kMaxNames) {
    fields.fail("names is no list");
    return names;
  }
  for (const json& item : list) {
    auto name =
        item.is_string() ? endpoint::bytesOf(item.get_ref<const std::string&>()) : std::nullopt;
    if (!name || name->empty() || name->size() > kLongestName) {
      fields.fail("an empty or too long name of an endpoint");
      break;
    }
    names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace

std::string encode(const OfiRequest& request) {
  return endpoint::lineOf(json{{"provider", request.provider}, {"names", toJson(request.names)}});
}

std::string encode(const OfiAddress& address) {
  return endpoint::lineOf(json{{"names", toJson(address.names)},
                               {"memory", address.memory.address},
                               {"key", address.memory.key}});
}

std::optional<OfiRequest> decodeOfiRequest(std::string_view text, std::string& why) {
  const auto object = endpoint::parseLine(text, why);
  if (!object) return std::nullopt;
  PeerFields fields(*object, why);
  OfiRequest request;
  request.provider = fields.text("provider");
  request.names = readEndpointNames(fields);
  return fields.good() ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<OfiAddress> decodeOfiAddress(std::string_view text, std::string& why) {
  const auto object = endpoint::parseLine(text, why);
  if (!object) return std::nullopt;
  PeerFields fields(*object, why);
  OfiAddress address;
  address.names = readEndpointNames(fields);
  address.memory.address = fields.number("memory", 0, kMax64);
  address.memory.key = fields.number("key", 0, kMax64);
  return fields.good() ? std::optional(std::move(address)) : std::nullopt;
}

}  // namespace plumbline::bench_ofi
