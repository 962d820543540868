#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/ip_address.h"
#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

using bench::EndpointSpec;
using bench::Operation;

constexpr std::size_t kMaxEndpointName = 64;
constexpr std::uint64_t kMaxPort = 255;
constexpr std::uint64_t kMaxGidIndex = 255;
constexpr std::uint64_t kMaxTcpPort = 65'535;
constexpr std::size_t kMaxHosts = 64;

template <typename Value, std::size_t N>
using Words = std::array<std::pair<const char*, Value>, N>;

constexpr Words<Operation, 4> kOperations{{{"write", Operation::kWrite},
                                           {"write-immediate", Operation::kWriteImmediate},
                                           {"send", Operation::kSend},
                                           {"read", Operation::kRead}}};
constexpr Words<bench::QueuePairService, 2> kServices{
    {{"rc", bench::QueuePairService::kReliable}, {"uc", bench::QueuePairService::kUnreliable}}};
constexpr Words<bench::Connection, 2> kConnections{
    {{"out-of-band", bench::Connection::kOutOfBand},
     {"rdma-cm", bench::Connection::kConnectionManager}}};

template <typename Value, std::size_t N>
std::optional<Value> readOneOf(const YamlNode& node, const Words<Value, N>& words,
                               Problems& problems) {
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.emplace_back(name);
  const auto word = readWord(node, names, problems);
  return word ? std::optional(words[*word].second) : std::nullopt;
}

std::optional<std::string> readAddress(const YamlNode& node, const char* right,
                                       Problems& problems) {
  const auto text = readText(node, kMaxEndpointName, problems);
  if (!text) return std::nullopt;
  auto address = canonicalAddress(*text);
  if (!address) problems.add(node, shown(*text) + " is no IP address", right);
  return address;
}

void readAddress(MapReader& map, const char* key, const char* right, std::string& target,
                 Problems& problems) {
  const YamlNode* value = map.optional(key);
  if (value == nullptr) return;
  if (auto address = readAddress(*value, right, problems)) target = *std::move(address);
}

// Of each host that runs the scenario, where it sends to.
void readPeers(const YamlNode& node, EndpointSpec& spec, Problems& problems) {
  if (!readMap(node, "peers", problems)) return;
  if (node.members.empty() || node.members.size() > kMaxHosts) {
    problems.add(node, "these are no peers", "1 to " + std::to_string(kMaxHosts) + " hosts");
  }
  for (const auto& [key, value] : node.members) {
    const auto host = readAddress(key, "an address of a host that runs the scenario", problems);
    const auto peer = readAddress(value, "an address of the host that it sends to", problems);
    if (!host || !peer) continue;
    const bool known = std::any_of(spec.peers.begin(), spec.peers.end(),
                                   [&](const auto& one) { return one.first == *host; });
    // The same key twice is reported of every map.
    const auto has_key = [&text = key.text](const auto& one) { return one.key.text == text; };
    const bool repeated = std::count_if(node.members.begin(), node.members.end(), has_key) > 1;
    if (known && !repeated)
      problems.add(key, "the host " + *host + " is here twice", "each host once");
    spec.peers.emplace_back(*host, *peer);
  }
}

void readPeer(MapReader& map, const Scenario& scenario, EndpointSpec& spec, Problems& problems) {
  readAddress(map, "peer", "an address of the host with the target program", spec.peer, problems);
  if (const YamlNode* value = map.optional("peers")) {
    readPeers(*value, spec, problems);
    if (!spec.peer.empty()) {
      problems.add(*value, "\"peer\" and \"peers\" are both here",
                   "peer for one host, peers for several");
    }
  }
  if (const YamlNode* value = map.optional("token_file")) {
    const auto name = readText(*value, kMaxFileName, problems);
    if (name) {
      spec.token_file =
          pathOfNamed(*value, *name, scenario.access, scenario.file, problems).value_or("");
    }
  }
}

void allowPeers(MapReader& map, const Access& access, const EndpointSpec& spec,
                Problems& problems) {
  const YamlNode* one = map.optional("peer");
  const YamlNode* several = map.optional("peers");
  if (one != nullptr && !spec.peer.empty()) {
    allowPeer(*one, {spec.peer, spec.peer_port}, access, problems);
  }
  if (several == nullptr) return;
  for (const auto& [host, peer] : spec.peers) {
    allowPeer(*several, {peer, spec.peer_port}, access, problems);
  }
}

void readNames(MapReader& map, EndpointSpec& spec, Problems& problems) {
  if (const YamlNode* value = map.optional("provider")) {
    if (auto name = readText(*value, kMaxEndpointName, problems)) spec.provider = std::move(*name);
  }
  if (const YamlNode* value = map.optional("device")) {
    if (auto name = readText(*value, kMaxEndpointName, problems)) spec.device = std::move(*name);
  }
  readAddress(map, "address", "an address of this host", spec.address, problems);
}

// A small number into a member of any integer type.
template <typename Value>
void readNumber(MapReader& map, const char* key, std::uint64_t min, std::uint64_t max,
                Value& target, Problems& problems) {
  const YamlNode* node = map.optional(key);
  if (node == nullptr) return;
  if (const auto value = readInteger(*node, min, max, problems)) {
    target = static_cast<Value>(*value);
  }
}

}  // namespace

void readEndpoint(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto map = readMap(node, "endpoint", problems);
  if (!map) return;
  EndpointSpec& spec = scenario.endpoint.emplace();
  readNames(*map, spec, problems);
  readPeer(*map, scenario, spec, problems);
  readNumber(*map, "window", 1, EndpointSpec::kMostWindow, spec.window, problems);
  readNumber(*map, "port", 1, kMaxPort, spec.port, problems);
  readNumber(*map, "gid_index", 0, kMaxGidIndex, spec.gid_index, problems);
  readNumber(*map, "peer_port", 1, kMaxTcpPort, spec.peer_port, problems);
  allowPeers(*map, scenario.access, spec, problems);
  if (const YamlNode* value = map->optional("operation")) {
    spec.operation = readOneOf(*value, kOperations, problems);
  }
  if (const YamlNode* value = map->optional("service")) {
    spec.service = readOneOf(*value, kServices, problems).value_or(spec.service);
    const bool one_way = spec.operation != Operation::kRead;
    if (spec.service == bench::QueuePairService::kUnreliable && !one_way) {
      problems.add(*value, "an unreliable connection has no read", "rc, or another operation");
    }
  }
  if (const YamlNode* value = map->optional("connection")) {
    spec.connection = readOneOf(*value, kConnections, problems).value_or(spec.connection);
  }
  map->finish();
}

}  // namespace plumbline::scenario
