// When flows that share a bottleneck have come to share it fairly, and stay so: the settling time
// of control engineering, taken from the samples of a trial.
//
// The rate of a flow is its mean over a window of some samples; there is a window behind every
// sample, so windows overlap. A window is fair when the rate of every flow is within the tolerance
// of the fair share, which is the mean rate of all flows in that window. Flows have settled at the
// beginning of the first window since when every window is fair, up to the end of the span that is
// looked at, and only if as many windows as the rule asks for, laid end to end, are left of it. So
// neither rates that cross on their way, nor flows that are fair by turns, nor a few fair windows
// before the end pass for convergence. What happens faster than a window is not seen: the window
// must be longer than packets, and than the steps of a congestion control.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/trial/samples.h"

namespace plumbline::suite {

struct ConvergenceRule {
  double tolerance = 0.10;         // of the fair share
  std::uint32_t window = 5;        // samples that a rate is taken over
  std::uint32_t windows_held = 5;  // what must be left of the span when flows have settled
};

// What is looked at.
struct SharingSpan {
  std::size_t flows = 0;  // as many as share the bottleneck; fair needs all of them
  Picoseconds from;       // windows that begin earlier are left out: when the last flow joined
  Picoseconds until;      // so are those that end later: when the first flow may be done
};

struct Convergence {
  // From SharingSpan::from to when the flows had settled; nothing if they never did.
  std::optional<Picoseconds> settled;
  // Share of the span's windows that are fair, 0 to 1; 0 without a window.
  double fair_share_of_windows = 0;
};

Convergence convergenceOf(const bench::Samples& samples, const SharingSpan& span,
                          const ConvergenceRule& rule = {});

// Rates of every flow, window by window, laid end to end [Gb/s]: series[flow][window].
std::vector<std::vector<double>> flowRates(const bench::Samples& samples, std::uint32_t window);

}  // namespace plumbline::suite
