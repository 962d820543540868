#include "bench/flow/flow_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <variant>

#include "base/error.h"
#include "fabric/spec/load_balancing.h"
#include "fabric/topology/path_hash.h"
#include "fabric/topology/routing.h"
#include "transport/roce/roce_path.h"
#include "transport/uet/uet_spec.h"

namespace plumbline::bench {
namespace {

using fabric::LoadBalancingKind;

bool switchSprays(const TrialSpec& spec) {
  return fabric::spraysPackets(spec.dut.switches.load_balancing.kind);
}

TransportSpec transportOf(const TrialSpec& spec) {
  return spec.transport.value_or(transport::RoceSpec());
}

// Whether a queue pair is slower than its host's link from the beginning.
bool limitsQueuePairs(const TransportSpec& transport, BitRate link) {
  const auto* roce = std::get_if<transport::RoceSpec>(&transport);
  return roce != nullptr && roce->dcqcn.enabled && roce->dcqcn.max_rate != BitRate() &&
         roce->dcqcn.max_rate < link;
}

bool senderSprays(const TransportSpec& transport) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) return roce->spray;
  return true;  // all other modes of UET are refused
}

}  // namespace

std::optional<std::string> routesRefusal(const TrialSpec& spec) {
  const fabric::FabricSpec& dut = spec.dut;
  if (!dut.failures.empty() || !dut.bit_errors.empty() || !dut.storms.empty() ||
      !dut.impairments.empty()) {
    return "what goes wrong in the fabric (failures, bit errors, pause storms) has no flow level";
  }
  if (dut.switches.load_balancing.kind == LoadBalancingKind::kFlowlet) {
    return "paths of flowlets depend on queues, which the flow level does not have";
  }
  if (dut.switches.load_balancing.kind == LoadBalancingKind::kWeighted) {
    return "the flow level has no weighted paths";
  }
  const TransportSpec transport = transportOf(spec);
  if (limitsQueuePairs(transport, dut.topology.link_rate)) {
    return "the flow level has no highest rate of a queue pair (transport.dcqcn.max_rate)";
  }
  const auto* uet = std::get_if<transport::UetSpec>(&transport);
  const bool one_path =
      uet != nullptr && (uet->service == transport::UetService::kRod ||
                         uet->entropy.policy == transport::UetEntropyPolicy::kConstant);
  if (one_path && !switchSprays(spec)) {
    return "the flow level knows no path of a UET context with one entropy value";
  }
  return std::nullopt;
}

FlowRoutes::FlowRoutes(const TrialSpec& spec, const fabric::FabricPlan& plan)
    : spec_(spec),
      plan_(plan),
      transport_(transportOf(spec)),
      sprays_(switchSprays(spec) || senderSprays(transport_)) {}

void FlowRoutes::spread(std::uint32_t node, double share, const fabric::Packet& packet,
                        std::vector<LinkUse>& uses) const {
  const std::uint32_t number = plan_.topology().nodes()[node].index;
  const fabric::Routing& routing = *plan_.schedule().epochs().front().routing;
  const std::span<const fabric::LinkId> paths = routing.candidates(number, packet.destination);
  if (paths.empty()) {
    throw Error(ErrorKind::kTester,
                fmt::format("no path from host {} to host {}", packet.source, packet.destination),
                "flow level");
  }
  if (paths.size() == 1) {
    uses.push_back({paths.front(), share});
    return;
  }
  if (sprays_) {
    for (const fabric::LinkId link : paths) {
      uses.push_back({link, share / static_cast<double>(paths.size())});
    }
    return;
  }
  const bool by_qp = spec_.dut.switches.load_balancing.kind == LoadBalancingKind::kEcmpQp;
  const std::uint32_t hash =
      by_qp ? fabric::qpFlowHash(packet.flow_hash, packet.connection) : packet.flow_hash;
  const auto count = static_cast<std::uint32_t>(paths.size());
  uses.push_back({paths[fabric::ecmpChoice(hash, routing.seed(number), count)], share});
}

std::vector<LinkUse> FlowRoutes::uses(std::uint32_t from, std::uint32_t to,
                                      std::uint32_t flow) const {
  const fabric::Topology& topology = plan_.topology();
  fabric::Packet packet;
  packet.source = static_cast<std::uint16_t>(from);
  packet.destination = static_cast<std::uint16_t>(to);
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport_)) {
    packet.flow_hash = transport::roceFlowHash(*roce, spec_.dut.seed, from, to, flow);
    packet.connection = transport::roceQpNumber(from, flow) & 0xFF'FFFFU;
  }
  std::map<std::uint32_t, double> nodes;  // where packets are now, with their shares
  std::map<fabric::LinkId, double> shares;
  std::vector<LinkUse> next{{topology.nodes()[topology.hosts().at(from)].out_links.front(), 1}};
  while (!next.empty()) {
    nodes.clear();
    for (const LinkUse& use : next) {
      shares[use.link] += use.share;
      const std::uint32_t node = topology.links()[use.link].to;
      if (topology.nodes()[node].kind == fabric::NodeKind::kSwitch) nodes[node] += use.share;
    }
    next.clear();
    for (const auto& [node, share] : nodes) spread(node, share, packet, next);
  }
  std::vector<LinkUse> uses;
  uses.reserve(shares.size());
  for (const auto& [link, share] : shares) uses.push_back({link, share});
  return uses;
}

}  // namespace plumbline::bench
