#include <algorithm>
#include <utility>

#include "base/ip_address.h"
#include "scenario/field_reader.h"
#include "scenario/sections.h"
#include "scenario/spec_fields.h"

namespace plumbline::scenario {
namespace {

using bench::EndpointSpec;
using bench::Operation;

constexpr std::size_t kMaxEndpointName = 64;
constexpr std::size_t kMaxHosts = 64;

std::optional<std::string> readAddress(const YamlNode& node, const char* right,
                                       Problems& problems) {
  const auto text = readText(node, kMaxEndpointName, problems);
  if (!text) return std::nullopt;
  auto address = canonicalAddress(*text);
  if (!address) problems.add(node, shown(*text) + " is no IP address", right);
  return address;
}

void readAddress(SpecReader& map, const char* key, const char* right, std::string& target,
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
      problems.add(key, "the host " + *host + " appears twice", "each host once");
    spec.peers.emplace_back(*host, *peer);
  }
}

void readPeer(SpecReader& map, const Scenario& scenario, EndpointSpec& spec, Problems& problems) {
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

void allowPeers(SpecReader& map, const Access& access, const EndpointSpec& spec,
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

}  // namespace

void readEndpoint(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto checked = readMap(node, "endpoint", problems);
  if (!checked) return;
  SpecReader map(std::move(*checked), {}, nullptr, problems);
  EndpointSpec& spec = scenario.endpoint.emplace();
  readFields(map, spec);
  readAddress(map, "address", "an address of this host", spec.address, problems);
  readPeer(map, scenario, spec, problems);
  allowPeers(map, scenario.access, spec, problems);
  const YamlNode* service = map.optional("service");
  if (service != nullptr && spec.service == bench::QueuePairService::kUnreliable &&
      spec.operation == Operation::kRead) {
    problems.add(*service, "an unreliable connection has no read", "rc, or another operation");
  }
  map.finish();
}

}  // namespace plumbline::scenario
