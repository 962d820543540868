#include "fabric/spec/fabric_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace plumbline::fabric {
namespace {

// By link. The last rule that names a link holds.
std::vector<double> bitErrorRates(const Topology& topology, const FabricSpec& spec) {
  std::vector<double> rates(topology.links().size());
  for (const BitErrorSpec& rule : spec.bit_errors) {
    for (const LinkId link : topology.selectLinks(rule.link, "bit_errors")) rates[link] = rule.rate;
  }
  return rates;
}

// The longest outage of a cable that LLR bridges.
Picoseconds longestBridged(const SwitchSpec& switches) {
  return switches.llr ? switches.llr->pcs_lost.value_or(Picoseconds(0)) : Picoseconds(0);
}

// The down times of the links, by link.
std::vector<std::vector<Outage>> outagesOf(const Topology& topology, const FabricSpec& spec) {
  return outagesOf(topology, spec.failures, longestBridged(spec.switches));
}

}  // namespace

std::vector<FailureSpec> unbridged(const std::vector<FailureSpec>& failures,
                                   const FabricSpec& spec) {
  if (longestBridged(spec.switches) == Picoseconds(0)) return failures;
  const Topology topology = buildTopology(spec.topology);
  const auto outages = outagesOf(topology, spec);
  std::vector<FailureSpec> left;
  for (const FailureSpec& failure : failures) {
    if (!isBridged(failure, topology, outages)) left.push_back(failure);
  }
  return left;
}

Topology checkedTopology(const FabricSpec& spec) {
  validate(spec);
  return buildTopology(spec.topology);
}

FabricPlan::FabricPlan(Topology topology, const FabricSpec& spec)
    : spec_(spec),
      topology_(std::move(topology)),
      outages_(outagesOf(topology_, spec_)),
      bit_error_rates_(bitErrorRates(topology_, spec_)),
      schedule_(topology_, outages_, spec_.convergence, spec_.seed) {}

// Along the first of the shortest paths.
Picoseconds FabricPlan::unloadedLatency(HostId from, HostId to, Bytes length) const {
  const HostId hosts = hostCount();
  if (from >= hosts || to >= hosts || from == to) {
    throw Error(ErrorKind::kUsage, fmt::format("no path from host {} to host {}", from, to),
                "unloadedLatency", fmt::format("allowed: two different hosts below {}", hosts));
  }
  const Routing& routing = *schedule_.epochs().front().routing;
  Picoseconds latency;
  LinkId id = topology_.nodes()[topology_.hosts()[from]].out_links.front();
  for (;;) {
    const Link& link = topology_.links()[id];
    latency += link.delay;
    const Node& node = topology_.nodes()[link.to];
    if (node.kind == NodeKind::kHost) return latency;
    latency += spec_.switches.latency;
    const bool stored = spec_.switches.forwarding == Forwarding::kStoreAndForward ||
                        std::any_of(node.out_links.begin(), node.out_links.end(), [&](LinkId out) {
                          return topology_.links()[out].rate > link.rate;
                        });
    if (stored) latency += serializationTime(length, link.rate);
    id = routing.candidates(node.index, to).front();
  }
}

}  // namespace plumbline::fabric
