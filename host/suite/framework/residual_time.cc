#include "suite/framework/residual_time.h"

#include <algorithm>
#include <cstdint>

namespace plumbline::suite {
namespace {

// The links of a longest shortest path, and the extremes of all links.
struct LongestPath {
  std::int64_t switches = 0;
  Picoseconds cables;
  BitRate slowest;
};

LongestPath pathOfGraph(const fabric::TopologySpec& topology) {
  const fabric::GraphSpec& graph = topology.graph;
  LongestPath path;
  path.switches = static_cast<std::int64_t>(graph.switches.size());
  path.slowest = topology.link_rate;
  if (graph.cables.empty()) return path;
  path.slowest = graph.cables.front().rate;
  Picoseconds longest;
  for (const auto& cable : graph.cables) {
    path.slowest = std::min(path.slowest, cable.rate);
    longest = std::max(longest, cable.delay);
  }
  path.cables = longest * (path.switches + 1);
  return path;
}

LongestPath pathOf(const fabric::TopologySpec& topology) {
  const auto tiers = [&](std::int64_t switches) {
    LongestPath path;
    path.switches = switches;
    path.cables = topology.host_link_delay * (switches == 0 ? 1 : 2) +
                  topology.fabric_link_delay * std::max<std::int64_t>(switches - 1, 0);
    path.slowest =
        switches > 1 ? std::min(topology.link_rate, topology.fabricRate()) : topology.link_rate;
    return path;
  };
  switch (topology.kind) {
    case fabric::TopologyKind::kLink:
      return tiers(0);
    case fabric::TopologyKind::kSingleSwitch:
      return tiers(1);
    case fabric::TopologyKind::kClos2:
    case fabric::TopologyKind::kRail:
    case fabric::TopologyKind::kPools:
      return tiers(3);
    case fabric::TopologyKind::kClos3:
      return tiers(5);
    case fabric::TopologyKind::kGraph:
      break;
  }
  return pathOfGraph(topology);
}

Picoseconds pathTime(const fabric::FabricSpec& dut, const LongestPath& path, Bytes frame) {
  return path.cables + dut.switches.latency * path.switches +
         serializationTime(frame, path.slowest) * (path.switches + 1);
}

// Most bytes that may be in front of a frame in one switch.
Bytes queueOf(const fabric::SwitchSpec& switches, std::int64_t ports) {
  Bytes queue = switches.shared_buffer ? switches.shared_buffer->total : switches.buffer_per_port;
  if (switches.pfc && !switches.shared_buffer) {
    queue = std::max(queue, (switches.pfc->xoff + switches.pfc->headroom) * ports);
  }
  return queue;
}

}  // namespace

std::int64_t switchesOnPath(const fabric::TopologySpec& topology) {
  return pathOf(topology).switches;
}

Picoseconds pathTime(const fabric::FabricSpec& dut, Bytes frame) {
  return pathTime(dut, pathOf(dut.topology), frame);
}

Picoseconds residualTime(const fabric::FabricSpec& dut, Bytes frame) {
  const LongestPath path = pathOf(dut.topology);
  // On the wire the shortest frames have a preamble and a gap for every 64 B.
  constexpr std::int64_t kShortest = 64;
  const Bytes queue = queueOf(dut.switches, std::int64_t{dut.hostCount()});
  const Bytes on_wire = queue + kWireOverheadBytes * (queue.count() / kShortest + 1);
  Picoseconds time =
      pathTime(dut, path, frame) + serializationTime(on_wire, path.slowest) * path.switches;
  for (const fabric::PauseStormSpec& storm : dut.storms) time += storm.duration;
  return time;
}

}  // namespace plumbline::suite
