#include "bench/sim/flow_count.h"

#include "bench/trial/fabric_result.h"
#include "fabric/topology/topology.h"
#include "stats/fairness.h"

namespace plumbline::bench {

FlowCount::FlowCount(fabric::Fabric& fabric) {
  const fabric::Topology& topology = fabric.topology();
  links_.resize(topology.links().size());
  for (fabric::LinkId id = 0; id < links_.size(); ++id) {
    links_[id].between_switches = topology.joinsSwitches(id);
  }
  fabric.observe(*this);
}

void FlowCount::onRecord(const fabric::Record& record) {
  Flows& flows = links_[record.link];
  const fabric::Packet& packet = record.packet;
  if (!flows.between_switches || packet.length < FabricResult::kCountedFlowData.count()) return;
  const std::uint64_t flow = std::uint64_t{packet.source} << 40 |
                             std::uint64_t{packet.destination} << 24 | packet.connection;
  if (flow == flows.latest) return;
  flows.latest = flow;
  flows.all.insert(flow);
}

std::optional<double> FlowCount::mmr() const {
  std::vector<std::uint64_t> counts;
  for (const Flows& flows : links_) {
    if (flows.between_switches) counts.push_back(flows.all.size());
  }
  const auto fairness = stats::fairness(counts);
  return fairness ? std::optional(fairness->mmr) : std::nullopt;
}

}  // namespace plumbline::bench
