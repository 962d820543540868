// When flows that share a bottleneck have come to share it fairly, from the samples of a trial.
#pragma once

#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/samples.h"

namespace plumbline::suite {

struct ConvergenceRule {
  double tolerance = 0.10;         // of the fair share
  std::uint32_t window = 5;        // samples that a rate is taken over
  std::uint32_t windows_held = 3;  // windows in a row that all flows must stay within it
};

// Time from `from` to the beginning of the first window since when all flows of `samples` were
// within the tolerance of their mean rate, as long as the rule says. A flow that receives nothing
// in a window is not within it; flows that are done end the search. Nothing if they never were.
std::optional<Picoseconds> convergenceTime(const bench::Samples& samples, Picoseconds from,
                                           const ConvergenceRule& rule = {});

// Rates of every flow, window by window [Gb/s]: series[flow][window].
std::vector<std::vector<double>> flowRates(const bench::Samples& samples, std::uint32_t window);

}  // namespace plumbline::suite
