#include "suite/framework/lossless_share.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/card/packet.h"
#include "bench/sim/sim_bench.h"

namespace plumbline::suite {
namespace {

// Rate of the probe's streams: no link carries more than a hundred of them.
constexpr Fraction kProbeRate = Fraction::percent(1);
// Frames of every queue pair, and of every stream at least.
constexpr std::int64_t kFramesPerQp = 4;
constexpr std::int64_t kFramesPerStream = 128;

double bytesPerSecond(BitRate rate) { return static_cast<double>(rate.bitsPerSecond()) / 8; }

}  // namespace

double bufferOfPort(const fabric::SwitchSpec& switches) {
  if (!switches.shared_buffer) return static_cast<double>(switches.buffer_per_port.count());
  // A queue grows to alpha times what is then still free.
  const double alpha = switches.shared_buffer->alpha.toDouble();
  return static_cast<double>(switches.shared_buffer->total.count()) * alpha / (1 + alpha);
}

double inputUnderPfc(const fabric::SwitchSpec& switches) {
  const fabric::PfcSpec& pfc = *switches.pfc;
  auto xoff = static_cast<double>(pfc.xoff.count());
  if (pfc.dynamic_alpha && switches.shared_buffer) {
    const double alpha = pfc.dynamic_alpha->toDouble();
    xoff = static_cast<double>(switches.shared_buffer->total.count()) * alpha / (1 + alpha);
  }
  return xoff + static_cast<double>(pfc.headroom.count());
}

bool isLossless(const fabric::SwitchSpec& switches, std::uint8_t priority) {
  return switches.pfc && (switches.pfc->priorities >> priority & 1U) != 0;
}

std::string bufferText(const fabric::SwitchSpec& switches) {
  if (!switches.shared_buffer) {
    return fmt::format("{} B of buffer per port", switches.buffer_per_port.count());
  }
  const fabric::SharedBufferSpec& shared = *switches.shared_buffer;
  std::string text =
      fmt::format("{} B of buffer shared by all ports, alpha {}: {:.0f} B for one",
                  shared.total.count(), shared.alpha.toDouble(), bufferOfPort(switches));
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
  const double hidden_bytes =
      isLossless(switches, bench::priorityOf(config.scenario.traffic.format))
          ? inputUnderPfc(switches)
          : bufferOfPort(switches);
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
