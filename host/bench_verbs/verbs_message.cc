#include "bench_verbs/verbs_message.h"

#include <algorithm>
#include <array>
#include <utility>

#include "endpoint/hex.h"
#include "endpoint/peer_fields.h"

namespace plumbline::bench_verbs {
namespace {

using endpoint::PeerFields;
using nlohmann::json;

constexpr std::uint64_t kMaxQueuePairs = 256;
constexpr std::uint64_t kMax24 = 0xFF'FFFF;
constexpr std::uint64_t kMax16 = 0xFFFF;
constexpr std::uint64_t kMax32 = 0xFFFF'FFFF;
constexpr std::uint64_t kMaxMtu = 5;

constexpr std::array<std::pair<const char*, bench::QueuePairService>, 2> kServices{
    {{"rc", bench::QueuePairService::kReliable}, {"uc", bench::QueuePairService::kUnreliable}}};
constexpr std::array<std::pair<const char*, bench::Connection>, 2> kConnections{
    {{"out-of-band", bench::Connection::kOutOfBand},
     {"rdma-cm", bench::Connection::kConnectionManager}}};

json toJson(const EndAddress& address) {
  if (!address.manager_address.empty()) {
    return {{"manager", {address.manager_address, address.manager_port}}};
  }
  json pairs = json::array();
  for (const PairAddress& pair : address.pairs) pairs.push_back({pair.number, pair.psn});
  return {{"gid", endpoint::hexOf(address.gid)},
          {"lid", address.lid},
          {"mtu", address.mtu},
          {"pairs", pairs}};
}

void readManager(PeerFields& fields, EndAddress& address) {
  const json& manager = fields.member("manager");
  if (manager.is_array() && manager.size() == 2 && manager[0].is_string() &&
      manager[0].get_ref<const std::string&>().size() <= endpoint::kLongestPeerText) {
    address.manager_address = manager[0].get<std::string>();
    address.manager_port =
        static_cast<std::uint16_t>(fields.numberOf(manager[1], "port", 1, kMax16));
  }
  if (address.manager_address.empty()) fields.fail("manager is no address");
}

void readPairs(PeerFields& fields, EndAddress& address) {
  const json& pairs = fields.member("pairs");
  if (!pairs.is_array() || pairs.size() > kMaxQueuePairs) return fields.fail("pairs is no list");
  for (const json& pair : pairs) {
    if (!pair.is_array() || pair.size() != 2) {
      return fields.fail("a queue pair is not a number and a PSN");
    }
    address.pairs.push_back(
        {static_cast<std::uint32_t>(fields.numberOf(pair[0], "queue pair", 0, kMax24)),
         static_cast<std::uint32_t>(fields.numberOf(pair[1], "PSN", 0, kMax24))});
  }
}

std::optional<EndAddress> readAddress(const json& object, std::string& why) {
  EndAddress address;
  PeerFields fields(object, why);
  if (fields.has("manager")) {
    readManager(fields, address);
  } else {
    const auto gid = endpoint::bytesOf(fields.text("gid"));
    if (gid && gid->size() == address.gid.size()) {
      std::copy(gid->begin(), gid->end(), address.gid.begin());
    } else {
      fields.fail("gid is no GID");
    }
    address.lid = static_cast<std::uint16_t>(fields.number("lid", 0, kMax16));
    address.mtu = static_cast<std::uint8_t>(fields.number("mtu", 1, kMaxMtu));
    readPairs(fields, address);
  }
  return fields.good() ? std::optional(std::move(address)) : std::nullopt;
}

}  // namespace

std::string encode(const VerbsRequest& request) {
  json object{{"service", endpoint::wordOf(kServices, request.service)},
              {"connection", endpoint::wordOf(kConnections, request.connection)}};
  if (request.connection == bench::Connection::kOutOfBand) {
    object["address"] = toJson(request.address);
  }
  return endpoint::lineOf(object);
}

std::string encode(const EndAddress& address) { return endpoint::lineOf(toJson(address)); }

std::string encode(const MemoryKey& key) {
  return endpoint::lineOf(json{{"address", key.address}, {"key", key.rkey}});
}

std::optional<VerbsRequest> decodeVerbsRequest(std::string_view text, std::string& why) {
  const auto object = endpoint::parseLine(text, why);
  if (!object) return std::nullopt;
  PeerFields fields(*object, why);
  VerbsRequest request;
  request.service = fields.word("service", kServices);
  request.connection = fields.word("connection", kConnections);
  if (!fields.good()) return std::nullopt;
  if (request.connection == bench::Connection::kConnectionManager) {
    if (request.service == bench::QueuePairService::kReliable) return request;
    fields.fail("the connection manager makes reliable connections only");
    return std::nullopt;
  }
  auto address = readAddress(fields.member("address"), why);
  if (!address) return std::nullopt;
  request.address = *std::move(address);
  return request;
}

std::optional<EndAddress> decodeAddress(std::string_view text, std::string& why) {
  const auto object = endpoint::parseLine(text, why);
  return object ? readAddress(*object, why) : std::nullopt;
}

std::optional<MemoryKey> decodeKey(std::string_view text, std::string& why) {
  const auto object = endpoint::parseLine(text, why);
  if (!object) return std::nullopt;
  PeerFields fields(*object, why);
  const MemoryKey key{fields.number("address", 0, ~std::uint64_t{0}),
                      static_cast<std::uint32_t>(fields.number("key", 0, kMax32))};
  return fields.good() ? std::optional(key) : std::nullopt;
}

}  // namespace plumbline::bench_verbs
