#include "bench/sim/rate_watch.h"

#include <algorithm>

#include "fabric/topology/topology.h"

namespace plumbline::bench {

RateWatch::RateWatch(Picoseconds interval, fabric::Fabric& fabric) : interval_(interval) {
  const fabric::Topology& topology = fabric.topology();
  to_host_.resize(topology.links().size());
  for (const fabric::NodeId host : topology.hosts()) {
    to_host_[fabric::reverse(topology.nodes()[host].out_links.front())] = true;
  }
  fabric.observe(*this);
}

void RateWatch::onRecord(const fabric::Record& record) {
  if (!to_host_[record.link] || record.packet.length < FabricResult::kCountedFlowData.count()) {
    return;
  }
  const std::int64_t interval = record.time / interval_;
  if (interval != current_) {
    max_ = std::max(max_, bytes_);
    bytes_ = 0;
    current_ = interval;
  }
  bytes_ += record.packet.length;
}

PeakRate RateWatch::peak() const { return {interval_, std::max(max_, bytes_)}; }

}  // namespace plumbline::bench
