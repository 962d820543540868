// `traffic:`
#include "scenario/field_reader.h"
#include "scenario/sections.h"
#include "scenario/spec_fields.h"

namespace plumbline::scenario {
namespace {

using bench::Transport;

constexpr std::size_t kMaxPairs = fabric::kMaxHosts;  // host pairs of a list
// The payload of one packet carries the test tag and fits the largest RoCE path MTU. RoCE payloads
// are multiples of 4 or padded; a padded message would differ from the requested one. Endpoints cut
// messages into packets themselves, without a test tag.
constexpr Bytes kMinMessage{20};
constexpr Bytes kMaxMessage{4096};

// One of two hosts in a [from, to] list.
std::optional<std::uint32_t> readHost(const YamlNode& node, bool topology_known,
                                      const Scenario& scenario, Problems& problems) {
  const std::uint32_t hosts = topology_known ? scenario.topology.hostCount() : fabric::kMaxHosts;
  const auto host = readInteger(node, 0, hosts - 1, problems);
  return host ? std::optional(static_cast<std::uint32_t>(*host)) : std::nullopt;
}

std::optional<HostPair> readPair(const YamlNode& node, bool topology_known,
                                 const Scenario& scenario, Problems& problems) {
  if (node.kind != YamlNode::Kind::kSequence || node.items.size() != 2) {
    problems.add(node, "a pair of hosts is needed here", "[from, to]");
    return std::nullopt;
  }
  const auto from = readHost(node.items[0], topology_known, scenario, problems);
  const auto to = readHost(node.items[1], topology_known, scenario, problems);
  if (!from || !to) return std::nullopt;
  if (*from == *to) {
    problems.add(node, "a host cannot send to itself", "two different hosts");
    return std::nullopt;
  }
  return HostPair{*from, *to};
}

void readPairs(const YamlNode& node, bool topology_known, Scenario& scenario, Problems& problems) {
  if (node.kind == YamlNode::Kind::kScalar && node.text == "all") return;
  if (node.kind != YamlNode::Kind::kSequence) {
    problems.add(node, "\"pairs\" is neither \"all\" nor a list", "all, or [[from, to], …]");
    return;
  }
  scenario.traffic.pairs = readList(node, kMaxPairs, problems, [&](const YamlNode& item) {
    return readPair(item, topology_known, scenario, problems);
  });
}

// The sizes of messages in frames of the tester are within narrower bounds than those declared.
spec::Fields trafficFields(const Scenario& scenario) {
  spec::Fields fields = spec::fieldsOf<Traffic>();
  if (isEndpointBench(scenario.bench)) return fields;
  for (spec::Field& field : fields) {
    if (field.key != "message_sizes") continue;
    field.range.min = spec::Value{Int128{kMinMessage.count()}};
    field.range.max = spec::Value{Int128{kMaxMessage.count()}};
  }
  return fields;
}

// Refuses keys that the frames' transport does not have.
void refuseForTransport(SpecReader& map, const Traffic& traffic, Problems& problems) {
  const Transport transport = traffic.format.transport;
  const YamlNode* messages = map.optional("message_sizes");
  if (messages != nullptr && !isRoce(transport)) {
    problems.add(*messages,
                 transport == Transport::kUdp ? "plain UDP frames carry no RDMA messages"
                                              : "sizes of UET frames are those of the frame",
                 "frame_sizes, or a rocev2 transport");
  }
  const YamlNode* qps = map.optional("qps");
  if (qps == nullptr || !traffic.qps) return;
  if (transport == Transport::kUdp) {
    problems.add(*qps, "plain UDP frames have no queue pairs", "a rocev2 transport");
  }
  if (transport == Transport::kUetRudi || transport == Transport::kUetUud) {
    problems.add(*qps, "RUDI and UUD have no packet delivery contexts", "uet-rud or uet-rod");
  }
}

}  // namespace

void readTraffic(const YamlNode& node, bool topology_known, Scenario& scenario,
                 Problems& problems) {
  auto checked = readMap(node, "traffic", problems);
  if (!checked) return;
  SpecReader map(std::move(*checked), {}, nullptr, problems);
  readFields(map, trafficFields(scenario), &scenario.traffic);
  refuseForTransport(map, scenario.traffic, problems);
  if (const YamlNode* value = map.optional("pairs")) {
    readPairs(*value, topology_known, scenario, problems);
  }
  map.finish();
}

}  // namespace plumbline::scenario
