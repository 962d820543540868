// What a trial on simulated hosts cost, to hold a plan against.
#pragma once

#include "bench/trial/trial.h"

namespace plumbline::suite {

// Packet-hops that `trial` simulated; where it was fast-forwarded, those of its runs at packet
// level.
inline double hopsOf(const bench::TrialResult& trial) {
  const auto& predicted = trial.fabric->fast_forward;
  return static_cast<double>(predicted ? predicted->packet_hops : trial.fabric->packet_hops);
}

// Whether planned / made is at most `worst`, and at least the inverse of it.
inline bool within(double ratio, double worst) { return ratio <= worst && ratio >= 1 / worst; }

// The factor by which a plan may be wrong (docs/training-suite.md).
inline constexpr double kWorstPlanRatio = 1.5;

}  // namespace plumbline::suite
