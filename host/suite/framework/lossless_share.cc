#include "suite/framework/lossless_share.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/card/packet.h"
#include "bench/sim/sim_bench.h"
#include "fabric/link/credits.h"
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

std::optional<ControlledInput> controlledInput(const fabric::SwitchSpec& switches,
                                               const fabric::TopologySpec& topology,
                                               std::uint8_t priority) {
  if (isLossless(switches, priority)) {
    const Bytes xoff = fabric::pauseThreshold(switches, fabric::buildTopology(topology).minPorts());
    return ControlledInput{static_cast<double>((xoff + switches.pfc->headroom).count()), "PFC",
                           "xoff and headroom of an input"};
  }
  if (!hasCredits(switches, priority)) return std::nullopt;
  const fabric::VirtualChannels channels(*switches.cbfc);
  const auto credits = static_cast<double>(channels.limit(channels.of(priority)));
  return ControlledInput{credits * static_cast<double>(switches.cbfc->credit_size.count()), "CBFC",
                         "the credits of a link"};
}

bool isLossless(const fabric::SwitchSpec& switches, std::uint8_t priority) {
  return switches.pfc && (switches.pfc->priorities >> priority & 1U) != 0;
}

bool hasCredits(const fabric::SwitchSpec& switches, std::uint8_t priority) {
  return switches.cbfc && (switches.cbfc->channels >> priority & 1U) != 0;
}

const char* flowControlOf(const TestConfig& config) {
  const fabric::SwitchSpec& switches = config.scenario.switches;
  const std::uint8_t priority = bench::priorityOf(config.scenario.traffic.format);
  const bool pfc = isLossless(switches, priority);
  const bool credits = config.bench.simulated_dut && hasCredits(switches, priority);
  const bool replays =
      config.bench.simulated_dut && switches.llr && !config.scenario.bit_errors.empty();
  if (replays && pfc) return "PFC or LLR";
  if (replays) return credits ? "CBFC or LLR" : "LLR";
  return credits && !pfc ? "CBFC" : "PFC";
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
  // Flow control holds a sender back before a buffer is full.
  const bench::FrameFormat& format = config.scenario.traffic.format;
  const auto input = controlledInput(switches, config.scenario.topology, bench::priorityOf(format));
  const double hidden_bytes =
      input ? input->bytes : queueOfPort(switches, config.scenario.topology, format);
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
