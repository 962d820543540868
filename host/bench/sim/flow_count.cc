#include "bench/sim/flow_count.h"

#include "fabric/topology/topology.h"
#include "stats/fairness.h"

namespace plumbline::bench {
namespace {

// The smallest MTU is 256 bytes of payload; acknowledgements are far smaller.
constexpr std::uint16_t kMinFlowData = 256;

}  // namespace

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
  if (!flows.between_switches || packet.length < kMinFlowData) return;
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
