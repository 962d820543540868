#include "suite/framework/lossless_share.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/card/packet.h"
#include "bench/sim/sim_bench.h"
#include "fabric/switch/buffer_room.h"
#include "fabric/topology/topology.h"

namespace plumbline::suite {
namespace {

// Rate of the probe's streams: no link carries more than a hundred of them.
constexpr Fraction kProbeRate = Fraction::percent(1);
// Frames of every queue pair, and of every stream at least.
constexpr std::int64_t kFramesPerQp = 4;
constexpr std::int64_t kFramesPerStream = 128;

double bytesPerSecond(BitRate rate) { return static_cast<double>(rate.bitsPerSecond()) / 8; }

}  // namespace

double bufferOfPort(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology) {
  return static_cast<double>(
      fabric::longestLossyQueue(switches, fabric::buildTopology(topology).minPorts()).count());
}

bool isTrimmed(const fabric::SwitchSpec& switches, const bench::FrameFormat& format) {
  return switches.trim && format.dscp == bench::kTrimmableDscp;
}

double queueOfPort(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology,
                   const bench::FrameFormat& format) {
  const double buffer = bufferOfPort(switches, topology);
  if (!isTrimmed(switches, format)) return buffer;
  return std::min(buffer, static_cast<double>(switches.trim->threshold.count()));
}

double inputUnderPfc(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology) {
  const Bytes xoff = fabric::pauseThreshold(switches, fabric::buildTopology(topology).minPorts());
  return static_cast<double>((xoff + switches.pfc->headroom).count());
}

bool isLossless(const fabric::SwitchSpec& switches, std::uint8_t priority) {
  return switches.pfc && (switches.pfc->priorities >> priority & 1U) != 0;
}

const char* flowControlOf(const TestConfig& config) {
  const fabric::SwitchSpec& switches = config.scenario.switches;
  const std::uint8_t priority = bench::priorityOf(config.scenario.traffic.format);
  const bool credits = config.bench.simulated_dut && switches.cbfc &&
                       (switches.cbfc->channels >> priority & 1U) != 0;
  return credits && !isLossless(switches, priority) ? "CBFC" : "PFC";
}

std::string bufferText(const fabric::SwitchSpec& switches, const fabric::TopologySpec& topology) {
  if (!switches.shared_buffer) {
    return fmt::format("{} B of buffer per port", switches.buffer_per_port.count());
  }
  const fabric::SharedBufferSpec& shared = *switches.shared_buffer;
  const fabric::Topology graph = fabric::buildTopology(topology);
  const std::int64_t least = fabric::longestLossyQueue(switches, graph.maxPorts()).count();
  const std::int64_t most = fabric::longestLossyQueue(switches, graph.minPorts()).count();
  std::string text =
      fmt::format("{} B of buffer shared by all ports, alpha {}: {} B for one",
                  shared.total.count(), shared.alpha.toDouble(),
                  least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
  if (shared.reserve_per_port > Bytes(0)) {
    text += fmt::format(", {} B reserved for each", shared.reserve_per_port.count());
  }
  return text;
}

double losslessShare(const TestConfig& config, Load load, Picoseconds duration) {
  const BitRate line = config.scenario.topology.link_rate;
  load.rate = kProbeRate;
  const std::int64_t frames = std::max(kFramesPerStream, kFramesPerQp * load.qps);
  const Picoseconds probe = frameSlot(load.size.frame, line) *
                            (frames * (Fraction::kOne / kProbeRate.partsPerTrillion()));
  const bench::TrialSpec spec = loadTrial(config, load, probe, microseconds(100), 0);
  bench::SimBench bench({.line_rate = line});
  if (!bench.refusals(spec).empty()) return 1;
  const bench::TrialResult trial = bench.run(spec, {});
  const fabric::SwitchSpec& switches = config.scenario.switches;
  // PFC pauses a sender before a buffer is full.
  const bench::FrameFormat& format = config.scenario.traffic.format;
  const double hidden_bytes = isLossless(switches, bench::priorityOf(format))
                                  ? inputUnderPfc(switches, config.scenario.topology)
                                  : queueOfPort(switches, config.scenario.topology, format);
  // A frame more or less on a link is no overload.
  const double exact = 1 + 2.0 / static_cast<double>(frames);
  double share = 1;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    const double capacity = bytesPerSecond(link.rate);
    const double wire = static_cast<double>(link.bytes) +
                        static_cast<double>(kWireOverheadBytes.count() * link.packets);
    const double demand = wire / (capacity * probe.toSeconds() * kProbeRate.toDouble());
    if (demand <= exact) continue;
    const double hidden = hidden_bytes / capacity / duration.toSeconds();
    share = std::min(share, (1 + hidden) / demand);
  }
  return share;
}

}  // namespace plumbline::suite
