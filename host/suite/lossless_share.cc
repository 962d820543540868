#include "suite/lossless_share.h"

#include <algorithm>

#include "bench/sim_bench.h"

namespace plumbline::suite {
namespace {

// Of the frames that look for the way: no link carries more than a hundred such streams.
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
  // A frame more or less on a link is no overload.
  const double exact = 1 + 2.0 / static_cast<double>(frames);
  double share = 1;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    const double capacity = bytesPerSecond(link.rate);
    const double wire = static_cast<double>(link.bytes) +
                        static_cast<double>(kWireOverheadBytes.count() * link.packets);
    const double demand = wire / (capacity * probe.toSeconds() * kProbeRate.toDouble());
    if (demand <= exact) continue;
    const double hidden = bufferOfPort(config.scenario.switches) / capacity / duration.toSeconds();
    share = std::min(share, (1 + hidden) / demand);
  }
  return share;
}

}  // namespace plumbline::suite
